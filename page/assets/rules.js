// What is special about a game, with examples that can be played on the board.

import { get, loadVariants } from "./api.js";
import { Board } from "./board.js";
import { capitalised, h } from "./dom.js";
import { newDocument } from "./document.js";
import { keepGame } from "./storage.js";

export class RulesView {
  constructor(variant) {
    this.variant = variant;
    this.element = h("div", { class: "page" });
  }

  close() {}

  async open() {
    const [variants, cards] = await Promise.all([loadVariants(), get("/assets/cards.json")]);
    const card = cards[this.variant];
    if (!card) throw new Error(`There is no game ${this.variant}: choose one of ${[...variants.keys()].join(", ")}.`);
    const board = variants.get(this.variant);
    const list = (title, texts) => h("section", { class: "card" }, h("h2", {}, title), h("ul", {}, ...texts.map((text) => h("li", {}, text))));
    const others = [...variants.keys()].map((name) =>
      h("a", { href: `#/rules/${name}`, "aria-current": name === this.variant ? "page" : null }, capitalised(name)));
    this.element.replaceChildren(
      h("nav", { class: "pills", "aria-label": "Games" }, ...others),
      h("h1", {}, capitalised(this.variant)),
      h("p", {}, card.summary),
      h("div", { class: "points" }, ...card.points.map((point) => this.point(point, board))),
      h("div", { class: "two" }, list("The game is drawn", card.draws), list("Sources", card.sources)),
    );
  }

  point({ text, fen, moves }, variant) {
    if (!fen) return h("section", { class: "card point" }, h("p", {}, text));
    const board = new Board({ label: `Example: ${text}`, isPicture: true });
    board.setVariant(variant);
    board.show(boardOf(fen, variant), {});
    const play = () => {
      const line = [{ move: moves, comment: text }];
      const document = newDocument({ variant: this.variant, fen, line, name: "Example" });
      document.at = document.live = [];
      keepGame(document);
      location.hash = `#/game/${document.id}`;
    };
    return h("section", { class: "card point" }, h("p", {}, text), board.element,
      h("button", { type: "button", onclick: play, "aria-label": `Try ${moves} on the board: ${text}` }, `Try ${moves} on the board`));
  }
}

/** The pieces of a FEN with plain numbers, one letter a square. */
export function boardOf(fen, variant) {
  const letters = Array(variant.squares.length).fill(".");
  for (const field of fen.split(":").slice(1)) {
    const side = field[0];
    if (side !== "W" && side !== "B") continue;
    for (const piece of field.slice(1).split(",").filter(Boolean)) {
      const isKing = piece.startsWith("K");
      letters[Number(piece.replace("K", "")) - 1] = isKing ? side : side.toLowerCase();
    }
  }
  return letters.join("");
}
