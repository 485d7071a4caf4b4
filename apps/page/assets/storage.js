// What the browser keeps: settings and games. Where storage is disabled it lasts until the page is closed.

const GAME = "crownhead.game.";
const memory = new Map();

function read(key) {
  try {
    return localStorage.getItem(key) ?? memory.get(key) ?? null;
  } catch {
    return memory.get(key) ?? null;
  }
}

/** Keeps a value; false if it does not outlive the page. */
function write(key, text) {
  memory.set(key, text);
  try {
    localStorage.setItem(key, text);
    memory.delete(key);
    return true;
  } catch {
    return false;
  }
}

function forget(key) {
  memory.delete(key);
  try {
    localStorage.removeItem(key);
  } catch {
    // It was in memory only.
  }
}

function keys() {
  try {
    return [...new Set([...Object.keys(localStorage), ...memory.keys()])];
  } catch {
    return [...memory.keys()];
  }
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** A stored setting, or what is given. */
export function setting(name, otherwise) {
  return parsed(read(`crownhead.${name}`)) ?? otherwise;
}

export function keepSetting(name, value) {
  return write(`crownhead.${name}`, JSON.stringify(value));
}

/** All games, the one changed last first. */
export function games() {
  const documents = keys().filter((key) => key.startsWith(GAME)).map((key) => parsed(read(key)));
  return documents.filter(Boolean).sort((a, b) => b.changed - a.changed);
}

export function game(id) {
  return parsed(read(GAME + id));
}

/** Keeps a game; false if it does not outlive the page. */
export function keepGame(document) {
  return write(GAME + document.id, JSON.stringify({ ...document, changed: Date.now() }));
}

export function removeGame(id) {
  forget(GAME + id);
}
