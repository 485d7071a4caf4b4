// Shows the view of the address, and stores the colour scheme.

import { h } from "./dom.js";
import { PlayView } from "./play.js";
import { ReplayView } from "./replay.js";
import { RunView, RunsView } from "./runs.js";

const SCHEMES = [
  ["auto", "◐", "as in the system"],
  ["light", "☀", "light"],
  ["dark", "☾", "dark"],
];

const main = document.getElementById("main");
let view = null;

function viewOf(hash) {
  const parts = hash.replace(/^#\/?/, "").split("/").map(decodeURIComponent);
  if (parts[0] === "runs" && parts.length === 1) return new RunsView();
  if (parts[0] === "runs" && parts.length === 2) return new RunView(parts[1]);
  if (parts[0] === "runs" && parts.length === 4) return new ReplayView(parts[1], Number(parts[2]), Number(parts[3]));
  return new PlayView();
}

async function show() {
  view?.close();
  const mine = viewOf(location.hash);
  view = mine;
  const tab = location.hash.startsWith("#/runs") ? "#/runs" : "#/play";
  for (const link of document.querySelectorAll("nav a")) {
    if (link.getAttribute("href") === tab) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  main.replaceChildren(mine.element);
  try {
    await mine.open();
  } catch (error) {
    if (view === mine) main.replaceChildren(h("div", { class: "card failure", role: "alert" }, h("h2", {}, "Error"), h("p", {}, error.message), h("p", {}, h("a", { href: "#/play" }, "Play"), " · ", h("a", { href: "#/runs" }, "Runs"))));
  }
}

function applyScheme(scheme) {
  const [name, sign, words] = SCHEMES.find(([known]) => known === scheme) ?? SCHEMES[0];
  if (name === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
  const button = document.getElementById("theme");
  button.textContent = sign;
  button.title = `Colours: ${words}`;
  button.dataset.scheme = name;
}

function stored() {
  try {
    return localStorage.getItem("crownhead.scheme");
  } catch {
    return null;
  }
}

document.getElementById("theme").addEventListener("click", (event) => {
  const place = SCHEMES.findIndex(([name]) => name === event.currentTarget.dataset.scheme);
  const next = SCHEMES[(place + 1) % SCHEMES.length][0];
  applyScheme(next);
  try {
    localStorage.setItem("crownhead.scheme", next);
  } catch {
    // Storage is disabled: the scheme lasts until the page is closed.
  }
});

applyScheme(stored());
addEventListener("hashchange", show);
addEventListener("pagehide", () => view?.close());
// A page restored from the browser's cache was closed: show it again.
addEventListener("pageshow", (event) => event.persisted && show());
show();
