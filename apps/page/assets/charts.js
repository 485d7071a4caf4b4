// The curves of runs as groups of charts, with shared settings: axis, smoothing, range,
// search.

import { Chart, ChartGroup } from "./chart.js";
import { button, capitalized, h } from "./dom.js";
import { download } from "./exchange.js";
import { keepSetting, setting } from "./settings.js";
import { AXES, CURVES, CURVE_GROUPS, labels } from "./words.js";

/** The half-width of a rating's interval: on the scale of the baselines, if that is known. */
export const interval = ({ ci95, ci95_on_scale: onScale }) => onScale ?? ci95;

/** Points along another axis, a curve over generations; without one along generations. */
function along(axis, points) {
  if (!axis) return points;
  const at = new Map(axis);
  return points.filter(([generation]) => at.has(generation)).map(([generation, ...values]) => [at.get(generation), ...values]);
}

/** A curve of a run: the rating, or one by its tag. Tags are what a file says: none may be mistaken for a property. */
function curveOf(run, tag) {
  if (tag === "rating") return (run.ratings?.points ?? []).map((point) => [point.generation, point.elo, point.elo - interval(point), point.elo + interval(point)]);
  return Object.hasOwn(run.curves, tag) ? run.curves[tag] : [];
}

/** The title and unit of a curve. */
function titleOf(tag) {
  if (tag === "rating") return [labels.ratingCurve, "Elo"];
  return Object.hasOwn(CURVES, tag) ? CURVES[tag] : [capitalized(tag.split("/").slice(1).join("/").replaceAll("_", " ") || tag), ""];
}

/** Ratings have a chart of their own, with intervals; progress is an axis. */
const isShown = (tag) => !["rating", "progress"].includes(tag.split("/")[0]);

/** Mean, lowest and highest of several curves where they have points. */
function spread(curves) {
  const at = new Map();
  for (const points of curves) for (const [x, y] of points) at.set(x, [...(at.get(x) ?? []), y]);
  return [...at].sort((a, b) => a[0] - b[0]).map(([x, all]) => [x, all.reduce((a, b) => a + b, 0) / all.length, Math.min(...all), Math.max(...all)]);
}

export class Charts {
  /** `onChange` is called when the user chooses another axis or smoothing. */
  constructor(onChange = () => {}) {
    this.onChange = onChange;
    this.group = new ChartGroup();
    this.charts = new Map();
    this.pinned = new Set(setting("pinned", []));
    const axes = Object.entries(AXES).map(([id, [name]]) => h("option", { value: id }, name));
    this.axis = h("select", { name: "axis", "aria-label": labels.whatAlong, onchange: () => this.changed() }, ...axes);
    this.smoothing = h("input", { type: "range", name: "smoothing", min: 0, max: 0.95, step: 0.05, value: 0, oninput: () => this.changed() });
    this.log = h("input", { type: "checkbox", name: "log", onchange: () => this.changed() });
    this.search = h("input", { type: "search", "aria-label": labels.searchCurves, placeholder: labels.searchCurves, oninput: () => this.filter() });
    this.none = h("p", { class: "note", hidden: true }, labels.noCurves);
    this.groups = h("div", { class: "charts" });
    this.bar = h("div", { class: "chart-bar", hidden: true },
      this.search, this.axis,
      h("label", { class: "inline" }, labels.smoothing, this.smoothing),
      h("label", { class: "inline" }, this.log, labels.logarithmic),
      button(labels.wholeRange, () => this.group.set({ range: null }), { class: "quiet" }),
      button(labels.downloadCsv, () => this.save(), { class: "quiet" }));
    this.element = h("section", { "aria-label": labels.curves }, this.bar, this.none, this.groups);
  }

  /** What an address keeps. */
  get settings() {
    return { axis: this.axis.value, smoothing: this.smoothing.value, log: this.log.checked ? "1" : "" };
  }

  set settings({ axis, smoothing, log }) {
    if (axis && Object.hasOwn(AXES, axis)) this.axis.value = axis;
    if (smoothing) this.smoothing.value = smoothing;
    this.log.checked = log === "1";
  }

  changed() {
    this.draw();
    this.onChange();
  }

