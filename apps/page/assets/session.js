// One open game: whose turn it is, and who does what about it. It knows no elements of the page.
//
// The session is a state machine. Its phase follows from the state alone, and `settle` is the only
// function that starts or stops an engine, a search in the other side's time or a clock. So
// whatever happens - a key, an error, undo, another tab - the engine and the clock agree with the
// phase afterwards.
//
//   phase     when                                          clock    engine   ends by
//   closed    the view was left                             stopped  none     -
//   loading   the server has not sent the state of the game stopped  none     its reply, an error
//   stuck     the server or an engine has failed            stopped  none     `retry`, any change
//   over      the rules, resignation, time; or a record       stopped  none     undo
//   following another tab plays this game                   stopped  none     `takeOver`, any change
//   paused    the user has paused or reopened it            stopped  none     `setPaused`, a move
//   human     a person is to move                           runs (*) ponders  a move, an end
//   thinking  an engine is to move, or replaces a person    runs (*) searches its answer, an error
//
//   (*) from the second move on: the first one takes no time.
//
// What the user or an engine plays is in the tree, and given to the library, before the server is
// asked about it.

import { Clocks, clockOf } from "./clock.js";
import { HUMAN, Play, newId } from "./document.js";
import { scoreOf } from "./value.js";

/** From this many plies on an engine thinks about a draw that is offered. */
const DRAW_PLIES = 30;

export const other = (color) => (color === "white" ? "black" : "white");

/** What the server has said of positions, by their moves: undo and other tabs make other nodes of the same moves. */
class Views {
  constructor() {
    this.known = new Map();
    this.nodes = new WeakMap();
  }

  get(node) {
    if (!this.nodes.has(node)) {
      const view = this.known.get(node.moves.join(" "));
      if (!view) return undefined;
      this.nodes.set(node, view);
    }
    return this.nodes.get(node);
  }

  has(node) {
    return this.get(node) !== undefined;
  }

  set(node, view) {
    this.known.set(node.moves.join(" "), view);
  }
}

/** What is played and drawn in a game. What engines think of it is not, nor its name. */
function contentOf(play) {
  const { line, live, comment, shapes, ended, terms } = play.save();
  return JSON.stringify([line, live, comment, shapes, ended, terms], (key, value) => (["value", "by"].includes(key) ? undefined : value));
}

export class Session {
  /**
   * `server` has `view(text)` and `think(order, onInfo)`, which gives {answer, stop()}; `hear` is who is told: `drawn()`,
   * `moved(ply, view)`, `found(node, info)`, `wait()`, `mayPonder()`, `forked(game)`, `stored(problem)`.
   */
  constructor(document, { server, library, players, hear, isKept = false, place = null, now = () => performance.now() }) {
    Object.assign(this, { server, library, players, hear, now });
    this.views = new Views();
    this.play = new Play(document);
    this.clocks = new Clocks(clockOf(document.terms.clock), document.clocks, now);
    this.seed = Math.floor(Math.random() * 2 ** 32);
    if (place && place.version === document.version) this.resume(place);
    // A game that was under way waits: for Continue, or for a move.
    this.isPaused = isKept && !document.ended && (this.isWatched() || (this.clocks.isOn && Boolean(this.play.live.parent)));
    this.isFollowing = false;
    this.isClosed = false;
    this.trouble = null;
    this.answer = null;
    this.pondered = null;
    /** The position where an engine moves although the game is paused or a person is to move. */
    this.standIn = null;
    /** Whether this tab has changed the game since it was stored. */
    this.hasOwn = false;
    this.isUnsaved = false;
    this.saving = null;
    this.deaf = library.listen((news) => this.hearTab(news));
    library.tell("opened", document.id);
  }

  get id() {
    return this.play.info.id;
  }

  /** Where a reload finds the board and the clocks. */
  place() {
    return { version: this.play.info.version, at: this.play.at.path, clocks: this.clocks.isOn ? this.clocks.state() : null };
  }

