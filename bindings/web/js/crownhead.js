// Rules, search and networks in this thread. `startAgent` of worker.js searches in a worker.

/** An error, with a message that says how to fix it. */
export class CrownheadError extends Error {
  name = "CrownheadError";
}

const FAST = "crownhead.wasm";
const PLAIN = "crownhead-scalar.wasm";
/** The smallest module with a vector instruction. */
const VECTORS = [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11];

/** JSON writes non-finite numbers as null, which would mean unlimited, and no BigInt: as text they cause an error. */
function finite(_, value) {
  return typeof value === "bigint" || (typeof value === "number" && !Number.isFinite(value)) ? String(value) : value;
}

/** The bytes of a buffer, or of the part that a view shows. */
function bytesIn(source) {
  return ArrayBuffer.isView(source) ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength) : new Uint8Array(source);
}

/** The content of an adjacent file, in a browser or in node. */
async function bytesOf(name) {
  const url = new URL(name, import.meta.url);
  if (url.protocol === "file:") return (await import("node:fs/promises")).readFile(url);
  const response = await fetch(url);
  if (!response.ok) throw new CrownheadError(`cannot load ${url}: status ${response.status}`);
  return response.arrayBuffer();
}

/** Loads the module from its bytes, or from the adjacent file that the platform supports. */
export async function load(bytes) {
  const fast = WebAssembly.validate(new Uint8Array(VECTORS));
  return new Crownhead(await WebAssembly.compile(bytes ?? (await bytesOf(fast ? FAST : PLAIN))));
}

class Crownhead {
  #exports;
  #failure = null;
  #report = null;

