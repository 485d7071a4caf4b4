// What the page says, in the language that the user has chosen. English is complete and loaded with
// the page; the catalogue of another language is loaded when it is needed.

import { keepSetting, setting } from "./settings.js";
import * as base from "./words-en.js";

/** The languages by their code. Translations that no native speaker has reviewed say so. */
export const LANGUAGES = { en: "English", nl: "Nederlands (unreviewed)", ru: "Русский (unreviewed)", th: "ไทย (unreviewed)" };

const chosen = setting("language", "en");
export const language = Object.hasOwn(LANGUAGES, chosen) ? chosen : "en";

const own = language === "en" ? base : await import(`./words-${language}.js`).catch(() => base);

/** A part of the catalogue; what a language lacks is English. */
const part = (name) => (Array.isArray(base[name]) ? (own[name] ?? base[name]) : { ...base[name], ...own[name] });

export const RESULTS = part("RESULTS");
export const REASONS = part("REASONS");
export const CLOCK_NAMES = part("CLOCK_NAMES");
export const STRENGTH_NAMES = part("STRENGTH_NAMES");
export const FAULT_NAMES = part("FAULT_NAMES");
export const GLYPH_NAMES = part("GLYPH_NAMES");
export const CURVES = part("CURVES");
export const AXES = part("AXES");
export const LEVELS = part("LEVELS");
export const CURVE_GROUPS = part("CURVE_GROUPS");
export const words = part("words");
export const labels = part("labels");
const PLAYERS = part("PLAYERS");

/** Shows the page in another language from now on. */
export function chooseLanguage(code) {
  keepSetting("language", code);
  location.reload();
}

/** What a player or a group is called: a key, and what belongs into its text. */
export function playerText([key, ...parts]) {
  const [first, ...rest] = parts.flat();
  if (key === "at-elo") return PLAYERS[key](first, playerText(rest));
  if (key === "held-back") return PLAYERS[key](playerText([first, ...rest]));
  return PLAYERS[key](first, ...rest);
}

/** What a database knows: `White wins in 5 plies`. */
export function truthText({ result, plies, is_bound: isBound, is_settled: isSettled }) {
  return result === "draw" ? labels.draw : words.truth(labels[result], plies, isBound, isSettled);
}

/** The same in a list of moves: `W5`, `=`. */
export function truthMark({ result, plies, is_bound: isBound }) {
  if (result === "draw") return "=";
  return `${result === "white" ? "W" : "B"}${plies == null || isBound ? "" : plies}`;
}

/** `White wins (no legal move)`. */
export function resultText(status, reason) {
  const why = REASONS[reason]?.[0] ?? reason ?? "";
  if (Object.hasOwn(RESULTS, status) && status !== "ongoing") return RESULTS[status] + (why ? ` (${why})` : "");
  return why.charAt(0).toUpperCase() + why.slice(1);
}
