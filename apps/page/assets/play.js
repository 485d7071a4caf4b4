// A game on the board: played against engines or people, studied, stored. Its flow is in
// `session.js`.

import { loadVariants, post } from "./api.js";
import { Analysis } from "./analysis.js";
import { HUMAN, newDocument, person } from "./document.js";
import { announce, capitalized, keyOf } from "./dom.js";
import { Entry, typedMove } from "./entry.js";
import { Lesson } from "./learn.js";
import { PlayScreen } from "./screen.js";
import { SearchTask } from "./search.js";
import { Session, other } from "./session.js";
import { askTerms, loadPlayers, loadTerms, variantNamed } from "./setup.js";
import { clack } from "./sound.js";
import { keepPlace, placeOf } from "./settings.js";
import { library, persist } from "./storage.js";
import { labels, resultText, words } from "./words.js";

const server = {
  view: (text) => post("/api/game", text),
  think: (order, onInfo) => new SearchTask(order, onInfo),
};

/** Stores a game that nobody has moved in, so that its address leads to it; resolves to that address. */
export async function stored(document) {
  const { game = document } = await library.keep(document);
  return `#/game/${game.id}`;
}

export class PlayView extends PlayScreen {
  /**
   * `id` is the game that the address names; without one the game that this tab had on the board is shown, else the
   * last one that was played, or a new one whose `wanted` variant and players the address names.
   */
  constructor(id = null, wanted = null) {
    super();
    this.id = id;
    this.wanted = wanted;
    this.entry = new Entry([]);
    this.analysis = new Analysis(this);
    this.lesson = new Lesson(this);
    this.onKey = (event) => this.key(event);
    document.addEventListener("keydown", this.onKey);
    this.ticking = setInterval(() => this.tick(), 100);
    // Until the first game is there, no control has anything to act on.
    this.element.inert = true;
  }

  /** Stops searches, the clock and the key handler. Every change has been stored already. */
  close() {
    this.isClosed = true;
    if (this.session) keepPlace(`place.${this.session.id}`, { ...this.session.place(), isFlipped: this.board.flipped });
    this.session?.close();
    this.analysis.stop();
    clearInterval(this.ticking);
    document.removeEventListener("keydown", this.onKey);
    document.title = words.title();
  }

  /** Shows the first game. Until then nothing else can be opened here. */
  open() {
    this.opening = this.start();
    return this.opening;
  }

  async start() {
    this.variants = await loadVariants();
    const known = this.id ? await library.game(this.id) : await this.lastGame();
    if (this.id && !known) throw new Error(words.missing(this.id));
    if (this.wanted) {
      if (this.wanted.variant) await variantNamed(this.wanted.variant);
      const chosen = await askTerms({ view: this, wanted: this.wanted });
      if (this.isClosed) return;
      if (chosen) return this.begin(newDocument(chosen), chosen);
    }
    if (known) return this.begin(known, { isKept: true });
    const usual = await loadTerms();
    await this.begin(newDocument(usual), usual);
  }

  /** The game that this tab had on the board, also one without a move, or the last one that was played. */
  async lastGame() {
    const isKnown = (game) => game && this.variants.has(game.variant);
    const last = await library.game(placeOf("board") ?? "");
    return isKnown(last) ? last : (await library.games()).find(isKnown);
  }

  newGame(preset = {}) {
    return this.attempt(async () => {
      const chosen = await askTerms({ view: this, position: this.position(), ...preset });
      if (!chosen || this.isClosed) return;
      const { variant, terms, players, isFromHere } = chosen;
      await this.begin(newDocument({ variant, terms, ...(isFromHere ? this.upToHere() : {}) }), { players });
    });
  }

  /** Does what needs the server, and says why it cannot be done. */
  async attempt(action) {
    try {
      await action();
    } catch (error) {
      this.fail(error);
    }
  }

  /** Plays on from the position on the board, as a game of its own: what was played stays as it is. */
  playFromHere() {
    return this.newGame({ isFromHere: true });
  }

  /** Where the board is, for the dialog of a new game. */
  position() {
    return this.session && { variant: this.play.info.variant, isStart: !this.play.at.parent && !this.play.info.fen, terms: this.play.info.terms };
  }

  /** The game up to the position on the board. */
  upToHere() {
    const { info, at } = this.play;
    return { fen: info.fen, line: at.moves.map((move) => ({ move })), name: info.name };
  }

