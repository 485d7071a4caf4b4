// The live view of one run.

import { get } from "./api.js";
import { chart } from "./chart.js";
import { capitalised, duration, figure, h } from "./dom.js";
import { CURVES, CURVE_GROUPS, labels, resultText, words } from "./words.js";

export const link = (...parts) => `#/runs/${parts.map(encodeURIComponent).join("/")}`;

// The half-width of a rating's interval: on the scale of the baselines, if that is known.
export const interval = ({ ci95, ci95_on_scale: onScale }) => onScale ?? ci95;

// What was scored against the nearest baseline.
const directly = ({ direct }) => (direct ? words.directScore(Math.round(100 * direct.score), direct.baseline) : "");

export class RunView {
  constructor(name) {
    this.name = name;
    this.head = h("div", { class: "run-head" });
    this.fleet = h("div", { class: "card", hidden: true });
    this.rating = h("div", { class: "charts" });
    this.charts = h("div", { class: "charts" });
    this.models = h("div", { class: "card" });
    this.games = h("div", { class: "card" });
    this.lists = h("div", { class: "two", hidden: true }, this.models, this.games);
    this.connection = h("span", { class: "note", role: "status" });
    this.element = h(
      "div",
      { class: "page" },
      h("p", { class: "crumbs" }, h("a", { href: "#/runs" }, labels.runs), ` / ${name} `, this.connection),
      h("h1", {}, name),
      this.head,
      this.fleet,
      this.rating,
      this.lists,
      this.charts,
    );
  }

  close() {
    this.source?.close();
  }

  async open() {
    const path = `/api/runs/${encodeURIComponent(this.name)}`;
    this.show(await get(path));
    this.source = new EventSource(`${path}/live`);
    this.source.addEventListener("run", (event) => this.show(JSON.parse(event.data)));
    this.source.addEventListener("error", () => this.connection.replaceChildren(labels.retrying));
  }

  show(run) {
    this.connection.textContent = run.is_live ? labels.live : "";
    this.element.dataset.generation = run.status?.generation ?? "";
    this.head.replaceChildren(...headline(run));
    this.fleet.hidden = !run.is_live || !run.fleet;
    this.fleet.replaceChildren(...fleetGroup(run));
    this.rating.replaceChildren(...ratingGroup(run));
    this.charts.replaceChildren(...chartGroups(run));
    const top = this.models.querySelector(".scroll")?.scrollTop ?? 0;
    this.models.replaceChildren(h("h2", {}, labels.networks), modelTable(run));
    this.models.querySelector(".scroll").scrollTop = top;
    this.games.replaceChildren(...this.gameList(run));
    this.lists.hidden = false;
  }

  gameList(run) {
    const generations = run.generations;
    const jump = generations.length > 0 && h(
      "form",
      {
        class: "jump",
        onsubmit: (event) => {
          event.preventDefault();
          location.hash = link(this.name, new FormData(event.target).get("generation"));
        },
      },
      h("label", {}, labels.generationField, h("input", { name: "generation", type: "number", min: generations[0], max: generations.at(-1), value: generations.at(-1), required: true })),
      h("button", {}, labels.allItsGames),
    );
    // Keeps a form that the user is editing.
    const old = this.games.querySelector(".jump");
    const isEdited = old?.contains(document.activeElement);
    return [h("h2", {}, labels.newestGames), gameTable(run), isEdited ? old : jump].filter(Boolean);
  }
}

/** What a run that nobody trains now is. */
export function stateText({ status }) {
  if (!status) return labels.notStarted;
  return status.interrupted ? labels.killed : labels.stopped;
}

function headline({ status, champion, variant, is_live: isLive, verdict }) {
  if (!status) return [h("p", {}, labels.notTrained)];
  const fact = (name, value, note = "") => h("div", { class: "fact" }, h("span", { class: "label" }, name), h("b", {}, value), h("span", { class: "note" }, note));
  const { rating, selfplay } = status;
  const facts = [
    fact(labels.variant, capitalised(variant), isLive ? words.now(status.stage) : stateText({ status })),
    fact(labels.rating, rating ? figure(Math.round(rating.elo)) : "–", rating ? words.rating(Math.round(interval(rating)), rating.model) + directly(rating) : labels.notMeasured),
    fact(labels.generation, String(status.generation), words.champion(champion ?? "–")),
    fact(labels.games, figure(status.games), selfplay ? words.perSecond(figure(selfplay.games_per_s)) : ""),
    fact(labels.trained, duration(status.seconds), words.steps(figure(status.steps))),
    fact(labels.draws, selfplay ? `${Math.round(100 * selfplay.draw_rate)}\u2009%` : "–", selfplay ? words.pliesPerGame(Math.round(selfplay.mean_plies)) : ""),
  ];
  const inWords = verdict && h("p", {}, h("b", {}, capitalised(verdict.word)), `: ${verdict.reason}.`);
  return [inWords, h("div", { class: "facts" }, ...facts), status.gate && h("p", { class: "note" }, words.lastGate(status.gate))].filter(Boolean);
}

