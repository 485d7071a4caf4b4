// Line charts that share a range and a cursor, and the values of a game.

import { figure, h, s } from "./dom.js";
import { words } from "./words.js";

const [WIDTH, HEIGHT] = [340, 150];
const INSIDE = { left: 46, right: 12, top: 10, bottom: 22 };
/** Colors of lines. Further lines are dashed. */
const COLORS = 5;
/** Pixels from which on a press selects a range. */
const DRAG_PIXELS = 5;

/** Round numbers that span a range. */
function ticks(low, high, count) {
  const raw = (high - low || 1) / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= raw);
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, i) => (first + i) * step);
}

function tickText(value) {
  if (Math.abs(value) >= 10000) return `${+(value / 1000).toPrecision(3)}k`;
  return String(+value.toPrecision(3));
}

/** Moving averages that forget by `smoothing`, without a bias to the first value. */
export function smoothed(points, smoothing) {
  if (!smoothing) return points;
  let [sum, weight] = [0, 0];
  return points.map(([x, y]) => {
    sum = smoothing * sum + (1 - smoothing) * y;
    weight = smoothing * weight + 1 - smoothing;
    return [x, sum / weight];
  });
}

/** The point whose x is nearest; points are in order. */
function nearest(points, x) {
  let [low, high] = [0, points.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (points[middle][0] < x) low = middle;
    else high = middle;
  }
  return Math.abs(points[low][0] - x) <= Math.abs(points[high][0] - x) ? points[low] : points[high];
}

/** What the charts of a view have in common: `range` of x, `cursor`, `smoothing`, `isLog`, `xName`, `marks`. */
export class ChartGroup {
  constructor() {
    Object.assign(this, { range: null, cursor: null, smoothing: 0, isLog: false, xName: "generation", marks: [], charts: new Set() });
  }

  set(change) {
    Object.assign(this, change);
    for (const chart of this.charts) chart.draw();
  }

  point(x) {
    this.cursor = x;
    for (const chart of this.charts) chart.drawCursor();
  }
}

/** A chart of one quantity. Lines are {name, points: [[x, y, low, high]]}; low and high are an optional interval. */
export class Chart {
  constructor({ title, unit = "", group, isWide = false }) {
    Object.assign(this, { title, unit, group, isWide });
    this.values = h("span", { class: "latest" });
    this.keys = h("span", { class: "keys-of" });
    this.picture = s("svg", { role: "img" });
    this.element = h("figure", { class: isWide ? "chart wide" : "chart" }, h("figcaption", {}, h("span", { class: "name" }, title), this.keys, this.values), this.picture);
    this.picture.addEventListener("pointermove", (event) => this.group.point(this.valueAt(event)));
    this.picture.addEventListener("pointerleave", () => this.group.point(null));
    this.picture.addEventListener("pointerdown", (event) => this.select(event));
    this.picture.addEventListener("dblclick", () => this.group.set({ range: null }));
    group.charts.add(this);
  }

  show(series) {
    this.series = series.filter(({ points }) => points.length);
    this.draw();
  }

  get width() {
    return this.isWide && innerWidth > 900 ? 3 * WIDTH : WIDTH;
  }