  resume({ at, clocks }) {
    this.play.at = this.play.tree.at(at);
    if (clocks && this.clocks.isOn) this.clocks = new Clocks(this.clocks.control, clocks, this.now);
  }

  close() {
    this.isClosed = true;
    this.deaf();
    if (!this.isFollowing) this.library.tell("left", this.id);
    this.settle();
  }

  // Seats.

  seat(color) {
    return this.play.info.terms[color];
  }

  isHuman(color) {
    return this.seat(color).player === HUMAN;
  }

  /** Whether engines play on both sides. */
  isWatched() {
    return !this.isHuman("white") && !this.isHuman("black");
  }

  // The state.

  get isLive() {
    return this.play.at === this.play.live;
  }

  /** How the game ended, if it has. */
  result() {
    const { play } = this;
    if (play.ended) return play.ended;
    const view = this.views.get(play.live);
    if (view && view.status !== "ongoing") return { status: view.status, reason: view.reason };
    return null;
  }

  /** The side to move where the game stands. */
  liveTurn() {
    return this.turnAt(this.play.live);
  }

  /** The side to move at a node: sides alternate. Null before the server has shown any position. */
  turnAt(node) {
    const view = this.views.get(node);
    if (view) return view.turn;
    if (!this.firstTurn) return null;
    return node.plies % 2 === 0 ? this.firstTurn : other(this.firstTurn);
  }

  get phase() {
    const { live, info } = this.play;
    if (this.isClosed) return "closed";
    if (this.result() || info.isRecord) return "over";
    if (this.trouble) return "stuck";
    if (!this.views.has(live)) return "loading";
    if (this.isFollowing) return "following";
    if (this.standIn?.node === live) return "thinking";
    if (this.isPaused) return "paused";
    return this.isHuman(this.liveTurn()) ? "human" : "thinking";
  }

  /** Whether a move of the user where the game stands belongs to the game. */
  isOwnTurn() {
    const turn = this.liveTurn();
    return ["human", "paused", "following"].includes(this.phase) && Boolean(turn) && this.isHuman(turn);
  }

  /** Whether the user may move in the position on the board: there on his turn, elsewhere always. */
  mayMove() {
    if (!this.isLive || this.phase === "over") return true;
    return this.isOwnTurn();
  }

  /** Starts and stops clocks and engines as the phase says. */
  settle() {
    const { phase } = this;
    const { live } = this.play;
    const isAsked = ({ node, seat }, color) => node === live && seat === this.asked(color);
    if (this.answer && !(phase === "thinking" && isAsked(this.answer, this.liveTurn()))) {
      const { task } = this.answer;
      this.answer = null;
      task.stop();
    }
    const isPondering = phase === "human" && this.mayPonder();
    if (this.pondered && !(isPondering && isAsked(this.pondered, other(this.liveTurn())))) {
      this.pondered.task.stop();
      this.pondered = null;
    }
    const running = ["human", "thinking"].includes(phase) && live.parent ? this.liveTurn() : null;
    if (this.clocks.running !== running) {
      if (running) this.clocks.start(running);
      else this.clocks.stop();
    }
    if (phase === "thinking" && !this.answer) this.ask(live);
    if (isPondering && !this.pondered) this.ponder(live);
    if (phase !== "closed") this.hear.drawn();
  }

  // The server.

  /** The game up to a node, as the server takes it. */
  text(node) {
    return { variant: this.play.info.variant, fen: this.play.info.fen, moves: node.moves };
  }

  /** The server's view of a position. */
  async viewOf(node) {
    if (!this.views.has(node)) {
      const view = await this.server.view(this.text(node));
      this.views.set(node, view);
      this.firstTurn ??= node.plies % 2 === 0 ? view.turn : other(view.turn);
      // The phase may be another one now, whatever else is missing.
      this.settle();
    }
    return this.views.get(node);
  }

