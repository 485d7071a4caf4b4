// The live view of one run.

import { get } from "./api.js";
import { Charts, interval } from "./charts.js";
import { button, capitalized, duration, figure, h } from "./dom.js";
import { Notifier } from "./notify.js";
import { labels, resultText, words } from "./words.js";

/** Time before a run is listened to again, after the server has refused it. */
const RETRY_MS = 3000;

export const link = (...parts) => `#/runs/${parts.map(encodeURIComponent).join("/")}`;

// What was scored against the nearest baseline.
const directly = ({ direct }) => (direct ? words.directScore(Math.round(100 * direct.score), direct.baseline) : "");

/** What a section shows. A line in a run's files that cannot be shown takes its section only, not the page. */
function shown(content) {
  try {
    return [content()].flat().filter(Boolean);
  } catch (error) {
    return [h("p", { class: "note wrong" }, words.cannotShow(error.message))];
  }
}

export class RunView {
  constructor(name) {
    this.name = name;
    /** By network: its gate, which the user has asked for. */
    this.gates = new Map();
    this.head = h("div", { class: "run-head" });
    this.fleet = h("div", { class: "card", hidden: true });
    this.charts = new Charts();
    this.models = h("div", { class: "card" });
    this.games = h("div", { class: "card" });
    this.settings = h("details", { class: "card settings", hidden: true }, h("summary", {}, labels.settings));
    this.settingList = h("div", {});
    this.settings.append(this.settingList);
    this.logText = h("pre", { class: "scroll", tabindex: 0, role: "group", "aria-label": labels.log });
    this.log = h("details", { class: "card", hidden: true, ontoggle: () => this.log.open && this.readLog() }, h("summary", {}, labels.log), this.logText);
    this.resumed = [];
    this.notifier = new Notifier();
    this.lists = h("div", { class: "two", hidden: true }, this.models, this.games);
    this.connection = h("span", { class: "note", role: "status" });
    this.element = h(
      "div",
      { class: "page" },
      h("p", { class: "crumbs" }, h("a", { href: "#/runs" }, labels.runs), ` / ${name} `, this.connection),
      h("div", { class: "bar-row" }, h("h1", {}, name), h("div", { class: "buttons" }, this.notifier.element, h("a", { class: "button", href: `#/runs?${new URLSearchParams({ run: name })}` }, labels.compareWith))),
      this.head,
      this.fleet,
      this.settings,
      this.log,
      this.charts.element,
      this.lists,
    );
  }

  close() {
    this.isClosed = true;
    clearTimeout(this.timer);
    this.source?.close();
  }

  async open() {
    const path = `/api/runs/${encodeURIComponent(this.name)}`;
    this.show(await get(path));
    await this.readLog();
    if (this.isClosed) return;
    this.listen(`${path}/live`);
  }

  listen(path) {
    this.source = new EventSource(path);
    this.source.addEventListener("run", (event) => this.show(JSON.parse(event.data)));
    this.source.addEventListener("error", () => {
      if (this.isClosed) return;
      this.connection.replaceChildren(labels.retrying);
      // The browser itself gives up after a reply that is no stream.
      if (this.source.readyState === EventSource.CLOSED) this.timer = setTimeout(() => this.listen(path), RETRY_MS);
    });
  }

  /** Reads the newest lines of the log, and where the run was resumed. */
  async readLog() {
    const { lines, resumed } = await get(`/api/runs/${encodeURIComponent(this.name)}/log`).catch(() => ({ lines: [], resumed: [] }));
    this.resumed = resumed;
    this.logText.textContent = lines.join("\n") || labels.noLog;
    this.logText.scrollTop = this.logText.scrollHeight;
    this.show(this.run);
  }

  show(run) {
    if (this.isClosed) return;
    this.notifier.see([run]);
    this.connection.textContent = run.is_live ? labels.live : "";
    this.element.dataset.generation = run.status?.generation ?? "";
    document.title = words.title(run.is_live ? words.runTitle(this.name, run.status?.generation) : this.name);
    this.head.replaceChildren(...shown(() => headline(run)));
    this.fleet.hidden = !run.is_live || !run.fleet;
    this.fleet.replaceChildren(...shown(() => fleetGroup(run)));
    this.settingList.replaceChildren(...shown(() => settingsTable(run)));
    this.settings.hidden = !this.settingList.firstChild;
    this.log.hidden = false;
    const failure = shown(() => this.charts.show([run], { marks: marksOf(run, this.resumed) }) ?? []);
    if (failure.length) this.charts.element.replaceChildren(...failure);
    this.run = run;
    this.showModels();
    this.games.replaceChildren(...shown(() => this.gameList(run)));
    this.lists.hidden = false;
  }

