// Games and positions as text, file and link.

import { post } from "./api.js";
import { newDocument } from "./document.js";
import { button, capitalised, h } from "./dom.js";
import { Collection, documentOf, pdnOf } from "./pdn.js";
import { library } from "./storage.js";
import { RESULTS, labels, words } from "./words.js";

/** The card under the board: paste, open, copy, save, share. */
export class Exchange {
  /** `view` is the [`PlayView`] whose game is meant. */
  constructor(view) {
    this.view = view;
    this.choice = h("div", { class: "choice" });
    this.text = h("textarea", { rows: 4, spellcheck: "false", oninput: () => this.forget(), "aria-label": labels.pasteLabel, placeholder: labels.pasteHere });
    this.said = h("p", { class: "note", role: "alert" });
    this.file = h("input", { type: "file", accept: ".pdn,.pgn,.txt", hidden: true, onchange: () => this.open() });
    this.element = h(
      "details",
      { class: "card exchange" },
      h("summary", {}, labels.exchange),
      this.text,
      this.said,
      this.choice,
      this.file,
      h("div", { class: "controls pairs" },
        button(labels.load, () => this.load()),
        button(labels.openFile, () => this.file.click()),
        button(labels.saveFile, () => this.save()),
        button(labels.copyLink, () => this.attempt(async () => this.copy(await this.link()))),
        button(labels.copyFen, () => this.copy(this.view.view.fen)),
        button(labels.copyPdn, () => this.attempt(async () => this.copy(await this.pdn()))),
        h("a", { class: "button", href: "#/games" }, labels.allGames)),
    );
  }

  /** Says something about the text. */
  say(text, isWrong = false) {
    this.said.textContent = text;
    this.said.classList.toggle("wrong", isWrong);
  }

  async attempt(action) {
    this.say("");
    try {
      await action();
    } catch (error) {
      this.say(capitalised(error.message), true);
    }
  }

  forget() {
    this.collection = null;
    this.choice.replaceChildren();
  }

  edit() {
    const { play, view } = this.view;
    location.hash = `#/editor/${play.info.variant}?${new URLSearchParams({ f: view.fen })}`;
  }

  /** Opens the pasted text as a new game. */
  load() {
    const text = this.text.value.trim();
    if (!text) return this.say(words.pasteFirst, true);
    return this.attempt(() => this.show(text));
  }

  /** Opens a FEN, or a game of a PDN: the first. */
  async show(text) {
    this.forget();
    await this.view.opening;
    const { variant } = this.view.play.info;
    if (/^[WB]\s*:/i.test(text)) return this.view.begin(await documentOfFen(text, variant));
    this.collection = new Collection(text, variant);
    await this.choose(null);
  }

  async choose(game) {
    const { collection } = this;
    const { read, index } = await collection.read(game);
    if (this.collection !== collection) return;
    await this.view.begin(documentOf(read));
    this.showChoice(collection, index);
    const notes = [read.fault && words.readUpTo(read.fault), collection.known.games.length > 1 && words.gameOf(index + 1)];
    this.say(notes.filter(Boolean).join(" "), Boolean(read.fault));
  }

  /** A control for choosing another game, if there are several. */
  showChoice(collection, chosen) {
    const { games, isAll } = collection.known;
    if (games.length < 2 && isAll) return this.choice.replaceChildren();
    const option = (game, index) => h("option", { value: index, selected: index === chosen }, `${index + 1}. ${gameText(game)}`);
    const select = h("select", { onchange: (event) => this.attempt(() => this.choose(Number(event.target.value))) }, ...games.map(option));
    const more = button(labels.moreGames, () => this.attempt(async () => {
      await collection.more();
      this.showChoice(collection, chosen);
    }));
    this.choice.replaceChildren(...[h("label", { class: "field" }, h("span", {}, words.gameCount(games.length)), select), !isAll && more].filter(Boolean));
  }

  open() {
    const [file] = this.file.files;
    this.file.value = "";
    return file && this.attempt(async () => {
      const text = await file.text();
      // A text of millions of characters is no help in a field.
      this.text.value = text.length < SHOWN_CHARACTERS ? text : "";
      await this.show(text);
    });
  }

  pdn() {
    const { view } = this;
    const result = view.result();
    const ended = view.play.ended ?? (result && !view.play.live.isMain ? result : null);
    return pdnOf({ ...view.play, ended }, { white: view.nameOf("white"), black: view.nameOf("black") });
  }

  /** An address that holds the whole game, variations and comments too. */
  async link() {
    const parts = new URLSearchParams({ p: await this.pdn() });
    return `${location.origin}${location.pathname}#/open/${this.view.play.info.variant}?${parts}`;
  }

  save() {
    return this.attempt(async () => {
      const { name, variant } = this.view.play.info;
      download(await this.pdn(), `${fileName(name || variant)}.pdn`);
    });
  }

  async copy(text) {
    this.text.value = text;
    this.forget();
    if (await copy(text)) return this.say(words.copied);
    this.text.select();
    this.say(words.copyByHand);
  }
}

/** Characters of a file that are shown as text. */
const SHOWN_CHARACTERS = 100_000;

/** Copies a text; false where the browser does not allow it, as without encryption. */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

export const fileName = (name) => name.replaceAll(/[^\w-]+/g, "-");

/** Gives a text to the user as a file. */
export function download(text, name, type = "text/plain") {
  const url = URL.createObjectURL(new Blob([text], { type }));
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

async function documentOfFen(fen, variant) {
  const { start } = await post("/api/game", { variant, fen });
  return newDocument({ variant, fen: start });
}

/** Stores the game of an address as a draft; its id. The address has a PDN, or moves with a position and a name. */
export async function receive(variant, query) {
  const { p: pdn, m: moves, f: fen, n: name = "" } = Object.fromEntries(new URLSearchParams(query));
  const given = moves == null ? documentOf((await new Collection(pdn ?? "", variant).read()).read) : await documentOfMoves(variant, fen, moves, name);
  const { game = given } = await library.keep(given);
  return game.id;
}

async function documentOfMoves(variant, fen, moves, name) {
  const { start, history } = await post("/api/game", { variant, fen, moves: moves.split(" ").filter(Boolean) });
  return newDocument({ variant, fen: start, line: history.map(({ notation }) => ({ move: notation })), name });
}

function gameText({ white, black, result, error }) {
  if (error) return words.invalid(error);
  return `${white ?? "?"} – ${black ?? "?"}, ${RESULTS[result]}`;
}
