// The dialog for a new game, and for other players of one: the game, who plays each side, the
// clock.

import { get, loadVariants, usualVariant } from "./api.js";
import { CLOCKS } from "./clock.js";
import { HUMAN } from "./document.js";
import { button, capitalized, h } from "./dom.js";
import { keepSetting, setting } from "./settings.js";
import { CLOCK_NAMES, STRENGTH_NAMES, labels, playerText, words } from "./words.js";

/** What was chosen last; seats are in the order in which they move. */
const DEFAULTS = { variant: "", first: HUMAN, second: "", "first-strength": "time:1", "second-strength": "time:1", clock: "", ponder: true };

/** Players that are listed without a search, in each group. */
const MOST_LISTED = 4;

/** The strength that a person who has never chosen one meets, in Elo above random. */
const FIRST_ELO = 800;

/** A variant by its name; an unknown name is an error. */
export async function variantNamed(name) {
  const variants = await loadVariants();
  if (!variants.has(name)) throw new Error(words.noGame(name, [...variants.keys()]));
  return variants.get(name);
}

/** The players of a variant, with their texts. One of limited strength belongs to the player without a limit. */
export async function loadPlayers(variant) {
  const players = await get(`/api/players/${variant}`);
  const known = new Set(players.map(({ id }) => id));
  return players.map((player) => {
    const [base, elo] = player.id.split(",elo=");
    const limit = elo && known.has(base) ? { base, limit: Number(elo) } : { base: player.id, limit: null };
    return { ...player, ...limit, name: playerText(player.name), group: playerText(player.group) };
  });
}

/** The limits of strength that a player has, weakest first. */
function limitsOf(players, base) {
  return players.filter((player) => player.base === base && player.limit !== null).sort((a, b) => a.limit - b.limit);
}

/** The terms of the last game that was begun, or usual ones. */
export async function loadTerms() {
  const settings = { ...DEFAULTS, ...setting("terms", {}) };
  return termsOf(settings, await playersFor(settings), await loadVariants());
}

/** The players for settings, which then name a game and players that are there. */
async function playersFor(settings) {
  const variants = await loadVariants();
  if (!variants.has(settings.variant)) settings.variant = (await usualVariant()) ?? [...variants.keys()][0];
  const players = await loadPlayers(settings.variant);
  makeValid(settings, players);
  return players;
}

function makeValid(settings, players) {
  const isKnown = (id) => id === HUMAN || players.some((player) => player.id === id);
  if (!isKnown(settings.first)) settings.first = HUMAN;
  if (!isKnown(settings.second)) settings.second = gentle(players, firstChoice(players)).id;
}

/** The player that was named, else the one that analyses best, else the first baseline that searches. */
function firstChoice(players) {
  const named = players.find((player) => player.is_named);
  return named ?? players.find((player) => player.analyses) ?? players[1] ?? players[0];
}

/** A player at a strength for the first game. */
function gentle(players, player) {
  const limits = limitsOf(players, player.id);
  return limits.find(({ limit }) => limit >= FIRST_ELO) ?? limits[0] ?? player;
}

function termsOf(settings, players, variants) {
  const { first_player: first } = variants.get(settings.variant);
  const second = first === "white" ? "black" : "white";
  const seat = (order) => {
    const id = settings[order];
    const name = players.find((player) => player.id === id)?.name ?? "";
    return { player: id, strength: settings[`${order}-strength`], name };
  };
  return { variant: settings.variant, players, terms: { [first]: seat("first"), [second]: seat("second"), clock: settings.clock, ponder: settings.ponder } };
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
  const matches = (player) => player.limit === null && (player.id === chosen || wanted.every((word) => `${player.name} ${player.group}`.toLowerCase().includes(word)));
  const groups = new Map();
  for (const player of players.filter(matches)) groups.set(player.group, [...(groups.get(player.group) ?? []), player]);
  const byRating = (a, b) => (b.elo ?? -Infinity) - (a.elo ?? -Infinity) || 0;
  const isListed = (player, index) => wanted.length > 0 || player.id === chosen || !player.id.includes("@") || (index < MOST_LISTED && player.elo != null);
  return [...groups].map(([label, members]) => [label, [...members].sort(byRating).filter(isListed)]).filter(([, members]) => members.length);
}

