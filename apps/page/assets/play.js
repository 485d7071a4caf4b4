// A game on the board: played against engines or people, studied, kept.

import { loadVariants, post } from "./api.js";
import { Analysis } from "./analysis.js";
import { Clocks, clockOf } from "./clock.js";
import { Play, newDocument } from "./document.js";
import { announce, capitalised } from "./dom.js";
import { Entry } from "./entry.js";
import { askTerms, loadPlayers, loadTerms } from "./setup.js";
import { clack } from "./sound.js";
import { game as storedGame, games as storedGames, keepGame } from "./storage.js";
import { Turns } from "./turns.js";
import { resultText, words } from "./words.js";

export class PlayView extends Turns {
  /** `id` is the game that the address names; without one the last game is shown. */
  constructor(id = null) {
    super();
    this.id = id;
    this.views = new WeakMap();
    this.clocks = new Clocks(null);
    this.entry = new Entry([]);
    this.analysis = new Analysis(this);
    this.onKey = (event) => this.key(event);
    document.addEventListener("keydown", this.onKey);
    this.ticking = setInterval(() => this.tick(), 100);
  }

  /** Stops searches, the clock and the key handler; the game is kept. */
  close() {
    this.stopAnswer();
    this.analysis.stop();
    clearInterval(this.ticking);
    document.removeEventListener("keydown", this.onKey);
    if (this.play) this.keep();
  }

  async open() {
    this.variants = await loadVariants();
    const known = this.id ? storedGame(this.id) : storedGames()[0];
    if (this.id && !known) throw new Error(words.missing(this.id));
    await this.begin(known ?? newDocument(await loadTerms()), Boolean(known));
  }

  async newGame() {
    try {
      const chosen = await askTerms(this.play?.info);
      if (chosen) await this.begin(newDocument(chosen));
    } catch (error) {
      this.fail(error);
    }
  }

  /** Opens a game as it was kept, or a new one. A game that was under way waits for its next move or Continue. */
  async begin(document, isKept = false) {
    this.stopAnswer();
    this.analysis.stop();
    this.play = new Play(document);
    this.id = document.id;
    this.players = await loadPlayers(document.variant);
    this.analysis.setPlayers(this.players);
    this.clocks = new Clocks(clockOf(document.terms.clock), document.clocks);
    this.seed = Math.floor(Math.random() * 2 ** 32);
    this.isPaused = isKept && this.isWatched();
    this.board.setVariant(this.variants.get(document.variant));
    // A person who plays alone sits below.
    this.board.flip(this.isHuman("black") && !this.isHuman("white"));
    const address = `#/game/${document.id}`;
    const isOther = location.hash.startsWith("#/game/") && location.hash !== address;
    history[isOther ? "pushState" : "replaceState"](null, "", address);
    await this.show(this.play.at);
  }

  get isLive() {
    return this.play.at === this.play.live;
  }

  /** Whether the server has said how the game stands; until then there is nothing to draw or to ask. */
  get isShown() {
    return Boolean(this.view) && this.views.has(this.play.live);
  }

  /** The server's view of a position. */
  async viewOf(node) {
    if (!this.views.has(node)) this.views.set(node, await post("/api/game", this.text(node)));
    return this.views.get(node);
  }

  /** The game up to a node, as the server takes it. */
  text(node) {
    return { variant: this.play.info.variant, fen: this.play.info.fen, moves: node.moves };
  }

  /** Shows a position, and goes on with the game if it stands there. `path` is the way of the piece that moved. */
  async show(node, path = null) {
    const { play } = this;
    play.at = node;
    try {
      const [view] = await Promise.all([this.viewOf(node), this.viewOf(play.live)]);
      if (this.play !== play || play.at !== node) return;
      this.view = view;
      this.drawn = path;
      this.entry = new Entry(this.mayMove() ? view.moves : [], (square) => this.board.nameOf(square));
      if (this.result()) this.clocks.stop();
      else if (play.live.parent && !this.clocks.running && !this.isPaused) this.clocks.start(this.liveTurn());
      this.draw();
      this.keep();
      this.goOn();
      this.analysis.follow();
    } catch (error) {
      this.fail(error, () => this.show(node));
    }
  }

  keep() {
    this.keepClocks();
    // Until the position has come, the result is the one that was kept.
    if (this.views.has(this.play.live)) this.play.info.result = this.result()?.status;
    if (!keepGame(this.play.save())) this.setNote(words.unsaved);
  }

