// Marks, comments and the order of variations, for the move on the board.

import { button, h } from "./dom.js";
import { GLYPHS } from "./tree.js";
import { GLYPH_NAMES, labels } from "./words.js";

export class Annotations {
  /** `change(edit)` makes a change that can be undone. `play()` is the game that is open. */
  constructor(play, change) {
    this.play = play;
    this.change = change;
    const titled = (text, title, action) => button(text, action, { title, "aria-label": `${text}: ${title}` });
    this.glyphs = GLYPHS.map((glyph) => {
      const element = titled(glyph, GLYPH_NAMES[glyph], () => this.mark(glyph));
      element.dataset.glyph = glyph;
      return element;
    });
    this.comment = h("input", {
      name: "comment",
      "aria-label": labels.comment,
      placeholder: labels.comment,
      autocomplete: "off",
      onchange: () => this.write(),
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
    if (document.activeElement !== this.comment) this.comment.value = at.comment;
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

  write() {
    const text = this.comment.value.trim();
    if (text !== this.play().at.comment) this.change(({ at }) => (at.comment = text));
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
