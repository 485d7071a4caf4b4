// The moves of a game with variations, comments and marks.

import { h, refill } from "./dom.js";
import { GLYPH_NAMES, labels, truthMark, truthText, words } from "./words.js";

export class MoveTree {
  /** `onPick(node)` is called with a chosen move. */
  constructor(onPick) {
    this.onPick = onPick;
    this.start = { number: 1, isFirst: true };
    this.list = h("div", { class: "moves", role: "group", "aria-label": labels.moves });
    this.element = h("div", { class: "moves-box", tabindex: -1 }, this.list);
  }

  /**
   * Shows a game. `start` is {number, isFirst, truthOf}: the number of the first move, whether the side that begins by
   * the rules makes it, and what is known for certain after a node's move.
   */
  show({ tree, at, live }, start) {
    this.start = start;
    this.current = at;
    this.live = live;
    const line = this.mainLine(tree.root);
    refill(this.list, ...[comment(tree.root)].filter(Boolean), ...(line.length ? line : [h("p", { class: "note" }, labels.noMoves)]));
    this.reveal();
  }

  /** Scrolls the list, not the page, to the current move. */
  reveal() {
    const here = this.list.querySelector("[aria-current]");
    const box = this.element;
    box.scrollTop = here ? here.offsetTop - box.clientHeight / 2 : 0;
  }

  /** The number of a node's move, and whether the first side makes it. */
  place(plies) {
    const index = plies - 1 + (this.start.isFirst ? 0 : 1);
    return { number: this.start.number + Math.floor(index / 2), isFirst: index % 2 === 0 };
  }

  mainLine(root) {
    const parts = [];
    let row = null;
    let plies = 0;
    // Tries after the last move are no part of the game.
    for (let node = root === this.live ? null : root.children[0]; node; node = node === this.live ? null : node.children[0]) {
      plies += 1;
      const { number, isFirst } = this.place(plies);
      if (isFirst || row === null) {
        row = h("div", { class: "move-row" }, h("span", { class: "count" }, `${number}.`));
        if (!isFirst) row.append(h("span", { class: "gap" }, "…"));
        parts.push(row);
      }
      row.append(this.button(node, plies));
      const others = node.parent.children.slice(1);
      if (node.comment || others.length) {
        if (node.comment) parts.push(comment(node));
        for (const other of others) parts.push(h("div", { class: "variation" }, ...this.variation(other, plies)));
        row = null;
      }
    }
    for (const other of this.live.children) parts.push(h("div", { class: "variation" }, ...this.variation(other, this.live.plies + 1)));
    return parts;
  }

  /** A variation as running text, with its own variations in brackets. */
  variation(first, plies) {
    const parts = [];
    let [node, at] = [first, plies];
    let isNew = true;
    while (node) {
      const { number, isFirst } = this.place(at);
      if (isFirst || isNew) parts.push(h("span", { class: "count" }, isFirst ? `${number}.` : `${number}…`));
      parts.push(this.button(node, at));
      isNew = false;
      if (node.comment) parts.push(comment(node));
      const others = node === first ? [] : node.parent.children.slice(1);
      for (const other of others) {
        parts.push(h("span", { class: "inner" }, "(", ...this.variation(other, at), ")"));
        isNew = true;
      }
      node = node.children[0];
      at += 1;
    }
    return parts;
  }

  /** What a move is called where it cannot be seen: `move 3, second side, 22-17, mistake`. */
  nameOf(node) {
    const { number, isFirst } = this.place(node.plies);
    const truth = this.start.truthOf?.(node);
    return [words.move(number, isFirst, node.move), node.glyph && GLYPH_NAMES[node.glyph], truth && truthText(truth)].filter(Boolean).join(", ");
  }

  button(node, plies) {
    const isHere = node === this.current;
    const truth = this.start.truthOf?.(node);
    return h(
      "button",
      {
        type: "button",
        "data-plies": plies,
        "data-glyph": node.glyph || null,
        "aria-label": this.nameOf(node),
        "aria-current": isHere ? "true" : null,
        onclick: () => this.onPick(node),
      },
      node.move,
      node.glyph && h("span", { class: "glyph" }, node.glyph),
      truth && h("span", { class: "truth", title: truthText(truth) }, truthMark(truth)),
    );
  }
}

function comment(node) {
  return node.comment ? h("span", { class: "comment" }, node.comment) : null;
}
