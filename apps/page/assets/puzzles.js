// Puzzles: positions where one move wins or keeps the draw, from a file of `crownhead puzzles`.

import { get, loadVariants, post } from "./api.js";
import { Board } from "./board.js";
import { newDocument } from "./document.js";
import { button, capitalized, h } from "./dom.js";
import { Entry, typedMove } from "./entry.js";
import { stored } from "./play.js";
import { keepSetting, setting } from "./settings.js";
import { variantNamed } from "./setup.js";
import { LEVELS, labels, words } from "./words.js";

const FORMAT = "crownhead puzzles";
/** The most simulations of each level but the last. */
const LEVEL_SIMULATIONS = [4, 64, 1024];

/** A file that the user has opened outlasts a change of the view. */
let opened = null;

/** How hard a puzzle is: what the network needs to find its move. */
export function levelOf({ simulations }) {
  const place = LEVEL_SIMULATIONS.findIndex((most) => simulations != null && simulations <= most);
  return place < 0 ? LEVEL_SIMULATIONS.length : place;
}

/** The puzzles of a file. */
export function puzzlesOf(file) {
  const isPuzzle = (puzzle) => typeof puzzle?.fen === "string" && ["win", "draw"].includes(puzzle.goal) && typeof puzzle.solution?.[0] === "string";
  if (file?.format !== FORMAT || !Array.isArray(file.puzzles)) throw new Error(words.noPuzzlesFile);
  return file.puzzles.filter(isPuzzle);
}

export class PuzzlesView {
  constructor() {
    this.board = new Board({ onPick: (square) => this.pick(square), onCancel: () => this.cancel() });
    this.entry = new Entry([]);
    this.puzzles = [];
    this.status = h("p", { class: "status" }, words.loading);
    this.note = h("p", { class: "note hint", role: "status" });
    this.count = h("p", { class: "note" });
    this.file = h("input", { type: "file", accept: ".json", hidden: true, onchange: () => this.open_() });
    const option = (name, level) => h("option", { value: level }, name);
    this.level = h("select", { name: "level", "aria-label": labels.level, onchange: () => this.next() }, h("option", { value: "" }, labels.allLevels), ...LEVELS.map(option));
    this.solve = button(labels.showSolution, () => this.show(), { hidden: true });
    this.further = button(labels.nextPuzzle, () => this.next(), { class: "primary", hidden: true });
    this.toBoard = button(labels.continueOnBoard, () => this.onBoard(), { hidden: true });
    this.order = h("pre", {}, "crownhead puzzles RUN --to puzzles.json\ncrownhead serve --puzzles puzzles.json");
    this.none = h("div", { hidden: true }, h("p", {}, labels.noPuzzles), this.order);
    this.element = h("div", { class: "play" },
      h("section", { class: "table", "aria-label": labels.board }, this.board.element),
      h("section", { class: "side", "aria-label": labels.puzzles },
        h("div", { class: "card" }, h("h1", {}, labels.puzzles), this.status, this.note, this.none,
          h("div", { class: "buttons" }, this.further, this.solve, this.toBoard)),
        h("div", { class: "card" }, h("div", { class: "choices" }, this.level, button(labels.openFile, () => this.file.click())), this.count, this.file)));
  }

  close() {
    this.isClosed = true;
  }

  async open() {
    await this.begin(opened ?? (await get("/api/puzzles")));
  }

  /** Shows the puzzles of a file, or how to make one. */
  async begin(file) {
    const puzzles = file ? puzzlesOf(file) : [];
    // Without puzzles, an empty board of the first game.
    const variant = file ? file.variant : [...(await loadVariants()).keys()][0];
    const view = await variantNamed(variant);
    Object.assign(this, { puzzles, variant });
    this.none.hidden = this.puzzles.length > 0;
    this.solved = new Set(setting("solved", []));
    this.board.setVariant(view);
    this.place = -1;
    await this.next();
  }

  async open_() {
    const [file] = this.file.files;
    this.file.value = "";
    try {
      const read = JSON.parse(await file.text());
      await this.begin(read);
      opened = read;
    } catch (error) {
      this.note.textContent = error instanceof SyntaxError ? words.noPuzzlesFile : capitalized(error.message);
    }
  }

