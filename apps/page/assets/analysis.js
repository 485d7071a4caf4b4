// Analysis of the position on the board, hints, and the analysis of a whole game.

import { SearchTask } from "./search.js";
import { keepSetting, setting } from "./storage.js";
import { judgement, scoreOf, valueOfResult } from "./value.js";
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

  /** Findings about a position, by analysis or by a player that thought about its move. Piece counters know no chances. */
  take(node, info, by) {
    if (!this.players.some(({ id }) => by.split(",")[0] === id)) return;
    this.found.set(node, info);
    const { value } = info.lines[0];
    const isNew = value && !node.value;
    if (value && node.lost == null) Object.assign(node, { value, by });
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
    const isAnswering = this.view.session.phase === "thinking" && this.view.isLive;
    if (isAnswering || this.view.view.status !== "ongoing") return;
    this.node = at;
    this.timer = setTimeout(() => this.run(at), SETTLE_MS);
  }

  async run(node) {
    const { id } = this.player();
    const order = { game: this.view.session.text(node), player: id, endless: true, lines: this.view.lineCount() };
    const task = new SearchTask(order, (info) => this.take(node, info, id));
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
      const info = this.found.get(node) ?? (await new SearchTask({ game: view.session.text(node), player: player.id, seconds: HINT_SECONDS }, () => {}).answer);
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
        const { status } = await view.session.viewOf(node);
        if (status !== "ongoing") {
          values.set(node, valueOfResult(status));
          continue;
        }
        this.task = new SearchTask({ game: view.session.text(node), player: player.id, seconds }, () => {});
        const info = await this.task.answer;
        if (!info) return;
        this.found.set(node, info);
        if (info.lines[0].value) values.set(node, info.lines[0].value);
        lines.set(node, info.lines[0].moves);
      }
      await view.change(() => mark(play.tree, nodes, { values, lines, by: player.id }, (index) => view.session.turnAt(nodes[index])));
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

/** Writes values and losses into the tree, and marks, comments and better lines at moves that lost much. */
function mark(tree, nodes, { values, lines, by }, turnOf) {
  for (const node of nodes) if (values.has(node)) Object.assign(node, { value: values.get(node), by });
  for (const [index, node] of nodes.entries()) {
    const before = nodes[index - 1];
    node.lost = null;
    if (!values.has(before) || !values.has(node)) continue;
    const mover = turnOf(index - 1);
    const best = lines.get(before) ?? [];
    const loss = scoreOf(before.value, mover) - scoreOf(node.value, mover);
    node.lost = best[0] === node.move ? 0 : Math.max(0, loss);
    const glyph = judgement(node.lost);
    if (!glyph) continue;
    node.glyph ||= glyph;
    node.comment ||= words.lost(`${Math.round(100 * loss)}\u2009%`, best[0]);
    if (glyph !== "?!") tree.addLine(before, best.slice(0, BETTER_PLIES));
  }
}

/** How often each side erred on a line that was analysed, and what it lost on average. */
export function summary(nodes, turnOf) {
  const sides = { white: { "?!": 0, "?": 0, "??": 0, lost: 0, moves: 0 }, black: { "?!": 0, "?": 0, "??": 0, lost: 0, moves: 0 } };
  nodes.forEach((node, index) => {
    if (node.lost == null) return;
    const side = sides[turnOf(index - 1)];
    side.lost += node.lost;
    side.moves += 1;
    const glyph = judgement(node.lost);
    if (glyph) side[glyph] += 1;
  });
  return sides;
}

/** The values along a line by the engine that gave most of them: those of two engines cannot be compared. */
export function scored(nodes) {
  const counts = new Map();
  for (const { value, by } of nodes) if (value) counts.set(by, (counts.get(by) ?? 0) + 1);
  const [[most] = []] = [...counts].sort((a, b) => b[1] - a[1]);
  return nodes.map(({ value, by }) => (value && by === most ? value : null));
}
