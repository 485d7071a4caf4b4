// The live view of one run.

import { get } from "./api.js";
import { chart } from "./chart.js";
import { capitalised, duration, figure, h } from "./dom.js";
import { resultText } from "./words.js";

/** By curve: its title and unit. */
export const NAMES = {
  "loss/total": ["Loss, total", "nats"],
  "loss/policy": ["Loss, policy", "nats"],
  "loss/soft_policy": ["Loss, soft policy", "nats"],
  "loss/value": ["Loss, value", "nats"],
  "selfplay/games_per_s": ["Games per second", ""],
  "selfplay/positions_per_s": ["Positions per second", ""],
  "selfplay/evaluations_per_s": ["Evaluations per second", ""],
  "selfplay/game_length": ["Game length", "plies"],
  "selfplay/draw_rate": ["Draw rate", ""],
  "selfplay/duplicate_rate": ["Duplicate rate", ""],
  "selfplay/first_player_score": ["First player's score", ""],
  "selfplay/search_gain": ["Search gain", "nats"],
  "selfplay/target_entropy": ["Policy target entropy", "nats"],
  "selfplay/simulations": ["Simulations per searched move", ""],
  "selfplay/batch_fill": ["Batch fill", ""],
  "validation/fresh_policy": ["Policy loss, new games", "nats"],
  "validation/window_policy": ["Policy loss, window", "nats"],
  "validation/fresh_value": ["Value loss, new games", "nats"],
  "validation/window_value": ["Value loss, window", "nats"],
  "validation/policy_entropy": ["Policy entropy", "nats"],
  "train/policy_kl": ["Policy KL divergence", "nats"],
  "train/clipped_share": ["Share of clipped gradients", ""],
  "train/window_age": ["Window age", "generations"],
  "train/gradient_norm": ["Gradient norm", ""],
  "train/samples_per_s": ["Samples per second", ""],
  "train/window_samples": ["Window size", "samples"],
  "train/learning_rate": ["Learning rate", ""],
  "endgame/value_error": ["Value error in endgames", ""],
  "endgame/blunders": ["Blunders in endgames", ""],
  "endgame/search_value_error": ["Value error after search", ""],
  "endgame/search_blunders": ["Blunders after search", ""],
  "gate/score": ["Gate, score", ""],
  "gate/llr": ["Gate, log-likelihood ratio", ""],
  "gate/pairs": ["Gate, pairs", ""],
  "process/memory_mib": ["Memory", "MiB"],
};

/** Groups in order of importance. Scalars of other groups follow. */
const GROUPS = [["rating", "Rating"], ["loss", "Losses"], ["selfplay", "Self-play"], ["validation", "Validation"], ["endgame", "Endgames"], ["gate", "Gate"], ["train", "Training"], ["time", "Time"], ["process", "Process"]];

export const link = (...parts) => `#/runs/${parts.map(encodeURIComponent).join("/")}`;

// The half-width of a rating's interval: on the scale of the baselines, if that is known.
export const interval = ({ ci95, ci95_on_scale: onScale }) => onScale ?? ci95;

// What was scored against the nearest baseline.
const directly = ({ direct }) => (direct ? `; ${Math.round(100 * direct.score)}\u2009% against ${direct.baseline}` : "");

export class RunView {
  constructor(name) {
    this.name = name;
    this.head = h("div", { class: "run-head" });
    this.charts = h("div", { class: "charts" });
    this.models = h("div", { class: "card" });
    this.games = h("div", { class: "card" });
    this.connection = h("span", { class: "note", role: "status" });
    this.element = h(
      "div",
      { class: "page" },
      h("p", { class: "crumbs" }, h("a", { href: "#/runs" }, "Runs"), ` / ${name} `, this.connection),
      h("h1", {}, name),
      this.head,
      this.charts,
      h("div", { class: "two" }, this.models, this.games),
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
    this.source.addEventListener("open", () => this.connection.replaceChildren("live"));
    this.source.addEventListener("error", () => this.connection.replaceChildren("no connection, retrying"));
  }

  show(run) {
    this.element.dataset.generation = run.status?.generation ?? "";
    this.head.replaceChildren(...headline(run));
    this.charts.replaceChildren(...chartGroups(run));
    this.models.replaceChildren(h("h2", {}, "Networks"), modelTable(run));
    this.games.replaceChildren(...this.gameList(run));
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
      h("label", {}, "Generation ", h("input", { name: "generation", type: "number", min: generations[0], max: generations.at(-1), value: generations.at(-1), required: true })),
      h("button", {}, "All its games"),
    );
    // Keeps a form that the user is editing.
    const old = this.games.querySelector(".jump");
    const isEdited = old?.contains(document.activeElement);
    return [h("h2", {}, "Newest games"), gameTable(run), isEdited ? old : jump].filter(Boolean);
  }
}

