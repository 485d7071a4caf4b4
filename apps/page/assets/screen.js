// The elements of the playing view. The game itself is in `session.js`, what the user does in
// `play.js`.

import { Annotations } from "./annotate.js";
import { scored, summary } from "./analysis.js";
import { Board } from "./board.js";
import { clockText } from "./clock.js";
import { button, capitalized, h, refill } from "./dom.js";
import { Exchange } from "./exchange.js";
import { Explorer } from "./explorer.js";
import { MoveTree } from "./movetree.js";
import { ValueBar, findingsView, stepButtons, truthsView } from "./panel.js";
import { other } from "./session.js";
import { isSoundOn, setSound } from "./sound.js";
import { keepSetting, setting } from "./settings.js";
import { FAULT_NAMES, REASONS, labels, resultText, words } from "./words.js";

/** Lines that the user's analysis can have at most. */
const MOST_LINES = 5;
const PACES = [[0, labels.paceFast], [1000, labels.paceSecond], [3000, labels.paceSlow]];
const THOROUGHNESS = [[0.3, labels.quickly], [1, labels.oneSecond], [5, labels.fiveSeconds]];

function choice(name, label, options, value, onchange) {
  const option = ([id, text]) => h("option", { value: id, selected: id === value }, text);
  return h("select", { class: "compact", name, "aria-label": label, onchange }, ...options.map(option));
}

/** A button that opens a list of buttons below it. */
function menu(label, ...items) {
  const element = h("details", { class: "menu" }, h("summary", { class: "button", "aria-label": label, title: label }, "⋯"), h("div", { class: "menu-items" }, ...items));
  const close = () => (element.open = false);
  element.addEventListener("click", (event) => event.target.closest(".menu-items button, .menu-items a") && close());
  element.addEventListener("focusout", (event) => element.contains(event.relatedTarget) || !event.relatedTarget || close());
  element.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !element.open) return;
    close();
    element.querySelector("summary").focus();
  });
  const leave = (event) => element.contains(event.target) || close();
  element.addEventListener("toggle", () => document[element.open ? "addEventListener" : "removeEventListener"]("pointerdown", leave));
  return element;
}

/** Elements and drawing; `PlayView` extends this. */
export class PlayScreen {
  constructor() {
    this.board = new Board({
      onPick: (square) => this.pick(square),
      onCancel: () => this.cancel(),
      onSketch: (from, to) => this.sketch(from, to),
      onStep: (where) => this.step(where),
    });
    this.bar = new ValueBar();
    this.table = new MoveTree((node) => this.look(node));
    this.annotations = new Annotations(() => this.play, (edit) => this.change(edit), (edit) => this.amend(edit));
    this.exchange = new Exchange(this);
    this.explorer = new Explorer(this);
    this.build();
  }

