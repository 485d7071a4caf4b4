// Setting up a position.

import { loadVariants, post } from "./api.js";
import { Board } from "./board.js";
import { newDocument } from "./document.js";
import { button, capitalized, h } from "./dom.js";
import { stored } from "./play.js";
import { askTerms, variantNamed } from "./setup.js";
import { labels, words } from "./words.js";

const PIECES = [["w", labels.putWhiteMan], ["W", labels.putWhiteKing], ["b", labels.putBlackMan], ["B", labels.putBlackKing], [".", labels.erase]];
/** Time after the last change before the server is asked whether the position is legal. */
const SETTLE_MS = 150;

export class EditorView {
  constructor(variant, query) {
    this.variant = variant;
    this.fen = new URLSearchParams(query).get("f");
    this.piece = "w";
    this.pieces = "";
    this.past = [];
    this.future = [];
    this.board = new Board({ label: labels.editorBoard, onPick: (square) => this.put(square), onDrag: (from, to) => this.carry(from, to) });
    this.problem = h("p", { class: "note hint", role: "alert" });
    this.text = h("input", { name: "fen", spellcheck: "false", "aria-label": labels.fen, onchange: () => this.read(this.text.value) });
    this.palette = h("div", { class: "buttons palette", role: "group", "aria-label": labels.pieceToPut },
      ...PIECES.map(([piece, name]) => button(name, () => this.choose(piece), { "data-piece": piece })));
    const field = (label, control) => h("label", { class: "field" }, h("span", {}, label), control);
    const changed = () => this.change();
    this.game = h("select", { name: "variant", onchange: () => this.begin(this.game.value) });
    this.turn = h("select", { name: "turn", onchange: changed }, h("option", { value: "W" }, labels.white), h("option", { value: "B" }, labels.black));
    this.quiet = h("input", { name: "quiet", type: "number", min: 0, value: 0, onchange: changed });
    this.rests = h("input", { name: "rests", value: "", placeholder: "+346+0", onchange: changed });
    this.restField = field(labels.kingRests, this.rests);
    this.play = button(labels.playFromHere, () => this.toBoard(), { class: "primary", disabled: true });
    this.undo = button(labels.undo, () => this.swap(this.past, this.future));
    this.redo = button(labels.redo, () => this.swap(this.future, this.past));
    this.element = h("div", { class: "play" },
      h("section", { class: "table", "aria-label": labels.board }, this.board.element),
      h("section", { class: "side", "aria-label": labels.position },
        h("div", { class: "card" }, h("h1", {}, labels.setUp), field(labels.game, this.game), this.palette,
          h("p", { class: "note" }, labels.setUpNote)),
        h("div", { class: "card" }, field(labels.toMove, this.turn), field(labels.noProgress, this.quiet), this.restField, field("FEN", this.text), this.problem,
          h("div", { class: "controls" }, this.play, button(labels.startPosition, () => this.begin(this.game.value)), button(labels.emptyBoard, () => this.clear()), this.undo, this.redo, button(labels.flip, () => this.board.flip())))));
  }

  close() {
    this.isClosed = true;
    clearTimeout(this.timer);
  }

  async open() {
    // A reload and going back show the same position; a new visit of the address does not.
    const { variant, fen } = history.state ?? {};
    if (fen) [this.variant, this.fen] = [variant, fen];
    this.variants = await loadVariants();
    this.variant ||= [...this.variants.keys()][0];
    await variantNamed(this.variant);
    this.game.replaceChildren(...[...this.variants.keys()].map((name) => h("option", { value: name, selected: name === this.variant }, capitalized(name))));
    this.choose("w");
    await this.begin(this.variant, this.fen);
  }

  /** Shows a position, or the start of a game. */
  async begin(variant, fen = null) {
    this.variants = await loadVariants();
    // A position of another board cannot come back.
    if (this.variant !== variant) Object.assign(this, { past: [], future: [], position: null });
    this.variant = variant;
    this.board.setVariant(this.variants.get(variant));
    this.restField.hidden = !this.variants.get(variant).has_king_rests;
    this.rests.value = "";
    await this.read(fen);
  }

