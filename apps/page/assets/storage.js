// The games that the browser stores.

import { newId } from "./document.js";
import { Library } from "./library.js";

/** What the browser gives, or null where it forbids that. */
function allowed(get) {
  try {
    return get() ?? null;
  } catch {
    return null;
  }
}

export const library = new Library({
  factory: allowed(() => globalThis.indexedDB),
  channel: allowed(() => new BroadcastChannel("crownhead")),
  local: allowed(() => globalThis.localStorage),
  newId,
});

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
