// Pasted positions and games.

import { post } from "./api.js";
import { h } from "./dom.js";
import { Game } from "./game.js";

const RESULTS = { white: "White won", black: "Black won", draw: "drawn", ongoing: "no result" };

/** The game of a FEN or PDN, with the list of all games of a PDN and its index in it. */
export async function readGame(text, variant, chosen) {
  const isFen = /^[WB]\s*:/i.test(text);
  if (isFen) return { game: await new Game(variant, text).load(), games: [], index: 0 };
  const { game: read, games, index } = await post("/api/pdn/read", { text, variant, game: chosen });
  const moves = read.history.map((ply) => ply.notation);
  return { game: await new Game(read.variant, read.start, moves).load(), games, index };
}

/** A control for choosing another game, if there are several. */
export function gameChoice(games, chosen, onChoose) {
  if (games.length < 2) return [];
  const option = (game, index) => h("option", { value: index, selected: index === chosen }, `${index + 1}. ${gameText(game)}`);
  const select = h("select", { onchange: (event) => onChoose(Number(event.target.value)) }, ...games.map(option));
  return [h("label", { class: "field" }, h("span", {}, `${games.length} games`), select)];
}

function gameText({ white, black, result, error }) {
  if (error) return `invalid: ${error}`;
  return `${white ?? "?"} – ${black ?? "?"}, ${RESULTS[result]}`;
}
