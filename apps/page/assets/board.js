// The board as an SVG: squares, pieces, arrows, and a focus that the arrow keys move. It knows the
// geometry, not the rules.

import { s } from "./dom.js";
import { labels, words } from "./words.js";

const CELL = 100;

const NAMES = { w: labels.whiteMan, W: labels.whiteKing, b: labels.blackMan, B: labels.blackKing };
const CROWN = "M-22 12 -26 -13 -12 -2 0 -20 12 -2 26 -13 22 12z";

/** Pixels from which on a press is a drag. */
const DRAG_PIXELS = 6;
/** Pixels from which on a finger beside the pieces swipes. */
const SWIPE_PIXELS = 60;
/** Pixels that the wheel turns for a further step. */
const WHEEL_PIXELS = 40;
/** Time after which the wheel turns anew. */
const WHEEL_MS = 150;

/** Whether the focus moves by keys: then the arrow keys move it on the board, else they step through the game. */
let isByKeys = true;
addEventListener("pointerdown", () => (isByKeys = false), true);
addEventListener("keydown", ({ key }) => (isByKeys ||= key === "Tab"), true);

const squareOf = (element) => Number(element?.closest?.("[data-square]")?.dataset.square ?? 0);

export class Board {
  /**
   * `onPick(square)` is called for a click or Enter, `onCancel()` for Escape; a picture takes neither. With
   * `onDrag(from, to)` every piece can be dragged, also off the board, which is square 0; without it a drag of a
   * movable piece picks both squares. `onSketch(from, to)` is called for a drag with the right button, `onStep` for
   * the wheel ("back" or "forward") and for a finger that swipes beside the pieces.
   */
  constructor({ onPick = () => {}, onCancel = () => {}, onDrag = null, onSketch = null, onStep = null, label = labels.board, isPicture = false } = {}) {
    Object.assign(this, { onPick, onCancel, onDrag, onSketch, onStep, isPicture });
    this.flipped = false;
    /** The pointer that holds a piece, or null. */
    this.held = null;
    /** The pixels that the wheel has turned since the last step, and when. */
    this.turned = { by: 0, at: -Infinity };
    this.text = "";
    this.marks = {};
    this.layers = Object.fromEntries(
      ["cells", "under", "labels", "pieces", "arrows", "shapes", "hits"].map((name) => [name, s("g", { class: name })]),
    );
    this.element = s("svg", { class: "board", role: isPicture ? "img" : "group", "aria-label": label }, ...Object.values(this.layers));
    this.element.addEventListener("keydown", (event) => this.key(event));
    this.element.addEventListener("click", (event) => {
      const square = squareOf(event.target);
      if (square && !this.wasDragged) this.pick(square);
      this.wasDragged = false;
    });
    this.element.addEventListener("pointerdown", (event) => this.grab(event));
    this.element.addEventListener("contextmenu", (event) => this.onSketch && event.preventDefault());
    this.element.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    this.element.addEventListener("touchstart", (event) => (this.touched = event.touches.length === 1 && this.held === null ? event.touches[0] : null), { passive: true });
    this.element.addEventListener("touchend", (event) => this.swipe(event.changedTouches[0]), { passive: true });
    // A finger on a piece moves the piece, elsewhere the page: `touch-action` knows no parts of a
    // picture.
    this.element.addEventListener("touchmove", (event) => this.held !== null && event.preventDefault(), { passive: false });
  }

  setVariant(variant) {
    if (this.variant === variant) return;
    this.variant = variant;
    this.text = "";
    this.marks = {};
    // Most squares are named by their number, and are given without it.
    this.squares = variant.squares.map((square, index) => ({ number: index + 1, name: String(index + 1), ...square }));
    this.focus = 1;
    this.layout();
  }

  flip(flipped = !this.flipped) {
    if (this.flipped === flipped) return;
    this.flipped = flipped;
    if (this.variant) this.layout();
  }

  /** What the game calls a square: its number, or its column and row. */
  nameOf(number) {
    return this.squares[number - 1].name;
  }

  /** The center of a square. */
  center(number) {
    const { row, column } = this.squares[number - 1];
    const turn = (place) => (this.flipped ? this.variant.size - 1 - place : place);
    return [(turn(column) + 0.5) * CELL, (turn(row) + 0.5) * CELL];
  }

