// The dialog for a new game, and its stored settings.

import { get, loadVariants } from "./api.js";
import { capitalised, h } from "./dom.js";

const STORED = "crownhead.settings";

const STRENGTHS = [
  ["sims:16", "16 simulations per move"],
  ["sims:64", "64 simulations per move"],
  ["sims:256", "256 simulations per move"],
  ["sims:1024", "1024 simulations per move"],
  ["sims:8192", "8192 simulations per move"],
  ["time:1", "1 second per move"],
  ["time:5", "5 seconds per move"],
  ["time:20", "20 seconds per move"],
];

const CLOCKS = [
  ["", "No clock"],
  ["1+2", "1 minute plus 2 seconds per move"],
  ["5+3", "5 minutes plus 3 seconds per move"],
  ["15+10", "15 minutes plus 10 seconds per move"],
];

const SIDES = [
  ["first", "First"],
  ["second", "Second"],
  ["both", "Both sides"],
  ["none", "Watch"],
];

const DEFAULTS = { variant: "", opponent: "", side: "first", strength: "sims:64", clock: "" };

/** The last settings, or the defaults. Storage may be disabled. */
export function loadSettings() {
  try {
    return { ...DEFAULTS, ...JSON.parse(localStorage.getItem(STORED)) };
  } catch {
    return { ...DEFAULTS };
  }
}

function saveSettings(settings) {
  try {
    localStorage.setItem(STORED, JSON.stringify(settings));
  } catch {
    // Storage is disabled: the settings last until the page is closed.
  }
}

/** The players of the variant; invalid settings are replaced by defaults. */
export async function loadPlayers(settings) {
  const variants = await loadVariants();
  if (!variants.has(settings.variant)) settings.variant = await favourite(variants);
  const players = await get(`/api/players/${settings.variant}`);
  if (!players.some((player) => player.id === settings.opponent)) settings.opponent = firstChoice(players).id;
  return players;
}

/** The variant of the first run, else the first variant. */
async function favourite(variants) {
  const runs = await get("/api/runs");
  return runs[0]?.variant ?? [...variants.keys()][0];
}

/** The player from the command line, else a champion, else the first baseline that searches. */
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
      resolve({ ...DEFAULTS, ...chosen });
    });
  });
}
