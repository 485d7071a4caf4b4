// A game as it is stored: tree, players, clocks, end. Every change can be undone and redone.

import { Tree } from "./tree.js";

const MOST_STEPS = 300;

export const HUMAN = "human";

/** A seat of a person. */
export const person = (name = "") => ({ player: HUMAN, strength: "", name });

/**
 * A game that has not begun. `terms` is {white, black: {player, strength, name}, clock}. With `isRecord` its moves
 * were played elsewhere: nothing lengthens it. One that is a draft is not listed.
 */
export function newDocument({ variant, fen = null, line = [], comment = "", name = "", terms = null, ended = null, isRecord = false, isDraft = true, tags = [] }) {
  return {
    id: newId(),
    version: 0,
    variant,
    fen,
    name,
    comment,
    line,
    terms: terms ?? { white: person(), black: person(), clock: null },
    ended,
    isRecord,
    isDraft,
    tags,
    at: null,
    live: null,
    clocks: null,
    created: Date.now(),
    changed: Date.now(),
  };
}

export function newId() {
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
    this.tree.root.shapes = document.shapes ?? [];
    /** The position where the game stands. The moves that lead there are the game as it was played. */
    this.live = document.live ? this.tree.at(document.live) : this.tree.along(document.line);
    /** The position on the board. */
    this.at = document.at ? this.tree.at(document.at) : this.live;
    this.ended = document.ended;
    this.clocks = document.clocks;
  }

  /** The game as plain data. */
  save() {
    return {
      ...this.info,
      comment: this.tree.root.comment,
      shapes: this.tree.root.shapes,
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

  /** Returns to the state before the last change; false if there is none. */
  undo() {
    return this.swap(this.past, this.future);
  }

  redo() {
    return this.swap(this.future, this.past);
  }

  swap(from, to) {
    if (from.length === 0) return false;
    to.push(JSON.stringify(this.save()));
    // The stored game, its number and its name stay unchanged.
    const { id, version, name, isDraft, result } = this.info;
    this.restore({ ...JSON.parse(from.pop()), id, version, name, isDraft, result });
    return true;
  }

  /** Plays a move where the game stands. It precedes what was only looked at there. */
  advance(move) {
    const next = this.tree.add(this.live, move);
    this.tree.lead(next);
    this.live = next;
    return next;
  }

  /** Whether a node is part of the game as it was played. */
  isPlayed(node) {
    return node.contains(this.live);
  }

  /** Whether a variation may go one place up, or become the main line: the game as it was played stays that. */
  mayPromote(node, toMain) {
    const ways = node.line.filter((each) => each.parent.children.indexOf(each) > 0);
    const isDisplaced = (each) => this.isPlayed(each.parent.children[0]) && (toMain || each.parent.children[1] === each);
    if (this.isStudy) return ways.length > 0;
    return ways.length > 0 && !(toMain ? ways.some(isDisplaced) : isDisplaced(ways.at(-1)));
  }

  /** Puts a variation higher. In a study the main line is the game. */
  promote(node, toMain) {
    this.tree.promote(node, toMain);
    if (this.isStudy && !this.live.isMain) this.live = this.tree.root.end;
  }

  /** Whether somebody moves for both sides, without a clock or an end. */
  get isStudy() {
    const { terms, isRecord } = this.info;
    return !this.ended && !isRecord && !terms.clock && terms.white.player === HUMAN && terms.black.player === HUMAN;
  }
}
