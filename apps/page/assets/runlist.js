// All runs, to sort and to compare, and the games of a generation.

import { get, loadVariants } from "./api.js";
import { chart } from "./chart.js";
import { button, capitalised, duration, figure, h } from "./dom.js";
import { interval, link, stateText } from "./runs.js";
import { AXES, CURVES, labels, resultText, words } from "./words.js";

/** Runs that can be compared at once: as many as there are colours. */
const MOST_COMPARED = 5;
const COMPARED = ["loss/total", "loss/policy", "loss/value", "selfplay/draw_rate", "selfplay/game_length", "selfplay/games_per_s"];
/** How often the list is read again. */
const REFRESH_MS = 5000;

/** A table whose columns, {name, key, cell, kind}, sort it; a kind is a class of its cells. */
class SortedTable {
  constructor(columns, order, descending) {
    Object.assign(this, { columns, order, descending, rows: [] });
    this.element = h("div", { class: "stack" });
  }

  show(rows) {
    this.rows = rows;
    const column = this.columns.find(({ name }) => name === this.order);
    const key = (row) => column.key(row) ?? -Infinity;
    const compare = (a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0) * (this.descending ? -1 : 1);
    const head = this.columns.map(({ name, key: sorts, kind }) => {
      const direction = name === this.order ? (this.descending ? "descending" : "ascending") : null;
      const content = sorts ? button(name, () => this.sort(name), { class: "quiet" }) : name;
      return h("th", { "aria-sort": direction, scope: "col", class: kind }, content);
    });
    const body = [...rows].sort(compare).map((row) => h("tr", {}, ...this.columns.map(({ name, cell, kind }) => h("td", { class: kind, "data-label": name }, cell(row)))));
    const focused = this.element.contains(document.activeElement) ? document.activeElement.textContent : null;
    this.element.replaceChildren(h("table", {}, h("thead", {}, h("tr", {}, ...head)), h("tbody", {}, ...body)));
    if (focused) [...this.element.querySelectorAll("th button")].find((button) => button.textContent === focused)?.focus();
  }

  sort(name) {
    this.descending = this.order === name ? !this.descending : true;
    this.order = name;
    this.show(this.rows);
  }
}

export class RunsView {
  constructor() {
    this.chosen = new Set();
    this.table = new SortedTable([
      { name: labels.compare, cell: (run) => this.box(run) },
      { name: labels.run, kind: "title", key: ({ name }) => name, cell: ({ name }) => h("a", { href: link(name) }, name) },
      { name: labels.game, key: ({ variant }) => variant, cell: ({ variant }) => capitalised(variant) },
      { name: labels.elo, kind: "end", key: ({ status }) => status?.rating?.elo, cell: ({ status }) => ratingText(status?.rating) },
      { name: labels.games, kind: "end", key: ({ status }) => status?.games, cell: ({ status }) => figure(status?.games) },
      { name: labels.time, kind: "end", key: ({ status }) => status?.seconds, cell: ({ status }) => (status ? duration(status.seconds) : "–") },
      { name: labels.networks, kind: "end", key: ({ n_models: n }) => n, cell: ({ n_models: n }) => String(n) },
      { name: labels.state, key: ({ is_live: isLive }) => Number(isLive), cell: (run) => (run.is_live ? h("span", { class: "badge" }, labels.training) : stateText(run)) },
      { name: labels.verdict, kind: "reasoned", key: ({ verdict }) => verdict?.word, cell: ({ verdict }) => verdictText(verdict) },
    ], labels.elo, true);
    this.order = h("pre", {});
    this.empty = h("div", { class: "card", hidden: true }, h("p", {}, labels.noRuns), this.order);
    this.card = h("div", { class: "card", hidden: true }, this.table.element);
    this.axis = h("select", { name: "axis", onchange: () => this.compare() }, ...Object.entries(AXES).map(([id, [name]]) => h("option", { value: id }, name)));
    this.axisField = h("label", { class: "field axis", hidden: true }, h("span", {}, labels.whatAlong), this.axis);
    this.comparison = h("div", { class: "charts" });
    this.element = h("div", { class: "page" }, h("h1", {}, labels.runs), this.empty, this.card, this.axisField, this.comparison);
  }

  close() {
    clearInterval(this.timer);
  }

  async open() {
    this.order.textContent = `crownhead train ${[...(await loadVariants()).keys()][0]}`;
    await this.refresh();
    this.timer = setInterval(() => this.refresh().catch(() => {}), REFRESH_MS);
  }

  async refresh() {
    this.runs = await get("/api/runs");
    this.empty.hidden = this.runs.length > 0;
    this.card.hidden = this.runs.length === 0;
    // A row that the user is at is not taken away from him.
    if (!this.card.contains(document.activeElement)) this.table.show(this.runs);
  }

  box({ name }) {
    const toggle = (event) => {
      this.chosen[event.target.checked ? "add" : "delete"](name);
      if (this.chosen.size > MOST_COMPARED) {
        this.chosen.delete(name);
        event.target.checked = false;
      }
      this.compare();
    };
    return h("input", { type: "checkbox", "aria-label": words.compare(name), checked: this.chosen.has(name), onchange: toggle });
  }