/** What is shown is what plays: the chosen player stays in the list whatever is searched for. */
function fillSeat(element, players, query, chosen) {
  const option = ({ id, name, ...rating }) => h("option", { value: id, selected: id === chosen }, name + ratingText(rating));
  const groups = offered(players, query, chosen).map(([label, members]) => h("optgroup", { label }, ...members.map(option)));
  element.replaceChildren(h("option", { value: HUMAN, selected: chosen === HUMAN }, words.human), ...groups);
}

/** The effort that a player can be asked for. */
function strengths(player) {
  if (!player?.analyses) return [];
  return Object.entries(STRENGTH_NAMES).filter(([id]) => player.takes_simulations || id.startsWith("time"));
}

/** The settings that the terms of a game are, in the order in which the sides move. */
function settingsOf({ variant, terms }, { first_player: first }) {
  const seats = { first: terms[first], second: terms[first === "white" ? "black" : "white"] };
  const seat = (order) => ({ [order]: seats[order].player, [`${order}-strength`]: seats[order].strength || "time:1" });
  return { variant, ...seat("first"), ...seat("second"), clock: terms.clock ?? "", ponder: Boolean(terms.ponder) };
}

/**
 * Opens the dialog. Resolves to {variant, terms, isFromHere}, or to null if it is closed. `position` is what is on the
 * board: {variant, isStart, terms}. With `isChange` the players of that game change, with `isFromHere` the new game
 * begins there unless the user chooses otherwise. `wanted` are settings that come first, such as {variant, second}.
 */