  /** The same players again, with changed sides. */
  rematch() {
    const { variant, terms } = this.play.info;
    const fen = this.play.info.isRecord ? null : this.play.info.fen;
    return this.attempt(() => this.begin(newDocument({ variant, fen, terms: { ...terms, white: terms.black, black: terms.white } })));
  }

  /** Other players, strengths or clocks for the game that is open. */
  changeTerms() {
    return this.attempt(async () => {
      const chosen = await askTerms({ view: this, position: this.position(), isChange: true });
      if (chosen && !this.isClosed) await this.session.setTerms(chosen.terms);
    });
  }

  /** Opens a game as it was stored, or a new one. `players` are those of its variant, if they have been read. */
  async begin(given, { isKept = false, players = null } = {}) {
    const variant = await variantNamed(given.variant);
    players ??= await loadPlayers(given.variant);
    const { game: document = given } = isKept ? {} : await library.keep(given);
    if (this.isClosed) return;
    // Until here the game before is played on: it stays if the server is away.
    this.session?.close();
    this.analysis.stop();
    if (this.lesson.isOn) this.lesson.end("");
    // A hint or an offer is one of the game before.
    this.setNote("");
    this.id = document.id;
    const place = isKept ? placeOf(`place.${document.id}`) : null;
    this.session = new Session(document, { server, library, players, hear: this, isKept, place });
    this.element.inert = false;
    this.analysis.setPlayers(players);
    this.board.setVariant(variant);
    // A person who plays alone sits below, unless the board was turned.
    this.board.flip(place?.isFlipped ?? (this.isHuman("black") && !this.isHuman("white")));
    this.showAddress();
    await this.session.load();
  }

  showAddress() {
    const address = `#/game/${this.id}`;
    const isOther = location.hash.startsWith("#/game/") && location.hash !== address;
    history[isOther ? "pushState" : "replaceState"](null, "", address);
    keepPlace("board", this.id);
  }

  // What the session has, and what it tells.

  get play() {
    return this.session.play;
  }

  get views() {
    return this.session.views;
  }

  get clocks() {
    return this.session.clocks;
  }

  get isLive() {
    return this.session.isLive;
  }

  get view() {
    return this.session?.views.get(this.play.at);
  }

  /** Whether the server has said how the game stands; until then there is nothing to draw or to ask. */
  get isShown() {
    return Boolean(this.view);
  }

  result() {
    return this.session.result();
  }

  isHuman(color) {
    return this.session.isHuman(color);
  }

  nameOf(color) {
    const { player, name } = this.session.seat(color);
    if (player !== HUMAN) return name || player;
    return name || (this.isHuman(other(color)) ? labels[color] : words.you);
  }

  drawn() {
    const { view } = this;
    const { at } = this.play;
    if (view && this.shown !== at) {
      this.drawnPath = at.parent && at.parent === this.shown ? view.history.at(-1).path : null;
      this.shown = at;
    }
    const moves = view && this.session.mayMove() ? view.moves : [];
    if (this.entry.moves !== moves && !(moves.length === 0 && this.entry.moves.length === 0)) this.entry = new Entry(moves, (square) => this.board.nameOf(square));
    // A lesson is about one position.
    if (this.lesson.isOn && this.lesson.node.parent !== at) this.lesson.end("");
    this.draw();
    if (view) this.analysis.follow();
    this.explorer.show();
  }

  moved(node, view) {
    const last = view.history.at(-1);
    clack(last.captured.length > 0);
    const over = view.status === "ongoing" ? "" : resultText(view.status, view.reason);
    announce(`${labels[last.color]}: ${last.notation}. ${over}`);
  }

  found(node, info, player) {
    this.analysis.take(node, info, player);
  }

  /** Between engines, a pause that the user has chosen. */
  wait() {
    const isStep = this.session.standIn;
    const rest = this.session.isWatched() && !isStep && !this.clocks.isOn ? this.pace() : 0;
    // A timer of a tab that is not in front may take a second, on the engine's clock.
    return rest && new Promise((resolve) => setTimeout(resolve, rest));
  }

  mayPonder() {
    return !this.analysis.isOn;
  }

  /** Another tab has changed the game: this tab's is another one from now on. */
  forked(info) {
    // A game that was left while it was being stored: another view has the address.
    if (this.isClosed) return;
    this.id = info.id;
    this.showAddress();
    this.setNote(words.forked);
  }

  stored(problem) {
    this.problem = problem;
    if (!problem) persist();
    this.drawProblem();
  }

  /** Says something; in a lesson, with what the user can do there. */
  setNote(text) {
    if (this.lesson.isOn) this.lesson.show(text || this.lesson.text);
    else super.setNote(text);
  }

