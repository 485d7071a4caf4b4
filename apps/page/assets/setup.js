// The dialog for a new game: the game, who plays each side, the clock.

import { get, loadVariants } from "./api.js";
import { CLOCKS } from "./clock.js";
import { HUMAN } from "./document.js";
import { button, capitalised, h } from "./dom.js";
import { keepSetting, setting } from "./storage.js";
import { CLOCK_NAMES, STRENGTH_NAMES, labels, playerText, words } from "./words.js";

/** What was chosen last; seats are in the order in which they move. */
const DEFAULTS = { variant: "", first: HUMAN, second: "", "first-strength": "time:1", "second-strength": "time:1", clock: "", ponder: true };

/** Players that are listed without a search, in each group. */
const MOST_LISTED = 4;

/** The players of a variant, with their texts. */
export async function loadPlayers(variant) {
  const players = await get(`/api/players/${variant}`);
  return players.map((player) => ({ ...player, name: playerText(player.name), group: playerText(player.group) }));
}

/** The terms of the last game that was begun, or usual ones. */
export async function loadTerms() {
  const settings = await validSettings({ ...DEFAULTS, ...setting("terms", {}) });
  return termsOf(settings, await loadPlayers(settings.variant), await loadVariants());
}

async function validSettings(settings) {
  const variants = await loadVariants();
  if (!variants.has(settings.variant)) settings.variant = (await get("/api/runs"))[0]?.variant ?? [...variants.keys()][0];
  const players = await loadPlayers(settings.variant);
  const isKnown = (id) => id === HUMAN || players.some((player) => player.id === id);
  if (!isKnown(settings.first)) settings.first = HUMAN;
  if (!isKnown(settings.second)) settings.second = firstChoice(players).id;
  return settings;
}

/** The player that was named, else the one that analyses best, else the first baseline that searches. */
function firstChoice(players) {
  const named = players.find((player) => player.is_named);
  return named ?? players.find((player) => player.analyses) ?? players[1] ?? players[0];
}

function termsOf(settings, players, variants) {
  const { first_player: first } = variants.get(settings.variant);
  const second = first === "white" ? "black" : "white";
  const seat = (order) => {
    const id = settings[order];
    const name = players.find((player) => player.id === id)?.name ?? "";
    return { player: id, strength: settings[`${order}-strength`], name };
  };
  return { variant: settings.variant, terms: { [first]: seat("first"), [second]: seat("second"), clock: settings.clock, ponder: settings.ponder } };
}

function select(name, label, options, value, attributes = {}) {
  const option = ([id, text]) => h("option", { value: id, selected: id === value }, text);
  return h("label", { class: "field" }, h("span", {}, label), h("select", { name, ...attributes }, ...options.map(option)));
}

function ratingText({ elo, ci95 }) {
  return elo == null ? "" : `, ${Math.round(elo)} ±${Math.round(ci95)} Elo`;
}

/** The players that a search finds, by group, the best rated first; without a search a few of each group. */
export function offered(players, query, chosen) {
  const wanted = query.trim().toLowerCase().split(/\s+/).filter(Boolean);
  const matches = (player) => wanted.every((word) => `${player.name} ${player.group}`.toLowerCase().includes(word));
  const groups = new Map();
  for (const player of players.filter(matches)) groups.set(player.group, [...(groups.get(player.group) ?? []), player]);
  const byRating = (a, b) => (b.elo ?? -Infinity) - (a.elo ?? -Infinity) || 0;
  const isListed = (player, index) => wanted.length > 0 || player.id === chosen || !player.id.includes("@") || (index < MOST_LISTED && player.elo != null);
  return [...groups].map(([label, members]) => [label, [...members].sort(byRating).filter(isListed)]).filter(([, members]) => members.length);
}

function fillSeat(element, players, query, chosen) {
  const option = ({ id, name, ...rating }) => h("option", { value: id, selected: id === chosen }, name + ratingText(rating));
  const groups = offered(players, query, chosen).map(([label, members]) => h("optgroup", { label }, ...members.map(option)));
  element.replaceChildren(h("option", { value: HUMAN, selected: chosen === HUMAN }, words.human), ...groups);
}

/** The strengths that a player takes. */
function strengths(player) {
  if (!player?.analyses) return [];
  return Object.entries(STRENGTH_NAMES).filter(([id]) => player.takes_simulations || id.startsWith("time"));
}

