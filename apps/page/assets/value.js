// What values say: expected scores, and marks for what a move has lost.

/** What a side scores on average, draws counted half; `value` is from White's view. */
export function scoreOf(value, color) {
  const white = value.white + value.draw / 2;
  return color === "white" ? white : 1 - white;
}

/** The certain value of a finished game. */
export function valueOfResult(status) {
  return { white: 0, draw: 0, black: 0, [status]: 1 };
}

/** Loss of expected score that makes a move dubious, a mistake, a blunder. */
const FAULTS = [[0.15, "??"], [0.1, "?"], [0.05, "?!"]];

/** The mark for a loss of expected score, or nothing. */
export function judgement(loss) {
  return FAULTS.find(([least]) => loss >= least)?.[1] ?? "";
}
