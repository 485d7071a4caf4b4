// Games and positions as text, file and link.

import { post } from "./api.js";
import { newDocument } from "./document.js";
import { button, capitalized, h } from "./dom.js";
import { library } from "./storage.js";
import { RESULTS, labels, words } from "./words.js";

/** A module that is loaded when it is needed, or why it is not there. */
export async function loaded(load) {
  return load().catch((error) => {
    throw error instanceof TypeError ? Object.assign(new Error(words.noServer), { isModule: true }) : error;
  });
}

/** What reads and writes files is loaded with the first one. */
const pdnModule = () => loaded(() => import("./pdn.js"));

/** The card under the board: paste, open, copy, save, share. */
export class Exchange {
  /** `view` is the [`PlayView`] whose game is meant. */
  constructor(view) {
    this.view = view;
    this.choice = h("div", { class: "choice" });
    this.text = h("textarea", { rows: 4, spellcheck: "false", oninput: () => this.forget(), "aria-label": labels.pasteLabel, placeholder: labels.pasteHere });
    this.said = h("p", { class: "note", role: "alert" });
    this.encoding = h("div", {});
    this.file = h("input", { type: "file", accept: ".pdn,.pgn,.txt", hidden: true, onchange: () => this.open() });
    this.element = h(
      "details",
      { class: "card exchange" },
      h("summary", {}, labels.exchange),
      this.text,
      this.said,
      this.encoding,
      this.choice,
      this.file,
      h("div", { class: "controls pairs" },
        button(labels.load, () => this.load()),
        button(labels.openFile, () => this.file.click()),
        button(labels.saveFile, () => this.save()),
        button(labels.copyLink, () => this.attempt(async () => this.copy(await this.link()))),
        button(labels.copyFen, () => this.attempt(async () => this.copy((await this.view.session.viewOf(this.view.play.at)).fen))),
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
      this.say(capitalized(error.message), true);
    }
  }

  forget() {
    this.collection = null;
    this.choice.replaceChildren();
    this.encoding.replaceChildren();
  }

  edit() {
    const { play, view } = this.view;
    if (!view) return;
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
    const { Collection } = await pdnModule();
    this.collection = new Collection(text, { board: variant });
    await this.choose(null);
  }

  async choose(game) {
    const { collection } = this;
    // Only the last choice counts, however late the replies come.
    const mine = (this.asked = {});
    const isLast = () => this.collection === collection && this.asked === mine;
    try {
      const { documentOf } = await pdnModule();
      const { read, index } = await collection.read(game);
      if (!isLast()) return;
      await this.view.begin(documentOf(read));
      this.showChoice(collection, index, read);
      const isOne = collection.known.games.length < 2;
      const notes = [read.fault && (read.is_whole ? `${capitalized(read.fault)}.` : words.readUpTo(read.fault)), read.fits.length > 1 && words.readAs(capitalized(read.game.variant)), !isOne && words.gameOf(index + 1)];
      this.say(notes.filter(Boolean).join(" "), Boolean(read.fault));
    } catch (error) {
      if (!isLast()) return;
      if (!error.fits) throw error;
      this.choice.replaceChildren(this.variantChoice(error.fits, null));
      this.say(error.message);
    }
  }

  /** A control for the variant of a text that does not name it. */
  variantChoice(fits, chosen) {
    const option = (name) => h("option", { value: name, selected: name === chosen }, name ? capitalized(name) : "");
    const choose = (event) => this.attempt(() => {
      this.collection.as(event.target.value);
      return this.choose(null);
    });
    return h("label", { class: "field" }, h("span", {}, labels.game), h("select", { name: "which", onchange: choose }, ...[...(chosen ? [] : [""]), ...fits].map(option)));
  }

  /** Controls for choosing another game, if there are several, or another variant; what is wrong with games. */
  showChoice(collection, chosen, { fits, game: { variant } }) {
    const { games, isAll } = collection.known;
    const option = (game, index) => h("option", { value: index, selected: index === chosen }, `${index + 1}. ${gameText(game)}`);
    const select = h("select", { name: "of-file", onchange: (event) => this.attempt(() => this.choose(Number(event.target.value))) }, ...games.map(option));
    const more = button(labels.moreGames, () => this.attempt(async () => {
      await collection.more();
      this.showChoice(collection, chosen, { fits: [], game: { variant } });
    }));
    const isOne = games.length < 2 && isAll;
    this.choice.replaceChildren(...[
      (fits.length > 1 || collection.variant) && this.variantChoice(collection.variant ? [...new Set([...this.view.variants.keys()])] : fits, variant),
      !isOne && h("label", { class: "field" }, h("span", {}, words.gameCount(games.length)), select),
      !isAll && more,
      !isOne && this.faults(games),
    ].filter(Boolean));
  }

  /** The games with faults; each can be opened as far as it can be read. */
  faults(games) {
    const faulty = games.map(({ error }, index) => ({ error, index })).filter(({ error }) => error);
    const row = ({ error, index }) => h("li", {}, button(words.gameNumber(index + 1), () => this.attempt(() => this.choose(index)), { class: "quiet" }), error);
    return faulty.length > 0 && h("details", { class: "faults" }, h("summary", {}, words.faultyGames(faulty.length)), h("ul", {}, ...faulty.map(row)));
  }

  open() {
    const [file] = this.file.files;
    this.file.value = "";
    return file && this.attempt(async () => this.openBytes(new Uint8Array(await file.arrayBuffer())));
  }

  /** Opens the bytes of a file. Where they are not UTF-8, the user may choose another encoding than the guessed one. */
  async openBytes(bytes, stated = null) {
    const { ENCODINGS, decoded } = await loaded(() => import("./encoding.js"));
    const { text, encoding } = decoded(bytes, stated);
    // A text of millions of characters is no help in a field.
    this.text.value = text.length < SHOWN_CHARACTERS ? text : "";
    const shown = this.show(text.trim());
    if (encoding !== "utf-8" || stated) {
      const option = (name) => h("option", { value: name, selected: name === encoding }, name);
      const choose = (event) => this.attempt(() => this.openBytes(bytes, event.target.value));
      this.encoding.replaceChildren(h("label", { class: "field" }, h("span", { role: "status" }, words.notUtf8(encoding)), h("select", { name: "encoding", onchange: choose }, ...ENCODINGS.map(option))));
    }
    await shown;
  }

  async pdn() {
    const { pdnOf } = await pdnModule();
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
  const { Collection, documentOf } = await pdnModule();
  const given = moves == null ? documentOf((await new Collection(pdn ?? "", { variant }).read()).read) : await documentOfMoves(variant, fen, moves, name);
  const { game = given } = await library.keep(given);
  return game.id;
}

async function documentOfMoves(variant, fen, moves, name) {
  const { start, history } = await post("/api/game", { variant, fen, moves: moves.split(" ").filter(Boolean) });
  return newDocument({ variant, fen: start, line: history.map(({ notation }) => ({ move: notation })), name });
}

function gameText({ white, black, result, error }) {
  const players = `${white ?? "?"} – ${black ?? "?"}`;
  return error ? `${players}, ${words.invalid(error)}` : `${players}, ${RESULTS[result]}`;
}