function headline({ status, champion, variant, is_live: isLive }) {
  if (!status) return [h("p", {}, "Training has not started yet.")];
  const fact = (name, value, note = "") => h("div", { class: "fact" }, h("span", { class: "label" }, name), h("b", {}, value), h("span", { class: "note" }, note));
  const { rating, selfplay } = status;
  const facts = [
    fact("Variant", capitalised(variant), isLive ? `now: ${status.stage}` : "not training"),
    fact("Rating", rating ? figure(Math.round(rating.elo)) : "–", rating ? `±${Math.round(interval(rating))} Elo above random, model ${rating.model}${directly(rating)}` : "not measured yet"),
    fact("Generation", String(status.generation), `champion: model ${champion ?? "–"}`),
    fact("Games", figure(status.games), selfplay ? `${figure(selfplay.games_per_s)} per second` : ""),
    fact("Trained", duration(status.seconds), `${figure(status.steps)} steps`),
    fact("Draws", selfplay ? `${Math.round(100 * selfplay.draw_rate)}\u2009%` : "–", selfplay ? `${Math.round(selfplay.mean_plies)} plies per game` : ""),
  ];
  return [h("div", { class: "facts" }, ...facts), status.gate && h("p", { class: "note" }, `Last gate: ${status.gate}.`)].filter(Boolean);
}

function chartGroups({ curves, ratings }) {
  const groups = new Map(GROUPS.map(([id, title]) => [id, { title, charts: [] }]));
  const group = (id) => {
    if (!groups.has(id)) groups.set(id, { title: capitalised(id), charts: [] });
    return groups.get(id);
  };
  const rated = (ratings?.points ?? []).map((point) => [point.generation, point.elo, point.elo - interval(point), point.elo + interval(point)]);
  if (rated.length) group("rating").charts.push(chart({ title: "Elo above random, with 95 % intervals", series: [{ name: "Elo", points: rated }], isWide: true }));
  for (const [tag, points] of Object.entries(curves)) {
    const [id] = tag.split("/");
    // Ratings are drawn above, with intervals.
    if (id === "rating" || points.length === 0) continue;
    const [title, unit] = NAMES[tag] ?? [tag.split("/").slice(1).join("/").replaceAll("_", " "), ""];
    group(id).charts.push(chart({ title: capitalised(title), unit, series: [{ name: title, points }] }));
  }
  const shown = [...groups.values()].filter(({ charts }) => charts.length);
  if (!shown.length) return [h("p", { class: "note" }, "Curves appear when the first generation is finished.")];
  return shown.map(({ title, charts }) => h("section", { class: "chart-group" }, h("h2", {}, title), h("div", { class: "chart-row" }, ...charts)));
}

function modelTable({ models, champion }) {
  const rows = models.map(({ number, elo, ci95 }) =>
    h("tr", { class: number === champion && "champion" },
      h("td", {}, `Model ${number}`, number === champion && h("span", { class: "badge" }, "champion")),
      h("td", {}, elo == null ? h("span", { class: "note" }, "not rated") : `${Math.round(elo)} ±${Math.round(ci95)}`)));
  return h("div", { class: "scroll" }, h("table", {}, h("thead", {}, h("tr", {}, h("th", {}, "Network"), h("th", {}, "Elo"))), h("tbody", {}, ...rows)));
}

function gameTable({ name, newest_games: games }) {
  if (!games.length) return h("p", { class: "note" }, "There are no games yet.");
  const rows = games.map((game) =>
    h("tr", {},
      h("td", {}, h("a", { href: link(name, game.generation, game.number) }, `${game.generation} / ${game.number}`)),
      h("td", {}, game.result === "ongoing" ? resultText("", game.reason) : resultText(game.result, game.reason)),
      h("td", {}, String(game.plies))));
  return h("div", { class: "scroll" }, h("table", {}, h("thead", {}, h("tr", {}, h("th", {}, "Game"), h("th", {}, "Result"), h("th", {}, "Plies"))), h("tbody", {}, ...rows)));
}