  showModels() {
    const top = this.models.querySelector(".scroll")?.scrollTop ?? 0;
    this.models.replaceChildren(h("h2", {}, labels.networks), ...shown(() => this.modelTable(this.run)));
    this.models.querySelector(".scroll")?.scrollTo(0, top);
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

  /** The networks, newest first: each can be played, and says how its gate went. */
  modelTable({ models, champion, variant }) {
    const rows = models.map(({ number, elo, ci95, made_unix: made }) => {
      const ask = async () => {
        const gate = await get(`/api/runs/${encodeURIComponent(this.name)}/gates/${number}`).then(gateText, (error) => [capitalized(error.message)]);
        this.gates.set(number, gate);
        this.showModels();
      };
      const gate = this.gates.get(number) ?? [button(labels.gate, ask, { class: "quiet", "aria-label": `${labels.gate}: ${words.model(number)}` })];
      const play = `#/new/${variant}?${new URLSearchParams({ second: `run:${this.name}@${number}` })}`;
      return h("tr", { class: number === champion && "champion" },
        h("td", {}, words.model(number), number === champion && h("span", { class: "badge" }, labels.champion)),
        h("td", { class: "end" }, elo == null ? h("span", { class: "note" }, labels.notRated) : `${Math.round(elo)} ±${Math.round(ci95)}`),
        h("td", {}, made ? new Date(1000 * made).toLocaleString([], { dateStyle: "short", timeStyle: "short" }) : "–"),
        h("td", { class: "gate" }, ...gate),
        h("td", {}, h("a", { href: play, "aria-label": `${labels.play}: ${words.model(number)}` }, labels.play)));
    });
    const columns = [[labels.network], [labels.elo, "end"], [labels.date], [labels.gate], [labels.actions]];
    const head = columns.map(([name, kind]) => h("th", { scope: "col", class: kind }, name));
    return h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": labels.networks }, h("table", {}, h("thead", {}, h("tr", {}, ...head)), h("tbody", {}, ...rows)));
  }
}

/** What is marked in the curves: changes of settings, new champions, and where the run was resumed. */
function marksOf({ changes = [], ratings }, resumed) {
  const champions = (ratings?.points ?? []).filter(({ model }, index, all) => index > 0 && model !== all[index - 1].model);
  return [
    ...changes.map(({ generation, key, old, new: value }) => ({ at: generation, kind: "change", text: words.settingChanged(key, old, value) })),
    ...champions.map(({ generation, model }) => ({ at: generation, kind: "champion", text: words.newChampion(model) })),
    ...resumed.map((generation) => ({ at: generation, kind: "stop", text: words.resumed(generation) })),
  ];
}

/** The state of a run, with its color. */
export function stateView({ status, is_live: isLive }) {
  const [kind, text] = isLive ? ["live", labels.training] : !status ? ["new", labels.notStarted] : status.interrupted ? ["killed", labels.killed] : ["stopped", labels.stopped];
  return h("span", { class: `state ${kind}` }, text);
}

/** All settings of a run, and when one changed. */
function settingsTable({ settings = {}, changes = [] }) {
  const entries = Object.entries(settings);
  if (!entries.length) return [];
  const row = ([key, value]) => h("tr", {}, h("th", { scope: "row" }, key), h("td", {}, value));
  const changed = changes.map(({ generation, key, old, new: value }) => h("li", {}, `${capitalized(words.generation(generation))}: ${words.settingChanged(key, old, value)}`));
  return [
    changed.length > 0 && h("ul", {}, ...changed),
    h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": labels.settings }, h("table", {}, h("tbody", {}, ...entries.map(row)))),
  ].filter(Boolean);
}

function headline({ status, champion, variant, is_live: isLive, verdict }) {
  if (!status) return [h("p", {}, labels.notTrained)];
  const fact = (name, value, note = "") => h("div", { class: "fact" }, h("span", { class: "label" }, name), h("b", {}, value), h("span", { class: "note" }, note));
  const { rating, selfplay } = status;
  const cut = selfplay?.truncated;
  const facts = [
    fact(labels.variant, capitalized(variant), isLive ? words.now(status.stage) : stateView({ status })),
    fact(labels.rating, rating ? figure(Math.round(rating.elo)) : "–", rating ? words.rating(Math.round(interval(rating)), rating.model) + directly(rating) : labels.notMeasured),
    fact(labels.generation, String(status.generation), words.champion(champion ?? "–")),
    fact(labels.games, figure(status.games), selfplay ? words.perSecond(figure(selfplay.games_per_s)) : ""),
    fact(labels.trained, duration(status.seconds), words.steps(figure(status.steps))),
    fact(labels.draws, selfplay ? `${Math.round(100 * selfplay.draw_rate)}\u2009%` : "–", selfplay ? words.pliesPerGame(Math.round(selfplay.mean_plies)) : ""),
    cut > 0 && fact(labels.cutOff, figure(cut), labels.cutOffNote),
  ];
  const inWords = verdict && h("p", {}, h("b", {}, capitalized(verdict.word)), `: ${verdict.reason}.`);
  return [inWords, h("div", { class: "facts" }, ...facts.filter(Boolean)), status.gate && h("p", { class: "note" }, words.lastGate(status.gate))].filter(Boolean);
}

/** The machines that play for a run, what is played and who is excluded. */
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
  const work = fleet.work && h("p", {}, words.partsPlayed(capitalized(fleet.work), fleet.finished, fleet.chunks));
  return [h("h2", {}, labels.fleet), work, ...findings, rows.length ? table : h("p", { class: "note" }, labels.nobodyJoined)].filter(Boolean);
}

/** What a gate has found, in words that need no statistics. */
function gateText({ opponent, verdict, games: { wins, draws, losses }, sentence }) {
  return [h("b", {}, words.gateVerdict(verdict)), ` ${words.gateGames(opponent, wins, draws, losses)} `, sentence && h("span", { class: "note", title: sentence }, labels.statistics)];
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
