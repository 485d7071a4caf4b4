// Values as scores.

/** What a side scores on average, draws counted half; `value` is from White's view. */
export function scoreOf(value, color) {
  const white = value.white + value.draw / 2;
  return color === "white" ? white : 1 - white;
}

/** The certain value of a finished game. */
export function valueOfResult(status) {
  return { white: 0, draw: 0, black: 0, [status]: 1 };
}