  /** Takes a FEN over, if it can be read; null is the start of the game. */
  async read(fen) {
    // A late reply to an earlier request counts no more.
    const mine = (this.asked = {});
    try {
      const { start, start_board: pieces } = await post("/api/game", { variant: this.variant, fen });
      if (this.asked !== mine) return;
      this.pieces = pieces;
      this.turn.value = start[0];
      this.quiet.value = /:H(\d+)/.exec(start)?.[1] ?? 0;
      this.rests.value = /:(\+[^:]+)/.exec(start)?.[1] ?? "";
      this.change();
    } catch (error) {
      if (this.asked === mine) this.refuse(error);
    }
  }

  choose(piece) {
    this.piece = piece;
    for (const element of this.palette.children) element.setAttribute("aria-pressed", String(element.dataset.piece === piece));
  }

  put(square) {
    this.place({ [square]: this.pieces[square - 1] === this.piece ? "." : this.piece });
  }

  /** Moves a piece to a square, or off the board. */
  carry(from, to) {
    this.place({ [to]: this.pieces[from - 1], [from]: "." });
  }

  /** Puts pieces, by square. */
  place(pieces) {
    this.pieces = [...this.pieces].map((letter, index) => pieces[index + 1] ?? letter).join("");
    this.change();
  }

  clear() {
    this.pieces = ".".repeat(this.pieces.length);
    this.change();
  }

  /** Shows a change, which can be taken back. */
  change() {
    if (this.position) this.past.push(this.position);
    this.future = [];
    this.draw();
  }

  swap(from, to) {
    to.push(this.position);
    [this.pieces, this.turn.value, this.quiet.value, this.rests.value] = from.pop();
    this.draw();
  }

  draw() {
    if (this.isClosed) return;
    this.position = [this.pieces, this.turn.value, this.quiet.value, this.rests.value];
    this.undo.disabled = this.past.length === 0;
    this.redo.disabled = this.future.length === 0;
    this.board.show(this.pieces, {});
    // Not before it is known to be legal.
    this.play.disabled = true;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.check(), SETTLE_MS);
  }

  /** The position as FEN, with the numbers of squares. */
  toFen() {
    const side = (color) => [...this.pieces].flatMap((letter, index) =>
      letter.toUpperCase() === color ? [`${letter === color ? "K" : ""}${index + 1}`] : []).join(",");
    const rests = this.rests.value.trim();
    return `${this.turn.value}:W${side("W")}:B${side("B")}:H${Number(this.quiet.value)}${rests && !this.restField.hidden ? `:${rests}` : ""}`;
  }

  /** Says what is wrong with the position, or how it stands. */
  async check() {
    const fen = this.toFen();
    this.text.value = fen;
    history.replaceState({ variant: this.variant, fen }, "");
    try {
      const view = await post("/api/game", { variant: this.variant, fen });
      if (fen !== this.toFen()) return;
      this.play.disabled = false;
      const count = view.moves.length;
      this.problem.textContent = view.status === "ongoing" ? words.legal(labels[view.turn], count) : labels.legalButOver;
      this.problem.classList.remove("wrong");
    } catch (error) {
      if (fen === this.toFen()) this.refuse(error);
    }
  }

  refuse(error) {
    this.play.disabled = true;
    this.problem.textContent = error.message.replace(/^invalid FEN "[^"]*": /, "");
    this.problem.classList.add("wrong");
  }

  /** Asks who plays, then opens the game. */
  async toBoard() {
    const fen = this.toFen();
    try {
      const chosen = await askTerms({ view: this, position: { variant: this.variant, isStart: false }, isFromHere: true });
      if (!chosen || this.isClosed) return;
      location.hash = await stored(newDocument({ variant: this.variant, fen, terms: chosen.terms, name: labels.ownPosition }));
    } catch (error) {
      this.refuse(error);
      this.play.disabled = false;
    }
  }
}
