// The elements of the playing view. The game itself is in `play.js`.

import { Annotations } from "./annotate.js";
import { summary } from "./analysis.js";
import { Board } from "./board.js";
import { gameChart } from "./chart.js";
import { clockText } from "./clock.js";
import { announce, button, capitalised, h } from "./dom.js";
import { Exchange } from "./exchange.js";
import { MoveTree } from "./movetree.js";
import { ValueBar, findingsView, stepButtons, truthsView } from "./panel.js";
import { isSoundOn, setSound } from "./sound.js";
import { keepSetting, setting } from "./storage.js";
import { FAULT_NAMES, REASONS, labels, resultText, words } from "./words.js";

/** Lines that the user's analysis can have at most. */
const MOST_LINES = 5;
const PACES = [[0, labels.paceFast], [1000, labels.paceSecond], [3000, labels.paceSlow]];
const THOROUGHNESS = [[0.3, labels.quickly], [1, labels.oneSecond], [5, labels.fiveSeconds]];

export const other = (color) => (color === "white" ? "black" : "white");

function choice(name, label, options, value, onchange) {
  const option = ([id, text]) => h("option", { value: id, selected: id === value }, text);
  return h("select", { class: "compact", name, "aria-label": label, onchange }, ...options.map(option));
}

/** Elements and drawing; the state is in `PlayView`, which extends this. */
export class PlayScreen {
  constructor() {
    this.board = new Board({ onPick: (square) => this.pick(square), onCancel: () => this.cancel() });
    this.bar = new ValueBar();
    this.table = new MoveTree((node) => this.look(node));
    this.annotations = new Annotations(() => this.play, (edit) => this.change(edit));
    this.exchange = new Exchange(this);
    this.build();
  }

  build() {
    this.seats = { top: h("div", { class: "seat" }), bottom: h("div", { class: "seat" }) };
    this.status = h("p", { class: "status", "data-status": "loading" }, words.loading);
    this.note = h("p", { class: "note hint" });
    this.why = h("p", { class: "note why", hidden: true });
    this.buttons = {
      undo: button(labels.undo, () => this.undo(), { title: "u" }),
      redo: button(labels.redo, () => this.redo(), { title: "r" }),
      hint: button(labels.hint, () => this.analysis.hint(), { title: "h" }),
      move: button(labels.engineMove, () => this.engineMove(), { title: "e" }),
      flip: button(labels.flip, () => this.flip(), { title: "f" }),
      draw: button(labels.offerDraw, () => this.offerDraw()),
      resign: button(labels.resign, () => this.resign()),
      sound: button(labels.sound, () => this.toggleSound(), { "aria-pressed": String(isSoundOn()) }),
      back: button(labels.backToGame, () => this.look(this.play.live), { class: "half" }),
      playOn: button(labels.playOn, () => this.playOn(), { class: "half" }),
    };
    this.paceChoice = choice("pace", labels.pace, PACES, setting("pace", 1000), () => keepSetting("pace", this.pace()));
    this.pauseButton = button(labels.pause, () => this.setPaused(!this.isPaused));
    this.watch = h("div", { class: "controls watch", hidden: true }, this.pauseButton, button(labels.step, () => this.stepEngine()), this.paceChoice);
    this.analyse = button(labels.analyse, () => this.analysis.toggle(), { "aria-pressed": "false", title: "a" });
    const counts = Array.from({ length: MOST_LINES }, (_, index) => [index + 1, words.lines(index + 1)]);
    this.lineChoice = choice("lines", labels.lineCount, counts, setting("lines", 3), () => this.chooseLines());
    this.analysts = choice("analyst", labels.analyst, [], "", () => this.analysis.choose(this.analysts.value));
    this.engine = h("div", { class: "engine" });
    this.graph = h("div", { class: "chart-box" });
    this.tally = h("div", { class: "tally" });
    this.progress = h("p", { class: "note progress", role: "status" });
    this.depthChoice = choice("thoroughness", labels.thoroughness, THOROUGHNESS, 0.3, null);
    this.whole = button(labels.wholeGame, () => this.analysis.wholeGame(Number(this.depthChoice.value)));
    this.element = h(
      "div",
      { class: "play" },
      h("section", { class: "table", "aria-label": labels.board }, this.seats.top, h("div", { class: "with-bar" }, this.bar.element, this.board.element), this.seats.bottom),
      h(
        "section",
        { class: "side", "aria-label": labels.game },
        h("div", { class: "card" }, h("h1", { class: "hidden" }, labels.game), this.status, this.why, this.note, this.watch,
          h("div", { class: "controls" }, button(labels.newGame, () => this.newGame(), { class: "primary", title: "n" }), ...Object.values(this.buttons))),
        h("div", { class: "card" }, h("div", { class: "heading" }, h("h2", {}, labels.moves), stepButtons((where) => this.step(where))), this.table.element, this.annotations.element),
        h("div", { class: "card" },
          h("div", { class: "heading" }, h("h2", {}, labels.engine), this.analyse), h("div", { class: "choices" }, this.analysts, this.lineChoice),
          this.engine),
        h("div", { class: "card" }, h("div", { class: "heading" }, h("h2", {}, labels.course)), this.graph, this.tally, this.progress,
          h("div", { class: "choices" }, this.whole, this.depthChoice)),
        this.exchange.element,
        h("p", { class: "note keys" }, words.keys),
      ),
    );
  }

