// The games that this browser stores, and what its tabs tell each other about them.
//
// Every stored game has a version. A change names the version that it changes; if another tab was
// faster, the change is refused and the caller decides. Nothing is written over a newer version. A
// game that cannot be stored stays in memory, where it precedes the stored version until it can be
// stored, and the caller learns it at once.

import { done, openDatabase, transact } from "./database.js";

/** The keys of games in `localStorage`: what pages left there when they closed, each page under its own keys. */
const LEFT_GAME = "crownhead.game.";
/** Time that a game without a move is stored for: it can be opened by its address, but is not listed. */
const DRAFT_MS = 24 * 3600 * 1000;
/** Time that the database has to open: some browsers never say that it cannot. */
const OPEN_MS = 5000;
const FORMAT = "crownhead games";

const isText = (value) => typeof value === "string";
const isText0 = (value) => value == null || isText(value);
const isListOf = (list, fits) => list === undefined || (Array.isArray(list) && list.every(fits));
const isPair = (pair) => Array.isArray(pair) && pair.length === 2 && pair.every(isText);

/** Why something stored is not a game; nothing if it is one. */
export function faultOf(game) {
  if (game === null || typeof game !== "object" || !isText(game.id)) return "it has no identifier";
  if (!isText(game.variant)) return "it names no game";
  if (!isLine(game.line)) return "its moves cannot be read";
  const isSeat = (seat) => seat && isText(seat.player) && isText(seat.name) && isText0(seat.strength);
  if (!isSeat(game.terms?.white) || !isSeat(game.terms.black)) return "it has no players";
  if (![game.name, game.comment, game.fen, game.terms.clock].every(isText0)) return "its texts cannot be read";
  if (!isListOf(game.tags ?? undefined, isPair)) return "its tags cannot be read";
  if (!isListOf(game.shapes ?? undefined, isText)) return "its drawings cannot be read";
  const isPath = (path) => path == null || (Array.isArray(path) && path.every(Number.isInteger));
  if (!isPath(game.at) || !isPath(game.live)) return "its position cannot be read";
  if (game.ended != null && !(isText(game.ended.status) && isText(game.ended.reason))) return "its end cannot be read";
  const isClock = (side) => Number.isFinite(side?.left) && Number.isFinite(side.moves);
  if (game.clocks != null && !(isClock(game.clocks.white) && isClock(game.clocks.black))) return "its clocks cannot be read";
  return null;
}

