// A game as it is kept: tree, players, clocks, end. Every change can be undone and redone.

import { Tree } from "./tree.js";

const MOST_STEPS = 300;

export const HUMAN = "human";

/** A game that has not begun. `terms` is {white, black: {player, strength, name}, clock}. */
export function newDocument({ variant, fen = null, line = [], comment = "", name = "", terms = null, ended = null }) {
  const seat = () => ({ player: HUMAN, strength: "", name: "" });
  return {
    id: newId(),
    variant,
    fen,
    name,
    comment,
    line,
    terms: terms ?? { white: seat(), black: seat(), clock: null },
    ended,
    at: null,
    live: null,
    clocks: null,
    created: Date.now(),
    changed: Date.now(),
  };
}

function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(6));
  return [...bytes].map((byte) => byte.toString(36).padStart(2, "0")).join("");
}

/** The game that is open. */
export class Play {
  constructor(document) {
    this.past = [];
    this.future = [];
    this.restore(document);
  }

  restore(document) {
    this.info = document;
    this.tree = Tree.fromLine(document.line, document.comment);
    /** The position on the board, and the one where the game stands. */
    this.at = document.at ? this.tree.at(document.at) : this.tree.root.end;
    this.live = document.live ? this.tree.at(document.live) : this.at;
    this.ended = document.ended;
    this.clocks = document.clocks;
  }

  /** The game as plain data. */
  save() {
    return {
      ...this.info,
      comment: this.tree.root.comment,
      line: this.tree.toLine(),
      at: this.at.path,
      live: this.live.path,
      ended: this.ended,
      clocks: this.clocks,
    };
  }

  /** Remembers the state before a change that can be undone. */
  remember() {
    this.past.push(JSON.stringify(this.save()));
    if (this.past.length > MOST_STEPS) this.past.shift();
    this.future = [];
  }

  /** Goes one remembered state back; false if there is none. */
  undo() {
    return this.swap(this.past, this.future);
  }

  redo() {
    return this.swap(this.future, this.past);
  }

  swap(from, to) {
    if (from.length === 0) return false;
    to.push(JSON.stringify(this.save()));
    this.restore(JSON.parse(from.pop()));
    return true;
  }
}
