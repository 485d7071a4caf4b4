// Parts shared by playing and replaying: the value bar, the engine's output, the buttons for stepping.

import { button, figure, h } from "./dom.js";
import { scoreOf } from "./value.js";
import { labels, truthText, words } from "./words.js";

export const percent = (share) => `${Math.round(100 * share)}\u2009%`;

/** The probabilities of the results, beside the board. */
export class ValueBar {
  constructor() {
    this.parts = Object.fromEntries(["black", "draw", "white"].map((kind) => [kind, h("span", { class: kind })]));
    this.element = h("div", { class: "value-bar", role: "img", "aria-label": labels.noValue }, ...Object.values(this.parts));
  }

  show(value, isFlipped) {
    this.element.classList.toggle("flipped", isFlipped);
    this.element.classList.toggle("unknown", !value);
    for (const [kind, part] of Object.entries(this.parts)) part.style.flexGrow = value ? value[kind] : 1 / 3;
    this.element.setAttribute("aria-label", value ? valueText(value) : labels.noValue);
  }
}

export function valueText(value) {
  return words.chances(percent(value.white), percent(value.draw), percent(value.black));
}

/** Moves of a line that are shown at most. */
const LONGEST = 8;

/**
 * Lines, best first: White's expected score, depth, moves. With `onPlay` the moves are buttons that play the line up
 * to them.
 */
function linesView(lines, onPlay) {
  const move = (moves, index) => onPlay
    ? button(moves[index], () => onPlay(moves.slice(0, index + 1)))
    : h("span", {}, moves[index]);
  const row = ({ value, proof, depth, moves }) => h(
    "li",
    {},
    h("span", { class: "worth", title: value ? valueText(value) : labels.noValue }, value ? percent(scoreOf(value, "white")) : "–"),
    h("span", { class: "depth", title: labels.depth }, String(depth)),
    h("span", { class: "moves-of" }, ...moves.slice(0, LONGEST).flatMap((_, index) => [move(moves, index), " "]), proof && h("span", { class: "proof" }, proof)),
  );
  return h("ol", { class: "lines", "aria-label": labels.lines }, ...lines.map(row));
}

/** What an engine has found: value and proven result of the best line, the lines, the policy, the effort. */
export function findingsView(info, onPlay = null) {
  if (!info) return h("p", { class: "note" }, labels.noSearch);
  const { lines, nodes, seconds, policy } = info;
  const { value, proof, depth, moves } = lines[0];
  const speed = seconds >= 0.2 && nodes ? words.speed(figure(nodes / seconds)) : null;
  const facts = [depth && words.depth(depth), nodes && words.nodes(figure(nodes)), seconds >= 0.05 && words.seconds(seconds.toFixed(1)), speed];
  return h(
    "div",
    { class: "search-info" },
    value && h(
      "p",
      { class: "chances" },
      ...["white", "draw", "black"].map((kind) =>
        h("span", { class: kind }, h("b", {}, percent(value[kind])), " ", labels[kind])),
    ),
    proof && h("p", { class: "proof" }, words.proven(proof)),
    moves?.length > 0 && linesView(lines, onPlay),
    lines.length === 1 && policy?.length > 0 && h(
      "ul",
      { class: "policy", "aria-label": labels.policy },
      ...policy.slice(0, 5).map(({ notation, share }) => {
        const bar = h("span", { class: "bar" });
        bar.style.width = percent(share).replace("\u2009", "");
        return h("li", {}, h("span", { class: "move" }, notation), h("span", { class: "track" }, bar), h("span", { class: "share" }, percent(share)));
      }),
    ),
    h("p", { class: "note" }, facts.filter(Boolean).join(", ")),
  );
}

/** How a truth ranks for a side: wins first, the quickest before the others, then draws, then what loses latest. */
function rank({ result, plies }, side) {
  if (result === "draw") return 0;
  return result === side ? 1000 - (plies ?? 999) : (plies ?? 999) - 1000;
}

/** What a database knows of the moves, the best first. `onPlay([notation])` plays one. */
export function truthsView({ moves, turn }, onPlay) {
  const groups = new Map();
  const known = moves.filter(({ truth }) => truth).sort((a, b) => rank(b.truth, turn) - rank(a.truth, turn));
  for (const { truth, notation } of known) groups.set(truthText(truth), [...(groups.get(truthText(truth)) ?? []), notation]);
  const row = ([text, notations]) => h("li", {}, h("span", { class: "proof" }, text), h("span", { class: "moves-of" }, ...notations.flatMap((notation) => [button(notation, () => onPlay([notation])), " "])));
  return groups.size > 0 && h("ul", { class: "truths", "aria-label": words.truths }, ...[...groups].map(row));
}

/** Four buttons for stepping through a game. `go(where)` gets "first", "back", "forward" or "last". */
export function stepButtons(go) {
  const step = (text, label, where) => button(text, () => go(where), { class: "quiet", "aria-label": label, title: label });
  return h(
    "div",
    { class: "steps" },
    step("«", labels.firstPosition, "first"),
    step("‹", labels.oneBack, "back"),
    step("›", labels.oneForward, "forward"),
    step("»", labels.lastPosition, "last"),
  );
}
