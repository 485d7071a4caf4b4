// The elements of the playing view. The game itself is in `play.js`.

import { Board } from "./board.js";
import { clockText } from "./clock.js";
import { announce, capitalised, h, resultText } from "./dom.js";
import { MoveTable, ValueBar, stepButtons, searchInfoView } from "./panel.js";

/** Lines that the user's analysis can have at most. */
const MOST_LINES = 5;

export const other = (color) => (color === "white" ? "black" : "white");

/** Elements and drawing; the state is in `PlayView`, which extends this. */
export class PlayScreen {
  constructor() {
    this.board = new Board({ onPick: (square) => this.pick(square), onCancel: () => this.cancel() });
    this.bar = new ValueBar();
    this.table = new MoveTable((plies) => this.look(plies));
    this.build();
  }

  build() {
    const button = (text, action, attributes = {}) => h("button", { type: "button", onclick: action, ...attributes }, text);
    this.seats = { top: h("div", { class: "seat" }), bottom: h("div", { class: "seat" }) };
    this.status = h("p", { class: "status", "data-status": "loading" }, "Loading…");
    this.note = h("p", { class: "note hint" });
    this.buttons = {
      undo: button("Undo", () => this.undo(), { title: "u" }),
      resign: button("Resign", () => this.resign()),
      move: button("Engine move", () => this.engineMove(), { title: "e" }),
      flip: button("Flip", () => this.flip(), { title: "f" }),
      analyse: button("Analyse", () => this.toggleAnalysis(), { "aria-pressed": "false", title: "a" }),
    };
    this.engine = h("div", { class: "engine" });
    const lineOptions = Array.from({ length: MOST_LINES }, (_, index) =>
      h("option", { value: index + 1 }, index === 0 ? "1 line" : `${index + 1} lines`));
    this.lineChoice = h("select", { class: "compact", name: "lines", "aria-label": "Lines of the analysis", onchange: () => this.chooseLines() }, ...lineOptions);
    this.back = h("p", { class: "looking", hidden: true });
    this.choice = h("div", { class: "choice" });
    this.text = h("textarea", { rows: 4, spellcheck: "false", oninput: () => this.choice.replaceChildren(), "aria-label": "Position or game, as FEN or PDN", placeholder: "Paste a FEN or a PDN here" });
    this.element = h(
      "div",
      { class: "play" },
      h("section", { class: "table", "aria-label": "Board" }, this.seats.top, h("div", { class: "with-bar" }, this.bar.element, this.board.element), this.seats.bottom),
      h(
        "section",
        { class: "side", "aria-label": "Game" },
        h("div", { class: "card" }, this.status, this.note, this.back,
          h("div", { class: "buttons" }, button("New game", () => this.newGame(), { class: "primary", title: "n" }), ...Object.values(this.buttons))),
        h("div", { class: "card" }, h("div", { class: "heading" }, h("h2", {}, "Engine"), this.lineChoice), this.engine),
        h("div", { class: "card" }, h("div", { class: "heading" }, h("h2", {}, "Moves"), stepButtons((where) => this.step(where))), this.table.element),
        h("details", { class: "card" }, h("summary", {}, "FEN and PDN"), this.text, this.choice,
          h("div", { class: "buttons" },
            button("Load", () => this.load(), { class: "primary" }),
            button("Copy FEN", () => this.copyFen()),
            button("Copy PDN", () => this.copyPdn()))),
        h("p", { class: "note keys" }, "Keys: arrows and Enter enter a move, Escape cancels it, u undo, e engine move, f flip, a analyse, n new game, [ and ] step through the moves."),
      ),
    );
  }

  setNote(text) {
    this.note.replaceChildren(text ?? "");
  }

  /** Shows an error, with a button to retry if possible. */
  fail(error, again = null) {
    if (error.name === "AbortError") return;
    const retry = again && h("button", { type: "button", class: "quiet", onclick: () => { this.setNote(""); again(); } }, "Try again");
    this.note.replaceChildren(capitalised(error.message), ...(retry ? [" ", retry] : []));
    announce(error.message);
  }

