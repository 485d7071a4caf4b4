// The dialog that begins a game, and the settings it remembers.

import { get, loadVariants } from "./api.js";
import { capitalised, h } from "./dom.js";

const STORED = "crownhead.settings";

const STRENGTHS = [
  ["sims:16", "16 simulations a move"],
  ["sims:64", "64 simulations a move"],
  ["sims:256", "256 simulations a move"],
  ["sims:1024", "1024 simulations a move"],
  ["sims:8192", "8192 simulations a move"],
  ["time:1", "1 second a move"],
  ["time:5", "5 seconds a move"],
  ["time:20", "20 seconds a move"],
];

const CLOCKS = [
  ["", "No clock"],
  ["1+2", "1 minute and 2 seconds a move"],
  ["5+3", "5 minutes and 3 seconds a move"],
  ["15+10", "15 minutes and 10 seconds a move"],
];

const SIDES = [
  ["first", "First"],
  ["second", "Second"],
  ["both", "Both sides"],
  ["none", "Watch"],
];

const USUAL = { variant: "", opponent: "", side: "first", strength: "sims:64", clock: "" };

/** What was chosen last, or what is usual. Storage may be switched off. */
export function loadSettings() {
  try {
    return { ...USUAL, ...JSON.parse(localStorage.getItem(STORED)) };
  } catch {
    return { ...USUAL };
  }
}

function saveSettings(settings) {
  try {
    localStorage.setItem(STORED, JSON.stringify(settings));
  } catch {
    // They are forgotten, no more.
  }
}

/** The players of a variant; the settings are mended where they name somebody who is not there. */
export async function loadPlayers(settings) {
  const variants = await loadVariants();
  if (!variants.has(settings.variant)) settings.variant = await favourite(variants);
  const players = await get(`/api/players/${settings.variant}`);
  if (!players.some((player) => player.id === settings.opponent)) settings.opponent = firstChoice(players).id;
  return players;
}

/** The variant of the player from the command line or of the first run, else the first. */
async function favourite(variants) {
  const runs = await get("/api/runs");
  return runs[0]?.variant ?? [...variants.keys()][0];
}

/** Whoever was named on the command line, else a run's champion, else the first baseline that looks ahead. */
function firstChoice(players) {
  const named = players.find((player) => player.group === "From the command line");
  return named ?? players.find((player) => player.takes_simulations) ?? players[1] ?? players[0];
}

function select(name, label, options, value, attributes = {}) {
  const option = ([id, text]) => h("option", { value: id, selected: id === value }, text);
  return h("label", { class: "field" }, h("span", {}, label), h("select", { name, ...attributes }, ...options.map(option)));
}

function playerOptions(players, chosen) {
  const groups = new Map();
  for (const player of players) {
    if (!groups.has(player.group)) groups.set(player.group, []);
    const rating = player.elo == null ? "" : `, ${Math.round(player.elo)} ±${Math.round(player.ci95)} Elo`;
    groups.get(player.group).push(h("option", { value: player.id, selected: player.id === chosen }, player.name + rating));
  }
  return [...groups].map(([label, options]) => h("optgroup", { label }, ...options));
}

/** Opens the dialog. Resolves to the settings, or to null if it is closed. */
export async function askSettings(current) {
  const settings = { ...current };
  const variants = await loadVariants();
  let players = await loadPlayers(settings);
  const names = [...variants.keys()].map((name) => [name, capitalised(name)]);
  const opponent = h("select", { name: "opponent" });
  const strength = select("strength", "Strength", STRENGTHS, settings.strength);
  const clock = select("clock", "Clock", CLOCKS, settings.clock);
  const radios = h(
    "fieldset",
    { class: "field sides" },
    h("legend", {}, "You play"),
    ...SIDES.map(([id, text]) =>
      h("label", {}, h("input", { type: "radio", name: "side", value: id, checked: id === settings.side }), h("span", {}, text))),
  );
  const showPlayers = () => {
    opponent.replaceChildren(...playerOptions(players, settings.opponent));
    const chosen = players.find((player) => player.id === opponent.value);
    strength.hidden = !chosen?.takes_simulations;
  };
  opponent.addEventListener("change", () => {
    settings.opponent = opponent.value;
    showPlayers();
  });
  const variant = select("variant", "Game", names, settings.variant, {
    onchange: async (event) => {
      settings.variant = event.target.value;
      players = await loadPlayers(settings);
      showPlayers();
    },
  });
  showPlayers();
  const form = h(
    "form",
    { method: "dialog" },
    h("h2", {}, "New game"),
    variant,
    h("label", { class: "field" }, h("span", {}, "Opponent"), opponent),
    strength,
    radios,
    clock,
    h(
      "div",
      { class: "buttons" },
      h("button", { value: "cancel", class: "quiet", formnovalidate: true }, "Cancel"),
      h("button", { value: "start", class: "primary" }, "Start"),
    ),
  );
  const dialog = h("dialog", { class: "setup", "aria-label": "New game" }, form);
  // Enter starts the game although the button that cancels comes first.
  form.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target.tagName !== "BUTTON") {
      event.preventDefault();
      dialog.close("start");
    }
  });
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      if (dialog.returnValue !== "start") return resolve(null);
      const chosen = Object.fromEntries(new FormData(form));
      saveSettings(chosen);
      resolve({ ...USUAL, ...chosen });
    });
  });
}
