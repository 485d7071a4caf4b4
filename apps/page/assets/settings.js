// Settings that the browser stores, and what belongs to one tab.

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

/** What belongs to this tab alone and outlives a reload: the place in a game. */
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