function isLine(line) {
  const isPly = (ply) => isText(ply?.move) && [ply.comment, ply.glyph, ply.fault, ply.by].every(isText0) && isListOf(ply.data, isPair) && isListOf(ply.shapes, isText) && isListOf(ply.variations, isLine);
  return Array.isArray(line) && line.every(isPly);
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The content of a game as text, whatever its identifier, version and dates. */
const contentOf = ({ id, version, changed, created, at, ...content }) => JSON.stringify(content);

export class Library {
  /**
   * `factory` is an IDBFactory, `channel` a BroadcastChannel, `local` a `localStorage` and `now` the clock. Any of the
   * first three may be null: without a database games last until the page is closed.
   */
  constructor({ factory, channel, local = null, now = Date.now, newId }) {
    Object.assign(this, { factory, channel, local, now, newId });
    /** What `localStorage` calls this page. */
    this.page = newId();
    /**
     * The last changes of games that are being stored, by identifier: `{game, after, saved}`. Where one waits for
     * another, `after` is the date of that one, and `saved` ends when both are stored.
     */
    this.storing = new Map();
    /** Those that could not be stored: `{game, after, key}`. `key` is where another page has left the game. */
    this.unsaved = new Map();
    this.listeners = new Set();
    channel?.addEventListener("message", ({ data }) => this.listeners.forEach((listen) => listen(data)));
  }

  /** Opens the database once, takes over what other pages left in `localStorage`, and removes old drafts. */
  open() {
    this.opened ??= this.begin();
    return this.opened;
  }

  async begin() {
    const opening = openDatabase(this.factory, () => (this.database = null));
    const opened = opening.then((database) => (this.database = database)).catch(() => {});
    // Should it open later, the next change is stored, and with it what waits in memory.
    let timer;
    await Promise.race([opened, new Promise((resolve) => (timer = setTimeout(resolve, OPEN_MS)))]);
    clearTimeout(timer);
    await this.takeOver().catch(() => {});
    await this.transact("readwrite", async (games) => {
      for (const game of await done(games.getAll())) if (this.isOld(game)) games.delete(game.id);
    }).catch(() => {});
  }

  isOld(game) {
    return game.isDraft && !(game.created > this.now() - DRAFT_MS);
  }

  transact(mode, act) {
    if (!this.database) return Promise.reject(new DOMException("there is no database", "InvalidStateError"));
    return transact(this.database, mode, act);
  }

  /**
   * The page closes: what is not in the database goes into `localStorage`, which is written at once, and the next page
   * takes it over from there.
   */
  leave() {
    // A game that is in the middle of storing is newer than one that failed before.
    for (const [id, { game, after }] of new Map([...this.unsaved, ...this.storing])) {
      try {
        this.local?.setItem(this.leftKey(id), JSON.stringify({ ...game, after }));
        this.forgetLeft(this.unsaved.get(id)?.key);
      } catch {
        // No space for it: the page has said so, and asks before it closes.
      }
    }
  }

  leftKey(id) {
    return `${LEFT_GAME}${id}.${this.page}`;
  }

  forgetLeft(key) {
    if (key) this.local?.removeItem(key);
  }

  /** A game changes while an earlier change is being stored. `saved` ends when this one is stored too. */
  next(game, saved) {
    const before = this.storing.get(game.id);
    if (before) this.storing.set(game.id, { game: { ...game, changed: this.now() }, after: before.after ?? before.game.changed, saved });
  }

  /** Moves the games of `localStorage` into the database; what finds no place there stays where it is, and is shown. */
  async takeOver() {
    const keys = Object.keys(this.local ?? {}).filter((key) => key.startsWith(LEFT_GAME));
    const left = keys.map((key) => ({ key, game: parsed(this.local.getItem(key)) }));
    // If there are several of one game, the last is shown.
    for (const { key, game } of left.sort((a, b) => a.game?.changed - b.game?.changed)) {
      const fault = faultOf(game);
      if (fault) await this.transact("readwrite", async (_, aside) => aside.put({ id: key, game, fault })).then(() => this.forgetLeft(key), () => {});
      else if (this.isOld(game)) this.forgetLeft(key);
      else {
        const { after, ...content } = game;
        await this.rescue({ game: { version: 0, ...content }, after, key });
      }
    }
  }

  tell(kind, id, content = {}) {
    this.channel?.postMessage({ kind, id, ...content });
  }

  /** Calls `listen({kind, id, ..})` for what other tabs tell, and when this one has stored a game; call the result to stop. */
  listen(listen) {
    this.listeners.add(listen);
    return () => this.listeners.delete(listen);
  }

  /** A game, or null. */
  async game(id) {
    await this.open();
    // It may have been closed a moment ago, with changes that wait for others.
    await this.storing.get(id)?.saved;
    const stored = await this.transact("readonly", (games) => done(games.get(id))).catch(() => null);
    const { game } = this.unsaved.get(id) ?? {};
    if (game) return game;
    return stored && !faultOf(stored) ? stored : null;
  }

  /** All games with a move, the one that was changed last first. */
  async games() {
    return (await this.all()).filter(({ isDraft }) => !isDraft).sort((a, b) => b.changed - a.changed);
  }

  /** All games, drafts too. Stored ones that are damaged are set aside. */
  async all() {
    await this.open();
    const stored = await this.transact("readonly", (games) => done(games.getAll())).catch(() => []);
    const damaged = stored.filter(faultOf);
    if (damaged.length) await this.setAside(damaged);
    const unsaved = [...this.unsaved.values()].map(({ game }) => game);
    return [...stored.filter((game) => !faultOf(game) && !this.unsaved.has(game.id)), ...unsaved];
  }

  setAside(damaged) {
    return this.transact("readwrite", async (games, aside) => {
      for (const game of damaged) {
        aside.put({ id: String(game.id), game, fault: faultOf(game) });
        games.delete(game.id);
      }
    }).catch(() => {});
  }

  /** What was stored in place of games: `{id, game, fault}`. */
  async aside() {
    await this.open();
    return this.transact("readonly", (_, aside) => done(aside.getAll())).catch(() => []);
  }

  async forgetAside() {
    await this.transact("readwrite", async (_, aside) => aside.clear());
  }

  /**
   * Stores a change of a game. Resolves to {game} with its new version; to {newer} with what another tab has stored
   * meanwhile, in which case nothing was written; or to {problem}, `full` or `closed`, if it is in memory only.
   */
  async keep(game) {
    const mine = { game: { ...game, changed: this.now() } };
    this.storing.set(game.id, mine);
    await this.open();
    const attempt = await this.store(mine);
    if (attempt.game) this.flush();
    return attempt;
  }

  async store(mine) {
    const { game, after, key } = { ...this.unsaved.get(mine.game.id), ...mine };
    const attempt = await this.transact("readwrite", async (games) => {
      const stored = await done(games.get(game.id));
      // The page that left this change may not have learned that the one before it was stored.
      const follows = !stored || stored.version === game.version || (after !== undefined && stored.changed === after);
      if (!follows) return { newer: stored };
      const next = { ...game, version: (stored ?? game).version + 1 };
      games.put(next);
      return { game: next };
    }).catch((error) => ({ problem: error.name === "QuotaExceededError" ? "full" : "closed" }));
    if (attempt.newer || this.storing.get(game.id) === mine) this.storing.delete(game.id);
    if (attempt.problem) this.unsaved.set(game.id, { game, after, key });
    else this.unsaved.delete(game.id);
    if (!attempt.game) return attempt;
    this.forgetLeft(key);
    // A page that came back from the browser's cache had left it.
    if (!this.storing.has(game.id)) this.forgetLeft(this.leftKey(game.id));
    this.tell("kept", game.id, { version: attempt.game.version });
    // A view that was left stores its last change while this tab shows the list.
    this.listeners.forEach((listen) => listen({ kind: "stored", id: game.id }));
    return attempt;
  }

  /** There is space again: stores what is in memory only. */
  async flush() {
    for (const [id, entry] of [...this.unsaved]) if (this.unsaved.get(id) === entry && !this.storing.has(id)) await this.rescue(entry);
  }

  /** Stores a game that nobody has open. One that another tab has changed becomes another game. */
  async rescue(entry) {
    const { game, key = this.leftKey(game.id) } = entry;
    this.storing.set(game.id, entry);
    const { newer } = await this.store(entry);
    if (newer && contentOf(newer) === contentOf(game)) this.forgetLeft(key);
    else if (newer) await this.rescue({ game: { ...game, id: this.newId(), version: 0 }, key });
  }

  async remove(id) {
    this.forgetLeft(this.unsaved.get(id)?.key);
    this.forgetLeft(this.leftKey(id));
    this.unsaved.delete(id);
    await this.transact("readwrite", async (games) => games.delete(id)).catch(() => {});
    this.tell("removed", id);
  }

  /** All games, and what was set aside, as text of a file. */
  async toFile() {
    return JSON.stringify({ format: FORMAT, version: 1, games: await this.games(), aside: await this.aside() });
  }

  /** Adds the games of such a file. One that is here with other moves is added as another game, once. */
  async fromFile(text) {
    const file = parsed(text);
    if (file?.format !== FORMAT || !Array.isArray(file.games)) return null;
    const here = await this.all();
    const ids = new Set(here.map(({ id }) => id));
    const contents = new Set(here.map(contentOf));
    const count = { added: 0, known: 0, damaged: 0 };
    const added = [];
    for (const game of file.games) {
      const isTaken = ids.has(game?.id);
      const next = { ...game, id: isTaken ? this.newId() : game?.id, version: 1, isDraft: false };
      if (faultOf(game)) count.damaged += 1;
      else if (isTaken && contents.has(contentOf(next))) count.known += 1;
      else {
        ids.add(next.id);
        contents.add(contentOf(next));
        added.push(next);
      }
    }
    // All at once: a tab that is not in front waits long for each transaction.
    const outcomes = await this.transact("readwrite", async (games) => added.map((game) => games.add(game))).then(() => {
      this.tell("added");
      return added;
    }, () => Promise.all(added.map((game) => this.keep({ ...game, version: 0 }))));
    count.added = outcomes.filter(({ newer }) => !newer).length;
    return count;
  }
}
