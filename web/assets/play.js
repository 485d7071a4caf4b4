// Playing: against a player, against oneself, or watching a player play itself.

import { loadVariants, post, stream } from "./api.js";
import { Board } from "./board.js";
import { Clocks, clockText } from "./clock.js";
import { announce, capitalised, h, resultText } from "./dom.js";
import { Entry } from "./entry.js";
import { Game } from "./game.js";
import { MoveTable, ValueBar, stepButtons, thoughtView } from "./panel.js";
import { askSettings, loadPlayers, loadSettings } from "./setup.js";

/** Simulations of the analysis while a person thinks. */
const ANALYSIS_SIMULATIONS = 256;

const other = (color) => (color === "white" ? "black" : "white");

export class PlayView {
  constructor() {
    this.board = new Board({ onPick: (square) => this.pick(square), onCancel: () => this.cancel() });
    this.bar = new ValueBar();
    this.table = new MoveTable((plies) => this.look(plies));
    this.isAnalysing = false;
    this.thought = null;
    this.ended = null;
    this.cursor = null;
    this.build();
    this.onKey = (event) => this.key(event);
    document.addEventListener("keydown", this.onKey);
    this.ticking = setInterval(() => this.tick(), 100);
  }

  /** Ends everything that goes on by itself. */
  close() {
    this.stopThinking();
    clearInterval(this.ticking);
    document.removeEventListener("keydown", this.onKey);
  }

  build() {
    const button = (text, action, attributes = {}) => h("button", { type: "button", onclick: action, ...attributes }, text);
    this.seats = { top: h("div", { class: "seat" }), bottom: h("div", { class: "seat" }) };
    this.status = h("p", { class: "status", "data-status": "loading" }, "Loading…");
    this.note = h("p", { class: "note hint" });
    this.buttons = {
      undo: button("Undo", () => this.undo(), { title: "u" }),
      resign: button("Resign", () => this.resign()),
      flip: button("Flip", () => this.flip(), { title: "f" }),
      analyse: button("Analyse", () => this.toggleAnalysis(), { "aria-pressed": "false", title: "a" }),
    };
    this.engine = h("div", { class: "engine" });
    this.back = h("p", { class: "looking", hidden: true });
    this.text = h("textarea", { rows: 4, spellcheck: "false", "aria-label": "Position or game, as FEN or PDN", placeholder: "Paste a FEN or a PDN here" });
    this.element = h(
      "div",
      { class: "play" },
      h("section", { class: "table", "aria-label": "Board" }, this.seats.top, h("div", { class: "with-bar" }, this.bar.element, this.board.element), this.seats.bottom),
      h(
        "section",
        { class: "side", "aria-label": "Game" },
        h("div", { class: "card" }, this.status, this.note, this.back,
          h("div", { class: "buttons" }, button("New game", () => this.newGame(), { class: "primary", title: "n" }), ...Object.values(this.buttons))),
        h("div", { class: "card" }, h("h2", {}, "Engine"), this.engine),
        h("div", { class: "card" }, h("div", { class: "heading" }, h("h2", {}, "Moves"), stepButtons((where) => this.step(where))), this.table.element),
        h("details", { class: "card" }, h("summary", {}, "FEN and PDN"), this.text,
          h("div", { class: "buttons" },
            button("Load", () => this.load(), { class: "primary" }),
            button("Copy FEN", () => this.copyFen()),
            button("Copy PDN", () => this.copyPdn()))),
        h("p", { class: "note keys" }, "Keys: arrows and Enter move, Escape cancels, u undo, f flip, a analyse, n new game, [ and ] go through the moves."),
      ),
    );
  }

  async open() {
    this.settings = loadSettings();
    await this.begin();
  }

  async newGame() {
    try {
      const chosen = await askSettings(this.settings);
      if (!chosen) return;
      this.settings = chosen;
      await this.begin();
    } catch (error) {
      this.fail(error);
    }
  }