  /** Asks for what is missing of the position on the board and of the game's, then goes on. */
  async load() {
    const { play } = this;
    const [at, live] = [play.at, play.live];
    const isNow = () => this.play === play && play.at === at && play.live === live && !this.isClosed;
    this.settle();
    try {
      const isNew = !this.views.has(live);
      await Promise.all([this.viewOf(at), this.viewOf(live)]);
      if (!isNow()) return;
      this.trouble = null;
      if (isNew && this.fresh === live) this.hear.moved(live, this.views.get(live));
      this.fresh = null;
      // What the rules say is stored too, for lists.
      if (this.result()?.status !== play.info.result && !play.info.isDraft && !play.info.isRecord && !this.isFollowing) this.save();
    } catch (error) {
      if (isNow()) this.trouble = error;
    }
    this.settle();
  }

  retry() {
    this.trouble = null;
    return this.load();
  }

  // Engines.

  limits(color) {
    const { player, strength } = this.standIn ?? this.seat(color);
    if (this.clocks.isOn && !this.standIn) return this.clocks.limits(color);
    return this.strengthOf(player, strength);
  }

  strengthOf(id, strength) {
    const [kind, amount] = (strength || "time:1").split(":");
    const player = this.players.find((known) => known.id === id);
    if (kind === "sims" && player?.takes_simulations) return { simulations: Number(amount) };
    return kind === "time" ? { seconds: Number(amount) } : {};
  }

  /** Who plays a side and how: what else is asked of an engine follows from the moves and the time. */
  asked(color) {
    const { player, strength } = this.standIn ?? this.seat(color);
    return [player, strength, this.play.info.terms.clock].join(" ");
  }

  /** Asks the engine whose turn it is. */
  ask(node) {
    const color = this.liveTurn();
    const { player } = this.standIn ?? this.seat(color);
    const order = { game: this.text(node), player, seed: this.seed, ...this.limits(color) };
    const mine = { node, seat: this.asked(color) };
    mine.task = this.server.think(order, (info) => this.hear.found(node, info, player));
    this.answer = mine;
    this.answered(mine);
  }

  async answered(mine) {
    try {
      const [answer] = await Promise.all([mine.task.answer, this.hear.wait()]);
      if (this.answer !== mine) return;
      const [move] = answer.lines[0].moves;
      this.answer = null;
      this.standIn = null;
      this.advance(move);
    } catch (error) {
      if (this.answer !== mine) return;
      this.answer = null;
      this.trouble = error;
      this.settle();
    }
  }

  mayPonder() {
    const { terms } = this.play.info;
    const { player } = this.seat(other(this.liveTurn()));
    return terms.ponder && this.clocks.isOn && Boolean(this.play.live.parent) && this.hear.mayPonder() && Boolean(this.players.find(({ id }) => id === player)?.analyses);
  }

  /** While a person's clock runs, the engine across the board thinks ahead; its answer uses what it found. */
  ponder(node) {
    const color = other(this.liveTurn());
    const { player } = this.seat(color);
    const task = this.server.think({ game: this.text(node), player, seed: this.seed, ponder: true }, () => {});
    this.pondered = { node, seat: this.asked(color), task };
    // A server that has no place for it, or does not reply: the engine can answer all the same.
    task.answer.catch(() => {});
  }

  /** Lets an engine move for the person whose turn it is. */
  engineMove(seat) {
    if (!this.isLive || !this.isOwnTurn()) return;
    this.change(() => (this.standIn = { ...seat, node: this.play.live }));
  }

  /** One move of engines that are paused. */
  step() {
    if (!this.isWatched() || !["paused", "thinking"].includes(this.phase)) return;
    this.isPaused = true;
    const color = this.liveTurn();
    this.standIn = { ...this.seat(color), node: this.play.live };
    this.look(this.play.live);
  }

  setPaused(isPaused) {
    this.isPaused = isPaused;
    this.standIn = null;
    this.trouble = null;
    if (!isPaused) this.takeOver();
    return this.look(isPaused ? this.play.at : this.play.live);
  }

  // Changes.

  /** Makes a change of the user, which can be undone, and stores it. */
  change(edit) {
    this.own();
    this.remember();
    this.standIn = null;
    edit(this.play);
    this.save();
    return this.load();
  }

