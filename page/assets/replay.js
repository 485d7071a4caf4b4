// A game of a run, move by move, with its searches.

import { get, loadVariants } from "./api.js";
import { Board } from "./board.js";
import { gameChart } from "./chart.js";
import { capitalised, h, resultText } from "./dom.js";
import { MoveTable, ValueBar, stepButtons, searchInfoView } from "./panel.js";

const KINDS = {
  opening: "a random opening move",
  forced: "the only legal move",
  fast: "a fast search",
  full: "a full search, a training target",
};

export class ReplayView {
  constructor(run, generation, number) {
    Object.assign(this, { run, generation, number });
    this.board = new Board({ label: "Board of the game" });
    this.bar = new ValueBar();
    this.table = new MoveTable((plies) => this.look(plies));
    this.status = h("p", { class: "status" }, "Loading…");
    this.about = h("div", { class: "engine" });
    this.chartBox = h("div", { class: "chart-box" });
    const game = (step) => `#/runs/${encodeURIComponent(run)}/${generation}/${number + step}`;
    this.element = h(
      "div",
      { class: "play" },
      h("section", { class: "table", "aria-label": "Board" }, h("div", { class: "with-bar" }, this.bar.element, this.board.element), this.chartBox),
      h(
        "section",
        { class: "side", "aria-label": "Game" },
        h("div", { class: "card" }, h("p", { class: "crumbs" }, h("a", { href: `#/runs/${encodeURIComponent(run)}` }, run), ` / generation ${generation} / game ${number}`), this.status,
          h("div", { class: "buttons" },
            number > 0 && h("a", { class: "button", href: game(-1) }, "Previous game"),
            h("a", { class: "button", href: game(1) }, "Next game"),
            h("button", { type: "button", onclick: () => this.flip() }, "Flip"))),
        h("div", { class: "card" }, h("h2", {}, "Search"), this.about),
        h("div", { class: "card" }, h("div", { class: "heading" }, h("h2", {}, "Moves"), stepButtons((where) => this.step(where))), this.table.element),
        h("p", { class: "note keys" }, "Keys: left and right step through the moves, Home and End go to the ends, f flips the board."),
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
    this.board.setVariant(variants.get(record.game.variant));
    const { line } = record;
    this.status.textContent = line.result === "ongoing" ? resultText("ongoing", line.reason) : resultText(line.result, line.reason);
    this.status.dataset.status = line.result;
    this.status.append(h("span", { class: "variant" }, `${capitalised(record.game.variant)}, ${line.plies} plies, network ${line.network}`));
    this.chart = gameChart(record.searches.map((search) => search.value), (ply) => this.look(ply));
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
    this.table.show(game.history, this.plies);
    this.about.replaceChildren(...this.describe(search, game.history[this.plies], shares));
  }

  describe(search, next, shares) {
    if (!search) return [h("p", { class: "note" }, "The game is over.")];
    return [
      h("p", { class: "line" }, h("span", { class: "label" }, "Played "), next.notation),
      searchInfoView({ lines: [{ value: search.value }], policy: shares, seconds: 0 }),
      h("p", { class: "note" }, capitalised(KINDS[search.kind]), "."),
    ];
  }

  step(where) {
    const last = this.record.game.history.length;
    this.look({ first: 0, back: this.plies - 1, forward: this.plies + 1, last }[where]);
  }

  flip() {
    this.board.flip();
    this.look(this.plies);
  }

  key(event) {
    if (!this.record || event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("input, select")) return;
    const actions = { ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last" };
    if (event.key === "f") this.flip();
    else if (actions[event.key]) this.step(actions[event.key]);
    else return;
    event.preventDefault();
  }
}
