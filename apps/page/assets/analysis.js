// Analysis of the position on the board, hints, and the analysis of a whole game.

import { SearchTask, judgement, scoreOf, valueOfResult } from "./search.js";
import { keepSetting, setting } from "./storage.js";
import { words } from "./words.js";

/** Time between two positions that are only stepped through, so that not each begins a search. */
const SETTLE_MS = 120;
const HINT_SECONDS = 1;
/** Plies of a better line that are added to a faulty move. */
const BETTER_PLIES = 6;

export class Analysis {
  /** `view` is the [`PlayView`] that shows the positions. */
  constructor(view) {
    this.view = view;
    this.isOn = false;
    this.players = [];
    /** What was found about the positions of this session. */
    this.found = new WeakMap();
    this.hinted = null;
  }

  setPlayers(players) {
    this.players = players.filter((player) => player.analyses);
    this.view.showAnalysts(this.players, this.player()?.id);
  }

  /** The engine that analyses: the one that was chosen last, or the first. */
  player() {
    const chosen = setting("analyst", null);
    return this.players.find((player) => player.id === chosen) ?? this.players.find((player) => !player.takes_simulations) ?? this.players[0];
  }

  choose(id) {
    keepSetting("analyst", id);
    this.restart();
  }

  /** Findings about a position, by analysis or by a player that thought about its move. */
  take(node, info) {
    this.found.set(node, info);
    const { value } = info.lines[0];
    const isNew = value && !node.value;
    if (value) node.value = value;
    this.view.drawFindings();
    if (isNew) this.view.drawGraph();
  }

  findings() {
    return this.found.get(this.view.play.at) ?? null;
  }

  toggle() {
    this.isOn = !this.isOn;
    this.view.setNote("");
    if (this.isOn && !this.player()) {
      this.isOn = false;
      this.view.setNote(words.noAnalyst);
    }
    if (this.isOn) this.follow();
    else this.stop();
    this.view.draw();
  }

  stop() {
    clearTimeout(this.timer);
    this.task?.stop();
    this.task = null;
    this.node = null;
  }

  restart() {
    this.node = null;
    this.follow();
  }

  /** Analyses the position on the board, unless that is done already or its player thinks about it. */
  follow() {
    if (!this.view.isShown) return;
    const { at } = this.view.play;
    if (this.hinted && this.hinted.node !== at) this.hinted = null;
    if (!this.isOn || this.isBusy || this.node === at) return;
    this.stop();
    const isAnswering = this.view.answer && this.view.isLive;
    if (isAnswering || this.view.view.status !== "ongoing") return;
    this.node = at;
    this.timer = setTimeout(() => this.run(at), SETTLE_MS);
  }

  async run(node) {
    const order = { game: this.view.text(node), player: this.player().id, endless: true, lines: this.view.lineCount() };
    const task = new SearchTask(order, (info) => this.take(node, info));
    this.task = task;
    this.view.drawFindings();
    try {
      await task.answer;
    } catch (error) {
      if (this.task === task) this.view.fail(error, () => this.restart());
    }
    if (this.task === task) this.task = null;
    this.view.drawFindings();
  }

  /** Shows the best move for a moment's search. */
  async hint() {
    const { view } = this;
    const node = view.play.at;
    const player = this.player();
    if (!player || view.view.status !== "ongoing") return view.setNote(player ? words.overHere : words.noAnalyst);
    try {
      const info = this.found.get(node) ?? (await new SearchTask({ game: view.text(node), player: player.id, seconds: HINT_SECONDS }, () => {}).answer);
      if (view.play.at !== node || !info) return;
      const [notation] = info.lines[0].moves;
      this.hinted = { node, notation };
      view.setNote(words.hint(notation));
      view.drawBoard();
    } catch (error) {
      view.fail(error);
    }
  }

  /** Analyses all positions of the line on the board, from the end, and marks the faults. */
  async wholeGame(seconds) {
    if (this.isBusy) return this.endWholeGame();
    const { view } = this;
    const player = this.player();
    if (!player) return view.setNote(words.noAnalyst);
    const { play } = view;
    const end = play.at.end;
    const nodes = [play.tree.root, ...end.line];
    this.stop();
    this.isBusy = true;
    const values = new Map();
    const lines = new Map();
    try {
      for (const [done, node] of [...nodes].reverse().entries()) {
        if (!this.isBusy || view.play !== play) return;
        view.showProgress(words.progress(done + 1, nodes.length));
        const { status } = await view.viewOf(node);
        if (status !== "ongoing") {
          values.set(node, valueOfResult(status));
          continue;
        }
        this.task = new SearchTask({ game: view.text(node), player: player.id, seconds }, () => {});
        const info = await this.task.answer;
        if (!info) return;
        this.found.set(node, info);
        if (info.lines[0].value) values.set(node, info.lines[0].value);
        lines.set(node, info.lines[0].moves);
      }
      await view.change(() => mark(play.tree, nodes, values, lines, view));
    } catch (error) {
      view.fail(error);
    } finally {
      this.endWholeGame();
      if (view.play === play) this.restart();
    }
  }

  endWholeGame() {
    this.isBusy = false;
    this.task?.stop();
    this.task = null;
    this.view.showProgress("");
  }
}

/** Writes values into the tree, and marks, comments and better lines at moves that lost much. */
function mark(tree, nodes, values, lines, view) {
  for (const node of nodes) node.value = values.get(node) ?? node.value;
  for (const [index, node] of nodes.entries()) {
    const before = nodes[index - 1];
    if (!before?.value || !node.value) continue;
    const mover = view.views.get(before).turn;
    const loss = scoreOf(before.value, mover) - scoreOf(node.value, mover);
    const best = lines.get(before) ?? [];
    const glyph = judgement(loss);
    if (!glyph || best[0] === node.move) continue;
    node.glyph ||= glyph;
    node.comment ||= words.lost(`${Math.round(100 * loss)}\u2009%`, best[0]);
    if (glyph !== "?!") tree.addLine(before, best.slice(0, BETTER_PLIES));
  }
}

/** How often each side erred on a line, and what it lost on average. */
export function summary(nodes, turnOf) {
  const sides = { white: { "?!": 0, "?": 0, "??": 0, lost: 0, moves: 0 }, black: { "?!": 0, "?": 0, "??": 0, lost: 0, moves: 0 } };
  nodes.forEach((node, index) => {
    const before = nodes[index - 1];
    if (!before?.value || !node.value) return;
    const color = turnOf(index - 1);
    const loss = Math.max(0, scoreOf(before.value, color) - scoreOf(node.value, color));
    const side = sides[color];
    side.lost += loss;
    side.moves += 1;
    const glyph = judgement(loss);
    if (glyph) side[glyph] += 1;
  });
  return sides;
}