export async function askTerms({ view, position = null, isChange = false, isFromHere = false, wanted = {} } = {}) {
  const variants = await loadVariants();
  const last = { ...DEFAULTS, ...setting("terms", {}), ...wanted };
  const settings = isChange ? settingsOf(position, variants.get(position.variant)) : isFromHere ? { ...last, variant: position.variant } : last;
  let players = await playersFor(settings);
  const seats = ["first", "second"].map((order) => new SeatFields(order, settings, () => players));
  const search = h("input", { type: "search", name: "player-search", placeholder: labels.searchPlayers, "aria-label": labels.searchPlayers, oninput: () => showAll() });
  const variant = select("variant", labels.game, [...variants.keys()].map((name) => [name, capitalized(name)]), settings.variant, {
    onchange: async (event) => {
      const wanted = (settings.variant = event.target.value);
      start.disabled = true;
      try {
        const found = await loadPlayers(wanted);
        if (settings.variant !== wanted) return;
        players = found;
        makeValid(settings, players);
        start.disabled = false;
        showAll();
      } catch (error) {
        summary.textContent = capitalized(error.message);
      }
    },
  });
  const places = h("select", { name: "position" }, h("option", { value: "start" }, labels.startPosition), h("option", { value: "here", selected: isFromHere }, labels.positionOnBoard));
  const place = h("label", { class: "field" }, h("span", {}, labels.position), places);
  const summary = h("span", {});
  const lot = h("p", { class: "note lot", role: "status" });
  const card = h("a", {}, labels.rulesLink);
  const showAll = () => {
    const { first_player: first, card: about } = variants.get(settings.variant);
    summary.textContent = about.summary;
    seats[0].label.textContent = words.movesFirst(labels[first]);
    seats[1].label.textContent = first === "white" ? labels.black : labels.white;
    card.href = `#/rules/${settings.variant}`;
    place.hidden = isChange || !position || position.isStart || position.variant !== settings.variant;
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
  const ponder = h("label", { class: "check", hidden: !settings.clock }, ponders, h("span", {}, labels.ponder));
  const title = isChange ? labels.changePlayers : labels.newGame;
  const start = h("button", { value: "start", class: "primary" }, isChange ? labels.accept : labels.start);
  const form = h(
    "form",
    { method: "dialog" },
    h("h2", {}, title),
    !isChange && [variant, h("p", { class: "note" }, summary, " ", card), place],
    search,
    h("div", { class: "seat-pair" }, ...seats.map((seat) => seat.element)),
    h("p", { class: "buttons left" },
      button(labels.swapSides, () => swap(true)),
      !isChange && button(labels.drawLots, () => {
        const before = seats[0].name();
        const isSwapped = Math.random() < 0.5;
        swap(isSwapped);
        // The former places distinguish two of a kind.
        lot.textContent = before === seats[0].name() && isSwapped ? labels.lotSwapped : before === seats[1].name() ? labels.lotKept : words.lot(seats[0].name());
      })),
    lot,
    select("clock", labels.clock, CLOCKS.map(([id]) => [id, CLOCK_NAMES[id]]), settings.clock, { onchange: (event) => { settings.clock = event.target.value; ponder.hidden = !settings.clock; } }),
    ponder,
    h(
      "div",
      { class: "buttons" },
      h("button", { value: "cancel", class: "quiet", formnovalidate: true }, labels.cancel),
      start,
    ),
  );
  // The user may have left the view meanwhile, or have asked twice.
  if (view.isClosed || document.querySelector("dialog") || !(await openDialog(form, title))) return null;
  keepSetting("terms", settings);
  return { ...termsOf(settings, players, variants), isFromHere: !place.hidden && places.value === "here" };
}

/** The choice of a player, how strong it plays, or how much it may think. */
class SeatFields {
  constructor(order, settings, players) {
    Object.assign(this, { order, settings, players });
    this.label = h("span", {});
    this.player = h("select", { name: order, onchange: () => this.choose(this.player.value) });
    this.effort = h("select", { name: `${order}-strength`, "aria-label": words.effortOf(order), onchange: () => { settings[`${order}-strength`] = this.effort.value; } });
    this.limit = h("input", { type: "range", name: `${order}-elo`, min: 0, step: 1, oninput: () => this.restrict() });
    this.limitText = h("output", {});
    this.limitField = h("label", { class: "field slider" }, h("span", {}, words.strengthOf(order), " ", this.limitText), this.limit);
    this.element = h("div", { class: "seat-fields" }, h("label", { class: "field" }, this.label, this.player), this.limitField, this.effort);
  }

  get chosen() {
    return this.players().find(({ id }) => id === this.settings[this.order]);
  }

  name() {
    return this.chosen?.name ?? words.human;
  }

  choose(id) {
    this.settings[this.order] = id;
    this.showStrength();
  }

  /** The slider has moved: its last place is the player without a limit. */
  restrict() {
    const limits = limitsOf(this.players(), this.chosen.base);
    this.choose(limits[Number(this.limit.value)]?.id ?? this.chosen.base);
  }

  show(query) {
    fillSeat(this.player, this.players(), query, this.chosen?.base ?? HUMAN);
    this.showStrength();
  }

  showStrength() {
    const { chosen, order, settings } = this;
    const limits = chosen ? limitsOf(this.players(), chosen.base) : [];
    const place = limits.indexOf(chosen);
    this.limitField.hidden = limits.length === 0;
    this.limit.max = limits.length;
    this.limit.value = place < 0 ? limits.length : place;
    this.limitText.textContent = place < 0 ? labels.fullStrength : words.elo(chosen.limit);
    this.limit.setAttribute("aria-valuetext", this.limitText.textContent);
    const known = strengths(chosen);
    this.effort.hidden = known.length === 0;
    if (known.length && !known.some(([id]) => id === settings[`${order}-strength`])) settings[`${order}-strength`] = "time:1";
    this.effort.replaceChildren(...known.map(([id, text]) => h("option", { value: id, selected: id === settings[`${order}-strength`] }, text)));
  }
}

/** Shows a form in a dialog; whether it was closed with `start`. */
function openDialog(form, label) {
  const dialog = h("dialog", { class: "setup", "aria-label": label }, form);
  // Enter starts the game although the button that cancels comes first.
  form.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !["BUTTON", "A"].includes(event.target.tagName)) {
      event.preventDefault();
      form.querySelector('button[value="start"]').click();
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