  layout() {
    const side = this.variant.size * CELL;
    this.element.setAttribute("viewBox", `0 0 ${side} ${side}`);
    const cells = [s("rect", { class: "light", width: side, height: side })];
    const hits = [];
    const labels = [];
    for (const { number, name, is_rim } of this.squares) {
      const [x, y] = this.center(number);
      const place = { x: x - CELL / 2, y: y - CELL / 2, width: CELL, height: CELL };
      cells.push(s("rect", { class: is_rim ? "dark rim" : "dark", ...place }));
      labels.push(s("text", { class: is_rim ? "number rim" : "number", x: x - 46, y: y - 33 }, name));
      if (!this.isPicture) hits.push(s("rect", { class: "hit", role: "button", "data-square": number, tabindex: -1, ...place }));
    }
    this.layers.cells.replaceChildren(...cells);
    this.layers.labels.replaceChildren(...labels);
    this.layers.hits.replaceChildren(...hits);
    this.setFocus(this.focus, false);
    this.draw();
  }

  /**
   * Shows pieces, one letter per square, and `marks`: {last, targets, selected, steps, taken, movable, shares, shapes}.
   * Shares are {from, to, share, label}, drawn as arrows; without a label they show their share. `path` animates the piece that moved along it.
   */
  show(text, marks, path = null) {
    this.marks = marks;
    const moved = path && text !== this.text ? path : null;
    this.text = text;
    this.draw();
    if (moved) this.animate(moved);
  }

  draw() {
    if (!this.variant) return;
    this.drawUnder();
    this.drawArrows();
    this.drawShapes();
    const taken = new Set(this.marks.taken ?? []);
    const pieces = [];
    // The steps of a capture in progress are shown.
    const steps = this.marks.steps ?? [];
    const [from, at] = [steps[0], steps.at(-1)];
    [...this.text].forEach((letter, index) => {
      const number = index + 1;
      const shown = steps.length > 1 && number === from ? at : number;
      if (letter !== ".") pieces.push(this.piece(letter, shown, taken.has(number)));
    });
    this.layers.pieces.replaceChildren(...pieces);
    for (const hit of this.layers.hits.children) {
      const number = Number(hit.dataset.square);
      hit.setAttribute("aria-label", this.describe(number));
      hit.classList.toggle("can", this.isMovable(number));
    }
  }

  piece(letter, number, isTaken) {
    const [x, y] = this.center(number);
    const isKing = letter === letter.toUpperCase();
    const side = letter.toLowerCase() === "w" ? "white" : "black";
    return s(
      "g",
      { class: `piece ${side}${isTaken ? " taken" : ""}`, transform: this.lifted?.from === number ? this.lifted.transform : `translate(${x} ${y})`, "data-at": number },
      s("ellipse", { class: "shadow", cy: 5, rx: 38, ry: 38 }),
      s("circle", { class: "body", r: 38 }),
      s("circle", { class: "groove", r: 29 }),
      isKing ? s("path", { class: "crown", d: CROWN }) : s("circle", { class: "groove", r: 18 }),
    );
  }

  drawUnder() {
    const { last = [], targets = [], selected, steps = [], movable = [] } = this.marks;
    const parts = [];
    const square = (number, kind) => {
      const [x, y] = this.center(number);
      return s("rect", { class: kind, x: x - CELL / 2, y: y - CELL / 2, width: CELL, height: CELL });
    };
    for (const number of new Set(last)) parts.push(square(number, "last"));
    for (const number of movable) {
      const [x, y] = this.center(number);
      parts.push(s("circle", { class: "movable", cx: x, cy: y, r: 44 }));
    }
    for (const number of steps.slice(1)) parts.push(square(number, "step"));
    if (selected) parts.push(square(selected, "selected"));
    for (const number of targets) {
      const [x, y] = this.center(number);
      parts.push(s("circle", { class: "target", cx: x, cy: y, r: 17 }));
    }
    this.layers.under.replaceChildren(...parts);
  }

