// Games and positions as text, file and link.

import { post } from "./api.js";
import { newDocument } from "./document.js";
import { button, capitalised, h } from "./dom.js";
import { keepGame } from "./storage.js";
import { withoutValues } from "./tree.js";
import { RESULTS, labels, words } from "./words.js";

/** The card under the board: paste, open, copy, save, share. */
export class Exchange {
  /** `view` is the [`PlayView`] whose game is meant. */
  constructor(view) {
    this.view = view;
    this.choice = h("div", { class: "choice" });
    this.text = h("textarea", { rows: 4, spellcheck: "false", oninput: () => this.choice.replaceChildren(), "aria-label": labels.pasteLabel, placeholder: labels.pasteHere });
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
        button(labels.load, () => this.load(), { class: "primary" }),
        button(labels.openFile, () => this.file.click()),
        button(labels.saveFile, () => this.save()),
        button(labels.copyLink, () => this.attempt(async () => this.copy(await linkTo(this.view)))),
        button(labels.copyFen, () => this.copy(this.view.view.fen)),
        button(labels.copyPdn, () => this.attempt(async () => this.copy(await pdnOf(this.view)))),
        button(labels.editPosition, () => this.edit()),
        h("a", { class: "button", href: "#/games" }, labels.allGames)),
    );
  }

  /** Says something beside the text. */
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

  edit() {
    const { play, view } = this.view;
    location.hash = `#/editor/${play.info.variant}?${new URLSearchParams({ f: view.fen })}`;
  }

  /** Opens the pasted text as a new game; of several games the chosen one, or the first. */
  load(chosen = null) {
    const text = this.text.value.trim();
    if (!text) return this.say(words.pasteFirst, true);
    const mine = (this.loading = {});
    return this.attempt(async () => {
      const { document, games, index } = await documentOf(text, this.view.play.info.variant, chosen);
      if (this.loading !== mine) return;
      await this.view.begin(document);
      this.choice.replaceChildren(...gameChoice(games, index, (other) => this.load(other)));
      if (games.length > 1) this.say(words.gameOf(index + 1, games.length));
    });
  }

  open() {
    const [file] = this.file.files;
    this.file.value = "";
    return file && this.attempt(async () => {
      this.text.value = await file.text();
      await this.load();
    });
  }

  save() {
    return this.attempt(async () => {
      const { name, variant } = this.view.play.info;
      download(await pdnOf(this.view), name || variant);
    });
  }

  async copy(text) {
    this.text.value = text;
    this.choice.replaceChildren();
    if (await copy(text)) return this.say(words.copied);
    this.text.select();
    this.say(words.copyByHand);
  }
}

/** Copies a text; false where the browser does not allow it, as without encryption. */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Gives a PDN to the user as a file. */
export function download(pdn, name) {
  const url = URL.createObjectURL(new Blob([pdn], { type: "text/plain" }));
  h("a", { href: url, download: `${name.replaceAll(/[^\w-]+/g, "-")}.pdn` }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

/** The game of a FEN or PDN, with the list of all games of a PDN and its index in it. */
async function documentOf(text, variant, chosen) {
  if (/^[WB]\s*:/i.test(text)) {
    const { start } = await post("/api/game", { variant, fen: text });
    return { document: newDocument({ variant, fen: start }), games: [], index: 0 };
  }
  const read = await post("/api/pdn/read", { text, variant, game: chosen });
  const tag = (name) => read.tags.find(([known]) => known === name)?.[1] ?? "";
  const seat = (color) => ({ player: "human", strength: "", name: tag(color) });
  const isOver = read.result !== "ongoing" && read.game.status === "ongoing";
  const { variant: played, start } = read.game;
  const document = newDocument({
    variant: played,
    fen: start,
    line: read.line,
    comment: read.comment,
    name: tag("Event"),
    terms: { white: seat("White"), black: seat("Black"), clock: "" },
    ended: isOver ? { status: read.result, reason: read.result === "draw" ? "agreed" : "resigned" } : null,
  });
  return { document, games: read.games, index: read.index };
}

/** The game on the board as PDN, with all variations. */
function pdnOf(view) {
  const { play } = view;
  const result = view.result();
  return post("/api/pdn/write", {
    variant: play.info.variant,
    fen: play.info.fen,
    comment: play.tree.root.comment,
    line: withoutValues(play.tree.toLine()),
    event: play.info.name || null,
    white: view.nameOf("white"),
    black: view.nameOf("black"),
    ended: play.ended ?? (result && !play.live.isMain ? result : null),
  }).then(({ text }) => text);
}

/** An address that holds the whole game, variations and comments too. */
export async function linkTo(view) {
  const parts = new URLSearchParams({ p: await pdnOf(view) });
  return `${location.origin}${location.pathname}#/open/${view.play.info.variant}?${parts}`;
}

/** Keeps the game of an address as a new one; its id. The address has a PDN, or moves with a position and a name. */
export async function receive(variant, query) {
  const { p: pdn, m: moves, f: fen, n: name = "" } = Object.fromEntries(new URLSearchParams(query));
  const document = moves == null ? (await documentOf(pdn ?? "", variant, null)).document : await documentOfMoves(variant, fen, moves, name);
  keepGame(document);
  return document.id;
}

async function documentOfMoves(variant, fen, moves, name) {
  const { start, history } = await post("/api/game", { variant, fen, moves: moves.split(" ").filter(Boolean) });
  return newDocument({ variant, fen: start, line: history.map(({ notation }) => ({ move: notation })), name });
}

/** A control for choosing another game, if there are several. */
function gameChoice(games, chosen, onChoose) {
  if (games.length < 2) return [];
  const option = (game, index) => h("option", { value: index, selected: index === chosen }, `${index + 1}. ${gameText(game)}`);
  const select = h("select", { onchange: (event) => onChoose(Number(event.target.value)) }, ...games.map(option));
  return [h("label", { class: "field" }, h("span", {}, words.gameCount(games.length)), select)];
}

function gameText({ white, black, result, error }) {
  if (error) return words.invalid(error);
  return `${white ?? "?"} – ${black ?? "?"}, ${RESULTS[result]}`;
}
