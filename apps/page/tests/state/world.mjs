// A simulated browser: a database, tabs, time, and a server with its own game.

import { require } from "../../../../scripts/page_tools.mjs";
import { Library } from "../../assets/library.js";
import { Session } from "../../assets/session.js";

const { IDBFactory } = require("fake-indexeddb");

/** Random numbers that a seed repeats. */
export function randomness(seed) {
  let state = (seed * 2654435761 + 1) % 2147483647 || 1;
  const next = () => (state = (state * 48271) % 2147483647) / 2147483647;
  return { next, below: (n) => Math.floor(next() * n), one: (list) => list[Math.floor(next() * list.length)], is: (share) => next() < share };
}

/** Channels between tabs: what is sent arrives when the world delivers it. */
class Channels {
  constructor() {
    this.all = [];
    this.sent = [];
  }

  open() {
    const channel = new EventTarget();
    channel.postMessage = (data) => this.sent.push({ from: channel, data: structuredClone(data) });
    this.all.push(channel);
    return channel;
  }

  deliver() {
    const { from, data } = this.sent.shift();
    for (const channel of this.all) {
      if (channel === from) continue;
      channel.dispatchEvent(Object.assign(new Event("message"), { data }));
    }
  }
}

/** A database whose writes fail when the test says so. */
function failing(factory, world) {
  const open = (...name) => {
    const request = factory.open(...name);
    request.addEventListener("success", () => {
      const { transaction } = request.result;
      request.result.transaction = function (stores, mode) {
        if (mode === "readwrite" && world.isFull) throw new DOMException("no space", "QuotaExceededError");
        return transaction.call(this, stores, mode);
      };
    });
    return request;
  };
  return { open };
}

/** A hash of a text, to make up positions. */
function hash(text) {
  let sum = 7;
  for (const letter of text) sum = (sum * 31 + letter.charCodeAt(0)) % 1_000_003;
  return sum;
}

/** Plies of the made-up game at most. */
export const LONGEST = 60;

/** How the made-up game stands after some moves: sides alternate, each position has one to three moves. */
export function standing({ fen, moves }) {
  const sum = hash(`${fen} ${moves.join(" ")}`);
  const isOver = moves.length >= LONGEST || (moves.length > 12 && sum % 41 === 0);
  const legal = Array.from({ length: 1 + (sum % 3) }, (_, index) => ({ notation: `${moves.length}-${(sum + index * 7) % 90}`, from: 1, to: 2, captured: [], paths: [[1, 2]] }));
  const history = moves.map((notation, ply) => ({ notation, color: ply % 2 ? "black" : "white", path: [1, 2], captured: [] }));
  return {
    turn: moves.length % 2 ? "black" : "white",
    status: isOver ? ["white", "black", "draw"][sum % 3] : "ongoing",
    reason: isOver ? "blocked" : "",
    moves: isOver ? [] : legal,
    history,
    number: 1 + Math.floor(moves.length / 2),
  };
}

/** A server whose replies come when the world gives them, and which may be dead. */
class Server {
  constructor(world) {
    this.world = world;
    this.thinking = new Set();
  }

  view(text) {
    return this.world.later(() => standing(text));
  }

  think({ game, player, ponder = false }) {
    const task = { game, player, ponder, isStopped: false, stop: () => ((task.isStopped = true), this.thinking.delete(task)) };
    this.thinking.add(task);
    task.answer = this.world.later(() => {
      this.thinking.delete(task);
      if (task.isStopped) return null;
      const { moves } = standing(game);
      return { lines: [{ moves: [moves[hash(`${player} ${game.moves.length}`) % moves.length].notation] }] };
    }, () => this.thinking.delete(task));
    return task;
  }
}

export class World {
  constructor(seed = 1) {
    this.random = randomness(seed);
    this.factory = new IDBFactory();
    this.channels = new Channels();
    this.isDead = false;
    this.isFull = false;
    this.time = 0;
    this.date = 1_700_000_000_000;
    this.waiting = [];
    this.n = 0;
    /** What sessions have told: forks and problems. */
    this.told = [];
  }

  /** A promise that is settled when the world gets to it: with `make`, or by a failure if the server is dead then. */
  later(make, onFailure = () => {}) {
    return new Promise((resolve, reject) => {
      this.waiting.push(() => {
        if (!this.isDead) return resolve(make());
        onFailure();
        reject(new Error("no connection to the server"));
      });
    });
  }

  library(local = null) {
    return new Library({ factory: failing(this.factory, this), channel: this.channels.open(), local, now: () => (this.date += 1000), newId: () => `new${(this.n += 1)}` });
  }

  /** A tab with a library of its own. */
  tab() {
    const world = this;
    const tab = { library: this.library(), server: new Server(this), session: null };
    tab.hear = {
      drawn() {},
      moved() {},
      found() {},
      wait: () => Promise.resolve(),
      mayPonder: () => true,
      forked: (info) => world.told.push({ kind: "forked", id: info.id }),
      stored: (problem) => problem && world.told.push({ kind: problem }),
    };
    tab.open = async (document, isKept = true) => {
      tab.session?.close();
      const { game = document } = isKept ? { game: await tab.library.game(document.id ?? document) } : await tab.library.keep(document);
      tab.session = new Session(game, { server: tab.server, library: tab.library, players: PLAYERS, hear: tab.hear, isKept, now: () => world.time });
      tab.session.load();
      await world.rest(0);
      return tab.session;
    };
    return tab;
  }

  /** Lets promises and the database come to rest; then the server replies to some requests, or to all with `Infinity`. */
  async rest(replies = Infinity) {
    for (let left = replies; ; left -= 1) {
      for (let turn = 0; turn < 12; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      while (this.channels.sent.length) {
        this.channels.deliver();
        for (let turn = 0; turn < 12; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      }
      if (left <= 0 || this.waiting.length === 0) return;
      this.waiting.splice(this.random.below(this.waiting.length), 1)[0]();
    }
  }
}

export const PLAYERS = [{ id: "engine", analyses: true }, { id: "rival", analyses: true }];