  draw() {
    const { group, series } = this;
    if (!series) return;
    const isIn = ([x, y]) => (!group.range || (x >= group.range[0] && x <= group.range[1])) && (!group.isLog || y > 0);
    this.lines = series.map(({ points, ...line }) => ({ ...line, raw: points.filter(isIn), points: smoothed(points, group.smoothing).filter(isIn) }));
    const all = this.lines.flatMap(({ raw }) => raw);
    this.element.hidden = all.length === 0;
    if (all.length === 0) return;
    const onY = (value) => (group.isLog ? Math.log10(Math.max(value, 1e-12)) : value);
    let [lowX, highX, lowY, highY] = [Infinity, -Infinity, Infinity, -Infinity];
    for (const [x, y, low = y, high = y] of all) {
      [lowX, highX] = [Math.min(lowX, x), Math.max(highX, x)];
      [lowY, highY] = [Math.min(lowY, onY(low)), Math.max(highY, onY(high))];
    }
    const margin = (highY - lowY || Math.abs(highY) || 1) * 0.08;
    [lowY, highY] = [lowY >= 0 && !group.isLog ? Math.max(0, lowY - margin) : lowY - margin, highY + margin];
    const { width } = this;
    const inner = width - INSIDE.left - INSIDE.right;
    this.x = (value) => INSIDE.left + ((value - lowX) / (highX - lowX || 1)) * inner;
    this.y = (value) => HEIGHT - INSIDE.bottom - ((onY(value) - lowY) / (highY - lowY)) * (HEIGHT - INSIDE.top - INSIDE.bottom);
    this.back = (place) => lowX + ((place - INSIDE.left) / inner) * (highX - lowX);
    const level = (value) => (group.isLog ? 10 ** value : value);
    const grid = ticks(lowY, highY, 4).flatMap((value) => [
      s("line", { class: "grid", x1: INSIDE.left, x2: width - INSIDE.right, y1: this.y(level(value)), y2: this.y(level(value)) }),
      s("text", { class: "tick", x: INSIDE.left - 6, y: this.y(level(value)) + 4, "text-anchor": "end" }, tickText(level(value))),
    ]);
    const below = ticks(lowX, highX, width > WIDTH ? 12 : 4)
      .filter((value) => group.xName !== "generation" || Number.isInteger(value))
      .map((value) => s("text", { class: "tick", x: this.x(value), y: HEIGHT - 6, "text-anchor": "middle" }, tickText(value)));
    const marks = group.marks.filter(({ at }) => at >= lowX && at <= highX).map(({ at, kind, text }) =>
      s("line", { class: `mark ${kind}`, x1: this.x(at), x2: this.x(at), y1: INSIDE.top, y2: HEIGHT - INSIDE.bottom }, s("title", {}, text)));
    this.cursor = s("line", { class: "cursor", y1: INSIDE.top, y2: HEIGHT - INSIDE.bottom, visibility: "hidden" });
    this.selection = s("rect", { class: "selection", y: INSIDE.top, height: HEIGHT - INSIDE.top - INSIDE.bottom, visibility: "hidden" });
    this.picture.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
    this.picture.replaceChildren(...grid, ...below, ...marks, ...this.lines.flatMap((line, index) => this.line(line, index)), this.cursor, this.selection);
    this.keys.replaceChildren(...(this.lines.length > 1 ? this.lines.map((line, index) => h("span", { class: `key ${style(index)}` }, line.name)) : []));
    this.drawCursor();
  }

  line({ raw, points, isBand = false }, index) {
    const kind = style(index);
    const { x, y } = this;
    const withInterval = raw.filter((point) => point[2] != null);
    const band = isBand && withInterval.length > 1
      ? [s("path", { class: `band ${kind}`, d: `M${[...withInterval.map((point) => `${x(point[0]).toFixed(1)} ${y(point[3]).toFixed(1)}`), ...withInterval.map((point) => `${x(point[0]).toFixed(1)} ${y(point[2]).toFixed(1)}`).reverse()].join("L")}z` })]
      : [];
    const intervals = isBand ? band : withInterval.map(([at, , low, high]) => s("line", { class: `interval ${kind}`, x1: x(at), x2: x(at), y1: y(low), y2: y(high) }));
    const dots = !isBand && (raw.length <= 40 || withInterval.length > 0) ? raw.map(([at, value]) => s("circle", { class: `dot ${kind}`, cx: x(at), cy: y(value), r: 2.6 })) : [];
    const path = (list, name) => s("path", { class: `${name} ${kind}`, d: list.map(([at, value], i) => `${i ? "L" : "M"}${x(at).toFixed(1)} ${y(value).toFixed(1)}`).join("") });
    const faint = this.group.smoothing ? [path(raw, "line faint")] : [];
    return [...intervals, ...faint, path(points, "line"), ...dots];
  }

