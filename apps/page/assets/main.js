// Shows the view of the address, and stores the colour scheme.

import { capitalised, h } from "./dom.js";
import { receive } from "./exchange.js";
import { EditorView } from "./editor.js";
import { GamesView } from "./games.js";
import { PlayView } from "./play.js";
import { ReplayView } from "./replay.js";
import { RulesView } from "./rules.js";
import { GenerationView, RunsView } from "./runlist.js";
import { RunView } from "./runs.js";
import { keepSetting, library, setting } from "./storage.js";
import { labels, words } from "./words.js";

const SCHEMES = [
  ["auto", "◐", labels.systemColours],
  ["light", "☀", labels.lightColours],
  ["dark", "☾", labels.darkColours],
];

const main = document.getElementById("main");
let view = null;

/** The view of an address, such as `#/runs/NAME` or `#/game/ID`. */
async function viewOf(hash) {
  const [path, query = ""] = hash.replace(/^#\/?/, "").split("?");
  const [kind, ...rest] = path.split("/").map(decoded);
  if (kind === "runs" && rest.length === 0) return new RunsView(query);
  if (kind === "runs" && rest.length === 1) return new RunView(rest[0]);
  if (kind === "runs" && rest.length === 2) return new GenerationView(rest[0], Number(rest[1]));
  if (kind === "runs" && rest.length === 3) return new ReplayView(rest[0], Number(rest[1]), Number(rest[2]));
  if (kind === "rules") return new RulesView(rest[0]);
  if (kind === "editor") return new EditorView(rest[0], query);
  if (kind === "new") return new PlayView(null, { variant: rest[0], ...Object.fromEntries(new URLSearchParams(query)) });
  if (kind === "games") return new GamesView();
  if (kind === "game" && rest.length === 1) return new PlayView(rest[0]);
  if (kind === "open" && rest.length === 1) return new PlayView(await receive(rest[0], query));
  return new PlayView();
}

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new Error(words.badAddress(part));
  }
}

/** The tab that a view belongs to. */
const TABS = { runs: "#/runs", games: "#/games", rules: "#/rules" };

async function show() {
  const { hash } = location;
  // The address of the game that is open already, or of no view at all.
  if (view?.id && hash === `#/game/${view.id}`) return;
  view?.close();
  view = null;
  document.querySelector("dialog[open]")?.close("cancel");
  const tab = TABS[hash.split(/[/?]/)[1]] ?? "#/play";
  document.title = words.title();
  for (const link of document.querySelectorAll("nav a")) {
    if (link.getAttribute("href") === tab) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  try {
    const mine = await viewOf(hash);
    if (location.hash !== hash) return;
    view = mine;
    main.replaceChildren(mine.element);
    await mine.open();
  } catch (error) {
    if (location.hash === hash) main.replaceChildren(failure(error));
  }
}

function failure(error) {
  const links = [["#/play", labels.play], ["#/games", labels.games], ["#/runs", labels.runs]].map(([href, text]) => h("a", { class: "button", href }, text));
  return h("div", { class: "card failure", role: "alert" }, h("h1", {}, labels.error), h("p", {}, capitalised(error.message)), h("p", { class: "buttons left" }, ...links));
}

function applyScheme(wanted) {
  const [name, sign, scheme] = SCHEMES.find(([known]) => known === wanted) ?? SCHEMES[0];
  if (name === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
  const button = document.getElementById("theme");
  button.textContent = sign;
  button.title = words.colours(scheme);
  button.dataset.scheme = name;
}

document.getElementById("theme").addEventListener("click", (event) => {
  const place = SCHEMES.findIndex(([name]) => name === event.currentTarget.dataset.scheme);
  const next = SCHEMES[(place + 1) % SCHEMES.length][0];
  applyScheme(next);
  keepSetting("scheme", next);
});

// Its target is a place on the page, not a view.
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});

applyScheme(setting("scheme", "auto"));
addEventListener("hashchange", show);
addEventListener("pagehide", () => view?.close());
// A game that could not be stored is gone with the page.
addEventListener("beforeunload", (event) => library.unsaved.size > 0 && event.preventDefault());
// A page restored from the browser's cache was closed: show it again.
addEventListener("pageshow", (event) => {
  if (!event.persisted) return;
  view = null;
  show();
});
show();
