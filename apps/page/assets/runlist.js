// All runs, to sort, to filter and to compare, and the games of a generation.

import { get, loadVariants } from "./api.js";
import { Charts, interval } from "./charts.js";
import { capitalized, duration, figure, h } from "./dom.js";
import { link, stateView } from "./runs.js";
import { SortedTable } from "./table.js";
import { Notifier } from "./notify.js";
import { labels, resultText, words } from "./words.js";

/** How often the list is read again. */
const REFRESH_MS = 5000;
/** Settings in which runs differ without being other trials. */
const SEEDS = ["seed", "threads", "device"];

export class RunsView {
  /** `query` is what an address says: runs to compare, how, and a filter. */
  constructor(query = "") {
    const given = new URLSearchParams(query);
    this.chosen = new Set(given.getAll("run"));
    this.columns = given.getAll("column");
    this.filter = h("input", { type: "search", "aria-label": labels.filterRuns, placeholder: labels.filterRuns, value: given.get("filter") ?? "", oninput: () => this.draw() });
    this.column = h("select", { name: "column", "aria-label": labels.addColumn, onchange: () => this.addColumn() });
    this.table = new SortedTable([], labels.run, false);
    this.order = h("pre", {});
    this.empty = h("div", { class: "card", hidden: true }, h("p", {}, labels.noRuns), this.order);
    this.note = h("p", { class: "note", role: "status" });
    this.card = h("div", { class: "card run-table", hidden: true }, this.table.element);
    this.charts = new Charts(() => this.keep());
    this.charts.settings = Object.fromEntries(given);
    this.grouped = h("input", { type: "checkbox", name: "grouped", checked: given.get("grouped") === "1", onchange: () => this.compare() });
    this.differing = h("div", {});
    this.comparison = h("section", { class: "comparison", hidden: true, "aria-label": labels.comparison },
      h("div", { class: "heading" }, h("h2", {}, labels.comparison), h("label", { class: "inline" }, this.grouped, labels.groupSeeds)), this.charts.element, this.differing);
    this.notifier = new Notifier();
    this.bar = h("div", { class: "bar-row", hidden: true }, h("div", { class: "bar" }, this.filter), h("div", { class: "bar" }, this.column), this.notifier.element);
    this.element = h("div", { class: "page" }, h("h1", {}, labels.runs), this.empty, this.bar, this.note, this.card, this.comparison);
  }

  close() {
    this.isClosed = true;
    clearInterval(this.timer);
  }

  async open() {
    this.order.textContent = `crownhead train ${[...(await loadVariants()).keys()][0]}`;
    await this.refresh();
    await this.compare();
    if (this.isClosed) return;
    this.timer = setInterval(() => this.refresh().catch((error) => this.fail(error)), REFRESH_MS);
  }

  async refresh() {
    const runs = await get("/api/runs");
    const text = JSON.stringify(runs);
    if (text === this.seen) return;
    Object.assign(this, { runs, seen: text });
    this.notifier.see(runs);
    this.empty.hidden = this.runs.length > 0;
    this.card.hidden = this.bar.hidden = this.runs.length === 0;
    this.draw();
  }

  /** Says what is wrong, until the list can be read again. */
  fail(error) {
    this.note.textContent = capitalized(error.message);
    this.seen = null;
  }

  draw() {
    const differing = differingKeys(this.runs);
    const option = (key) => h("option", { value: key }, key);
    const offered = JSON.stringify(differing);
    if (offered !== this.offered) this.column.replaceChildren(h("option", { value: "" }, labels.addColumn), ...differing.map(option));
    this.offered = offered;
    this.table.columns = [
      { name: labels.compare, cell: (run) => this.box(run) },
      { name: labels.run, kind: "title", key: ({ name }) => name, cell: ({ name }) => h("a", { href: link(name) }, name) },
      { name: labels.variant, key: ({ variant }) => variant, cell: ({ variant }) => capitalized(variant) },
      { name: labels.state, key: (run) => stateView(run).textContent, cell: stateView },
      { name: labels.generation, kind: "end", key: ({ status }) => status?.generation, cell: ({ status }) => String(status?.generation ?? "–") },
      { name: labels.games, kind: "end", key: ({ status }) => status?.games, cell: ({ status }) => figure(status?.games) },
      { name: labels.elo, kind: "end", key: ({ status }) => status?.rating?.elo, cell: ({ status }) => ratingText(status?.rating) },
      { name: labels.time, kind: "end", key: ({ status }) => status?.seconds, cell: ({ status }) => duration(status?.seconds ?? 0) },
      { name: labels.networks, kind: "end", key: ({ n_models: count }) => count, cell: ({ n_models: count }) => String(count) },
      ...this.columns.map((key) => ({ name: key, key: ({ settings }) => settings[key] ?? "", cell: ({ settings }) => settings[key] ?? "–" })),
      { name: labels.verdict, kind: "reasoned", key: ({ verdict }) => verdict?.word, cell: ({ verdict }) => verdictText(verdict) },
    ];
    const wanted = this.filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const textOf = (run) => [run.name, run.variant, stateView(run).textContent, run.verdict?.word, ...Object.entries(run.settings).map(([key, value]) => `${key}=${value}`)].join(" ").toLowerCase();
    const found = this.runs.filter((run) => this.chosen.has(run.name) || !wanted.length || wanted.every((word) => textOf(run).includes(word)));
    this.note.textContent = wanted.length ? words.runsFound(found.length, this.runs.length) : "";
    this.table.show(found);
    this.keep();
  }

  addColumn() {
    const key = this.column.value;
    this.column.value = "";
    if (!key) return;
    this.columns = this.columns.includes(key) ? this.columns.filter((each) => each !== key) : [...this.columns, key];
    this.draw();
  }