/** The machines that play for a run, what is played and who is not believed. */
function fleetGroup({ fleet }) {
  if (!fleet) return [];
  const findings = fleet.findings.map(({ worker, reason }) => h("p", {}, words.notBelieved(worker, reason)));
  const columns = [
    [labels.machine, "", ({ name }) => name],
    [labels.threads, "end", ({ threads }) => String(threads)],
    [labels.generation, "end", ({ generation }) => String(generation)],
    [labels.partsBegun, "end", ({ begun }) => String(begun)],
    [labels.games, "end", ({ games }) => figure(games)],
    [labels.gamesPerSecond, "end", ({ games_per_s: rate }) => rate.toFixed(1)],
    [labels.state, "", (worker) => (worker.is_silent ? words.silent(duration(worker.silent_s)) : labels.playing)],
  ];
  const head = columns.map(([name, kind]) => h("th", { scope: "col", class: kind }, name));
  const rows = fleet.workers.map((worker) => h("tr", {}, ...columns.map(([name, kind, cell]) => h("td", { class: kind, "data-label": name }, cell(worker)))));
  const table = h("div", { class: "stack" }, h("table", {}, h("thead", {}, h("tr", {}, ...head)), h("tbody", {}, ...rows)));
  const work = fleet.work && h("p", {}, words.partsPlayed(capitalised(fleet.work), fleet.finished, fleet.chunks));
  return [h("h2", {}, labels.fleet), work, ...findings, rows.length ? table : h("p", { class: "note" }, labels.nobodyJoined)].filter(Boolean);
}

function ratingGroup({ ratings }) {
  const points = (ratings?.points ?? []).map((point) => [point.generation, point.elo, point.elo - interval(point), point.elo + interval(point)]);
  return points.length ? [chart({ title: labels.ratingCurve, series: [{ name: labels.elo, points }], isWide: true })] : [];
}

function chartGroups({ curves }) {
  const groups = new Map(CURVE_GROUPS.map(([id, title]) => [id, { title, charts: [] }]));
  const group = (id) => {
    if (!groups.has(id)) groups.set(id, { title: capitalised(id), charts: [] });
    return groups.get(id);
  };
  for (const [tag, points] of Object.entries(curves)) {
    const [id] = tag.split("/");
    // Ratings have a chart of their own, with intervals; progress is an axis.
    if (["rating", "progress"].includes(id) || points.length === 0) continue;
    const [title, unit] = CURVES[tag] ?? [tag.split("/").slice(1).join("/").replaceAll("_", " "), ""];
    group(id).charts.push(chart({ title: capitalised(title), unit, series: [{ name: title, points }] }));
  }
  const shown = [...groups.values()].filter(({ charts }) => charts.length);
  if (!shown.length) return [h("p", { class: "note" }, labels.noCurves)];
  return shown.map(({ title, charts }) => h("section", { class: "chart-group" }, h("h2", {}, title), h("div", { class: "chart-row" }, ...charts)));
}

function modelTable({ models, champion }) {
  const rows = models.map(({ number, elo, ci95 }) =>
    h("tr", { class: number === champion && "champion" },
      h("td", {}, words.model(number), number === champion && h("span", { class: "badge" }, labels.champion)),
      h("td", { class: "end" }, elo == null ? h("span", { class: "note" }, labels.notRated) : `${Math.round(elo)} ±${Math.round(ci95)}`)));
  return h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": labels.networks }, h("table", {}, h("thead", {}, h("tr", {}, h("th", {}, labels.network), h("th", { class: "end" }, labels.elo))), h("tbody", {}, ...rows)));
}

function gameTable({ name, newest_games: games }) {
  if (!games.length) return h("p", { class: "note" }, labels.noGames);
  const rows = games.map((game) =>
    h("tr", {},
      h("td", {}, h("a", { href: link(name, game.generation, game.number) }, `${game.generation} / ${game.number}`)),
      h("td", {}, game.result === "ongoing" ? resultText("", game.reason) : resultText(game.result, game.reason)),
      h("td", { class: "end" }, String(game.plies))));
  return h("div", { class: "scroll" }, h("table", {}, h("thead", {}, h("tr", {}, h("th", {}, labels.game), h("th", {}, labels.result), h("th", { class: "end" }, labels.plies))), h("tbody", {}, ...rows)));
}
