// Learning from one's mistakes: the positions before marked moves are solved again, and the analyst
// judges the answers.

import { HUMAN } from "./document.js";
import { capitalized } from "./dom.js";
import { SearchTask } from "./search.js";
import { labels, words } from "./words.js";

const SECONDS = 1;
const percent = (loss) => `${Math.round(100 * loss)}\u2009%`;

export class Lesson {
  /** `view` is the [`PlayView`] whose game was analyzed. */
  constructor(view) {
    this.view = view;
    this.node = null;
  }

  get isOn() {
    return this.node !== null;
  }

  /** The marked moves of the game: the user's, or those of both sides if both or neither are persons. */
  faults() {
    const { session, play } = this.view;
    const { white, black } = play.info.terms;
    const isOne = (white.player === HUMAN) !== (black.player === HUMAN);
    const isOwn = (node) => !isOne || session.isHuman(session.turnAt(node.parent) ?? "white");
    return play.tree.root.end.line.filter((node) => node.fault && isOwn(node));
  }

  start() {
    const { analysis } = this.view;
    if (analysis.isOn) analysis.toggle();
    this.rest = this.faults();
    return this.next();
  }

  next() {
    this.node = this.rest.shift() ?? null;
    if (!this.node) return this.end(words.lessonOver);
    this.task?.stop();
    this.view.session.look(this.node.parent);
    const side = labels[this.view.session.turnAt(this.node.parent) ?? "white"];
    this.say(words.findBetter(this.node.move, percent(this.node.lost), side));
    return this.view.draw();
  }

  /** Says something, and again after what the board says meanwhile. */
  say(text) {
    this.text = text;
    this.show(text);
  }

  /** Shows a text with what the user can do. */
  show(text) {
    this.view.ask(text, [[labels.showSolution, () => this.solve()], [labels.nextMistake, () => this.next()], [labels.stop, () => this.end("")]]);
  }

  end(text) {
    this.node = null;
    this.task?.stop();
    this.view.setNote(text);
    this.view.draw();
  }

  /** What the analyst says about a move of the position; null if the user went on meanwhile. */
  async judged(played) {
    const { view, node } = this;
    this.task?.stop();
    this.task = new SearchTask({ game: view.session.text(node.parent), player: view.analysis.player().id, seconds: SECONDS, played }, () => {});
    const info = await this.task.answer;
    return this.node === node ? info?.judged : null;
  }

  async attempt(notation) {
    const { view, node } = this;
    view.drawBoard();
    if (notation === node.move) return this.say(words.samePlayed(notation));
    this.say(words.checking(notation));
    try {
      const judged = await this.judged(notation);
      if (!judged) return;
      const isGood = !judged.mark;
      this.say(isGood ? words.goodMove(notation) : words.worseMove(notation, percent(judged.loss ?? 0)));
    } catch (error) {
      if (this.node === node) this.say(capitalized(error.message));
    }
  }

  async solve() {
    const { view, node } = this;
    try {
      const judged = await this.judged(node.move);
      if (!judged) return;
      const [notation] = judged.better;
      view.analysis.hinted = { node: node.parent, notation };
      this.say(words.betterWas(judged.better.slice(0, 6).join(" ")));
      view.drawBoard();
    } catch (error) {
      if (this.node === node) this.say(capitalized(error.message));
    }
  }
}