  /** Makes a change that can be undone, and shows the outcome. */
  change(edit) {
    this.keepClocks();
    this.play.remember();
    edit(this.play);
    return this.show(this.play.at);
  }

  keepClocks() {
    this.play.clocks = this.clocks.isOn ? this.clocks.state() : null;
  }

  /** The user's move on the board. */
  async move(notation) {
    this.keepClocks();
    this.play.remember();
    const goesOn = this.isLive && !this.result();
    if (goesOn) this.stopAnswer();
    // No other move can be entered until the next position has come.
    this.entry = new Entry([]);
    await this.advance(this.play.at, notation, goesOn);
  }

  /** Adds a move; the game goes on with it if it was made where the game stands. */
  async advance(node, notation, goesOn) {
    const { play } = this;
    const mover = this.views.get(node).turn;
    const next = play.tree.add(node, notation);
    const view = await this.viewOf(next);
    const last = view.history.at(-1);
    const wasShown = play.at === node;
    if (goesOn) {
      play.live = next;
      // The first move takes no time, but counts.
      this.clocks.press(mover);
    }
    clack(last.captured.length > 0);
    const over = view.status === "ongoing" ? "" : resultText(view.status, view.reason);
    announce(`${capitalised(mover)}: ${last.notation}. ${over}`);
    if (wasShown) await this.show(next, last.path);
    else {
      if (!this.result()) this.clocks.start(this.liveTurn());
      this.draw();
      this.keep();
      this.goOn();
    }
  }

  pick(square) {
    if (!this.mayMove()) return;
    const move = this.entry.pick(square);
    this.setNote(this.entry.note);
    if (move) this.move(move.notation).catch((error) => this.fail(error, () => this.show(this.play.at)));
    this.drawBoard();
  }

  cancel() {
    this.entry.cancel();
    this.setNote("");
    this.drawBoard();
  }

  /** Takes the last change back; after a reload, the last move of the user. */
  async undo() {
    this.stopAnswer();
    if (!this.play.undo()) {
      const { play } = this;
      if (!play.live.parent) return;
      this.keepClocks();
      const before = JSON.stringify(play.save());
      play.live = await this.lastTurn(play.live.parent);
      play.at = play.live;
      play.ended = null;
      play.future.push(before);
      if (this.isWatched()) this.isPaused = true;
    }
    await this.afterSwap();
    announce(words.backTo(this.view.number));
  }

  /** The last position up to a node where a person is to move. */
  async lastTurn(node) {
    let at = node;
    while (at.parent && !this.isWatched() && !this.isHuman((await this.viewOf(at)).turn)) at = at.parent;
    return at;
  }

  async redo() {
    this.stopAnswer();
    if (this.play.redo()) await this.afterSwap();
  }

  async afterSwap() {
    this.clocks = new Clocks(clockOf(this.play.info.terms.clock), this.play.clocks);
    this.setNote("");
    await this.show(this.play.at);
  }

  /** Shows another position of the tree. */
  look(node) {
    this.setNote("");
    if (node !== this.play.at) return this.show(node);
  }

  step(where) {
    const { at } = this.play;
    const next = { first: this.play.tree.root, back: at.parent, forward: at.children[0], last: at.end }[where];
    if (!next) return;
    const path = where === "forward" ? this.views.get(next)?.history.at(-1).path : null;
    return next === at ? null : this.show(next, path);
  }

  /** The game goes on from the position on the board; what was played stays as a variation. */
  playOn() {
    this.stopAnswer();
    return this.change((play) => {
      play.live = play.at;
      play.ended = null;
    });
  }

  /** Plays a line that an engine has found, from a node. */
  playLine(node, moves) {
    return this.change((play) => {
      play.at = play.tree.addLine(node, moves);
    });
  }

  flip() {
    this.board.flip();
    this.draw();
  }

  key(event) {
    const isTyping = event.target.closest?.("input, textarea, select, dialog");
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey || !this.isShown) return;
    const actions = {
      u: () => this.undo(),
      r: () => this.redo(),
      e: () => this.engineMove(),
      h: () => this.analysis.hint(),
      f: () => this.flip(),
      a: () => this.analysis.toggle(),
      n: () => this.newGame(),
      "[": () => this.step("back"),
      "]": () => this.step("forward"),
      "{": () => this.step("first"),
      "}": () => this.step("last"),
    };
    if (!actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  }
}