  draw() {
    this.drawBoard();
    this.drawSeats();
    this.drawStatus();
    this.drawSearchInfo();
    this.table.show(this.game.view.history, this.cursor ?? this.game.plies);
    this.buttons.undo.disabled = this.game.plies === 0;
    this.buttons.resign.disabled = this.isOver();
    this.buttons.move.disabled = this.isOver() || !this.isHumanTurn();
    const isLooking = this.cursor !== null;
    this.back.hidden = !isLooking;
    if (isLooking) {
      this.back.replaceChildren(
        "An earlier position. ",
        h("button", { type: "button", class: "quiet", onclick: () => this.look(null) }, "Back to the current position"),
        h("button", { type: "button", class: "quiet", onclick: () => this.continueHere() }, "Continue from here"),
      );
    }
  }

  drawBoard() {
    const plies = this.cursor ?? this.game.plies;
    const last = plies > 0 ? this.game.view.history[plies - 1].path : [];
    const isNow = this.cursor === null;
    const steps = isNow ? this.entry.steps : [];
    const showsShares = isNow && this.isAnalysing && !this.isOver() && steps.length === 0;
    const marks = {
      last,
      steps,
      selected: steps[0],
      movable: isNow && steps.length === 0 ? this.entry.movable() : [],
      targets: isNow ? this.entry.targets() : [],
      taken: isNow ? this.entry.taken() : [],
      shares: showsShares ? (this.searchInfo?.policy ?? []) : [],
    };
    this.board.show(this.game.boardAt(plies), marks, isNow ? this.drawn : null);
    this.drawn = null;
  }

  drawSeats() {
    const bottom = this.board.flipped ? "black" : "white";
    for (const [place, color] of [["bottom", bottom], ["top", other(bottom)]]) {
      const isPerson = this.settings.side === "both" || color === this.human();
      const name = isPerson ? "You" : this.opponent.name;
      const isTurn = !this.isOver() && this.game.view.turn === color;
      const count = [...this.game.boardAt(this.cursor ?? this.game.plies)].filter((piece) => piece.toLowerCase() === color[0]).length;
      this.seats[place].classList.toggle("turn", isTurn);
      this.seats[place].replaceChildren(
        h("span", { class: `disc ${color}` }),
        h("span", { class: "who" }, name),
        h("span", { class: "count", "aria-label": `${count} pieces` }, String(count)),
        ...(this.clocks.isOn ? [h("time", { class: "clock", "data-color": color })] : []),
      );
    }
    this.drawClocks();
  }

  drawClocks() {
    for (const clock of this.element.querySelectorAll(".clock")) {
      const seconds = this.clocks.seconds(clock.dataset.color);
      clock.textContent = clockText(seconds);
      clock.classList.toggle("tight", seconds < 20);
    }
  }

  drawStatus() {
    const { view } = this.game;
    const over = this.ended ?? (view.status === "ongoing" ? null : view);
    this.status.dataset.status = over ? over.status : this.thinking?.isAnswer ? "thinking" : "ongoing";
    this.status.dataset.turn = view.turn;
    this.status.dataset.plies = this.game.plies;
    if (over) this.status.textContent = resultText(over.status, over.reason);
    else if (this.thinking?.isAnswer) this.status.textContent = `${this.opponent.name} is thinking…`;
    else this.status.textContent = `${capitalised(view.turn)} to move`;
    this.status.append(h("span", { class: "variant" }, capitalised(this.game.variant)));
  }

  drawSearchInfo() {
    this.bar.show(this.searchInfo?.lines[0].value, this.board.flipped);
    this.engine.replaceChildren(searchInfoView(this.searchInfo));
    if (this.isAnalysing) this.drawBoard();
  }
}