  // What the user does.

  pick(square) {
    if (!this.isShown || !this.session.mayMove()) return;
    const move = this.entry.pick(square);
    this.setNote(this.entry.note);
    if (move) this.move(move.notation);
    else this.drawBoard();
  }

  move(notation) {
    if (this.lesson.isOn) return this.lesson.attempt(notation);
    this.setNote("");
    return this.session.move(notation);
  }

  /** A move that was typed. */
  type(text) {
    if (!this.isShown) return;
    if (!this.session.mayMove()) return this.setNote(words.notYourTurn);
    const { move, error } = typedMove(text, this.view.moves);
    if (error) return this.setNote(error);
    this.typed.value = "";
    this.move(move.notation);
  }

  cancel() {
    this.entry.cancel();
    this.setNote("");
    this.drawBoard();
  }

  change(edit) {
    return this.session.change(edit);
  }

  /** Makes a change that is undone with the one before it. */
  amend(edit) {
    this.session.own();
    edit(this.play);
    this.session.save();
    return this.session.load();
  }

  async undo() {
    if (!this.session.undo()) return;
    this.setNote("");
    await this.session.load();
    if (this.view) announce(words.backTo(this.view.number));
  }

  redo() {
    if (this.session.redo()) this.setNote("");
  }

  engineMove() {
    const engine = this.analysis.player();
    const rival = this.session.seat(other(this.session.liveTurn() ?? "white"));
    if (engine) this.session.engineMove(rival.player === HUMAN ? { ...person(), player: engine.id, strength: "time:1" } : rival);
  }

  resign() {
    this.session.resign();
  }

  /** Offers a draw to the other side: an engine accepts what it would not win, a person is asked. */
  offerDraw() {
    const { session } = this;
    if (session.phase === "over" || !session.liveTurn()) return;
    const turn = session.liveTurn();
    const mover = this.isHuman(turn) ? turn : other(turn);
    const rival = other(mover);
    const agree = () => session.end("draw", "agreed");
    if (this.isHuman(rival)) return this.ask(words.drawOffered(this.nameOf(mover)), [[labels.accept, agree], [labels.decline, () => this.setNote("")]]);
    if (session.acceptsDraw(rival)) return agree();
    this.setNote(words.drawDeclined(this.nameOf(rival)));
  }

  /** Shows another position of the tree. */
  look(node) {
    if (this.lesson.isOn) this.lesson.end("");
    this.setNote("");
    if (node && node !== this.play.at) this.session.look(node);
  }

  step(where) {
    if (!this.session) return;
    const { at, tree } = this.play;
    const node = { first: tree.root, back: at.parent, forward: at.children[0], last: at.end }[where];
    if (!node || node === at) return;
    this.look(node);
    announce(node.parent ? this.table.nameOf(node) : words.startPosition);
  }

  /** Adds a line that an engine has found as a variation. */
  playLine(node, moves) {
    return this.change((play) => (play.at = play.tree.addLine(node, moves)));
  }

  /** Draws an arrow, or a circle from a square to itself; a second time it is erased. */
  sketch(from, to) {
    const { at } = this.play;
    const shape = from === to ? String(from) : `${from}-${to}`;
    const shapes = at.shapes.includes(shape) ? at.shapes.filter((each) => each !== shape) : [...at.shapes, shape];
    this.change((play) => (play.at.shapes = shapes));
  }

  flip() {
    this.board.flip();
    this.draw();
  }

  tick() {
    if (!this.session?.clocks.running) return;
    this.drawClocks();
    this.session.tick();
  }

  key(event) {
    const isTyping = event.target.closest?.("input, textarea, select, dialog");
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey || !this.session) return;
    const actions = {
      u: () => this.undo(),
      r: () => this.redo(),
      e: () => this.engineMove(),
      h: () => this.isShown && this.analysis.hint(),
      f: () => this.flip(),
      a: () => this.analysis.toggle(),
      n: () => this.newGame(),
      m: () => this.typed.focus(),
      o: () => this.explorer.toggle(),
      ArrowLeft: () => this.step("back"),
      ArrowRight: () => this.step("forward"),
      Home: () => this.step("first"),
      End: () => this.step("last"),
      "[": () => this.step("back"),
      "]": () => this.step("forward"),
      "{": () => this.step("first"),
      "}": () => this.step("last"),
    };
    const act = actions[keyOf(event)];
    if (!act) return;
    event.preventDefault();
    act();
  }
}
