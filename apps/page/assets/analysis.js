// Analysis of the position on the board, hints, and the analysis of a whole game.

import { SearchTask } from "./search.js";
import { keepSetting, setting } from "./settings.js";
import { valueOfResult } from "./value.js";
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
    const player = this.players.find(({ id }) => by.split(",")[0] === id);
    if (!player) return;
    if (player.counts_pieces) info.lines.forEach((line) => (line.value = line.proof ? line.value : null));
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
    if (!this.isOn) this.stop();
    // Ends a search in the time of the user, and draws, which begins the analysis.
    this.view.session?.settle();
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
    if (!this.view.isShown || this.view.isClosed) return;
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

  /** Judges all moves of the line on the board: each is compared with the best one in the same search. */
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
    const judged = new Map();
    try {
      // From the end, so that the search knows what comes.
      for (let index = nodes.length - 1; index > 0; index -= 1) {
        if (!this.isBusy || view.play !== play) return;
        view.showProgress(words.progress(nodes.length - index, nodes.length - 1));
        const [before, node] = [nodes[index - 1], nodes[index]];
        this.task = new SearchTask({ game: view.session.text(before), player: player.id, seconds, played: node.move }, () => {});
        const info = await this.task.answer;
        if (!info) return;
        this.found.set(before, info);
        judged.set(node, { before: info.lines[0].value, ...info.judged });
      }
      const { status } = await view.session.viewOf(end);
      await view.change(() => mark(play.tree, judged, { end, by: player.id, status }));
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

/** Writes into the tree what an analysis has found: values, losses, marks, comments and better lines. */
function mark(tree, judged, { end, by, status }) {
  const last = tree.find(end.moves);
  for (const [{ moves }, { before, value, loss, mark: fault, better }] of judged) {
    // Undo has made other nodes of the same moves, or has taken the move back.
    const node = tree.find(moves);
    if (!node) continue;
    if (before) Object.assign(node.parent, { value: before, by });
    if (value && node === last) Object.assign(node, { value, by });
    // An only move costs nothing, and does not count.
    Object.assign(node, { lost: loss ?? null, fault });
    if (!fault) continue;
    node.glyph ||= fault;
    node.comment ||= words.lost(`${Math.round(100 * node.lost)}\u2009%`, better[0]);
    if (fault !== "?!") tree.addLine(node.parent, better.slice(0, BETTER_PLIES));
  }
  if (last && status !== "ongoing") Object.assign(last, { value: valueOfResult(status), by });
}

/** How often each side erred on a line that was analyzed, and what it lost on average. */
export function summary(nodes, turnOf) {
  const side = () => ({ "?!": 0, "?": 0, "??": 0, lost: 0, moves: 0 });
  const sides = { white: side(), black: side() };
  nodes.forEach((node, index) => {
    if (node.lost == null) return;
    const one = sides[turnOf(index - 1)];
    one.lost += node.lost;
    one.moves += 1;
    if (node.fault) one[node.fault] += 1;
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