  remember() {
    // With an empty clock the game would end again: undo of a loss on time goes back a move.
    if (!this.late()) this.keepClocks();
    this.play.remember();
  }

  /** This tab changes the game: other tabs follow it. */
  own() {
    this.hasOwn = true;
    this.play.info.isDraft = false;
    this.trouble = null;
    this.takeOver();
  }

  /** Plays here what another tab has played. */
  takeOver() {
    if (this.isFollowing) this.isPaused = false;
    this.isFollowing = false;
    this.library.tell("taken", this.id);
  }

  /** The user's move on the board. */
  move(notation) {
    if (!this.mayMove()) return;
    const isPlayed = this.isLive && this.isOwnTurn();
    this.own();
    this.remember();
    this.standIn = null;
    this.isPaused = this.isPaused && !isPlayed;
    if (isPlayed) return this.advance(notation);
    this.play.at = this.play.tree.add(this.play.at, notation);
    this.save();
    return this.load();
  }

  /** The game goes on with a move. */
  advance(notation) {
    const { play } = this;
    const wasShown = this.isLive;
    // The first move takes no time, but counts.
    this.clocks.press(this.liveTurn());
    this.fresh = play.advance(notation);
    play.info.isDraft = false;
    if (wasShown) play.at = play.live;
    this.save();
    return this.load();
  }

  /** Takes the last change back; after a reload, the last move of the user. False if there is none. */
  undo() {
    const { play } = this;
    if (play.past.length === 0 && (!play.live.parent || play.info.isRecord)) return false;
    this.own();
    this.standIn = null;
    this.keepClocks();
    if (!play.undo()) {
      play.future.push(JSON.stringify(play.save()));
      // The clocks of the last move are not stored.
      if (play.ended?.reason === "time") play.clocks = null;
      play.live = this.lastTurn(play.live.parent);
      play.at = play.live;
      play.ended = null;
    }
    return this.swapped();
  }

  /** The last position up to a node where a person is to move, else the node. */
  lastTurn(node) {
    if (!this.firstTurn) return node;
    let at = node;
    while (at && !this.isHuman(this.turnAt(at))) at = at.parent;
    return at ?? node;
  }

  redo() {
    if (this.play.future.length === 0) return false;
    this.own();
    this.standIn = null;
    this.keepClocks();
    this.play.redo();
    return this.swapped();
  }

  swapped() {
    this.clocks.stop();
    this.clocks = new Clocks(clockOf(this.play.info.terms.clock), this.play.clocks, this.now);
    if (this.isWatched()) this.isPaused = true;
    this.save();
    return this.load();
  }

  /** Shows another position of the tree. */
  look(node) {
    this.play.at = node;
    return this.load();
  }

  /** Ends the game by resignation, agreement or on time. */
  end(status, reason) {
    // A move whose position the server has not sent may have ended it.
    if (this.isClosed || !this.views.has(this.play.live) || this.result()) return;
    return this.change((play) => (play.ended = { status, reason }));
  }

  resign() {
    const turn = this.liveTurn();
    if (turn && !this.isWatched()) return this.end(other(this.isHuman(turn) ? turn : other(turn)), "resigned");
  }

  /** Whether an engine accepts a draw: it does where it would not win. */
  acceptsDraw(color) {
    const values = this.play.live.line.map((node) => node.value).filter(Boolean);
    return this.play.live.plies >= DRAW_PLIES && values.length > 0 && scoreOf(values.at(-1), color) <= 0.5;
  }

  /** The side whose clock runs and is empty. */
  late() {
    const color = this.clocks.running;
    return color && this.clocks.seconds(color) === 0 ? color : null;
  }

  /** Ends the game when a clock that runs is empty. */
  tick() {
    const color = this.late();
    if (color) this.end(other(color), "time");
  }

