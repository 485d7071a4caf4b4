// Playing: against a player, with both sides, or watching a player play itself.

import { loadVariants, post, stream } from "./api.js";
import { Clocks } from "./clock.js";
import { announce, capitalised, resultText } from "./dom.js";
import { Entry } from "./entry.js";
import { gameChoice, readGame } from "./exchange.js";
import { Game } from "./game.js";
import { PlayScreen, other } from "./screen.js";
import { askSettings, loadPlayers, loadSettings } from "./setup.js";

/** What the analysis on the user's turn takes for each line: simulations of a network, seconds of others. */
const ANALYSIS_SIMULATIONS = 256;
const ANALYSIS_SECONDS = 5;

export class PlayView extends PlayScreen {
  constructor() {
    super();
    this.isAnalysing = false;
    this.searchInfo = null;
    this.ended = null;
    this.cursor = null;
    this.onKey = (event) => this.key(event);
    document.addEventListener("keydown", this.onKey);
    this.ticking = setInterval(() => this.tick(), 100);
  }

  /** Stops the search, the clock and the key handler. */
  close() {
    this.stopThinking();
    clearInterval(this.ticking);
    document.removeEventListener("keydown", this.onKey);
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

  /** Begins a game with the settings, from the start or from a loaded game. */
  async begin(game = null) {
    this.stopThinking();
    this.players = await loadPlayers(this.settings);
    this.opponent = this.players.find((player) => player.id === this.settings.opponent);
    this.clocks = new Clocks(this.settings.clock);
    this.clockStates = [];
    this.ended = null;
    this.searchInfo = null;
    this.seed = Math.floor(Math.random() * 2 ** 32);
    this.variants = await loadVariants();
    this.board.setVariant(this.variants.get(this.settings.variant));
    const fresh = game ?? (await new Game(this.settings.variant).load());
    this.firstPlayer = this.variants.get(fresh.variant).first_player;
    this.board.flip(this.human() === "black");
    await this.show(fresh);
  }

  /** The colour that the user plays, if it is one. */
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

  /** Shows a game, and starts the opponent's search if it is to move. */
  async show(game, path = null) {
    this.game = game;
    this.cursor = null;
    const moves = this.isHumanTurn() && !this.isOver() ? game.view.moves : [];
    this.entry = new Entry(moves, (square) => this.board.nameOf(square));
    this.clockStates[game.plies] ??= this.clocks.state();
    this.drawn = path;
    if (this.isOver()) this.clocks.stop();
    else if (game.plies > 0) this.clocks.start(game.view.turn);
    this.draw();
    if (this.isOver()) return this.stopThinking();
    if (!this.isHumanTurn()) return this.answer();
    if (this.isAnalysing) return this.analyse();
  }

  /** Plays a legal move. */
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

  /** Lets the opponent search and move. */
  async answer() {
    const info = await this.think(this.opponent.id, this.limits(), true);
    if (info) await this.play(info.lines[0].moves[0]);
  }

  /** Lets the opponent make one move for the user. */
  engineMove() {
    if (this.isOver() || !this.isHumanTurn()) return;
    this.look(null);
    this.cancel();
    return this.answer();
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

  /** The player that analyses the user's positions. */
  analyst() {
    return this.opponent.analyses ? this.opponent : this.players.find((player) => player.analyses);
  }

  async analyse() {
    const analyst = this.analyst();
    if (!analyst) {
      this.setNote("There is no network for this game yet: train one first.");
      return;
    }
    const lines = Number(this.lineChoice.value);
    const limits = analyst.takes_simulations ? { simulations: lines * ANALYSIS_SIMULATIONS } : { seconds: lines * ANALYSIS_SECONDS };
    await this.think(analyst.id, { ...limits, lines });
  }

  /** Analyses again with another number of lines. */
  chooseLines() {
    if (this.isAnalysing && !this.isOver() && this.isHumanTurn()) return this.analyse();
  }

  /** Follows a search. Resolves to its final result, or to null if it was stopped or failed. */
  async think(player, limits, isAnswer = false) {
    this.stopThinking();
    const control = new AbortController();
    control.isAnswer = isAnswer;
    this.thinking = control;
    this.drawStatus();
    let answer = null;
    try {
      await stream("/api/think", { game: this.game.text(), player, seed: this.seed, ...limits }, control.signal, (kind, content) => {
        if (this.thinking !== control) return;
        if (kind === "failure") throw new Error(content.error);
        this.searchInfo = content;
        if (kind === "answer") answer = content;
        this.drawSearchInfo();
      });
      if (!answer && this.thinking === control) throw new Error("the connection to the server was lost");
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
    // Back to the user's turn, unless the opponent began the game.
    while (human && plies > 0 && this.game.turnAt(plies) !== human) plies -= 1;
    this.ended = null;
    this.searchInfo = null;
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

  /** Ends the game by resignation or on time. */
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

  /** Shows an earlier position; null returns to the current one. */
  look(plies) {
    this.cursor = plies === null || plies >= this.game.plies ? null : Math.max(0, plies);
    this.drawn = null;
    this.draw();
  }

  step(where) {
    const here = this.cursor ?? this.game.plies;
    this.look({ first: 0, back: here - 1, forward: here + 1, last: null }[where]);
  }

  tick() {
    if (!this.clocks?.running) return;
    this.drawClocks();
    const color = this.clocks.running;
    if (this.clocks.seconds(color) === 0) this.end(other(color), "time");
  }

  /** Loads the pasted text; of a PDN with several games the chosen one, or the first. */
  async load(chosen = null) {
    const text = this.text.value.trim();
    if (!text) return this.setNote("Paste a FEN or a PDN first.");
    try {
      const { game, games, index } = await readGame(text, this.settings.variant, chosen);
      this.choice.replaceChildren(...gameChoice(games, index, (other) => this.load(other)));
      // The user continues a loaded game with both sides.
      this.settings = { ...this.settings, variant: game.variant, side: "both", clock: "" };
      await this.begin(game);
      this.setNote(games.length > 1 ? `Game ${index + 1} of ${games.length}: choose another one below the PDN.` : "");
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
    this.choice.replaceChildren();
    try {
      await navigator.clipboard.writeText(text);
      this.setNote("Copied.");
    } catch {
      this.text.select();
      this.setNote("Select and copy the text below with the keyboard.");
    }
  }

  key(event) {
    const isTyping = event.target.closest?.("input, textarea, select, dialog");
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    const actions = {
      u: () => this.undo(),
      e: () => this.engineMove(),
      f: () => this.flip(),
      a: () => this.toggleAnalysis(),
      n: () => this.newGame(),
      "[": () => this.step("back"),
      "]": () => this.step("forward"),
    };
    if (!actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  }

  async continueHere() {
    const plies = this.cursor;
    this.stopThinking();
    this.ended = null;
    this.searchInfo = null;
    const game = await this.game.upTo(plies);
    this.clocks.restore(this.clockStates[plies] ?? this.clocks.state());
    this.clockStates.length = plies + 1;
    await this.show(game);
  }
}
