// What the page says, in one place.

export const RESULTS = { white: "White won", black: "Black won", draw: "drawn", ongoing: "no result" };

/** The reasons for the end of a game, in brief and in a sentence. */
export const REASONS = {
  "no-pieces": ["no pieces left", "The side to move has lost all its pieces."],
  "blocked": ["no legal move", "The side to move cannot move any of its pieces."],
  "forfeit": ["forfeit", "The loser broke the terms of the game."],
  "repetition": ["threefold repetition", "The same position, with the same side to move, stood on the board for the third time."],
  "no-progress": ["no progress", "For too many moves in a row nothing was captured and no man moved."],
  "few-pieces": ["few pieces left", "With so few pieces the rules allow only a limited number of moves without progress."],
  "two-kings-v-one": ["two kings against one", "Two kings did not beat one within the moves that the rules allow."],
  "one-king-each": ["one king each", "One king against one: neither captured the other in time."],
  "truncated": ["truncated at the ply cap", "The game was stopped at the length that the run allows."],
  "resigned": ["resignation", "The loser gave the game up."],
  "agreed": ["agreement", "Both sides agreed to a draw."],
  "adjudicated": ["adjudicated by the endgame database", "The endgame database knows the result."],
  "time": ["time", "The loser's time ran out."],
};

export const CLOCK_NAMES = {
  "": "No clock",
  "1+2": "1 minute plus 2 seconds a move",
  "5+3": "5 minutes plus 3 seconds a move",
  "15+10": "15 minutes plus 10 seconds a move",
  "move:30": "30 seconds for each move",
  "move:300": "5 minutes for each move",
  "period:12": "12 moves in 15 minutes, the rest carried over",
  "period:24": "24 moves in an hour, the rest carried over",
};

export const STRENGTH_NAMES = {
  "sims:16": "16 simulations a move",
  "sims:64": "64 simulations a move",
  "sims:256": "256 simulations a move",
  "sims:1024": "1024 simulations a move",
  "sims:8192": "8192 simulations a move",
  "time:1": "1 second a move",
  "time:5": "5 seconds a move",
  "time:20": "20 seconds a move",
};

export const GLYPH_NAMES = { "!!": "brilliant", "!": "good", "!?": "interesting", "?!": "dubious", "?": "mistake", "??": "blunder" };

export const words = {
  human: "Human",
  you: "You",
  loading: "Loading…",
  toMove: (side) => `${side} to move`,
  thinking: (name) => `${name} is thinking…`,
  paused: "Paused",
  elsewhere: "Not the position of the game.",
  backToGame: "Back to the game",
  playOn: "Play on from here",
  noAnalyst: "No engine of this list can analyse this game.",
  analysisOff: "Press Analyse for the best lines here.",
  overHere: "The game is over in this position.",
  searching: "Searching…",
  unsaved: "This browser does not keep games: save to a file what you need later.",
  missing: (id) => `This browser has no game ${id}. It may have been deleted, or belong to another browser.`,
  keys: "Keys: arrows and Enter on the board enter a move, Escape cancels it. u undo, r redo, e engine move, h hint, f flip, a analyse, n new game, [ and ] step through the moves, { and } go to the ends.",
  copied: "Copied.",
  copyByHand: "Select and copy the text below with the keyboard.",
  pasteFirst: "Paste a FEN or a PDN first.",
  gameOf: (index, count) => `Game ${index} of ${count}: choose another one below the text.`,
  hint: (move) => `Hint: ${move}`,
  drawDeclined: (name) => `${name} declines the draw.`,
  drawOffered: (side) => `${side} offers a draw.`,
  backTo: (number) => `Back to move ${number}`,
  progress: (done, all) => `Analysing position ${done} of ${all}…`,
  lost: (share, best) => `lost ${share}${best ? `, better ${best}` : ""}`,
  untitled: "Game",
  games: "Games",
  noGame: (name, known) => `There is no game ${name}: choose one of ${known.join(", ")}.`,
  startPosition: "The start position",
  drawnWhen: "The game is drawn",
  sources: "Sources",
  example: "Example",
  tryMove: (move) => `Try ${move} on the board`,
  legalHere: (moves) => `Legal here: ${moves.split(" ").join(", ")}`,
};

/** `White wins (no legal move)`. */
export function resultText(status, reason) {
  const why = reason ? ` (${REASONS[reason]?.[0] ?? reason})` : "";
  if (status === "draw") return `Draw${why}`;
  if (status === "white" || status === "black") return `${status === "white" ? "White" : "Black"} wins${why}`;
  const alone = REASONS[reason]?.[0] ?? reason ?? "";
  return alone.charAt(0).toUpperCase() + alone.slice(1);
}
