// All games that this browser stores.

import { button, capitalized, h, refill } from "./dom.js";
import { download } from "./exchange.js";
import { library, safety } from "./storage.js";
import { RESULTS, labels, words } from "./words.js";

/** The columns of the list: their names, and classes of their cells. */
const COLUMNS = [[labels.game, "title"], [labels.rules], [labels.moves, "end"], [labels.result], [labels.changed, "whole"], [labels.actions, "end actions"]];
/** The share of the browser's space from which on the user is warned. */
const FULL = 0.8;
/** Time after the last change by other tabs before the list is read again. */
const SETTLE_MS = 250;

export class GamesView {
  constructor() {
    this.list = h("div", { class: "card" });
    this.note = h("p", { class: "note", role: "status" });
    this.safe = h("p", { class: "note" });
    this.aside = h("div", { class: "card aside", hidden: true });
    this.search = h("input", { type: "search", placeholder: labels.searchGames, "aria-label": labels.searchGames, oninput: () => this.draw() });
    this.file = h("input", { type: "file", accept: ".json", hidden: true, onchange: () => this.restore() });
    const actions = h("div", { class: "buttons" }, button(labels.exportAll, () => this.save()), button(labels.importAll, () => this.file.click()), this.file);
    this.element = h("div", { class: "page" }, h("h1", {}, labels.games), h("div", { class: "bar-row" }, h("div", { class: "bar" }, this.search), actions), this.safe, this.note, this.aside, this.list);
  }

  close() {
    this.deaf?.();
    // A name that is being typed counts.
    this.list.querySelector("input")?.blur();
    clearTimeout(this.timer);
  }

  async open() {
    // Reading the list delays an import of another tab, which stores one game after the other.
    this.deaf = library.listen(() => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.refresh(), SETTLE_MS);
    });
    await this.refresh();
  }

  async refresh() {
    this.games = await library.games();
    await this.drawAside();
    await this.drawSafety();
    if (!this.list.contains(document.activeElement) || document.activeElement.tagName !== "INPUT") this.draw();
  }

  async drawSafety() {
    const { isSafe, used } = await safety();
    const unsaved = library.unsaved.size;
    const text = unsaved ? words.unsavedGames(unsaved) : used > FULL ? words.nearlyFull(Math.round(100 * used)) : isSafe || !this.games.length ? "" : words.mayBeEvicted;
    this.safe.textContent = text;
    this.safe.classList.toggle("wrong", Boolean(unsaved) || used > FULL);
  }

  async drawAside() {
    const aside = await library.aside();
    this.aside.hidden = aside.length === 0;
    const forget = async () => {
      await library.forgetAside();
      await this.refresh();
    };
    const save = () => download(JSON.stringify(aside, null, 1), "crownhead-damaged.json", "application/json");
    if (aside.length) this.aside.replaceChildren(
      h("p", {}, words.setAside(aside.length)),
      h("ul", {}, ...aside.map(({ id, fault }) => h("li", {}, `${id}: ${fault}`))),
      h("div", { class: "buttons" }, button(labels.saveFile, save), button(labels.delete, forget)),
    );
  }

  draw() {
    if (!this.games) return;
    const wanted = this.search.value.trim().toLowerCase();
    const all = this.games.filter((game) => textOf(game).toLowerCase().includes(wanted));
    const rows = all.map((game) => this.row(game));
    const head = h("tr", {}, ...COLUMNS.map(([name, kind]) => h("th", { scope: "col", class: kind }, name)));
    const table = h("div", { class: "stack" }, h("table", {}, h("thead", {}, head), h("tbody", {}, ...rows)));
    refill(this.list, rows.length ? table : h("p", { class: "note" }, wanted ? labels.noneFound : labels.noGamesKept));
  }

  row(game) {
    const date = new Date(game.changed).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
    const action = (text, act) => button(text, act, { class: "quiet", "aria-label": `${text} ${titleOf(game)}` });
    const title = h("a", { href: `#/game/${game.id}` }, titleOf(game), ...(game.name ? [h("span", { class: "note" }, playersOf(game))] : []));
    const result = RESULTS[game.result ?? game.ended?.status] ?? "–";
    const actions = [action(labels.rename, () => this.rename(title.parentNode, game)), action(labels.delete, () => this.remove(game))];
    const cells = [title, capitalized(game.variant), String(Math.ceil((game.live ?? game.line).length / 2)), result, date, actions];
    return h("tr", { "data-id": game.id }, ...cells.map((cell, index) => h("td", { class: COLUMNS[index][1], "data-label": COLUMNS[index][0] }, cell)));
  }

  rename(cell, game) {
    const input = h("input", { value: game.name, "aria-label": labels.gameName });
    const [...before] = cell.childNodes;
    const done = async () => {
      const name = input.value.trim();
      cell.replaceChildren(...before);
      if (name === game.name) return;
      const { newer } = await library.keep({ ...game, name });
      // Another tab has played on meanwhile: the name belongs to its stored game.
      if (newer) await library.keep({ ...newer, name });
      await this.refresh();
    };
    input.addEventListener("blur", done, { once: true });
    input.addEventListener("keydown", ({ key }) => {
      if (key === "Escape") input.value = game.name;
      if (key === "Escape" || key === "Enter") input.blur();
    });
    cell.replaceChildren(input);
    input.focus();
  }

  async remove(game) {
    await library.remove(game.id);
    await this.refresh();
    const back = async () => {
      await library.keep(game);
      this.note.replaceChildren();
      await this.refresh();
    };
    this.note.replaceChildren(words.deleted(titleOf(game)), button(labels.undo, back, { class: "quiet" }));
  }

  async save() {
    const day = new Date().toISOString().slice(0, 10);
    download(await library.toFile(), `crownhead-games-${day}.json`, "application/json");
  }

  async restore() {
    const [file] = this.file.files;
    this.file.value = "";
    if (!file) return;
    const count = await library.fromFile(await file.text());
    await this.refresh();
    this.note.textContent = count ? words.restored(count) : words.noGamesFile(file.name);
  }
}

/** Who plays a game. */
function playersOf({ terms }) {
  const side = (color) => terms[color].name || (terms[color].player === "human" ? words.human : terms[color].player);
  return `${side("white")} – ${side("black")}`;
}

/** The name of a game, or who plays it. */
const titleOf = (game) => game.name || playersOf(game);

/** What a search looks through. */
const textOf = (game) => `${titleOf(game)} ${playersOf(game)} ${game.variant} ${(game.tags ?? []).map(([, value]) => value).join(" ")}`;