  /** Begins a game with the settings, from the start or from a position or game that was loaded. */
  async begin(game = null) {
    this.stopThinking();
    this.players = await loadPlayers(this.settings);
    this.opponent = this.players.find((player) => player.id === this.settings.opponent);
    this.clocks = new Clocks(this.settings.clock);
    this.clockStates = [];
    this.ended = null;
    this.thought = null;
    this.seed = Math.floor(Math.random() * 2 ** 32);
    this.variants = await loadVariants();
    this.board.setVariant(this.variants.get(this.settings.variant));
    const fresh = game ?? (await new Game(this.settings.variant).load());
    this.firstPlayer = this.variants.get(fresh.variant).first_player;
    this.board.flip(this.human() === "black");
    await this.show(fresh);
  }

  /** The colour that a person plays, if it is one. */
  human() {
    if (this.settings.side === "first") return this.firstPlayer;
    if (this.settings.side === "second") return other(this.firstPlayer);
    return null;
  }

  isHumanTurn() {
    return this.settings.side === "both" || this.game.view.turn === this.human();
  }

  isOver() {
    return this.ended !== null || this.game.view.status !== "ongoing";
  }

  /** Shows a game and lets whoever is to move do so. */
  async show(game, path = null) {
    this.game = game;
    this.cursor = null;
    this.entry = new Entry(this.isHumanTurn() && !this.isOver() ? game.view.moves : []);
    this.clockStates[game.plies] ??= this.clocks.state();
    this.drawn = path;
    if (this.isOver()) this.clocks.stop();
    else if (game.plies > 0) this.clocks.start(game.view.turn);
    this.draw();
    if (this.isOver()) return this.stopThinking();
    if (!this.isHumanTurn()) return this.answer();
    if (this.isAnalysing) return this.analyse();
  }

  /** Plays a move that is legal. */
  async play(notation) {
    this.stopThinking();
    const mover = this.game.view.turn;
    try {
      const game = await this.game.after(notation);
      if (game.plies > 1 || this.clocks.running) this.clocks.press(mover);
      this.clockStates.length = game.plies;
      const last = game.view.history.at(-1);
      announce(`${capitalised(mover)}: ${last.notation}. ${resultText(game.view.status === "ongoing" ? "" : game.view.status, game.view.reason)}`);
      await this.show(game, last.path);
    } catch (error) {
      this.fail(error);
    }
  }

  /** Lets the opponent think and play. */
  async answer() {
    const limits = this.limits();
    const thought = await this.think(this.opponent.id, limits);
    if (thought) await this.play(thought.line[0]);
  }

  limits() {
    const [kind, amount] = this.settings.strength.split(":");
    const limits = {};
    if (this.opponent.takes_simulations) {
      if (kind === "sims") limits.simulations = Number(amount);
      else if (!this.clocks.isOn) limits.seconds = Number(amount);
    }
    if (this.clocks.isOn) limits.clock = { left_s: this.clocks.seconds(this.game.view.turn), increment_s: this.clocks.increment };
    return limits;
  }

  /** The network that says what it thinks of a person's position. */
  analyst() {
    return this.opponent.takes_simulations ? this.opponent : this.players.find((player) => player.takes_simulations);
  }

  async analyse() {
    const analyst = this.analyst();
    if (!analyst) {
      this.setNote("No network plays this game yet: train one, and it can analyse.");
      return;
    }
    await this.think(analyst.id, { simulations: ANALYSIS_SIMULATIONS });
  }

  /** Follows a search. Resolves to its last thought, or to null if it was stopped or failed. */
  async think(player, limits) {
    this.stopThinking();
    const control = new AbortController();
    this.thinking = control;
    this.drawStatus();
    let answer = null;
    try {
      await stream("/api/think", { game: this.game.text(), player, seed: this.seed, ...limits }, control.signal, (kind, content) => {
        if (this.thinking !== control) return;
        if (kind === "failure") throw new Error(content.error);
        this.thought = content;
        if (kind === "answer") answer = content;
        this.drawThought();
      });
      if (!answer && this.thinking === control) throw new Error("the server broke off");
    } catch (error) {
      if (this.thinking === control) this.fail(error, () => this.show(this.game));
      control.abort();
      answer = null;
    }
    if (this.thinking !== control) return null;
    this.thinking = null;
    this.drawStatus();
    return answer;
  }