  drawArrows() {
    const shares = this.marks.shares ?? [];
    const best = Math.max(...shares.map((share) => share.share), 0.0001);
    const parts = shares.slice(0, 6).filter(({ from, to }) => from !== to).map(({ from, to, share }) => {
      const arrow = this.arrow(from, to, 6 + 14 * (share / best));
      arrow.setAttribute("opacity", (0.25 + 0.6 * (share / best)).toFixed(2));
      return arrow;
    });
    // A label is in the middle of its arrow, or nearer to an end if another one is there already.
    const places = [];
    const labels = shares.slice(0, 4).filter(({ label, from, to }) => label !== "" && from !== to).map(({ from, to, share, label }) => {
      const [[x1, y1], [x2, y2]] = [this.center(from), this.center(to)];
      const text = label ?? `${Math.round(100 * share)}%`;
      const width = 22 + 11 * text.length;
      const at = (along) => [x1 + along * (x2 - x1), y1 + along * (y2 - y1)];
      const isFree = ([x, y]) => places.every(([left, top]) => Math.abs(x - left) > width || Math.abs(y - top) > 28);
      const place = [0.5, 0.3, 0.7].map(at).find(isFree) ?? at(0.5);
      places.push(place);
      return s(
        "g",
        { class: "share", transform: `translate(${place.join(" ")})` },
        s("rect", { x: -width / 2, y: -14, width, height: 28, rx: 14 }),
        s("text", { "text-anchor": "middle", y: 8 }, text),
      );
    });
    this.layers.arrows.replaceChildren(...parts, ...labels);
  }

  /** An arrow from the edge of a piece to the middle of a square, of one shape so that its parts have one tone. */
  arrow(from, to, width) {
    const [x1, y1] = this.center(from);
    const [x2, y2] = this.center(to);
    const length = Math.hypot(x2 - x1, y2 - y1) || 1;
    const [ux, uy] = [(x2 - x1) / length, (y2 - y1) / length];
    const at = (along, across) => `${(x1 + ux * along - uy * across).toFixed(1)} ${(y1 + uy * along + ux * across).toFixed(1)}`;
    const [start, neck, tip, half, wing] = [26, length - 6 - width * 1.9, length - 6, width / 2, width * 1.25];
    const outline = [[start, half], [neck, half], [neck, wing], [tip, 0], [neck, -wing], [neck, -half], [start, -half]];
    return s("path", { class: "arrow", d: `M${outline.map(([along, across]) => at(along, across)).join("L")}z` });
  }

  /** What the user has drawn. */
  drawShapes() {
    const parts = (this.marks.shapes ?? []).map((shape) => {
      const [from, to] = shape.split("-").map(Number);
      const [x, y] = this.center(from);
      return to ? this.arrow(from, to, 13) : s("circle", { cx: x, cy: y, r: 45 });
    });
    this.layers.shapes.replaceChildren(...parts);
  }

  isMovable(number) {
    return Boolean(this.onDrag ? NAMES[this.text[number - 1]] : this.marks.movable?.includes(number));
  }

  /** A movable piece follows the pointer until it is let go; a short way is a click. */
  grab(event) {
    // A second finger, or the palm.
    if (this.held !== null && this.held !== event.pointerId) return;
    this.wasDragged = false;
    const from = squareOf(event.target);
    if (event.button === 2 && from && this.onSketch) return this.sketch(from);
    const isMovable = this.isMovable(from) || this.marks.selected === from;
    if (!from || !isMovable || event.button !== 0) return;
    const scale = (this.variant.size * CELL) / this.element.getBoundingClientRect().width;
    const [x, y] = this.center(from);
    const control = new AbortController();
    this.held = event.pointerId;
    const listen = (kind, act) => addEventListener(kind, (next) => next.pointerId === event.pointerId && act(next), { signal: control.signal });
    listen("pointermove", (move) => {
      const [dx, dy] = [move.clientX - event.clientX, move.clientY - event.clientY];
      if (!this.wasDragged && Math.hypot(dx, dy) < DRAG_PIXELS) return;
      if (!this.wasDragged) {
        this.wasDragged = true;
        if (!this.onDrag && this.marks.selected !== from) this.pick(from);
      }
      const piece = this.layers.pieces.querySelector(`[data-at="${from}"]`);
      piece?.parentNode.append(piece);
      // Drawing in the meantime leaves it in place.
      this.lifted = { from, transform: `translate(${x + dx * scale} ${y + dy * scale}) scale(1.08)` };
      piece?.setAttribute("transform", this.lifted.transform);
    });
    const end = (up) => {
      control.abort();
      this.held = null;
      this.lifted = null;
      if (!this.wasDragged) return;
      const under = document.elementFromPoint(up.clientX, up.clientY);
      const to = up.type === "pointerup" && this.element.contains(under) ? squareOf(under) : 0;
      this.draw();
      if (to === from || up.type !== "pointerup") return;
      if (this.onDrag) this.onDrag(from, to);
      else if (to) this.pick(to);
    };
    listen("pointerup", end);
    listen("pointercancel", end);
  }

