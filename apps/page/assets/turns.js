// Whose turn it is, and what each side may do: engines that answer, clocks, draws, resignation.

import { HUMAN } from "./document.js";
import { announce, capitalised } from "./dom.js";
import { PlayScreen, other } from "./screen.js";
import { SearchTask, scoreOf } from "./search.js";
import { labels, resultText, words } from "./words.js";

/** From this many plies on an engine thinks about a draw that is offered. */
const DRAW_PLIES = 30;

/** The game as two sides play it. What is on the board, and the tree, are in `PlayView`, which extends this. */
export class Turns extends PlayScreen {
  seat(color) {
    return this.play.info.terms[color];
  }

  nameOf(color) {
    const { player, name } = this.seat(color);
    if (player !== HUMAN) return name || player;
    return name || (this.seat(other(color)).player === HUMAN ? capitalised(color) : words.you);
  }

  isHuman(color) {
    return this.seat(color).player === HUMAN;
  }

  /** Whether engines play on both sides. */
  isWatched() {
    return !this.isHuman("white") && !this.isHuman("black");
  }

  /** How the game ended, if it has. */
  result() {
    if (this.play.ended) return this.play.ended;
    const view = this.views.get(this.play.live);
    return !view || view.status === "ongoing" ? null : { status: view.status, reason: view.reason };
  }

  liveTurn() {
    return this.views.get(this.play.live).turn;
  }

  /** Whether the user may move here: at the game's own position on his turn, elsewhere always. */
  mayMove() {
    if (!this.isLive || this.result()) return true;
    return this.isHuman(this.view.turn);
  }

  /** Lets the engine move if it is its turn. */
  goOn() {
    if (this.result() || this.isPaused || this.answer) return;
    if (this.isHuman(this.liveTurn())) this.ponder();
    else this.answerTurn();
  }

  /** While a person's clock runs, the engine across the board thinks ahead; its answer goes on from there. */
  ponder() {
    const { live: node, info } = this.play;
    const { player } = this.seat(other(this.liveTurn()));
    const mayPonder = info.terms.ponder && this.clocks.running && !this.analysis.isOn;
    if (!mayPonder || this.pondered === node || !this.players.find(({ id }) => id === player)?.analyses) return;
    this.stopPondering();
    this.pondered = node;
    this.pondering = new SearchTask({ game: this.text(node), player, seed: this.seed, ponder: true }, () => {});
    // A server that has no place for it, or none any more: the engine can answer all the same.
    this.pondering.answer.catch(() => {});
  }

  stopPondering() {
    this.pondering?.stop();
    this.pondering = this.pondered = null;
  }

  async answerTurn(isStep = false) {
    const node = this.play.live;
    const color = this.liveTurn();
    const player = this.seat(color).player;
    const begin = performance.now();
    if (this.clocks.isOn && node.parent) this.clocks.start(color);
    const order = { game: this.text(node), player, seed: this.seed, ...this.limits(color) };
    const task = new SearchTask(order, (info) => this.analysis.take(node, info));
    this.answer = task;
    this.drawStatus();
    try {
      const answer = await task.answer;
      const rest = this.isWatched() && !isStep ? this.pace() - (performance.now() - begin) : 0;
      if (answer && rest > 0) await new Promise((resolve) => setTimeout(resolve, rest));
      if (!answer || task.isStopped) return;
      this.answer = null;
      await this.advance(node, answer.lines[0].moves[0], true);
    } catch (error) {
      if (this.answer !== task) return;
      this.answer = null;
      this.isPaused = true;
      this.fail(error, () => this.setPaused(false));
      this.drawStatus();
    }
  }

  stopAnswer() {
    this.stopPondering();
    this.answer?.stop();
    this.answer = null;
  }

  /** Lets the engine make the user's move. */
  async engineMove() {
    const engine = this.analysis.player();
    if (this.result() || !this.isLive || !this.mayMove() || !engine) return;
    this.cancel();
    this.keepClocks();
    this.play.remember();
    const rival = this.seat(other(this.view.turn));
    const { player, strength } = rival.player === HUMAN ? { player: engine.id, strength: "time:1" } : rival;
    const node = this.play.live;
    const task = new SearchTask({ game: this.text(node), player, seed: this.seed, ...this.strengthOf(player, strength) }, (info) => this.analysis.take(node, info));
    this.answer = task;
    this.drawStatus();
    try {
      const answer = await task.answer;
      if (!answer || this.answer !== task) return;
      this.answer = null;
      await this.advance(node, answer.lines[0].moves[0], true);
    } catch (error) {
      this.answer = null;
      this.fail(error);
    }
  }

  limits(color) {
    if (this.clocks.isOn) return this.clocks.limits(color);
    const { player, strength } = this.seat(color);
    return this.strengthOf(player, strength);
  }

  strengthOf(id, strength) {
    const [kind, amount] = (strength || "time:1").split(":");
    const player = this.players.find((known) => known.id === id);
    if (kind === "sims" && player?.takes_simulations) return { simulations: Number(amount) };
    return kind === "time" ? { seconds: Number(amount) } : {};
  }

  setPaused(isPaused) {
    this.isPaused = isPaused;
    this.setNote("");
    if (isPaused) {
      this.stopAnswer();
      this.clocks.stop();
    }
    return this.show(isPaused ? this.play.at : this.play.live);
  }

  /** One move of engines that are paused. */
  async stepEngine() {
    if (this.result()) return;
    if (!this.isPaused) this.setPaused(true);
    await this.show(this.play.live);
    await this.answerTurn(true);
  }

  resign() {
    if (this.result()) return;
    const turn = this.liveTurn();
    this.end(other(this.isHuman(turn) ? turn : other(turn)), "resigned");
  }

  /** Offers a draw to the other side: an engine accepts what it would not win, a person is asked. */
  offerDraw() {
    if (this.result()) return;
    const turn = this.liveTurn();
    const mover = this.isHuman(turn) ? turn : other(turn);
    const rival = other(mover);
    if (this.isHuman(rival)) {
      return this.ask(words.drawOffered(this.nameOf(mover)), [[labels.accept, () => this.end("draw", "agreed")], [labels.decline, () => this.setNote("")]]);
    }
    const values = this.play.live.line.map((node) => node.value).filter(Boolean);
    const accepts = this.play.live.plies >= DRAW_PLIES && values.length > 0 && scoreOf(values.at(-1), rival) <= 0.5;
    if (accepts) this.end("draw", "agreed");
    else this.setNote(words.drawDeclined(this.nameOf(rival)));
  }

  /** Ends the game by resignation, agreement or on time. */
  end(status, reason) {
    this.stopAnswer();
    this.clocks.stop();
    announce(resultText(status, reason));
    this.setNote("");
    return this.change((play) => {
      play.ended = { status, reason };
    });
  }

  tick() {
    if (!this.clocks.running) return;
    this.drawClocks();
    const color = this.clocks.running;
    if (this.clocks.seconds(color) === 0 && !this.result()) this.end(other(color), "time");
  }
}