  stopThinking() {
    this.thinking?.abort();
    this.thinking = null;
  }

  pick(square) {
    if (this.cursor !== null) return this.look(null);
    if (this.isOver() || !this.isHumanTurn()) return;
    const move = this.entry.pick(square);
    this.setNote(this.entry.note);
    this.drawBoard();
    if (move) this.play(move.notation);
  }

  cancel() {
    this.entry.cancel();
    this.setNote("");
    this.drawBoard();
  }

  async undo() {
    if (this.game.plies === 0) return;
    this.stopThinking();
    const human = this.human();
    let plies = this.game.plies - 1;
    // Back to where the person is to move, unless the opponent began the game.
    while (human && plies > 0 && this.game.turnAt(plies) !== human) plies -= 1;
    this.ended = null;
    this.thought = null;
    const game = await this.game.upTo(plies);
    this.clocks.restore(this.clockStates[plies] ?? this.clocks.state());
    this.clockStates.length = plies + 1;
    announce(`Back to move ${game.view.number}`);
    await this.show(game);
  }

  resign() {
    if (this.isOver()) return;
    const loser = this.human() ?? this.game.view.turn;
    this.end(other(loser), "resigned");
  }

  /** Ends the game by something that is not on the board. */
  end(status, reason) {
    this.stopThinking();
    this.clocks.stop();
    this.ended = { status, reason };
    this.entry = new Entry([]);
    announce(resultText(status, reason));
    this.draw();
  }

  flip() {
    this.board.flip();
    this.draw();
  }

  toggleAnalysis() {
    this.isAnalysing = !this.isAnalysing;
    this.buttons.analyse.setAttribute("aria-pressed", String(this.isAnalysing));
    this.setNote("");
    if (!this.isOver() && this.isHumanTurn()) {
      this.stopThinking();
      if (this.isAnalysing) this.analyse();
    }
    this.draw();
  }

  /** Shows an earlier position; null goes back to the game. */
  look(plies) {
    this.cursor = plies === null || plies >= this.game.plies ? null : Math.max(0, plies);
    this.drawn = null;
    this.draw();
  }

  step(where) {
    const here = this.cursor ?? this.game.plies;
    this.look({ first: 0, back: here - 1, on: here + 1, last: null }[where]);
  }

  tick() {
    if (!this.clocks?.running) return;
    this.drawClocks();
    const color = this.clocks.running;
    if (this.clocks.seconds(color) === 0) this.end(other(color), "time");
  }

  async load() {
    const text = this.text.value.trim();
    if (!text) return this.setNote("Paste a FEN or a PDN first.");
    try {
      const isFen = /^[WB]\s*:/i.test(text);
      let game;
      if (isFen) {
        game = await new Game(this.settings.variant, text).load();
      } else {
        const { game: read } = await post("/api/pdn/read", { text, variant: this.settings.variant });
        const moves = read.history.map((ply) => ply.notation);
        game = await new Game(read.variant, read.start, moves).load();
        this.settings = { ...this.settings, variant: read.variant };
      }
      // A game that is looked at goes on by hand.
      this.settings = { ...this.settings, side: "both", clock: "" };
      await this.begin(game);
    } catch (error) {
      this.fail(error);
    }
  }

  copyFen() {
    return this.copy(this.game.fenAt(this.cursor ?? this.game.plies));
  }

  async copyPdn() {
    const name = (color) => (this.human() && color !== this.human() ? this.opponent.name : this.settings.side === "none" ? this.opponent.name : "Human");
    const order = { game: this.game.text(), white: name("white"), black: name("black"), forfeit_winner: this.ended?.status ?? null };
    try {
      await this.copy((await post("/api/pdn/write", order)).text);
    } catch (error) {
      this.fail(error);
    }
  }

