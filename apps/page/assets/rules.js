// What is special about a game, with examples that can be played on the board.

import { loadVariants } from "./api.js";
import { Board } from "./board.js";
import { button, capitalized, h } from "./dom.js";
import { newDocument } from "./document.js";
import { stored } from "./play.js";
import { variantNamed } from "./setup.js";
import { labels, words } from "./words.js";

export class RulesView {
  /** Without a variant, the first of them. */
  constructor(variant = null) {
    this.variant = variant;
    this.element = h("div", { class: "page" });
  }

  close() {}

  async open() {
    const variants = await loadVariants();
    this.variant ??= [...variants.keys()][0];
    const view = await variantNamed(this.variant);
    const { card } = view;
    const list = (title, texts) => h("section", { class: "card" }, h("h2", {}, title), h("ul", {}, ...texts.map((text) => h("li", {}, text))));
    const others = [...variants.keys()].map((name) =>
      h("a", { href: `#/rules/${name}`, "aria-current": name === this.variant ? "page" : null }, capitalized(name)));
    this.element.replaceChildren(
      h("nav", { class: "pills", "aria-label": words.games }, ...others),
      h("h1", {}, capitalized(this.variant)),
      h("p", {}, card.summary),
      h("div", { class: "points" },
        h("section", { class: "card point" }, h("p", {}, words.startPosition), picture(words.startPosition, card.start, view),
          h("a", { class: "button", href: `#/new/${this.variant}` }, labels.play)),
        h("section", { class: "card point basics" }, h("h2", {}, words.basics), h("ul", {}, ...card.basics.map((text) => h("li", {}, text)))),
        ...card.points.map((point) => this.point(point, view))),
      h("div", { class: "two" }, list(words.drawnWhen, card.draws), list(words.sources, card.sources)),
    );
  }

  point({ text, example }, view) {
    if (!example) return h("section", { class: "card point" }, h("p", {}, text));
    const { fen, board, move, legal } = example;
    const play = async () => {
      const line = [{ move, comment: text }];
      const document = newDocument({ variant: this.variant, fen, line, name: words.example });
      document.at = document.live = [];
      location.hash = await stored(document);
    };
    return h("section", { class: "card point" }, h("p", {}, text), picture(`${words.example}: ${text}`, board, view),
      h("p", { class: "note" }, words.legalHere(legal)),
      button(words.tryMove(move), play, { "aria-label": `${words.tryMove(move)}: ${text}` }));
  }
}

/** A board that only shows these pieces. */
function picture(label, pieces, view) {
  const board = new Board({ label, isPicture: true });
  board.setVariant(view);
  board.show(pieces, {});
  return board.element;
}
