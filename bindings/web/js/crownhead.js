// Rules, search and networks in this thread. `startAgent` of worker.js searches in another one.

/** What could not be done, and how to mend it. */
export class CrownheadError extends Error {
  name = "CrownheadError";
}

const FAST = "crownhead.wasm";
const PLAIN = "crownhead-scalar.wasm";
/** The smallest module with an instruction for vectors. */
const VECTORS = [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11];

/** JSON writes numbers that are not finite as null, which would be no limit: as text they are refused. */
function finite(_, value) {
  return typeof value === "number" && !Number.isFinite(value) ? String(value) : value;
}

/** The file beside this one, in a browser or in node. */
async function bytesOf(name) {
  const url = new URL(name, import.meta.url);
  if (url.protocol === "file:") return (await import("node:fs/promises")).readFile(url);
  const response = await fetch(url);
  if (!response.ok) throw new CrownheadError(`cannot load ${url}: status ${response.status}`);
  return response.arrayBuffer();
}

/** Loads the module: from its bytes, or from the file beside this one that the platform can run. */
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
    if (this.#report) throw new CrownheadError("a report cannot ask: the search is still running");
    if (this.#failure !== null) throw new CrownheadError(`the module failed, load it anew: ${this.#failure}`);
    this.#report = report ?? (() => true);
    this.thrown = null;
    let reply;
    try {
      const length = this.#exports.crownhead_answer(
        ...this.#write(new TextEncoder().encode(JSON.stringify(request, finite))),
        ...this.#write(new Uint8Array(bytes)),
      );
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

  /** A new game, from a FEN if there is one, after some moves. */
  game(variant, fen = null, moves = []) {
    return new Game(this, this.ask({ do: "new_game", variant, fen, moves }));
  }

  /** The games of a PDN text. Those that no tag names are games of `variant`. */
  readPdn(text, variant = null) {
    return this.ask({ do: "read_pdn", text, variant }).map((handle) => new Game(this, handle));
  }

  /** An agent: from the bytes of a safetensors file, or `material:VARIANT`, which counts pieces. */
  agent(source, options = {}) {
    const isName = typeof source === "string";
    if (!isName && !source?.byteLength) throw new CrownheadError("an agent is made of the bytes of a safetensors file; here are none");
    const request = { do: "load", name: isName ? source : (options.name ?? "agent"), options: { ...options, name: undefined } };
    return new Agent(this, this.ask(request, isName ? undefined : source));
  }
}

class Game {
  #crownhead;
  #view;

  constructor(crownhead, handle) {
    this.#crownhead = crownhead;
    this.handle = handle;
    this.#view = crownhead.ask({ do: "view", game: handle });
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

  /** `ongoing`, the colour that has won, or `draw`. */
  get status() {
    return this.#view.status;
  }

  /** Why the game ended; empty while it goes on. */
  get reason() {
    return this.#view.reason;
  }

  /** What another module needs to have the same game. */
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

  /** The number of lines of so many plies. */
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
    /** The ratings that the option `elo` takes; null where they were not measured. */
    this.eloRange = eloRange;
  }

  #ask(what, game, limits, report) {
    return this.#crownhead.ask({ do: what, agent: this.handle, game: game.handle, limits }, undefined, report);
  }

  /** The move it chooses. Without limits it makes a usual number of nodes. */
  choose(game, limits = {}) {
    return this.#ask("choose", game, limits).move;
  }

  /** Looks at a position until a limit is reached or `report(analysis)` returns false. */
  analyse(game, limits = {}, report = null) {
    return this.#ask("analyse", game, limits, report);
  }

  /** What a position is worth without looking ahead: `win`, `draw`, `loss` of the side to move. */
  value(game) {
    return this.#ask("value", game);
  }

  /** What a network says of a position: `value` and `policy`. */
  judge(game) {
    return this.#ask("judge", game);
  }

  close() {
    this.#crownhead.ask({ do: "close", handle: this.handle });
  }
}
