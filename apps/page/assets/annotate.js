// Marks, comments and the order of variations, for the move on the board.

import { button, h } from "./dom.js";
import { GLYPHS } from "./tree.js";
import { GLYPH_NAMES, labels } from "./words.js";

export class Annotations {
  /**
   * `change(edit)` makes a change that can be undone, `amend(edit)` one that belongs to the change before it. `play()` is
   * the game that is open.
   */
  constructor(play, change, amend) {
    Object.assign(this, { play, change, amend });
    /** The move that the comment being written belongs to: an engine may play another one meanwhile. */
    this.node = null;
    const titled = (text, title, action) => button(text, action, { title, "aria-label": `${text}: ${title}` });
    this.glyphs = GLYPHS.map((glyph) => {
      const element = titled(glyph, GLYPH_NAMES[glyph], () => this.mark(glyph));
      element.dataset.glyph = glyph;
      return element;
    });
    this.comment = h("input", {
      name: "comment",
      disabled: true,
      "aria-label": labels.comment,
      placeholder: labels.comment,
      autocomplete: "off",
      onfocus: () => Object.assign(this, { node: this.play().at, isBegun: false }),
      oninput: () => this.write(),
      onblur: () => {
        this.node = null;
        this.show();
      },
    });
    this.up = titled(labels.promote, labels.promoteTitle, () => this.promote(false));
    this.main = titled(labels.mainLine, labels.mainLineTitle, () => this.promote(true));
    this.cut = titled(labels.delete, labels.deleteTitle, () => this.remove());
    this.element = h(
      "details",
      { class: "annotate" },
      h("summary", {}, labels.annotate),
      h("div", { class: "glyphs", role: "group", "aria-label": labels.marks }, ...this.glyphs),
      this.comment,
      h("div", { class: "buttons" }, this.up, this.main, this.cut),
    );
  }

  show() {
    const { at } = this.play();
    this.comment.disabled = false;
    if (!this.node) this.comment.value = at.comment;
    for (const element of this.glyphs) {
      element.disabled = !at.parent;
      element.setAttribute("aria-pressed", String(at.glyph === element.dataset.glyph));
    }
    this.up.disabled = !this.play().mayPromote(at, false);
    this.main.disabled = !this.play().mayPromote(at, true);
    // Played moves cannot be deleted from a game that has ended or was played elsewhere.
    this.cut.disabled = !at.parent || (this.play().isPlayed(at) && !this.play().isStudy);
  }

  mark(glyph) {
    this.change(({ at }) => (at.glyph = at.glyph === glyph ? "" : glyph));
  }

  /** Stores each letter, so that a page that closes loses none; all of them are one change. */
  write() {
    const { moves } = this.node ?? this.play().at;
    const change = this.isBegun ? this.amend : this.change;
    this.isBegun = true;
    // Undo and other tabs make other nodes of the same moves.
    change(({ tree }) => Object.assign(tree.find(moves) ?? {}, { comment: this.comment.value.trim() }));
  }

  promote(toMain) {
    this.change((play) => play.promote(play.at, toMain));
  }

  remove() {
    this.change((play) => {
      const gone = play.at;
      play.at = play.tree.remove(gone);
      if (gone.contains(play.live)) play.live = play.at;
    });
  }
}