  /** Other seats, strengths or clocks from now on. */
  setTerms(terms) {
    const isOther = terms.clock !== this.play.info.terms.clock;
    this.isPaused = false;
    return this.change((play) => {
      play.info = { ...play.info, terms };
      if (!isOther) return;
      this.clocks.stop();
      this.clocks = new Clocks(clockOf(terms.clock), null, this.now);
    });
  }

  // Storing.

  keepClocks() {
    this.play.clocks = this.clocks.isOn ? this.clocks.state() : null;
  }

  /** Stores the game as it is now. Changes during a write are stored by the next one. */
  save() {
    this.isUnsaved = true;
    if (this.saving) this.library.next(this.play.save(), this.saving);
    this.saving ??= this.write();
    return this.saving;
  }

  async write() {
    try {
      while (this.isUnsaved) await this.writeOnce();
    } finally {
      this.saving = null;
    }
  }

  async writeOnce() {
    this.isUnsaved = false;
    this.keepClocks();
    if (this.views.has(this.play.live) || this.play.ended) this.play.info.result = this.result()?.status;
    const { hasOwn } = this;
    this.hasOwn = false;
    const outcome = await this.library.keep(this.play.save());
    if (outcome.newer) this.settleConflict(outcome.newer, hasOwn || this.hasOwn);
    else if (outcome.game) this.play.info = { ...this.play.info, version: outcome.game.version, changed: outcome.game.changed };
    else this.hasOwn ||= hasOwn;
    this.hear.stored(outcome.problem ?? null);
  }

  /**
   * Another tab has stored a newer version. What an engine did here is given up; what the user did here becomes a game
   * of its own, so that no move of either tab is lost.
   */
  settleConflict(newer, hasOwn) {
    if (!hasOwn) return this.adopt(newer);
    this.play.info = { ...this.play.info, id: newId(), version: 0 };
    this.hasOwn = true;
    this.isUnsaved = true;
    this.hear.forked(this.play.info);
  }

  /** Shows what another tab has stored. If that is only another name, the game goes on here. */
  adopt(newer) {
    if (!this.isFollowing && contentOf(new Play(newer)) === contentOf(this.play)) {
      const { name, version, changed } = newer;
      this.play.info = { ...this.play.info, name, version, changed };
      return this.settle();
    }
    const { at } = this.play;
    const wasLive = this.isLive;
    this.play = new Play(newer);
    this.play.at = this.play.live;
    if (!wasLive) {
      const known = at.moves.reduce((node, move) => node?.children.find((child) => child.move === move), this.play.tree.root);
      if (known) this.play.at = known;
    }
    this.clocks.stop();
    this.clocks = new Clocks(clockOf(newer.terms.clock), newer.clocks, this.now);
    this.standIn = null;
    this.isUnsaved = false;
    this.isFollowing = true;
    return this.load();
  }

  async hearTab({ kind, id, version, color, seconds }) {
    if (id !== this.id || this.isClosed) return;
    if (kind === "opened" && !this.isFollowing) this.library.tell("led", id);
    // A tab without any action of the user follows the one that was there before it.
    const follows = kind === "taken" || (kind === "led" && !this.hasOwn && !this.saving);
    if (follows && !this.isFollowing) {
      const { running } = this.clocks;
      const known = this.play.clocks;
      this.isFollowing = true;
      this.settle();
      // The tab that plays on has the clocks as they were stored.
      if (kind === "taken" && running && known) this.library.tell("spent", id, { color: running, seconds: known[running].left - this.clocks.seconds(running) });
    }
    if (kind === "spent" && !this.isFollowing && this.clocks.isOn) this.clocks.charge(color, seconds);
    if (kind === "left" && this.isFollowing) {
      this.isFollowing = false;
      this.settle();
    }
    if (kind !== "kept" || version <= this.play.info.version || this.saving) return;
    // What could not be stored here becomes a game of its own.
    if (this.hasOwn) return this.save();
    const newer = await this.library.game(id);
    if (newer && id === this.id && newer.version > this.play.info.version && !this.saving && !this.hasOwn && !this.isClosed) this.adopt(newer);
  }
}
