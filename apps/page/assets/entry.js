// Entering a move square by square, or by its start and its end. The server sends the legal moves, each
// with all its paths.

import { labels, words } from "./words.js";

export class Entry {
  /** `nameOf(square)` is what the game calls a square. */
  constructor(moves, nameOf = String) {
    this.moves = moves;
    this.nameOf = nameOf;
    this.steps = [];
  }

  cancel() {
    this.steps = [];
  }

  /** The (move, path) pairs that begin with the squares entered so far. */
  candidates() {
    const fits = (path) => this.steps.every((square, index) => path[index] === square);
    return this.moves.flatMap((move) => move.paths.filter(fits).map((path) => ({ move, path })));
  }

  /** Squares that pieces can move from. */
  movable() {
    return [...new Set(this.moves.map((move) => move.from))];
  }

  /** Possible next squares: the next step of a path, or its end. */
  targets() {
    if (this.steps.length === 0) return [];
    const next = this.candidates().flatMap(({ move, path }) => [path[this.steps.length], move.to]);
    const isNext = (square) => square != null && square !== this.steps.at(-1);
    return [...new Set(next.filter(isNext))];
  }

  /** Pieces captured by every move that begins with the squares entered so far. */
  taken() {
    if (this.steps.length < 2) return [];
    const [first, ...others] = this.candidates().map(({ move }) => move.captured);
    return (first ?? []).filter((square) => others.every((captured) => captured.includes(square)));
  }

  /** Enters a square. Returns the move if it is complete, else null; `note` tells the user how to continue. */
  pick(square) {
    this.note = "";
    const depth = this.steps.length;
    if (depth === 0) return this.begin(square);
    if (depth > 1 && square === this.steps.at(-1)) {
      const move = this.complete();
      if (move) return this.finish(move);
    }
    if (this.candidates().some(({ path }) => path[depth] === square)) {
      this.steps.push(square);
      const move = this.complete();
      const continues = this.candidates().some(({ path }) => path.length > this.steps.length);
      if (move && !continues) return this.finish(move);
      this.note = move
        ? words.stopOrContinue(this.nameOf(square))
        : labels.nextSquare;
      return null;
    }
    const ending = new Set(this.candidates().filter(({ move }) => move.to === square).map(({ move }) => move));
    if (square !== this.steps[0] && ending.size === 1) return this.finish([...ending][0]);
    if (ending.size > 1 && square !== this.steps[0]) {
      this.note = labels.severalCaptures;
      return null;
    }
    const wasStart = depth === 1 && square === this.steps[0];
    this.steps = [];
    return wasStart ? null : this.begin(square);
  }

  begin(square) {
    if (this.movable().includes(square)) {
      this.steps = [square];
    } else if (this.moves.length > 0) {
      this.note = words.cannotMove(this.nameOf(square));
    }
    return null;
  }

  /** The move that the entered squares complete. */
  complete() {
    return this.candidates().find(({ path }) => path.length === this.steps.length)?.move;
  }

  finish(move) {
    this.steps = [];
    return move;
  }
}

/** The squares that a move names. */
const squaresOf = (text) => text.toLowerCase().match(/[a-h]\d+|\d+/g) ?? [];

/** The legal move that a text names, as {move}, or {error}. A capture may be named by its start and its end. */
export function typedMove(text, moves) {
  const wanted = squaresOf(text);
  const isSame = (squares) => squares.length === wanted.length && squares.every((square, index) => square === wanted[index]);
  const exact = moves.filter(({ notation }) => isSame(squaresOf(notation)));
  const ends = ({ notation }) => [squaresOf(notation)[0], squaresOf(notation).at(-1)];
  const found = exact.length ? exact : moves.filter((move) => isSame(ends(move)));
  if (found.length === 1) return { move: found[0] };
  if (found.length > 1) return { error: words.severalMoves(found.map(({ notation }) => notation)) };
  return { error: words.notLegal(text.trim(), moves.map(({ notation }) => notation)) };
}