/** Opens the dialog. Resolves to the variant and terms of a new game, or to null if it is closed. */
export async function askTerms() {
  const variants = await loadVariants();
  const settings = await validSettings({ ...DEFAULTS, ...setting("terms", {}) });
  let players = await loadPlayers(settings.variant);
  const seats = ["first", "second"].map((order) => seatFields(order, settings, () => players));
  const search = h("input", { type: "search", name: "player-search", placeholder: labels.searchPlayers, "aria-label": labels.searchPlayers, oninput: () => seats.forEach((seat) => seat.show(search.value)) });
  const variant = select("variant", labels.game, [...variants.keys()].map((name) => [name, capitalised(name)]), settings.variant, {
    onchange: async (event) => {
      settings.variant = event.target.value;
      await validSettings(settings);
      players = await loadPlayers(settings.variant);
      showAll();
    },
  });
  const summary = h("span", {});
  const lot = h("p", { class: "note lot", role: "status" });
  const card = h("a", {}, labels.rulesLink);
  const showAll = () => {
    const { first_player: first, card: about } = variants.get(settings.variant);
    summary.textContent = about.summary;
    seats[0].label.textContent = words.movesFirst(capitalised(first));
    seats[1].label.textContent = first === "white" ? labels.black : labels.white;
    card.href = `#/rules/${settings.variant}`;
    seats.forEach((seat) => seat.show(search.value));
  };
  const swap = (isSwapped) => {
    if (!isSwapped) return;
    [settings.first, settings.second] = [settings.second, settings.first];
    [settings["first-strength"], settings["second-strength"]] = [settings["second-strength"], settings["first-strength"]];
    showAll();
  };
  showAll();
  const ponders = h("input", { type: "checkbox", name: "ponder", checked: settings.ponder, onchange: () => { settings.ponder = ponders.checked; } });
  const ponder = h("label", { class: "check", hidden: !settings.clock }, ponders, " ", labels.ponder);
  const form = h(
    "form",
    { method: "dialog" },
    h("h2", {}, labels.newGame),
    variant,
    h("p", { class: "note" }, summary, " ", card),
    search,
    ...seats.map((seat) => seat.element),
    h("p", { class: "buttons left" },
      button(labels.swapSides, () => swap(true)),
      button(labels.drawLots, () => {
        swap(Math.random() < 0.5);
        lot.textContent = words.lot(seats[0].name());
      })),
    lot,
    select("clock", labels.clock, CLOCKS.map(([id]) => [id, CLOCK_NAMES[id]]), settings.clock, { onchange: (event) => { settings.clock = event.target.value; ponder.hidden = !settings.clock; } }),
    ponder,
    h(
      "div",
      { class: "buttons" },
      h("button", { value: "cancel", class: "quiet", formnovalidate: true }, labels.cancel),
      h("button", { value: "start", class: "primary" }, labels.start),
    ),
  );
  if (!(await openDialog(form, labels.newGame))) return null;
  keepSetting("terms", settings);
  return termsOf(settings, players, variants);
}

/** The choice of a player and his strength. */
function seatFields(order, settings, players) {
  const label = h("span", {});
  const player = h("select", { name: order, onchange: () => { settings[order] = player.value; showStrength(); } });
  const strength = h("select", { name: `${order}-strength`, "aria-label": words.strengthOf(order), onchange: () => { settings[`${order}-strength`] = strength.value; } });
  const showStrength = () => {
    const known = strengths(players().find(({ id }) => id === player.value));
    strength.hidden = known.length === 0;
    if (known.length && !known.some(([id]) => id === settings[`${order}-strength`])) settings[`${order}-strength`] = "time:1";
    const option = ([id, text]) => h("option", { value: id, selected: id === settings[`${order}-strength`] }, text);
    strength.replaceChildren(...known.map(option));
  };
  const show = (query) => {
    fillSeat(player, players(), query, settings[order]);
    showStrength();
  };
  return { label, show, name: () => player.selectedOptions[0].textContent, element: h("div", { class: "seat-fields" }, h("label", { class: "field" }, label, player), strength) };
}

/** Shows a form in a dialog; whether it was closed with `start`. */
function openDialog(form, label) {
  const dialog = h("dialog", { class: "setup", "aria-label": label }, form);
  // Enter starts the game although the button that cancels comes first.
  form.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !["BUTTON", "A"].includes(event.target.tagName)) {
      event.preventDefault();
      dialog.close("start");
    }
  });
  form.addEventListener("click", (event) => event.target.tagName === "A" && dialog.close("cancel"));
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "start");
    });
  });
}
