// Games as PDN, of any size: a collection is read in pieces, a request to the server holds one of
// them.

import { post } from "./api.js";
import { newDocument, person } from "./document.js";
import { gameLine } from "./tree.js";
import { words } from "./words.js";

/** Characters of a piece of a collection. A single game may be longer. */
const PIECE = 200_000;

/**
 * Splits a text where a game begins: at a tag in square brackets that follows a line without one. Every piece has
 * whole games.
 */
export function pieces(text, size = PIECE) {
  const parts = [];
  let start = 0;
  let last = 0;
  for (const { index } of text.matchAll(/\n[ \t]*\r?\n(?=\s*\[)/g)) {
    if (index - start > size && last > start) {
      parts.push(text.slice(start, last));
      start = last;
    }
    last = index;
  }
  if (text.length - start > size && last > start) {
    parts.push(text.slice(start, last));
    start = last;
  }
  return [...parts, text.slice(start)];
}

/** A text with games, whose pieces are read one after the other. */
export class Collection {
  /** `variant` is the one of games that no tag names, if the user has chosen it; `board` the one on the board. */
  constructor(text, { variant = null, board = null } = {}) {
    Object.assign(this, { variant, board, pieces: pieces(text) });
    /** By piece: what the server has said about its games. */
    this.lists = [];
  }

  /** The same text, with the variant that the user has chosen. */
  as(variant) {
    this.variant = variant;
    this.lists = [];
  }

  async ask(text, game) {
    const { variant, board } = this;
    const read = await post("/api/pdn/read", { text, variant, board, game });
    if (!read.game) throw Object.assign(new Error(words.whichGame), { fits: read.fits });
    return read;
  }

  /**
   * Reads a game: `game` counts from 0, null is the first that can be read. An error with `fits` says that the user has to
   * choose one of these variants.
   */
  async read(game = null) {
    let before = 0;
    let failure = null;
    for (const [index, text] of this.pieces.entries()) {
      const games = this.lists[index];
      if (game !== null && games && game >= before + games.length) {
        before += games.length;
        continue;
      }
      try {
        const read = await this.ask(text, game !== null && games ? game - before : null);
        this.lists[index] = read.games;
        if (game === null) return { read, index: before + read.index };
        if (game < before + read.games.length) {
          const wanted = read.index === game - before ? read : await this.ask(text, game - before);
          return { read: wanted, index: game };
        }
        before += read.games.length;
      } catch (error) {
        if (game !== null || this.pieces.length === 1 || error.fits || error.isAway) throw error;
        failure ??= error;
        this.lists[index] = [];
      }
    }
    throw failure;
  }

  /** The games that are known so far, and whether those are all. */
  get known() {
    const games = [];
    for (let index = 0; this.lists[index]; index += 1) games.push(...this.lists[index]);
    return { games, isAll: this.lists.filter(Boolean).length === this.pieces.length };
  }

  /** Reads the next piece that has not been read. One without a readable game has none. */
  async more() {
    const index = this.pieces.findIndex((_, place) => !this.lists[place]);
    if (index < 0) return;
    this.lists[index] = await this.ask(this.pieces[index], null).then(({ games }) => games, (error) => {
      if (error.fits || error.isAway) throw error;
      return [];
    });
  }
}

/** What other programs write into comments for programs: clocks, values. */
const COMMANDS = /\[%[^\]]*\]/g;

function withoutCommands(line) {
  return line.map(({ comment, variations, ...ply }) => ({ ...ply, comment: comment.replace(COMMANDS, "").trim(), variations: variations.map(withoutCommands) }));
}

/** Tags that follow from the game, or are stored elsewhere. */
const OWN_TAGS = ["White", "Black", "Event", "Result", "Winner", "GameType", "FEN", "SetUp", "Variant"];

/** A game that was read, as a document. It is a record: nothing lengthens it. */
export function documentOf(read) {
  const tag = (name) => read.tags.find(([known]) => known === name)?.[1] ?? "";
  const isOver = read.result !== "ongoing" && read.game.status === "ongoing";
  const { variant, start } = read.game;
  return newDocument({
    variant,
    fen: start,
    line: withoutCommands(read.line),
    comment: read.comment.replace(COMMANDS, "").trim(),
    name: tag("Event"),
    terms: { white: person(tag("White")), black: person(tag("Black")), clock: null },
    // Why it ended is not known.
    ended: isOver ? { status: read.result, reason: "" } : null,
    isRecord: read.line.length > 0,
    tags: read.tags.filter(([name]) => !OWN_TAGS.includes(name)),
  });
}

/** The day of a game, as PDN has it. */
function dayOf(time) {
  const date = new Date(time);
  const two = (number) => String(number).padStart(2, "0");
  return `${date.getFullYear()}.${two(date.getMonth() + 1)}.${two(date.getDate())}`;
}

/** A game as PDN, with all variations. `names` are the players'. */
export async function pdnOf({ info, tree, live, ended }, names) {
  const hasDay = info.isRecord || info.tags?.some(([name]) => name === "Date");
  const { text } = await post("/api/pdn/write", {
    variant: info.variant,
    fen: info.fen,
    comment: tree.root.comment,
    line: gameLine(tree, live),
    event: info.name || null,
    white: names.white,
    black: names.black,
    ended,
    tags: [...(hasDay ? [] : [["Date", dayOf(info.created)]]), ...(info.tags ?? [])],
  });
  return text;
}