  /** Draws from a square to where the right button is let go. */
  sketch(from) {
    const end = (up) => {
      const under = document.elementFromPoint(up.clientX, up.clientY);
      const to = this.element.contains(under) ? squareOf(under) : 0;
      if (to) this.onSketch(from, to);
    };
    addEventListener("pointerup", end, { once: true });
  }

  /** The first turn of the wheel is a step; a touchpad, which sends many small turns, has to go some way for the next one. */
  wheel(event) {
    if (!this.onStep || event.ctrlKey || event.deltaY === 0) return;
    event.preventDefault();
    const { by: before, at } = this.turned;
    const by = event.deltaY * (event.deltaMode ? WHEEL_PIXELS : 1);
    const isFirst = event.timeStamp - at > WHEEL_MS || by * before < 0;
    const isStep = isFirst || Math.abs(before + by) >= WHEEL_PIXELS;
    this.turned = { by: isStep ? Math.sign(by) : before + by, at: event.timeStamp };
    if (isStep) this.onStep(by > 0 ? "forward" : "back");
  }

  swipe({ clientX, clientY }) {
    const start = this.touched;
    this.touched = null;
    if (!start || !this.onStep || this.wasDragged) return;
    const [dx, dy] = [clientX - start.clientX, clientY - start.clientY];
    if (Math.abs(dx) > SWIPE_PIXELS && Math.abs(dx) > 2 * Math.abs(dy)) this.onStep(dx < 0 ? "forward" : "back");
  }

  animate(path) {
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const piece = this.layers.pieces.querySelector(`[data-at="${path.at(-1)}"]`);
    if (still || !piece?.animate) return;
    const frames = path.map((number) => {
      const [x, y] = this.center(number);
      return { transform: `translate(${x}px, ${y}px)` };
    });
    piece.parentNode.append(piece);
    piece.animate(frames, { duration: 130 + 110 * (path.length - 1), easing: "ease-in-out" });
  }

  describe(number) {
    const piece = NAMES[this.text[number - 1]];
    const isTarget = this.marks.targets?.includes(number);
    const isMovable = this.marks.movable?.includes(number);
    const notes = [isTarget && labels.isTarget, isMovable && labels.isMovable, this.marks.selected === number && labels.selected];
    return [words.square(this.nameOf(number)), piece ?? labels.empty, ...notes.filter(Boolean)].join(", ");
  }

  setFocus(number, take = true) {
    this.focus = number;
    for (const hit of this.layers.hits.children) {
      const isHere = Number(hit.dataset.square) === number;
      hit.setAttribute("tabindex", isHere ? 0 : -1);
      if (isHere && take) hit.focus();
    }
  }

  pick(number) {
    this.setFocus(number, false);
    this.onPick(number);
  }

  key(event) {
    const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    if (steps[event.key] && isByKeys && !event.altKey && !event.ctrlKey && !event.metaKey) {
      this.moveFocus(...steps[event.key]);
    } else if (event.key === "Enter" || event.key === " ") {
      isByKeys = true;
      this.pick(this.focus);
    } else if (event.key === "Escape") {
      this.onCancel();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  /** Moves the focus to the nearest playable square in a direction. */
  moveFocus(down, right) {
    const sign = this.flipped ? -1 : 1;
    const here = this.squares[this.focus - 1];
    const [row, column] = [here.row + sign * down, here.column + sign * right];
    const size = this.variant.size;
    const at = (r, c) => this.squares.find((square) => square.row === r && square.column === c);
    const next = down !== 0
      ? at(row, column + 1 < size && column % 2 === 0 ? column + 1 : column - 1) ?? at(row, column + 1) ?? at(row, column - 1)
      : at(row, column + sign * right);
    if (next) this.setFocus(next.number);
  }
}