  /** The values under the cursor, or the last ones. */
  drawCursor() {
    if (!this.lines || this.element.hidden) return;
    const at = this.group.cursor;
    const last = this.lines.map(({ points }) => points.at(-1)).filter(Boolean);
    const found = at == null ? last : this.lines.map(({ points }) => points.length && nearest(points, at)).filter(Boolean);
    const [place] = found.map(([x]) => x);
    const text = `${found.map(([, y]) => figure(y)).join(" / ")} ${this.unit}`;
    this.values.textContent = at == null ? text : `${text} (${tickText(place)})`;
    this.picture.setAttribute("aria-label", words.chart(this.title, `${last.map(([, y]) => figure(y)).join(" / ")} ${this.unit}`, this.group.xName, last[0][0]));
    this.cursor.setAttribute("visibility", at == null ? "hidden" : "visible");
    if (at == null) return;
    this.cursor.setAttribute("x1", this.x(place));
    this.cursor.setAttribute("x2", this.x(place));
  }

  place(event) {
    const box = this.picture.getBoundingClientRect();
    return ((event.clientX - box.left) / box.width) * this.width;
  }

  valueAt(event) {
    return this.back(this.place(event));
  }

  /** A drag over the chart shows that range in all of them. */
  select(down) {
    const start = this.place(down);
    const control = new AbortController();
    const listen = (kind, act) => addEventListener(kind, act, { signal: control.signal });
    listen("pointermove", (move) => {
      const [low, high] = [start, this.place(move)].sort((a, b) => a - b);
      for (const [name, value] of Object.entries({ x: low, width: high - low, visibility: "visible" })) this.selection.setAttribute(name, value);
    });
    listen("pointercancel", () => control.abort());
    listen("pointerup", (up) => {
      control.abort();
      this.selection.setAttribute("visibility", "hidden");
      const end = this.place(up);
      if (Math.abs(end - start) < DRAG_PIXELS) return;
      this.group.set({ range: [this.back(start), this.back(end)].sort((a, b) => a - b) });
    });
  }

  /** The lines as text that a table reads. */
  toCsv() {
    const rows = this.series.flatMap(({ name, points }) => points.map(([x, y]) => [JSON.stringify(name), x, y].join(",")));
    return [`series,${this.group.xName},${JSON.stringify(this.title)}`, ...rows, ""].join("\n");
  }
}

/** The classes of the n-th line. */
function style(index) {
  return `series-${index % COLORS}${index >= COLORS ? ` dash-${Math.min(3, Math.floor(index / COLORS))}` : ""}`;
}

/** Probabilities of the results over the plies of a game, as areas. `onPick(ply)` is called on a click. */
export function gameChart(values, onPick) {
  const [width, height] = [600, 90];
  const n = Math.max(values.length - 1, 1);
  const known = values.map((value, ply) => ({ value, ply })).filter(({ value }) => value);
  const x = (ply) => (ply / n) * width;
  const area = (kind, low, high) => {
    const top = known.map(({ value, ply }) => `${x(ply).toFixed(1)} ${(height * (1 - high(value))).toFixed(1)}`);
    const bottom = known.map(({ value, ply }) => `${x(ply).toFixed(1)} ${(height * (1 - low(value))).toFixed(1)}`).reverse();
    return s("path", { class: `area ${kind}`, d: `M${[...top, ...bottom].join("L")}z` });
  };
  const cursor = s("line", { class: "cursor", y1: 0, y2: height });
  const element = s(
    "svg",
    { class: "game-chart", viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", "aria-hidden": "true" },
    s("rect", { class: "ground", width, height }),
    ...(known.length > 1
      ? [
          area("white", () => 0, (v) => v.white),
          area("draw", (v) => v.white, (v) => v.white + v.draw),
          area("black", (v) => v.white + v.draw, () => 1),
        ]
      : []),
    cursor,
  );
  element.addEventListener("click", (event) => {
    const box = element.getBoundingClientRect();
    onPick(Math.round(((event.clientX - box.left) / box.width) * n));
  });
  const show = (ply) => {
    cursor.setAttribute("x1", x(ply));
    cursor.setAttribute("x2", x(ply));
  };
  return { element, show };
}
