// Shows the view of the address, and stores the color scheme.

import { get } from "./api.js";
import { button, capitalized, h } from "./dom.js";
import { loaded, receive } from "./exchange.js";
import { PlayView } from "./play.js";
import { keepSetting, setting } from "./settings.js";
import { library } from "./storage.js";
import { LANGUAGES, chooseLanguage, labels, language, words } from "./words.js";

const SCHEMES = [
  ["auto", "◐", labels.systemColors],
  ["light", "☀", labels.lightColors],
  ["dark", "☾", labels.darkColors],
];

const main = document.getElementById("main");
let view = null;
/** How often a view was asked for: only the last one is shown. */
let asked = 0;

/** The view of an address, such as `#/runs/NAME` or `#/game/ID`. All but the board are loaded when they are needed. */
async function viewOf(hash) {
  const [path, query = ""] = hash.replace(/^#\/?/, "").split("?");
  const [kind, ...rest] = path.split("/").map(decoded);
  const numbers = rest.slice(1).map(Number);
  if (kind === "runs" && rest.length < 4) {
    if (rest.length === 1) return new (await loaded(() => import("./runs.js"))).RunView(rest[0]);
    if (rest.length === 3) return new (await loaded(() => import("./replay.js"))).ReplayView(rest[0], ...numbers);
    const { GenerationView, RunsView } = await loaded(() => import("./runlist.js"));
    return rest.length ? new GenerationView(rest[0], ...numbers) : new RunsView(query);
  }
  if (kind === "puzzles") return new (await loaded(() => import("./puzzles.js"))).PuzzlesView();
  if (kind === "rules") return new (await loaded(() => import("./rules.js"))).RulesView(rest[0]);
  if (kind === "editor") return new (await loaded(() => import("./editor.js"))).EditorView(rest[0], query);
  if (kind === "games") return new (await loaded(() => import("./games.js"))).GamesView();
  if (kind === "new") return new PlayView(null, { variant: rest[0], ...Object.fromEntries(new URLSearchParams(query)) });
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
const TABS = ["runs", "games", "rules", "puzzles"];

async function show() {
  const { hash } = location;
  // The address of the game that is open already, or of no view at all.
  if (view?.id && hash === `#/game/${view.id}`) return;
  const turn = (asked += 1);
  view?.close();
  view = null;
  document.querySelector("dialog[open]")?.close("cancel");
  const tab = TABS.find((name) => name === hash.split(/[/?]/)[1]) ?? "play";
  document.title = words.title(labels[tab]);
  for (const link of document.querySelectorAll("nav a")) {
    if (link.getAttribute("href") === `#/${tab}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  try {
    const mine = await viewOf(hash);
    if (turn !== asked) return mine.close();
    view = mine;
    main.replaceChildren(mine.element);
    await mine.open();
  } catch (error) {
    if (turn !== asked) return;
    view?.close();
    view = null;
    main.replaceChildren(failure(error));
  }
}

/** Shows the view again. Firefox never loads a module that it could not load once: then the page is loaded again. */
async function retry({ isModule }) {
  if (isModule && (await get("/api/variants").catch(() => null))) location.reload();
  else await show();
}

function failure(error) {
  const links = [["#/play", labels.play], ["#/games", labels.games], ["#/runs", labels.runs]].map(([href, text]) => h("a", { class: "button", href }, text));
  const again = button(labels.tryAgain, () => retry(error), { class: "primary" });
  return h("div", { class: "card failure", role: "alert" }, h("h1", {}, labels.error), h("p", {}, capitalized(error.message)), h("p", { class: "buttons left" }, again, ...links));
}

function applyScheme(wanted) {
  const [name, sign, scheme] = SCHEMES.find(([known]) => known === wanted) ?? SCHEMES[0];
  if (name === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
  const button = document.getElementById("theme");
  button.textContent = sign;
  button.title = words.colors(scheme);
  button.dataset.scheme = name;
}

document.getElementById("theme").addEventListener("click", (event) => {
  const place = SCHEMES.findIndex(([name]) => name === event.currentTarget.dataset.scheme);
  const next = SCHEMES[(place + 1) % SCHEMES.length][0];
  applyScheme(next);
  keepSetting("scheme", next);
});

/** The texts that the page has before its scripts run, in the user's language. */
function applyLanguage() {
  document.documentElement.lang = language;
  for (const link of document.querySelectorAll("nav a")) link.textContent = labels[link.hash.slice(2)];
  document.querySelector("nav").setAttribute("aria-label", labels.views);
  document.querySelector(".skip").textContent = labels.skip;
  document.getElementById("theme").setAttribute("aria-label", labels.changeColors);
  document.getElementById("language-name").textContent = labels.language;
  const choice = document.getElementById("language");
  choice.replaceChildren(...Object.entries(LANGUAGES).map(([code, name]) => h("option", { value: code, selected: code === language, lang: code }, name)));
  choice.addEventListener("change", () => chooseLanguage(choice.value));
}

// Its target is a place on the page, not a view.
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});

applyLanguage();
applyScheme(setting("scheme", "auto"));
addEventListener("hashchange", show);
addEventListener("pagehide", () => {
  view?.close();
  library.leave();
});
// A game that could not be stored may be gone with the page.
addEventListener("beforeunload", (event) => library.unsaved.size > 0 && event.preventDefault());
// A page restored from the browser's cache was closed: show it again.
addEventListener("pageshow", (event) => {
  if (!event.persisted) return;
  view = null;
  show();
});
show();