  /** Curves of the chosen runs over each other, and the settings in which they differ. */
  async compare() {
    const names = [...this.chosen];
    const runs = await Promise.all(names.map((name) => get(`/api/runs/${encodeURIComponent(name)}`)));
    if (names.join() !== [...this.chosen].join()) return;
    const [xName, axis] = [this.axis.value, AXES[this.axis.value][1]];
    const series = (pointsOf) => runs.map((run) => ({ name: run.name, points: along(axis && (run.curves[axis] ?? []), pointsOf(run) ?? []) })).filter(({ points }) => points.length);
    this.axisField.hidden = runs.length === 0;
    const rated = series(({ ratings }) => ratings?.points.map((point) => [point.generation, point.elo, point.elo - interval(point), point.elo + interval(point)]));
    const charts = [rated.length && chart({ title: labels.ratingCurve, xName, series: rated, isWide: true })];
    for (const tag of COMPARED) {
      const lines = series(({ curves }) => curves[tag]);
      if (lines.length) charts.push(chart({ title: CURVES[tag]?.[0] ?? tag, unit: CURVES[tag]?.[1], xName, series: lines }));
    }
    this.comparison.replaceChildren(...(runs.length ? [h("div", { class: "chart-row" }, ...charts.filter(Boolean)), this.differences(names)].filter(Boolean) : []));
  }

  differences(names) {
    const runs = names.map((name) => this.runs.find((run) => run.name === name)).filter(Boolean);
    const keys = [...new Set(runs.flatMap(({ settings }) => Object.keys(settings)))].sort();
    const differing = keys.filter((key) => new Set(runs.map(({ settings }) => settings[key])).size > 1);
    if (runs.length < 2 || !differing.length) return null;
    const head = h("tr", {}, h("th", { scope: "col" }, labels.setting), ...names.map((name) => h("th", { scope: "col" }, name)));
    const rows = differing.map((key) => h("tr", {}, h("th", { scope: "row" }, key), ...runs.map(({ settings }) => h("td", {}, settings[key] ?? "–"))));
    return h("div", { class: "card" }, h("h2", {}, labels.settingsThatDiffer), h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": labels.settingsThatDiffer }, h("table", {}, h("thead", {}, head), h("tbody", {}, ...rows))));
  }
}

/** Points along another axis, a curve over generations; without one along generations. */
function along(axis, points) {
  if (!axis) return points;
  const at = new Map(axis);
  return points.filter(([generation]) => at.has(generation)).map(([generation, ...values]) => [at.get(generation), ...values]);
}

/** How a run is doing, and why that is said. */
function verdictText(verdict) {
  return verdict ? [h("b", {}, capitalised(verdict.word)), h("span", { class: "note" }, capitalised(verdict.reason))] : "–";
}

function ratingText(rating) {
  return rating ? `${Math.round(rating.elo)} ±${Math.round(interval(rating))}` : "–";
}

/** What a winner was expected to score, at some time, if his win is an upset. */
const UPSET = 0.25;

const FILTERS = {
  all: [labels.allGames, () => true],
  white: [labels.whiteWon, ({ result }) => result === "white"],
  black: [labels.blackWon, ({ result }) => result === "black"],
  draw: [labels.draws, ({ result }) => result === "draw"],
  upset: [labels.upsets, ({ winner_low: low }) => low != null && low <= UPSET],
  swing: [labels.swings, ({ swing }) => swing >= 0.5],
};

/** The games of a generation, to sort and to filter. */
export class GenerationView {
  constructor(run, generation) {
    Object.assign(this, { run, generation });
    this.filter = h("select", { name: "filter", "aria-label": labels.whichGames, onchange: () => this.draw() },
      ...Object.entries(FILTERS).map(([id, [text]]) => h("option", { value: id }, text)));
    this.table = new SortedTable([
      { name: labels.game, key: ({ number }) => number, cell: ({ number }) => h("a", { href: link(run, generation, number) }, String(number)) },
      { name: labels.result, key: ({ result }) => result, cell: ({ result, reason }) => resultText(result, reason) },
      { name: labels.plies, kind: "end", key: ({ plies }) => plies, cell: ({ plies }) => String(plies) },
      { name: labels.largestSwing, kind: "end", key: ({ swing }) => swing, cell: ({ swing }) => `${Math.round(100 * swing)}\u2009%` },
    ], labels.game, false);
    this.none = h("p", { class: "note", hidden: true }, labels.noneOfKind);
    this.element = h("div", { class: "page" },
      h("p", { class: "crumbs" }, h("a", { href: "#/runs" }, labels.runs), " / ", h("a", { href: link(run) }, run), ` / ${words.generation(generation)}`),
      h("h1", {}, words.gamesOf(generation)), h("div", { class: "bar" }, this.filter), h("div", { class: "card" }, this.table.element, this.none));
  }

  close() {}

  async open() {
    this.games = await get(`/api/runs/${encodeURIComponent(this.run)}/games/${this.generation}`);
    this.draw();
  }

  draw() {
    const games = this.games.filter(FILTERS[this.filter.value][1]);
    this.table.show(games);
    this.none.hidden = games.length > 0;
  }
}
