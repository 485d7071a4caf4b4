// Line charts with intervals, and the values of a game.

import { figure, h, s } from "./dom.js";
import { words } from "./words.js";

const [WIDTH, HEIGHT] = [340, 150];
const INSIDE = { left: 46, right: 12, top: 10, bottom: 22 };

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
  return String(+value.toPrecision(4));
}

/**
 * A chart of one quantity. `series` is a list of {name, points: [[x, y, low, high]]}; low and high are the
 * ends of an optional interval.
 */
export function chart({ title, unit = "", xName = "generation", series, isWide = false }) {
  const points = series.flatMap((one) => one.points);
  const last = series.map((one) => one.points.at(-1));
  const latest = last.map((point) => figure(point[1])).join(" / ");
  const spread = points.flatMap(([, y, low, high]) => [y, low ?? y, high ?? y]);
  const [lowX, highX] = [Math.min(...points.map((p) => p[0])), Math.max(...points.map((p) => p[0]))];
  let [lowY, highY] = [Math.min(...spread), Math.max(...spread)];
  const margin = (highY - lowY || Math.abs(highY) || 1) * 0.08;
  [lowY, highY] = [lowY >= 0 ? Math.max(0, lowY - margin) : lowY - margin, highY + margin];
  const width = isWide && innerWidth > 900 ? 3 * WIDTH : WIDTH;
  const x = (value) => INSIDE.left + ((value - lowX) / (highX - lowX || 1)) * (width - INSIDE.left - INSIDE.right);
  const y = (value) => HEIGHT - INSIDE.bottom - ((value - lowY) / (highY - lowY)) * (HEIGHT - INSIDE.top - INSIDE.bottom);
  const grid = ticks(lowY, highY, 4).map((value) => [
    s("line", { class: "grid", x1: INSIDE.left, x2: width - INSIDE.right, y1: y(value), y2: y(value) }),
    s("text", { class: "tick", x: INSIDE.left - 6, y: y(value) + 4, "text-anchor": "end" }, tickText(value)),
  ]);
  const below = ticks(lowX, highX, width > WIDTH ? 12 : 4)
    .filter((value) => xName !== "generation" || Number.isInteger(value))
    .map((value) => s("text", { class: "tick", x: x(value), y: HEIGHT - 6, "text-anchor": "middle" }, tickText(value)));
  const lines = series.map((one, index) => line(one.points, x, y, index));
  const names = series.length > 1 ? series.map((one, i) => h("span", { class: `key series-${i}` }, one.name)) : [];
  return h(
    "figure",
    { class: isWide ? "chart wide" : "chart" },
    h("figcaption", {}, h("span", { class: "name" }, title), ...names, h("span", { class: "latest" }, `${latest} ${unit}`)),
    s(
      "svg",
      { viewBox: `0 0 ${width} ${HEIGHT}`, role: "img", "aria-label": words.chart(title, `${latest} ${unit}`, xName, last[0][0]) },
      ...grid.flat(),
      ...below,
      ...lines.flat(),
    ),
  );
}

function line(points, x, y, index) {
  const intervals = points
    .filter((point) => point[2] != null)
    .map(([at, , low, high]) => s("line", { class: `interval series-${index}`, x1: x(at), x2: x(at), y1: y(low), y2: y(high) }));
  const dots = points.length <= 40 || points[0][2] != null
    ? points.map(([at, value]) => s("circle", { class: `dot series-${index}`, cx: x(at), cy: y(value), r: 2.6 },
        s("title", {}, words.chartPoint(at, figure(value)))))
    : [];
  const path = points.map(([at, value], i) => `${i ? "L" : "M"}${x(at).toFixed(1)} ${y(value).toFixed(1)}`).join("");
  return [...intervals, s("path", { class: `line series-${index}`, d: path }), ...dots];
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
