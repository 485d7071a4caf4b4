// All games that this browser keeps.

import { button, capitalised, h } from "./dom.js";
import { games, keepGame, removeGame } from "./storage.js";
import { RESULTS, labels, words } from "./words.js";

/** The columns of the list: their names, and classes of their cells. */
const COLUMNS = [[labels.game, "title"], [labels.rules], [labels.plies, "end"], [labels.result], [labels.changed, "whole"], [labels.actions, "end actions"]];

export class GamesView {
  constructor() {
    this.list = h("div", { class: "card" });
    this.note = h("p", { class: "note", role: "status" });
    this.search = h("input", { type: "search", placeholder: labels.searchGames, "aria-label": labels.searchGames, oninput: () => this.draw() });
    this.element = h("div", { class: "page" }, h("h1", {}, labels.games), h("div", { class: "bar" }, this.search), this.note, this.list);
  }

  close() {}

  open() {
    this.draw();
  }

  draw() {
    const wanted = this.search.value.trim().toLowerCase();
    const all = games().filter((game) => `${titleOf(game)} ${game.variant}`.toLowerCase().includes(wanted));
    const rows = all.map((game) => this.row(game));
    const head = h("tr", {}, ...COLUMNS.map(([name, kind]) => h("th", { scope: "col", class: kind }, name)));
    const table = h("div", { class: "stack" }, h("table", {}, h("thead", {}, head), h("tbody", {}, ...rows)));
    this.list.replaceChildren(rows.length ? table : h("p", { class: "note" }, wanted ? labels.noneFound : labels.noGamesKept));
  }

  row(game) {
    const date = new Date(game.changed).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
    const action = (text, act) => button(text, act, { class: "quiet", "aria-label": `${text} ${titleOf(game)}` });
    const title = h("a", { href: `#/game/${game.id}` }, titleOf(game));
    const result = RESULTS[game.result ?? game.ended?.status] ?? "–";
    const actions = [action(labels.name, () => this.rename(title.parentNode, game)), action(labels.delete, () => this.remove(game))];
    const cells = [title, capitalised(game.variant), String(game.line.length), result, date, actions];
    return h("tr", {}, ...cells.map((cell, index) => h("td", { class: COLUMNS[index][1], "data-label": COLUMNS[index][0] }, cell)));
  }

  rename(cell, game) {
    const input = h("input", { value: game.name, "aria-label": labels.gameName });
    const done = () => {
      game.name = input.value.trim();
      keepGame(game);
      this.draw();
    };
    input.addEventListener("change", done);
    input.addEventListener("keydown", (event) => event.key === "Escape" && this.draw());
    cell.replaceChildren(input);
    input.focus();
  }

  remove(game) {
    removeGame(game.id);
    this.draw();
    const back = () => {
      keepGame(game);
      this.note.replaceChildren();
      this.draw();
    };
    this.note.replaceChildren(words.deleted(titleOf(game)), button(labels.undo, back, { class: "quiet" }));
  }
}

/** The name of a game, or who plays it. */
function titleOf({ name, terms }) {
  if (name) return name;
  const side = (color) => terms[color].name || (terms[color].player === "human" ? words.human : terms[color].player);
  return `${side("white")} – ${side("black")}`;
}