  get puzzle() {
    return this.puzzles[this.place];
  }

  nameOf({ fen }) {
    return `${this.variant} ${fen}`;
  }

  /** The next puzzle of the level that is not solved, else the next one. */
  async next() {
    const fits = (puzzle) => this.level.value === "" || levelOf(puzzle) === Number(this.level.value);
    const order = [...this.puzzles.keys()].map((_, step, { length }) => (this.place + 1 + step + length) % length).filter((place) => fits(this.puzzles[place]));
    const place = order.find((place) => !this.solved.has(this.nameOf(this.puzzles[place]))) ?? order[0];
    this.place = place ?? -1;
    this.drawCount();
    this.isSolved = false;
    for (const element of [this.further, this.solve, this.toBoard]) element.hidden = !this.puzzle;
    this.status.textContent = this.puzzle || !this.puzzles.length ? "" : labels.noPuzzleOfLevel;
    this.note.textContent = "";
    if (this.puzzle) await this.load();
  }

  /** The server's view of a position of the puzzle; null if there is none, which is said, or the user went on. */
  async ask(position) {
    const { puzzle } = this;
    const isNow = () => this.puzzle === puzzle && !this.isClosed;
    try {
      const view = await post("/api/game", position);
      return isNow() ? view : null;
    } catch (error) {
      if (isNow()) this.note.textContent = capitalized(error.message);
      return null;
    }
  }

  async load() {
    const { puzzle, variant } = this;
    this.view = null;
    const view = await this.ask({ variant, fen: puzzle.fen });
    if (!view) return;
    this.view = view;
    this.board.flip(view.turn === "black");
    this.status.textContent = words.goal(labels[view.turn], puzzle.goal);
    this.restart();
  }

  restart() {
    this.entry = new Entry(this.isSolved ? [] : this.view.moves, (square) => this.board.nameOf(square));
    this.draw();
  }

  draw(pieces = this.view.board, last = [], path = null) {
    const { steps } = this.entry;
    this.board.show(pieces, { last, steps, selected: steps[0], movable: steps.length ? [] : this.entry.movable(), targets: this.entry.targets(), taken: this.entry.taken() }, path);
  }

  drawCount() {
    const solved = this.puzzles.filter((puzzle) => this.solved.has(this.nameOf(puzzle))).length;
    this.count.textContent = this.puzzles.length ? words.puzzlesSolved(solved, this.puzzles.length, capitalized(this.variant)) : "";
  }

  pick(square) {
    if (!this.view || this.isSolved) return;
    const move = this.entry.pick(square);
    this.note.textContent = this.entry.note;
    if (move) this.attempt(move);
    else this.draw();
  }

  cancel() {
    this.entry.cancel();
    if (this.view) this.draw();
  }

  attempt({ notation }) {
    const { move } = typedMove(this.puzzle.solution[0], this.view.moves);
    if (notation === move?.notation) return this.show(true);
    this.note.textContent = words.notTheMove(notation, this.puzzle.goal);
    this.restart();
  }

  /** Shows the solution; `isFound` if the user has found it. */
  async show(isFound = false) {
    // Without the server there is no puzzle yet.
    if (!this.view) return this.load();
    const { puzzle, variant } = this;
    if (isFound) {
      this.solved.add(this.nameOf(puzzle));
      keepSetting("solved", [...this.solved]);
    }
    this.isSolved = true;
    this.restart();
    this.drawCount();
    const view = await this.ask({ variant, fen: puzzle.fen, moves: puzzle.solution.slice(0, 1) });
    if (!view) return;
    const [{ board, path }] = view.history;
    this.draw(board, path, path);
    this.note.textContent = words.solution(isFound, puzzle.solution.join(" "), LEVELS[levelOf(puzzle)], puzzle.simulations);
    this.further.focus();
  }

  async onBoard() {
    const { puzzle, variant } = this;
    location.hash = await stored(newDocument({ variant, fen: puzzle.fen, name: words.puzzle(this.place + 1) }));
  }
}