  pace() {
    return Number(this.paceChoice.value);
  }

  lineCount() {
    return Number(this.lineChoice.value);
  }

  chooseLines() {
    keepSetting("lines", this.lineCount());
    this.analysis.restart();
  }

  showAnalysts(players, chosen) {
    this.analysts.replaceChildren(...players.map(({ id, name }) => h("option", { value: id, selected: id === chosen }, name)));
    this.analysts.hidden = players.length < 2;
  }

  toggleSound() {
    setSound(!isSoundOn());
    this.buttons.sound.setAttribute("aria-pressed", String(isSoundOn()));
  }

  setNote(text) {
    this.note.replaceChildren(text ?? "");
  }

  /** A question with buttons for the answers. */
  ask(question, answers) {
    this.note.replaceChildren(question, " ", ...answers.map(([text, action]) => button(text, action, { class: "quiet" })));
  }

  /** Shows an error, with a button to retry if possible. */
  fail(error, again = null) {
    if (error.name === "AbortError") return;
    this.ask(h("span", { class: "wrong" }, capitalised(error.message)), again ? [[labels.tryAgain, () => { this.setNote(""); again(); }]] : []);
    announce(error.message);
  }

  showProgress(text) {
    this.progress.textContent = text;
    this.whole.textContent = text ? labels.stop : labels.wholeGame;
  }

  draw() {
    if (!this.isShown) return;
    this.drawBoard();
    this.drawSeats();
    this.drawStatus();
    this.drawMoves();
    this.drawFindings();
    this.drawGraph();
    const { play } = this;
    const over = this.result() !== null;
    this.buttons.undo.disabled = play.past.length === 0 && !play.live.parent;
    this.buttons.redo.disabled = play.future.length === 0;
    this.buttons.resign.disabled = this.buttons.draw.disabled = over || this.isWatched();
    this.buttons.move.disabled = over || !this.isLive || !this.mayMove();
    this.buttons.hint.disabled = this.view.status !== "ongoing";
    this.watch.hidden = over || !this.isWatched();
    this.pauseButton.textContent = this.isPaused ? labels.continue : labels.pause;
    this.buttons.back.disabled = this.buttons.playOn.disabled = this.isLive;
    this.analyse.setAttribute("aria-pressed", String(this.analysis.isOn));
    // Room for all lines from the start: what is below stays where it is.
    this.engine.style.setProperty("--lines", this.analysis.isOn ? this.lineCount() : 0);
  }

  drawMoves() {
    const first = this.view.history[0] ?? { number: this.view.number, color: this.view.turn };
    const isFirst = first.color === this.variants.get(this.play.info.variant).first_player;
    // Whoever plays without analysis is not told.
    const truthOf = (node) => (this.analysis.isOn ? this.views.get(node)?.truth : null);
    this.table.show(this.play.tree, this.play.at, { number: first.number, isFirst, truthOf });
    this.annotations.show();
  }

  drawBoard() {
    if (!this.view) return;
    const { steps } = this.entry;
    const marks = {
      last: this.view.history.at(-1)?.path ?? [],
      steps,
      selected: steps[0],
      movable: steps.length === 0 ? this.entry.movable() : [],
      targets: this.entry.targets(),
      taken: this.entry.taken(),
      shares: steps.length === 0 ? this.arrows() : [],
    };
    this.board.show(this.view.board, marks, this.drawn);
    this.drawn = null;
  }