  box({ name }) {
    const toggle = (event) => {
      this.chosen[event.target.checked ? "add" : "delete"](name);
      this.compare();
    };
    return h("input", { type: "checkbox", "aria-label": words.compare(name), checked: this.chosen.has(name), onchange: toggle });
  }

  /** The address holds what is compared, and how. */
  keep() {
    const kept = new URLSearchParams();
    for (const name of this.chosen) kept.append("run", name);
    for (const key of this.columns) kept.append("column", key);
    if (this.filter.value) kept.set("filter", this.filter.value);
    if (this.chosen.size) for (const [key, value] of Object.entries({ ...this.charts.settings, grouped: this.grouped.checked ? "1" : "" })) if (value && value !== "0" && value !== "generation") kept.set(key, value);
    const text = kept.toString();
    if (!this.isClosed && /^#\/runs($|\?)/.test(location.hash)) history.replaceState(null, "", `#/runs${text ? `?${text}` : ""}`);
  }

  /** Curves of the chosen runs over each other, and the settings in which they differ. */
  async compare() {
    const names = [...this.chosen].filter((name) => this.runs.some((run) => run.name === name));
    this.card.classList.toggle("comparing", names.length > 0);
    this.comparison.hidden = names.length === 0;
    this.keep();
    // Only the last choice counts, however late the replies come.
    const mine = (this.asked = {});
    const runs = await Promise.all(names.map((name) => get(`/api/runs/${encodeURIComponent(name)}`))).catch((error) => this.fail(error));
    if (!runs || this.asked !== mine) return;
    const lines = this.runs.filter(({ name }) => names.includes(name));
    const differing = differingKeys(lines);
    const groupOf = ({ settings }) => differing.map((key) => `${key}=${settings[key] ?? "–"}`).join(", ") || labels.sameSettings;
    this.charts.show(runs.map((run) => ({ ...run, group: groupOf(run) })), { areGrouped: this.grouped.checked });
    this.differing.replaceChildren(...[differences(lines, [...differing, "seed"])].filter(Boolean));
  }
}

/** The settings in which runs differ, seeds left out. */
function differingKeys(runs) {
  const keys = [...new Set(runs.flatMap(({ settings }) => Object.keys(settings)))].sort();
  return keys.filter((key) => !SEEDS.includes(key) && new Set(runs.map(({ settings }) => settings[key])).size > 1);
}

function differences(runs, keys) {
  if (runs.length < 2) return null;
  const head = h("tr", {}, h("th", { scope: "col" }, labels.setting), ...runs.map(({ name }) => h("th", { scope: "col" }, name)));
  const rows = keys.map((key) => h("tr", {}, h("th", { scope: "row" }, key), ...runs.map(({ settings }) => h("td", {}, settings[key] ?? "–"))));
  return h("div", { class: "card" }, h("h2", {}, labels.settingsThatDiffer), h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": labels.settingsThatDiffer }, h("table", {}, h("thead", {}, head), h("tbody", {}, ...rows))));
}

/** How a run is doing, and why that is said. */
function verdictText(verdict) {
  return verdict ? [h("b", {}, capitalized(verdict.word)), h("span", { class: "note" }, capitalized(verdict.reason))] : "–";
}

function ratingText(rating) {
  return rating ? `${Math.round(rating.elo)} ±${Math.round(interval(rating))}` : "–";
}

/** What a winner was expected to score, at some time, if his win is an upset. */
const UPSET = 0.25;

const FILTERS = {
  all: [labels.allGames, () => true],
  white: [labels.whiteWon, ({ result }) => result === "white"],
  black: [labels.blackWon, ({ result }) => result === "black"],
  draw: [labels.draws, ({ result }) => result === "draw"],
  upset: [labels.upsets, ({ winner_low: low }) => low != null && low <= UPSET],
  swing: [labels.swings, ({ swing }) => swing >= 0.5],
};

/** The games of a generation, to sort and to filter. */
export class GenerationView {
  constructor(run, generation) {
    Object.assign(this, { run, generation });
    this.filter = h("select", { name: "filter", "aria-label": labels.whichGames, onchange: () => this.draw() },
      ...Object.entries(FILTERS).map(([id, [text]]) => h("option", { value: id }, text)));
    this.table = new SortedTable([
      { name: labels.game, key: ({ number }) => number, cell: ({ number }) => h("a", { href: link(run, generation, number) }, String(number)) },
      { name: labels.result, key: ({ result }) => result, cell: ({ result, reason }) => resultText(result, reason) },
      { name: labels.plies, kind: "end", key: ({ plies }) => plies, cell: ({ plies }) => String(plies) },
      { name: labels.largestSwing, kind: "end", key: ({ swing }) => swing, cell: ({ swing }) => `${Math.round(100 * swing)}\u2009%` },
    ], labels.game, false);
    this.none = h("p", { class: "note", hidden: true }, labels.noneOfKind);
    this.element = h("div", { class: "page" },
      h("p", { class: "crumbs" }, h("a", { href: "#/runs" }, labels.runs), " / ", h("a", { href: link(run) }, run), ` / ${words.generation(generation)}`),
      h("h1", {}, words.gamesOf(generation)), h("div", { class: "bar" }, this.filter), h("div", { class: "card" }, this.table.element, this.none));
  }

  close() {}

  async open() {
    this.games = await get(`/api/runs/${encodeURIComponent(this.run)}/games/${this.generation}`);
    this.draw();
  }

  draw() {
    if (!this.games) return;
    const games = this.games.filter(FILTERS[this.filter.value][1]);
    this.table.show(games);
    this.none.hidden = games.length > 0;
  }
}
