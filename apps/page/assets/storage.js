// The games that the browser stores.

import { newId } from "./document.js";
import { Library } from "./library.js";

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

export const library = new Library({ factory: allowed("indexedDB"), channel: channel(), local: allowed("localStorage"), newId });

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
