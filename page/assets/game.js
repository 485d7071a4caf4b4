// A game: its start, its moves, and the server's view of it.

import { post } from "./api.js";

export class Game {
  constructor(variant, fen = null, moves = []) {
    this.variant = variant;
    this.fen = fen;
    this.moves = moves;
    this.view = null;
  }

  /** The game as sent to the server. */
  text(moves = this.moves) {
    return { variant: this.variant, fen: this.fen, moves };
  }

  async load() {
    this.view = await post("/api/game", this.text());
    this.moves = this.view.history.map((ply) => ply.notation);
    return this;
  }

  /** A new game with one more move. */
  after(notation) {
    return new Game(this.variant, this.fen, [...this.moves, notation]).load();
  }

  /** A new game with only the first moves. */
  upTo(plies) {
    return new Game(this.variant, this.fen, this.moves.slice(0, plies)).load();
  }

  get plies() {
    return this.moves.length;
  }

  /** The side to move after so many plies. */
  turnAt(plies) {
    return plies < this.plies ? this.view.history[plies].color : this.view.turn;
  }

  boardAt(plies) {
    return plies === 0 ? this.view.start_board : this.view.history[plies - 1].board;
  }

  fenAt(plies) {
    return plies === 0 ? this.view.start : this.view.history[plies - 1].fen;
  }
}