  /** The moves that are shown as arrows: a hint, the policy of a network, or the first moves of the lines. */
  arrows() {
    const squares = (notation) => this.view.moves.find((move) => move.notation === notation);
    const { hinted } = this.analysis;
    if (hinted) return [{ ...squares(hinted.notation), share: 1, label: "" }].filter(({ from }) => from);
    const info = this.analysis.isOn && this.analysis.findings();
    if (!info) return [];
    if (info.policy.length && info.lines.length === 1) return info.policy;
    const arrows = info.lines.map(({ moves }, index) => ({ ...squares(moves[0]), share: 0.8 ** index, label: String(index + 1) }));
    return arrows.filter(({ from }) => from);
  }

  drawSeats() {
    const bottom = this.board.flipped ? "black" : "white";
    const result = this.result();
    for (const [place, color] of [["bottom", bottom], ["top", other(bottom)]]) {
      const isTurn = !result && this.liveTurn() === color;
      const count = [...this.view.board].filter((piece) => piece.toLowerCase() === color[0]).length;
      this.seats[place].classList.toggle("turn", isTurn);
      this.seats[place].replaceChildren(
        h("span", { class: `disc ${color}` }),
        h("span", { class: "who" }, this.nameOf(color)),
        h("span", { class: "count", title: words.pieces(count) }, String(count)),
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
    const over = this.result();
    const turn = this.liveTurn();
    const isThinking = Boolean(this.answer);
    this.status.dataset.status = over ? over.status : isThinking ? "thinking" : "ongoing";
    this.status.dataset.turn = turn;
    this.status.dataset.plies = this.play.live.plies;
    this.status.dataset.game = this.id;
    if (over) this.status.textContent = resultText(over.status, over.reason);
    else if (isThinking) this.status.textContent = labels.thinking;
    else this.status.textContent = this.isPaused ? words.paused : words.toMove(capitalised(turn));
    this.status.append(h("span", { class: "variant" }, h("a", { href: `#/rules/${this.play.info.variant}`, title: labels.rulesLink }, capitalised(this.play.info.variant))));
    const why = over && REASONS[over.reason]?.[1];
    this.why.hidden = !why;
    this.why.textContent = why ?? "";
  }

  drawFindings() {
    if (!this.view) return;
    const { at } = this.play;
    const info = this.analysis.findings();
    this.bar.show(info?.lines[0].value ?? at.value, this.board.flipped);
    const isOver = this.view.status !== "ongoing";
    const idle = isOver ? words.overHere : this.analysis.isOn ? words.searching : words.analysisOff;
    const onPlay = (moves) => this.playLine(at, moves);
    const truths = this.analysis.isOn && truthsView(this.view, onPlay);
    this.engine.replaceChildren(...[truths, info ? findingsView(info, onPlay) : h("p", { class: "note" }, idle)].filter(Boolean));
    if (this.analysis.isOn) this.drawBoard();
  }

  /** The values of the line on the board, and how often each side erred. */
  drawGraph() {
    const nodes = [this.play.tree.root, ...this.play.at.end.line];
    const chart = gameChart(nodes.map((node) => node.value), (ply) => this.look(nodes[ply] ?? nodes.at(-1)));
    chart.show(this.play.at.plies);
    this.graph.replaceChildren(chart.element);
    const first = this.view.history[0]?.color ?? this.view.turn;
    const sides = summary(nodes, (index) => (index % 2 === 0 ? first : other(first)));
    const glyphs = Object.keys(FAULT_NAMES);
    const head = glyphs.map((glyph) => h("th", { scope: "col" }, FAULT_NAMES[glyph]));
    const row = (color) => {
      const side = sides[color];
      const faults = glyphs.map((glyph) => h("td", { "data-glyph": glyph }, String(side[glyph])));
      return h("tr", {}, h("th", { scope: "row" }, labels[color]), ...faults, h("td", {}, side.moves ? words.perMove(((100 * side.lost) / side.moves).toFixed(1)) : "–"));
    };
    const isKnown = sides.white.moves + sides.black.moves > 0;
    this.tally.classList.toggle("known", isKnown);
    this.tally.replaceChildren(isKnown
      ? h("table", {}, h("thead", {}, h("tr", {}, h("td", {}), ...head, h("th", { scope: "col" }, labels.lostEach))), h("tbody", {}, row("white"), row("black")))
      : h("p", { class: "note" }, labels.noValues));
  }
}
