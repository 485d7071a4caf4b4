// What the browser stores: settings, and in the library the games.

import { newId } from "./document.js";
import { Library } from "./library.js";

const PREFIX = "crownhead.";
const memory = new Map();

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** A stored setting, or what is given. Where storage is disabled, settings last until the page is closed. */
export function setting(name, otherwise) {
  try {
    return parsed(localStorage.getItem(PREFIX + name)) ?? memory.get(name) ?? otherwise;
  } catch {
    return memory.get(name) ?? otherwise;
  }
}

export function keepSetting(name, value) {
  memory.set(name, value);
  try {
    localStorage.setItem(PREFIX + name, JSON.stringify(value));
  } catch {
    // It lasts until the page is closed.
  }
}

/** What belongs to this tab alone and outlives a reload: the place in a game, a position in the editor. */
export function placeOf(name) {
  try {
    return parsed(sessionStorage.getItem(PREFIX + name));
  } catch {
    return null;
  }
}

export function keepPlace(name, value) {
  try {
    sessionStorage.setItem(PREFIX + name, JSON.stringify(value));
  } catch {
    // A reload begins at the current ply.
  }
}

/** A property of the window, or null where the browser forbids it. */
function allowed(name) {
  try {
    return globalThis[name] ?? null;
  } catch {
    return null;
  }
}

function channel() {
  return typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel("crownhead");
}

export const library = new Library({ factory: allowed("indexedDB"), channel: channel(), old: allowed("localStorage"), newId });

/** Asks the browser, once, not to delete games when space runs out; whether it agrees. */
let persistence = null;
export function persist() {
  persistence ??= Promise.resolve(navigator.storage?.persist?.() ?? false).catch(() => false);
  return persistence;
}

/** Whether games are safe from the browser's clean-up, and the share of its space that is used. */
export async function safety() {
  try {
    const { usage = 0, quota = 0 } = await navigator.storage.estimate();
    return { isSafe: await navigator.storage.persisted(), used: quota ? usage / quota : 0 };
  } catch {
    return { isSafe: false, used: 0 };
  }
}