  /** Shows runs; with `areGrouped` runs of the same settings are one line, with the spread of their seeds. */
  show(runs, { areGrouped = false, marks = [] } = {}) {
    Object.assign(this, { runs, areGrouped, marks });
    this.draw();
  }

  /** The lines of a chart: {name, points, isBand}. */
  series(tag) {
    const tagOfAxis = AXES[this.axis.value][1];
    const points = (run) => along(tagOfAxis && curveOf(run, tagOfAxis), curveOf(run, tag));
    if (!this.areGrouped) return this.runs.map((run) => ({ name: run.name, points: points(run) }));
    const groups = Map.groupBy(this.runs, (run) => run.group);
    return [...groups].map(([name, members]) => ({ name, isBand: members.length > 1, points: members.length > 1 ? spread(members.map(points)) : points(members[0]) }));
  }

  draw() {
    const tags = [...new Set(this.runs.flatMap((run) => Object.keys(run.curves)))].filter(isShown);
    if (this.runs.some((run) => curveOf(run, "rating").length)) tags.unshift("rating");
    Object.assign(this.group, { smoothing: Number(this.smoothing.value), isLog: this.log.checked, xName: this.axis.value, marks: this.axis.value === "generation" ? this.marks : [] });
    this.bar.hidden = tags.length === 0;
    this.none.hidden = tags.length > 0 || this.runs.length === 0;
    for (const [tag, { chart }] of this.charts) {
      if (tags.includes(tag)) continue;
      this.group.charts.delete(chart);
      this.charts.delete(tag);
    }
    for (const tag of tags) {
      if (!this.charts.has(tag)) this.charts.set(tag, this.chart(tag));
      this.charts.get(tag).chart.show(this.series(tag));
    }
    this.arrange();
  }

  chart(tag) {
    const [title, unit] = titleOf(tag);
    const chart = new Chart({ title, unit, group: this.group, isWide: tag === "rating" });
    const pin = button("☆", () => this.pin(tag), { class: "quiet pin", title: labels.pin, "aria-label": `${labels.pin}: ${title}` });
    chart.element.querySelector("figcaption").append(pin);
    return { chart, pin, title };
  }

  pin(tag) {
    this.pinned[this.pinned.has(tag) ? "delete" : "add"](tag);
    keepSetting("pinned", [...this.pinned]);
    this.arrange();
    this.charts.get(tag).pin.focus();
  }

  /** Puts the charts into their groups, pinned ones first. */
  arrange() {
    const groups = new Map([["pinned", labels.pinned], ["rating", null], ...CURVE_GROUPS].map(([id, title]) => [id, { title, tags: [] }]));
    for (const [tag, { pin }] of this.charts) {
      const isPinned = this.pinned.has(tag);
      pin.textContent = isPinned ? "★" : "☆";
      pin.setAttribute("aria-pressed", String(isPinned));
      const id = isPinned ? "pinned" : tag.split("/")[0];
      if (!groups.has(id)) groups.set(id, { title: capitalized(id), tags: [] });
      groups.get(id).tags.push(tag);
    }
    const key = JSON.stringify([...groups].map(([id, { tags }]) => [id, tags]));
    if (key !== this.arranged) {
      const shown = [...groups.values()].filter(({ tags }) => tags.length);
      this.groups.replaceChildren(...shown.map(({ title, tags }) => h("section", { class: "chart-group" }, title && h("h2", {}, title), h("div", { class: "chart-row" }, ...tags.map((tag) => this.charts.get(tag).chart.element)))));
    }
    this.arranged = key;
    this.filter();
  }

  filter() {
    const wanted = this.search.value.trim().toLowerCase();
    for (const [tag, { chart, title }] of this.charts) chart.element.hidden = !chart.lines?.some(({ raw }) => raw.length) || !`${title} ${tag}`.toLowerCase().includes(wanted);
    for (const section of this.groups.children) section.hidden = !section.querySelector(".chart:not([hidden])");
  }

  save() {
    const shown = [...this.charts.values()].filter(({ chart }) => !chart.element.hidden);
    download(shown.map(({ chart }) => chart.toCsv()).join("\n"), "curves.csv", "text/csv");
  }
}