  build() {
    this.seats = { top: h("div", { class: "seat" }), bottom: h("div", { class: "seat" }) };
    this.status = h("p", { class: "status", "data-status": "loading" }, words.loading);
    this.note = h("p", { class: "note hint", role: "status" });
    this.alarm = h("p", { class: "note wrong", role: "alert", hidden: true });
    this.why = h("p", { class: "note why", hidden: true });
    const item = (label, act, attributes) => button(label, act, { class: "quiet", ...attributes });
    this.buttons = {
      undo: button(labels.undo, () => this.undo(), { title: "u" }),
      redo: button(labels.redo, () => this.redo(), { title: "r" }),
      hint: button(labels.hint, () => this.analysis.hint(), { title: "h" }),
      resign: button(labels.resign, () => this.resign()),
      rematch: button(labels.rematch, () => this.rematch(), { class: "primary", hidden: true }),
    };
    this.items = {
      move: item(labels.engineMove, () => this.engineMove(), { title: "e" }),
      draw: item(labels.offerDraw, () => this.offerDraw()),
      flip: item(labels.flip, () => this.flip(), { title: "f" }),
      terms: item(labels.changePlayers, () => this.changeTerms()),
      playOn: item(labels.playFromHere, () => this.playFromHere()),
      edit: item(labels.editPosition, () => this.exchange.edit()),
      sound: item(labels.sound, () => this.toggleSound(), { "aria-pressed": String(isSoundOn()) }),
    };
    this.back = button(labels.backToGame, () => this.look(this.play.live), { class: "quiet", hidden: true });
    this.begin_ = button(labels.newGame, () => this.newGame(), { title: "n" });
    this.paceChoice = choice("pace", labels.pace, PACES, setting("pace", 1000), () => keepSetting("pace", this.pace()));
    this.goOn = button(labels.continue, () => this.session.setPaused(false), { class: "primary" });
    this.halt = button(labels.pause, () => this.session.setPaused(true));
    this.single = button(labels.step, () => this.session.step());
    this.here = button(labels.playHere, () => { this.session.takeOver(); this.session.load(); }, { class: "primary" });
    this.watch = h("div", { class: "buttons watch", hidden: true }, this.here, this.goOn, this.halt, this.single, this.paceChoice);
    this.analyse = button(labels.analyse, () => this.analysis.toggle(), { "aria-pressed": "false", title: "a" });
    const counts = Array.from({ length: MOST_LINES }, (_, index) => [index + 1, words.lines(index + 1)]);
    this.lineChoice = choice("lines", labels.lineCount, counts, setting("lines", 3), () => this.chooseLines());
    this.analysts = choice("analyst", labels.analyst, [], "", () => this.analysis.choose(this.analysts.value));
    this.engine = h("div", { class: "engine", onpointerdown: () => this.press() });
    this.graph = h("div", { class: "chart-box", hidden: true });
    this.tally = h("div", { class: "tally" });
    this.progress = h("p", { class: "note progress", role: "status" });
    this.depthChoice = choice("thoroughness", labels.thoroughness, THOROUGHNESS, 0.3, null);
    this.whole = button(labels.wholeGame, () => this.analysis.wholeGame(Number(this.depthChoice.value)));
    this.learn = button(labels.learn, () => this.lesson.start(), { hidden: true });
    this.typed = h("input", { name: "move", class: "typed", autocomplete: "off", spellcheck: "false", "aria-label": labels.typedMove, placeholder: labels.typedMove });
    this.typed.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.type(this.typed.value);
      if (event.key === "Escape") this.typed.blur();
    });
    this.side = h(
      "section",
      { class: "side", "aria-label": labels.game },
      h("div", { class: "card control" }, h("h1", { class: "hidden" }, labels.game), this.status, this.alarm, this.note, this.watch,
        h("div", { class: "buttons row" }, this.begin_, ...Object.values(this.buttons), menu(labels.more, ...Object.values(this.items))), this.why),
      h("div", { class: "card analysis" },
        h("div", { class: "heading" }, h("h2", { class: "hidden" }, labels.engine), this.analysts, this.lineChoice, this.analyse), this.engine),
      h("div", { class: "card moves-card" },
        h("div", { class: "heading" }, h("h2", {}, labels.moves), this.back, stepButtons((where) => this.step(where))), this.graph, this.table.element,
        h("div", { class: "below" }, this.typed, this.annotations.element)),
      h("details", { class: "card course" }, h("summary", {}, labels.course), this.tally, this.progress, h("div", { class: "choices" }, this.whole, this.depthChoice), this.learn),
      this.explorer.element,
      this.exchange.element,
      h("p", { class: "note keys" }, words.keys),
    );
    this.element = h(
      "div",
      { class: "play" },
      h("section", { class: "table", "aria-label": labels.board }, this.seats.top, h("div", { class: "with-bar" }, this.bar.element, this.board.element), this.seats.bottom),
      this.side,
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
    this.analysts.disabled = players.length < 2;
  }

  toggleSound() {
    setSound(!isSoundOn());
    this.items.sound.setAttribute("aria-pressed", String(isSoundOn()));
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
    this.ask(h("span", { class: "wrong" }, capitalized(error.message)), again ? [[labels.tryAgain, () => { this.setNote(""); again(); }]] : []);
  }

  /** What stands in the way of the game: the server or an engine, and moves that cannot be stored. */
  drawProblem() {
    const { trouble } = this.session;
    const retry = trouble && button(labels.tryAgain, () => this.session.retry(), { class: "quiet" });
    const lost = this.problem && [words.unsaved[this.problem], " ", button(labels.saveFile, () => this.exchange.save(), { class: "quiet" })];
    const text = [trouble && capitalized(trouble.message), this.problem].join();
    this.alarm.hidden = !trouble && !this.problem;
    if (this.alarmText === text) return;
    this.alarmText = text;
    this.alarm.replaceChildren(...[trouble && [capitalized(trouble.message), " ", retry], lost].filter(Boolean).flat());
  }

  showProgress(text) {
    this.progress.textContent = text;
    this.whole.textContent = text ? labels.stop : labels.wholeGame;
  }

  draw() {
    this.drawStatus();
    this.drawProblem();
    this.drawMoves();
    // Input waits until the server has sent the legal moves.
    this.board.element.setAttribute("aria-busy", String(!this.isShown));
    if (!this.isShown) {
      this.buttons.hint.disabled = this.items.draw.disabled = true;
      return this.board.show(this.board.text, { last: this.board.marks.last });
    }
    this.drawBoard();
    this.drawSeats();
    this.drawFindings();
    this.drawGraph();
    const { play, session } = this;
    const { phase } = session;
    const isOver = phase === "over";
    const { buttons, items } = this;
    buttons.undo.disabled = play.past.length === 0 && (!play.live.parent || play.info.isRecord);
    buttons.redo.disabled = play.future.length === 0;
    buttons.hint.disabled = this.view.status !== "ongoing";
    buttons.resign.hidden = isOver || session.isWatched();
    buttons.rematch.hidden = !isOver || play.info.isRecord;
    items.draw.disabled = isOver || session.isWatched();
    items.move.disabled = !this.isLive || !session.isOwnTurn();
    items.terms.disabled = isOver;
    const canGoOn = phase === "paused" && !session.isFollowing;
    this.here.hidden = phase !== "following";
    this.goOn.hidden = !canGoOn;
    this.halt.hidden = !session.isWatched() || phase !== "thinking";
    this.single.hidden = this.paceChoice.hidden = !session.isWatched() || phase === "following";
    this.single.disabled = isOver;
    this.watch.hidden = !(session.isWatched() || canGoOn || phase === "following");
    this.back.hidden = this.isLive;
    this.element.classList.toggle("lesson", this.lesson.isOn);
    this.learn.hidden = this.lesson.isOn || this.lesson.faults().length === 0;
    this.analyse.setAttribute("aria-pressed", String(this.analysis.isOn));
    // Room for all lines from the start: the elements below do not move.
    const lines = this.analysis.isOn ? this.lineCount() : 0;
    this.engine.style.setProperty("--lines", lines);
    this.side.style.setProperty("--room", lines ? `${2.6 + 1.9 * lines}rem` : "0rem");
    // The lines have taken their room.
    this.table.reveal();
  }

  drawMoves() {
    // Moves are there before the server has said where they lead.
    const view = this.view ?? this.views.get(this.play.tree.root);
    if (view) this.firstMove = { of: this.session, ...(view.history[0] ?? { number: view.number, color: view.turn }) };
    const first = this.firstMove;
    if (first?.of !== this.session) return;
    const isFirst = first.color === this.variants.get(this.play.info.variant).first_player;
    // Players without analysis get no notice.
    const truthOf = (node) => (this.analysis.isOn ? this.views.get(node)?.truth : null);
    this.table.show(this.play, { number: first.number, isFirst, truthOf });
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
      shapes: this.play.at.shapes,
    };
    this.board.show(this.view.board, marks, this.drawnPath);
    this.drawnPath = null;
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
    // Several lines may begin with the only legal move: one arrow, with the number of the best.
    const isFirst = ({ from, to }, index) => from && arrows.findIndex((arrow) => arrow.from === from && arrow.to === to) === index;
    return arrows.filter(isFirst);
  }

  drawSeats() {
    const bottom = this.board.flipped ? "black" : "white";
    const over = this.session.phase === "over";
    for (const [place, color] of [["bottom", bottom], ["top", other(bottom)]]) {
      const isTurn = !over && this.session.liveTurn() === color;
      const count = [...this.view.board].filter((piece) => piece.toLowerCase() === color[0]).length;
      this.seats[place].classList.toggle("turn", isTurn);
      this.seats[place].replaceChildren(
        h("span", { class: `disc ${color}`, role: "img", "aria-label": labels[color] }),
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

  /** Waits with new findings until what was pressed is let go, and its click has had its effect. */
  press() {
    this.isPressed = true;
    const release = () => setTimeout(() => {
      this.isPressed = false;
      this.drawFindings();
    });
    for (const end of ["pointerup", "pointercancel"]) addEventListener(end, release, { once: true });
  }

  /** How the game stands, in a few words. */
  statusText() {
    const { session, play } = this;
    const over = session.result();
    const { phase } = session;
    const looks = this.view && !this.isLive ? words.lookingAt(this.view.history.length, this.view.turn && this.view.status === "ongoing" ? labels[this.view.turn] : null) : null;
    if (looks) return looks;
    if (over) return resultText(over.status, over.reason);
    if (play.info.isRecord) return words.record_;
    return { loading: words.loading, stuck: words.stuck, following: words.following, paused: words.paused, thinking: labels.thinking }[phase] ?? words.toMove(labels[session.liveTurn()]);
  }

  drawStatus() {
    const { session, play } = this;
    const over = session.result();
    const { phase } = session;
    const turn = session.liveTurn() ?? "";
    const { dataset } = this.status;
    dataset.status = phase === "thinking" ? "thinking" : phase === "over" ? (over?.status ?? "record") : "ongoing";
    Object.assign(dataset, { phase, turn, plies: play.live.plies, game: this.id });
    const text = this.statusText();
    this.status.replaceChildren(text, h("span", { class: "variant" }, h("a", { href: `#/rules/${play.info.variant}`, title: labels.rulesLink }, capitalized(play.info.variant))));
    document.title = words.title(phase === "human" && !(this.isHuman("white") && this.isHuman("black")) ? words.yourTurn : text);
    const why = over && this.isLive && REASONS[over.reason]?.[1];
    this.why.hidden = !why;
    this.why.textContent = why ?? "";
  }

  drawFindings() {
    // A move that is being pressed stays where it is.
    if (!this.view || this.isPressed) return;
    const { at } = this.play;
    const info = this.analysis.findings();
    this.bar.show(info?.lines[0].value ?? at.value, this.board.flipped);
    const isOver = this.view.status !== "ongoing";
    const idle = isOver ? words.overHere : this.analysis.isOn ? words.searching : words.analysisOff;
    const onPlay = (moves) => this.playLine(at, moves);
    const truths = this.analysis.isOn && truthsView(this.view, onPlay);
    const isShown = this.analysis.isOn && info;
    refill(this.engine, ...[truths, isShown ? findingsView(info, onPlay) : h("p", { class: "note" }, idle)].filter(Boolean));
    this.explorer.drawOpinions();
    if (this.analysis.isOn) this.drawBoard();
  }

  /** Draws the values of nodes; what draws them is loaded with the first ones. */
  async drawChart(values, nodes) {
    const { at } = this.play;
    const { gameChart } = await import("./chart.js").catch(() => ({}));
    if (!gameChart || this.play.at !== at) return;
    const chart = gameChart(values, (ply) => this.look(nodes[ply] ?? nodes.at(-1)));
    chart.show(at.plies);
    this.graph.replaceChildren(chart.element);
    if (!this.graph.hidden) return;
    this.graph.hidden = false;
    // It has taken its room.
    this.table.reveal();
  }

  /** The values of the line on the board, as one engine gives them, and how often each side erred. */
  drawGraph() {
    const nodes = [this.play.tree.root, ...this.play.at.end.line];
    const values = scored(nodes);
    const isKnown = values.filter(Boolean).length > 1;
    if (isKnown) this.drawChart(values, nodes);
    else this.graph.hidden = true;
    const first = this.view.history[0]?.color ?? this.view.turn;
    const sides = summary(nodes, (index) => (index % 2 === 0 ? first : other(first)));
    const glyphs = Object.keys(FAULT_NAMES);
    const head = glyphs.map((glyph) => h("th", { scope: "col" }, FAULT_NAMES[glyph]));
    const row = (color) => {
      const side = sides[color];
      const faults = glyphs.map((glyph) => h("td", { "data-glyph": glyph }, String(side[glyph])));
      return h("tr", {}, h("th", { scope: "row" }, labels[color]), ...faults, h("td", {}, side.moves ? words.perMove(((100 * side.lost) / side.moves).toFixed(1)) : "–"));
    };
    const isJudged = sides.white.moves + sides.black.moves > 0;
    this.tally.replaceChildren(isJudged
      ? h("table", {}, h("thead", {}, h("tr", {}, h("td", {}), ...head, h("th", { scope: "col" }, labels.averageLoss))), h("tbody", {}, row("white"), row("black")))
      : h("p", { class: "note" }, labels.notJudged));
  }
}