  async copy(text) {
    this.text.value = text;
    try {
      await navigator.clipboard.writeText(text);
      this.setNote("Copied.");
    } catch {
      this.text.select();
      this.setNote("It stands below, selected: copy it with the keyboard.");
    }
  }

  setNote(text) {
    this.note.replaceChildren(text ?? "");
  }

  /** Says what went wrong, with a way to go on if there is one. */
  fail(error, again = null) {
    if (error.name === "AbortError") return;
    const retry = again && h("button", { type: "button", class: "quiet", onclick: () => { this.setNote(""); again(); } }, "Try again");
    this.note.replaceChildren(capitalised(error.message), ...(retry ? [" ", retry] : []));
    announce(error.message);
  }

  key(event) {
    const isTyping = event.target.closest?.("input, textarea, select, dialog");
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    const actions = {
      u: () => this.undo(),
      f: () => this.flip(),
      a: () => this.toggleAnalysis(),
      n: () => this.newGame(),
      "[": () => this.step("back"),
      "]": () => this.step("on"),
    };
    if (!actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  }

  draw() {
    this.drawBoard();
    this.drawSeats();
    this.drawStatus();
    this.drawThought();
    this.table.show(this.game.view.history, this.cursor ?? this.game.plies);
    this.buttons.undo.disabled = this.game.plies === 0;
    this.buttons.resign.disabled = this.isOver();
    const isLooking = this.cursor !== null;
    this.back.hidden = !isLooking;
    if (isLooking) {
      this.back.replaceChildren(
        "An earlier position. ",
        h("button", { type: "button", class: "quiet", onclick: () => this.look(null) }, "Back to the game"),
        h("button", { type: "button", class: "quiet", onclick: () => this.continueHere() }, "Play on from here"),
      );
    }
  }

  async continueHere() {
    const plies = this.cursor;
    this.stopThinking();
    this.ended = null;
    this.thought = null;
    const game = await this.game.upTo(plies);
    this.clocks.restore(this.clockStates[plies] ?? this.clocks.state());
    this.clockStates.length = plies + 1;
    await this.show(game);
  }

  drawBoard() {
    const plies = this.cursor ?? this.game.plies;
    const last = plies > 0 ? this.game.view.history[plies - 1].path : [];
    const isNow = this.cursor === null;
    const steps = isNow ? this.entry.steps : [];
    const showsShares = isNow && this.isAnalysing && !this.isOver() && steps.length === 0;
    this.board.marks = {
      last,
      steps: steps.slice(1),
      selected: steps[0],
      movable: isNow && steps.length === 0 ? this.entry.movable() : [],
      targets: isNow ? this.entry.targets() : [],
      taken: isNow ? this.entry.taken() : [],
      shares: showsShares ? (this.thought?.policy ?? []) : [],
    };
    if (steps.length > 1) this.board.marks.steps = steps;
    this.board.setPieces(this.game.boardAt(plies), isNow ? this.drawn : null);
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
    this.status.dataset.status = over ? over.status : this.thinking && !this.isHumanTurn() ? "thinking" : "ongoing";
    this.status.dataset.turn = view.turn;
    this.status.dataset.plies = this.game.plies;
    if (over) this.status.textContent = resultText(over.status, over.reason);
    else if (!this.isHumanTurn()) this.status.textContent = `${this.opponent.name} is thinking…`;
    else this.status.textContent = `${capitalised(view.turn)} to move`;
    this.status.append(h("span", { class: "variant" }, capitalised(this.game.variant)));
  }

  drawThought() {
    this.bar.show(this.thought?.value, this.board.flipped);
    const isNews = this.isAnalysing || !this.isHumanTurn() || this.thought;
    this.engine.replaceChildren(isNews ? thoughtView(this.thought) : thoughtView(null));
    if (this.isAnalysing) this.drawBoard();
  }
}
