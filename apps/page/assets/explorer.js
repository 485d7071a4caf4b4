// The card of openings: how games continued from the position on the board, in the server's book,
// in the games of this browser or in the file that is open.

import { post } from "./api.js";
import { Play } from "./document.js";
import { button, capitalized, figure, h } from "./dom.js";
import { percent, valueText } from "./panel.js";
import { keepSetting, setting } from "./settings.js";
import { library } from "./storage.js";
import { scoreOf } from "./value.js";
import { labels, words } from "./words.js";

/** Games that one request counts. */
const AT_ONCE = 300;
const KINDS = ["white", "draw", "black"];

const gamesOf = ({ white, draw, black, open }) => white + draw + black + open;

/** Results by position and move, as the server counts them. */
class Counts {
  constructor() {
    this.positions = new Map();
  }

  async add(order) {
    const { positions } = await post("/api/openings", order);
    for (const [key, moves] of Object.entries(positions)) {
      const known = this.positions.get(key) ?? new Map();
      this.positions.set(key, known);
      for (const move of moves) {
        const own = known.get(move.notation);
        if (own) [...KINDS, "open"].forEach((kind) => (own[kind] += move[kind]));
        else known.set(move.notation, move);
      }
    }
  }

  /** The moves of a position, the one played most first. */
  moves({ turn, board }) {
    return [...(this.positions.get(turn[0] + board)?.values() ?? [])].sort((a, b) => gamesOf(b) - gamesOf(a));
  }
}

export class Explorer {
  /** `view` is the [`PlayView`] that shows the positions. */
  constructor(view) {
    this.view = view;
    this.source = h("select", { class: "compact", name: "openings", "aria-label": labels.openingsOf, onchange: () => this.choose() });
    this.table = h("div", {});
    this.note = h("p", { class: "note", role: "status" });
    this.element = h("details", { class: "card openings", ontoggle: () => this.show() }, h("summary", {}, labels.openings), this.source, this.table, this.note);
    /** By session or collection: its games, counted. */
    this.known = new WeakMap();
    /** By move: where the opinion of the engine is shown, and that of the book. */
    this.opinions = new Map();
  }

  toggle() {
    this.element.open = !this.element.open;
    this.element.querySelector("summary").focus();
  }

  choose() {
    keepSetting("openings", this.source.value);
    this.show();
  }

  /** The sources that there are. */
  drawSources() {
    const { collection } = this.view.exchange;
    const sources = [["book", labels.openingBook], ["games", labels.ownGames], ...(collection ? [["file", labels.openedFile]] : [])];
    if (this.source.length === sources.length) return;
    const wanted = setting("openings", "book");
    this.source.replaceChildren(...sources.map(([id, text]) => h("option", { value: id, selected: id === wanted }, text)));
  }

  /** Shows the moves of the position on the board, if the card is open. */
  async show() {
    const { view } = this;
    if (!this.element.open || !view.isShown) return;
    this.drawSources();
    const { at } = view.play;
    const source = this.source.value;
    const { collection } = view.exchange;
    const isNow = () => this.at === at && this.from === source && this.collection === collection;
    if (isNow()) return;
    Object.assign(this, { at, collection, from: source });
    try {
      const { moves, about } = await (source === "book" ? this.inBook(at) : this.inGames(source));
      if (isNow()) this.draw(moves, about);
    } catch (error) {
      if (!isNow()) return;
      this.at = null;
      this.draw([], capitalized(error.message));
    }
  }

  async inBook(at) {
    const book = await post("/api/book", this.view.session.text(at));
    if (!book) return { moves: [], about: labels.noBook };
    return { moves: book.moves, about: [book.name, book.analyst].filter(Boolean).join(", ") };
  }

  async inGames(source) {
    const { session, view } = this.view;
    const of = source === "file" ? this.collection : session;
    const { variant } = session.play.info;
    if (this.known.get(of)?.variant !== variant) {
      const counts = this.count(source, variant);
      this.known.set(of, { variant, counts });
      counts.catch(() => this.known.delete(of));
    }
    const counts = await this.known.get(of).counts;
    return { moves: counts.moves(view), about: "" };
  }

  async count(source, variant) {
    const orders = source === "file" ? this.collection.pieces.map((text) => ({ variant, text })) : await ownGames(variant);
    const counts = new Counts();
    for (const [index, order] of orders.entries()) {
      if (this.view.isClosed) break;
      if (orders.length > 1) this.note.textContent = words.counting(Math.round((100 * index) / orders.length));
      await counts.add(order);
    }
    return counts;
  }

  draw(moves, about) {
    const { at } = this;
    this.opinions.clear();
    const all = moves.reduce((sum, move) => sum + gamesOf(move), 0);
    const head = [[labels.move], [labels.games, "end"], [labels.result], [labels.white, "end"], [labels.engine, "end"]];
    const row = (move) => {
      const games = move.white + move.draw + move.black;
      const share = Object.fromEntries(KINDS.map((kind) => [kind, games ? move[kind] / games : 0]));
      const opinion = h("td", { class: "end" });
      this.opinions.set(move.notation, { cell: opinion, value: move.value });
      return h("tr", {},
        h("td", { class: "moves-of" }, button(move.notation, () => this.view.playLine(at, [move.notation]))),
        h("td", { class: "end" }, gamesOf(move) ? figure(gamesOf(move)) : "–"),
        h("td", {}, games > 0 && results(share)),
        h("td", { class: "end" }, games ? percent(scoreOf(share, "white")) : "–"),
        opinion);
    };
    this.table.replaceChildren(...(moves.length
      ? [h("table", {}, h("thead", {}, h("tr", {}, ...head.map(([name, kind]) => h("th", { scope: "col", class: kind }, name)))), h("tbody", {}, ...moves.map(row)))]
      : []));
    const told = moves.length ? words.gamesHere(all) : about === labels.noBook ? "" : labels.notPlayed;
    this.note.textContent = [about, told].filter(Boolean).join(" · ");
    this.drawOpinions();
  }

  /** White's expected score after each move, as the analysis on the board finds it, else as the book has it. */
  drawOpinions() {
    const lines = (this.view.play.at === this.at && this.view.analysis.findings()?.lines) || [];
    for (const [notation, { cell, value }] of this.opinions) {
      const found = lines.find(({ moves }) => moves[0] === notation)?.value;
      const score = found ? scoreOf(found, "white") : value;
      cell.textContent = score == null ? "–" : percent(score);
    }
  }
}

/** The results of a move as a bar. */
function results(share) {
  const parts = KINDS.map((kind) => {
    const part = h("span", { class: kind });
    part.style.flexGrow = share[kind];
    return part;
  });
  return h("span", { class: "value-bar results", role: "img", "aria-label": valueText(share), title: valueText(share) }, ...parts);
}

/** The games of this browser as requests. */
async function ownGames(variant) {
  const own = (await library.games()).filter((game) => game.variant === variant);
  const games = own.map((game) => {
    const { isStudy, live, tree } = new Play(game);
    return { fen: game.fen, moves: (isStudy ? tree.root.end : live).moves, result: game.result ?? game.ended?.status };
  });
  const orders = [];
  for (let index = 0; index < games.length; index += AT_ONCE) orders.push({ variant, games: games.slice(index, index + AT_ONCE) });
  return orders;
}