  constructor(module) {
    const text = (start, length) => this.#read(start, length);
    const imports = {
      now: () => performance.now(),
      report: (start, length) => (this.#hear(JSON.parse(text(start, length))) === false ? 0 : 1),
      failed: (start, length) => (this.#failure = text(start, length)),
    };
    this.#exports = new WebAssembly.Instance(module, { crownhead: imports }).exports;
  }

  #hear(found) {
    try {
      return this.#report?.(found);
    } catch (error) {
      this.thrown = error;
      return false;
    }
  }

  #read(start, length) {
    return new TextDecoder().decode(new Uint8Array(this.#exports.memory.buffer, start, length));
  }

  #write(bytes) {
    const start = this.#exports.crownhead_allocate(bytes.length);
    new Uint8Array(this.#exports.memory.buffer, start, bytes.length).set(bytes);
    return [start, bytes.length];
  }

  /** Answers one request; see `Request` in request.rs. */
  ask(request, bytes = new Uint8Array(), report = null) {
    if (this.#report) throw new CrownheadError("a report cannot make requests: the search is still running");
    if (this.#failure !== null) throw new CrownheadError(`the module failed, load it again: ${this.#failure}`);
    // What cannot be sent is no failure of the module.
    const sent = [new TextEncoder().encode(JSON.stringify(request, finite)), bytesIn(bytes)];
    this.#report = report ?? (() => true);
    this.thrown = null;
    let reply;
    try {
      const length = this.#exports.crownhead_answer(...sent.flatMap((part) => this.#write(part)));
      reply = JSON.parse(this.#read(this.#exports.crownhead_reply(), length));
    } catch (error) {
      this.#failure ??= error.message;
      throw new CrownheadError(`the module failed: ${this.#failure}`);
    } finally {
      this.#report = null;
    }
    if (this.thrown) throw this.thrown;
    if ("error" in reply) throw new CrownheadError(reply.error);
    return reply.ok;
  }

  /** The names of all variants. */
  get variants() {
    return this.ask({ do: "variants" });
  }

  /** A new game, from a FEN if given, after the given moves. */
  game(variant, fen = null, moves = []) {
    return new Game(this, this.ask({ do: "new_game", variant, fen, moves }));
  }

  /** The games of a PDN text without faults. Games without a variant tag use `variant`. `pdnGames` reads others. */
  readPdn(text, variant = null) {
    return this.ask({ do: "read_pdn", text, variant }).map((handle) => new Game(this, handle));
  }

  /**
   * The games of PDN one by one, good and bad, from a text or its bytes. Games without a variant tag are games of
   * `variant`; without it their moves must tell. The encoding of bytes is guessed unless it is stated.
   */
  *pdnGames(source, { variant = null, encoding = null } = {}) {
    const isText = typeof source === "string";
    if (!isText && source?.byteLength === undefined) throw new CrownheadError("pdnGames needs a PDN text or its bytes");
    const bytes = isText ? new TextEncoder().encode(source) : source;
    const reader = this.ask({ do: "open_pdn", variant, encoding: isText ? "utf-8" : encoding }, bytes);
    try {
      for (let next; (next = this.ask({ do: "next_pdn", reader })); ) yield readGame(this, next);
    } finally {
      this.ask({ do: "close", handle: reader });
    }
  }

  /** An agent from the bytes of a safetensors file, or `material:VARIANT`, which counts pieces. */
  agent(source, options = {}) {
    const isName = typeof source === "string";
    if (!isName && !source?.byteLength) throw new CrownheadError("an agent needs the bytes of a safetensors file, but there are none");
    const request = { do: "load", name: isName ? source : (options.name ?? "agent"), options: { ...options, name: undefined } };
    return new Agent(this, this.ask(request, isName ? undefined : source));
  }
}

/** A game of `pdnGames`; of a repeated tag the first value. */
function readGame(crownhead, { handle, read, encoding }) {
  const object = (pairs) => Object.fromEntries([...pairs].reverse());
  const game = handle === null ? null : new Game(crownhead, handle);
  return { ...read, game, encoding, tags: object(read.tags), data: read.data.map(object) };
}

class Game {
  #crownhead;
  #view;

  constructor(crownhead, handle) {
    this.#crownhead = crownhead;
    this.handle = handle;
    this.#view = crownhead.ask({ do: "view", game: handle });
  }

  /** The handle of a game of this module; in another module the number may be that of another game. */
  static handleIn(crownhead, game) {
    if (game instanceof Game && game.#crownhead === crownhead) return game.handle;
    throw new CrownheadError("the agent needs a game of its own module: make it with `game` or `readPdn` of the object that made the agent");
  }

  get variant() {
    return this.#view.variant;
  }

  get fen() {
    return this.#view.fen;
  }

  /** `white` or `black`, the side to move. */
  get turn() {
    return this.#view.turn;
  }

  get legalMoves() {
    return this.#view.legal_moves;
  }

  /** The moves played so far. */
  get moves() {
    return this.#view.moves;
  }

  /** `ongoing`, the color of the winner, or `draw`. */
  get status() {
    return this.#view.status;
  }

  /** The reason why the game ended; empty while it is ongoing. */
  get reason() {
    return this.#view.reason;
  }

  /** The data to restore the same game in another module. */
  get record() {
    return { variant: this.variant, fen: this.#view.start, moves: this.moves };
  }

  /** Plays a move: its text, or one of `legalMoves`. */
  play(move) {
    this.#view = this.#crownhead.ask({ do: "play", game: this.handle, text: move?.text ?? String(move) });
  }

  takeBack() {
    this.#view = this.#crownhead.ask({ do: "take_back", game: this.handle });
  }

  pdn(tags = {}) {
    return this.#crownhead.ask({ do: "write_pdn", game: this.handle, tags });
  }

  /** The number of lines of `depth` plies. */
  perft(depth) {
    return this.#crownhead.ask({ do: "perft", game: this.handle, depth });
  }

  close() {
    this.#crownhead.ask({ do: "close", handle: this.handle });
  }
}

class Agent {
  #crownhead;

  constructor(crownhead, { handle, variant, elo_range: eloRange }) {
    this.#crownhead = crownhead;
    this.handle = handle;
    this.variant = variant;
    /** The range of the option `elo`; null if it was not measured. */
    this.eloRange = eloRange;
  }

  #ask(what, game, limits, report) {
    return this.#crownhead.ask({ do: what, agent: this.handle, game: Game.handleIn(this.#crownhead, game), limits }, undefined, report);
  }

  /** The move it chooses. Without limits it searches a default number of nodes. */
  choose(game, limits = {}) {
    return this.#ask("choose", game, limits).move;
  }

  /**
   * Analyses a position until a limit is reached or `report(analysis)` returns false. A network limited by `nodes` alone
   * plans its whole search at once: it makes no reports.
   */
  analyse(game, limits = {}, report = null) {
    return this.#ask("analyse", game, limits, report);
  }

  /** The value of a position without search: `win`, `draw`, `loss` for the side to move. */
  value(game) {
    return this.#ask("value", game);
  }

  /** The network's evaluation of a position: `value` and `policy`. */
  judge(game) {
    return this.#ask("judge", game);
  }

  close() {
    this.#crownhead.ask({ do: "close", handle: this.handle });
  }
}
