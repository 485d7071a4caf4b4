// Parts shared by playing and replaying: the value bar, the engine's output, the list of moves.

import { figure, h } from "./dom.js";

const percent = (share) => `${Math.round(100 * share)}\u2009%`;

/** The probabilities of the results, beside the board. */
export class ValueBar {
  constructor() {
    this.parts = Object.fromEntries(["black", "draw", "white"].map((kind) => [kind, h("span", { class: kind })]));
    this.element = h("div", { class: "value-bar", role: "img", "aria-label": "no value yet" }, ...Object.values(this.parts));
  }

  show(value, isFlipped) {
    this.element.classList.toggle("flipped", isFlipped);
    this.element.classList.toggle("unknown", !value);
    for (const [kind, part] of Object.entries(this.parts)) part.style.flexGrow = value ? value[kind] : 1 / 3;
    this.element.setAttribute("aria-label", value ? valueText(value) : "no value yet");
  }
}

export function valueText(value) {
  return `White ${percent(value.white)}, draw ${percent(value.draw)}, Black ${percent(value.black)}`;
}

/** What White scores on average, draws counted half. */
const expected = (value) => value.white + value.draw / 2;

/** Several lines, best first: depth, White's expected score, moves. */
function linesView(lines) {
  const row = ({ value, proof, depth, moves }) => h(
    "li",
    {},
    h("span", { class: "depth", title: "Depth in plies" }, String(depth)),
    h("span", { class: "worth", title: value ? valueText(value) : "no value yet" }, value ? percent(expected(value)) : "–"),
    h("span", { class: "moves-of" }, moves.slice(0, 10).join("  "), proof && h("span", { class: "proof" }, ` ${proof}`)),
  );
  return h(
    "div",
    { class: "several" },
    h("p", { class: "note" }, "Depth, White\u2019s expected score, moves:"),
    h("ol", { class: "lines", "aria-label": "Lines" }, ...lines.map(row)),
  );
}

/** The engine's output: value and proven result of the best line, the lines, the policy. */
export function searchInfoView(info) {
  if (!info) return h("p", { class: "note" }, "No search yet.");
  const { lines, nodes, seconds, policy } = info;
  const { value, proof, depth, moves } = lines[0];
  const facts = [depth && `depth ${depth}`, nodes && `${figure(nodes)} nodes`, seconds >= 0.05 && `${seconds.toFixed(1)} s`];
  return h(
    "div",
    { class: "search-info" },
    value && h(
      "p",
      { class: "chances" },
      ...["white", "draw", "black"].map((kind) =>
        h("span", { class: kind }, h("b", {}, percent(value[kind])), kind === "draw" ? " draw" : ` ${kind}`)),
    ),
    proof && h("p", { class: "proof" }, `Proven: ${proof}`),
    lines.length > 1 && linesView(lines),
    lines.length === 1 && moves?.length > 0 && h("p", { class: "line" }, h("span", { class: "label" }, "Line "), moves.slice(0, 10).join("  ")),
    policy?.length > 0 && h(
      "ul",
      { class: "policy", "aria-label": "Policy" },
      ...policy.slice(0, 5).map(({ notation, share }) => {
        const bar = h("span", { class: "bar" });
        bar.style.width = percent(share).replace("\u2009", "");
        return h("li", {}, h("span", { class: "move" }, notation), h("span", { class: "track" }, bar), h("span", { class: "share" }, percent(share)));
      }),
    ),
    h("p", { class: "note" }, facts.filter(Boolean).join(", ")),
  );
}

/** The numbered moves of a game; `onPick(plies)` is called with the plies up to a chosen move. */
export class MoveTable {
  constructor(onPick) {
    this.onPick = onPick;
    this.list = h("ol", { class: "moves", "aria-label": "Moves" });
    this.element = h("div", { class: "moves-box", tabindex: -1 }, this.list);
  }

  show(history, cursor) {
    if (this.history !== history) this.rebuild(history);
    this.history = history;
    let current = null;
    for (const button of this.list.querySelectorAll("button")) {
      const isHere = Number(button.dataset.plies) === cursor;
      button.toggleAttribute("aria-current", isHere);
      if (isHere) current = button;
    }
    // Scrolls the list, not the page.
    this.element.scrollTop = current ? current.offsetTop - this.element.clientHeight / 2 : 0;
  }

  rebuild(history) {
    const rows = [];
    let row = null;
    history.forEach((ply, index) => {
      const isSecond = row !== null && row.number === ply.number;
      if (!isSecond) {
        row = { number: ply.number, item: h("li", {}, h("span", { class: "count" }, `${ply.number}.`)) };
        const startsLate = index === 0 && history[1] && history[1].number !== ply.number;
        if (startsLate) row.item.append(h("span", {}, "…"));
        rows.push(row.item);
      }
      const label = `move ${ply.number}, ${ply.color}, ${ply.notation}`;
      row.item.append(
        h("button", { type: "button", "data-plies": index + 1, "aria-label": label, onclick: () => this.onPick(index + 1) }, ply.notation),
      );
    });
    this.list.replaceChildren(...rows);
  }
}

/** Four buttons for stepping through a game. `go(where)` gets "first", "back", "forward" or "last". */
export function stepButtons(go) {
  const button = (text, label, where) =>
    h("button", { type: "button", class: "quiet", "aria-label": label, title: label, onclick: () => go(where) }, text);
  return h(
    "div",
    { class: "steps" },
    button("«", "First position", "first"),
    button("‹", "One move back", "back"),
    button("›", "One move forward", "forward"),
    button("»", "Last position", "last"),
  );
}
