// A game of a run, move by move, with its searches.

import { get, loadVariants } from "./api.js";
import { Board } from "./board.js";
import { gameChart } from "./chart.js";
import { Play, newDocument, person } from "./document.js";
import { button, capitalized, h, keyOf } from "./dom.js";
import { copy, download, fileName } from "./exchange.js";
import { MoveTree } from "./movetree.js";
import { ValueBar, findingsView, stepButtons } from "./panel.js";
import { pdnOf } from "./pdn.js";
import { stored } from "./play.js";
import { Tree } from "./tree.js";
import { labels, resultText, words } from "./words.js";

const KINDS = {
  opening: labels.openingMove,
  forced: labels.forcedMove,
  fast: labels.fastSearch,
  full: labels.fullSearch,
};

export class ReplayView {
  constructor(run, generation, number) {
    Object.assign(this, { run, generation, number, plies: 0, name: `${run}, ${words.gameOfRun(generation, number)}` });
    this.board = new Board({ label: labels.gameBoard });
    this.bar = new ValueBar();
    this.table = new MoveTree((node) => this.look(node.plies));
    this.status = h("p", { class: "status" }, words.loading);
    this.note = h("p", { class: "note hint", role: "status" });
    this.board.onStep = (where) => this.step(where);
    this.about = h("div", { class: "engine" });
    this.chartBox = h("div", { class: "chart-box" });
    const game = (step) => `#/runs/${encodeURIComponent(run)}/${generation}/${number + step}`;
    this.next = h("a", { class: "button", hidden: true, href: game(1) }, labels.nextGame);
    this.element = h(
      "div",
      { class: "play" },
      h("section", { class: "table", "aria-label": labels.board }, h("div", { class: "with-bar" }, this.bar.element, this.board.element), this.chartBox),
      h(
        "section",
        { class: "side", "aria-label": labels.game },
        h("div", { class: "card" }, h("h1", { class: "hidden" }, words.gameOfRun(generation, number)),
          h("p", { class: "crumbs" }, h("a", { href: `#/runs/${encodeURIComponent(run)}` }, run), ` / ${words.gameOfRun(generation, number)}`), this.status,
          h("div", { class: "controls pairs" },
            button(labels.continueOnBoard, () => this.onBoard()),
            button(labels.copyPdn, () => this.copyPdn()),
            button(labels.flip, () => this.flip()),
            h("a", { class: "button", href: `#/runs/${encodeURIComponent(run)}/${generation}` }, labels.allItsGames),
            number > 0 && h("a", { class: "button", href: game(-1) }, labels.previousGame),
            this.next),
          this.note),
        h("div", { class: "card" }, h("h2", {}, labels.search), this.about),
        h("div", { class: "card" }, h("div", { class: "heading" }, h("h2", {}, labels.moves), stepButtons((where) => this.step(where))), this.table.element),
        h("p", { class: "note keys" }, labels.replayKeys),
      ),
    );
    this.onKey = (event) => this.key(event);
    document.addEventListener("keydown", this.onKey);
  }

  close() {
    document.removeEventListener("keydown", this.onKey);
  }

  async open() {
    const path = `/api/runs/${encodeURIComponent(this.run)}/games/${this.generation}/${this.number}`;
    const [variants, record] = await Promise.all([loadVariants(), get(path)]);
    this.record = record;
    const { game, line, searches } = record;
    const variant = variants.get(game.variant);
    this.next.hidden = !record.has_next;
    this.board.setVariant(variant);
    this.line = game.history.map(({ notation }, index) => ({ move: notation, value: searches[index + 1]?.value ?? null, by: line.network }));
    this.tree = Tree.fromLine(this.line);
    this.start = { number: game.history[0]?.number ?? 1, isFirst: game.history[0]?.color === variant.first_player };
    this.status.textContent = resultText(line.result, line.reason);
    this.status.dataset.status = line.result;
    this.status.append(h("span", { class: "variant" }, words.record(capitalized(game.variant), line.plies, line.network)));
    this.chart = gameChart(searches.map((search) => search.value), (ply) => this.look(ply));
    this.chartBox.replaceChildren(this.chart.element);
    this.look(0);
  }

  /** Shows the position after so many plies, and the search that chose the next move. */
  look(plies) {
    const { game, searches } = this.record;
    const isNext = plies === this.plies + 1;
    this.plies = Math.max(0, Math.min(plies, game.history.length));
    const search = searches[this.plies];
    const last = this.plies > 0 ? game.history[this.plies - 1].path : [];
    const shares = [...(search?.policy ?? [])].sort((a, b) => b.share - a.share);
    const pieces = this.plies === 0 ? game.start_board : game.history[this.plies - 1].board;
    this.board.show(pieces, { last, shares }, isNext ? last : null);
    // A move without a value shows the last known one.
    const known = searches.slice(0, this.plies + 1).filter((each) => each.value);
    const value = known.at(-1)?.value ?? null;
    this.bar.show(value, this.board.flipped);
    this.chart.show(this.plies);
    this.table.show({ tree: this.tree, at: this.tree.at(Array(this.plies).fill(0)), live: this.tree.root.end }, this.start);
    this.about.replaceChildren(...this.describe(search, game.history[this.plies], shares));
  }

  describe(search, next, shares) {
    if (!search) return [h("p", { class: "note" }, labels.over)];
    return [
      h("p", { class: "line" }, h("span", { class: "label" }, labels.played), next.notation),
      findingsView({ lines: [{ value: search.value }], policy: shares, seconds: 0 }),
      h("p", { class: "note" }, capitalized(KINDS[search.kind]), "."),
    ];
  }

  /** The game as one of the user's own. */
  toDocument() {
    const { game, line } = this.record;
    const ended = ["white", "black", "draw"].includes(line.result) ? { status: line.result, reason: line.reason } : null;
    const terms = { white: person(line.network), black: person(line.network), clock: null };
    return newDocument({ variant: game.variant, fen: game.start, line: this.line, name: this.name, isRecord: true, ended, terms });
  }

  /** Keeps the game, at the position that is shown. */
  async onBoard() {
    if (!this.record) return;
    location.hash = await stored({ ...this.toDocument(), at: Array(this.plies).fill(0) });
  }

  /** Copies the game as PDN; where the browser does not allow it, it becomes a file. */
  async copyPdn() {
    if (!this.record) return;
    const { network } = this.record.line;
    try {
      const text = await pdnOf(new Play(this.toDocument()), { white: network, black: network });
      if (await copy(text)) this.note.textContent = words.copied;
      else download(text, `${fileName(this.name)}.pdn`);
    } catch (error) {
      this.note.textContent = capitalized(error.message);
    }
  }

  /** Does nothing until the game is loaded. */
  step(where) {
    if (!this.record) return;
    const last = this.record.game.history.length;
    this.look({ first: 0, back: this.plies - 1, forward: this.plies + 1, last }[where]);
  }

  flip() {
    this.board.flip();
    if (this.record) this.look(this.plies);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("input, select, textarea")) return;
    const actions = { ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last" };
    if (keyOf(event) === "f") this.flip();
    else if (actions[event.key]) this.step(actions[event.key]);
    else return;
    event.preventDefault();
  }
}
