// Two clocks, as the rules of play have them.

/**
 * A clock by its kind: `move` gives seconds for each move, `period` seconds for so many moves (what is left is carried
 * over), `fischer` seconds for the game and an increment before each move.
 */
export const CLOCKS = [
  ["", null],
  ["1+2", { kind: "fischer", seconds: 60, increment: 2 }],
  ["5+3", { kind: "fischer", seconds: 300, increment: 3 }],
  ["15+10", { kind: "fischer", seconds: 900, increment: 10 }],
  ["move:30", { kind: "move", seconds: 30 }],
  ["move:300", { kind: "move", seconds: 300 }],
  ["period:12", { kind: "period", seconds: 900, moves: 12 }],
  ["period:24", { kind: "period", seconds: 3600, moves: 24 }],
];

export const clockOf = (id) => CLOCKS.find(([known]) => known === id)?.[1] ?? null;

export class Clocks {
  /** `control` is one of [`CLOCKS`], or null for none. `state` is what [`state`](Clocks#state) gave. */
  constructor(control, state = null, now = () => performance.now()) {
    this.control = control;
    this.now = now;
    this.isOn = control !== null;
    const side = () => ({ left: (control?.seconds ?? 0) + (control?.increment ?? 0), moves: control?.moves ?? 0 });
    this.sides = state ? structuredClone(state) : { white: side(), black: side() };
    this.running = null;
  }

  /** Seconds left for a side. */
  seconds(color) {
    const used = this.running === color ? (this.now() - this.since) / 1000 : 0;
    return Math.max(0, this.sides[color].left - used);
  }

  start(color) {
    this.stop();
    if (!this.isOn) return;
    this.running = color;
    this.since = this.now();
  }

  stop() {
    if (this.running) this.sides[this.running].left = this.seconds(this.running);
    this.running = null;
  }

  /** Takes time from a side that it has spent elsewhere. */
  charge(color, seconds) {
    this.sides[color].left = Math.max(0, this.sides[color].left - seconds);
  }

  /** The side has moved: stops its clock and adds what it gets for its next move. */
  press(color) {
    this.stop();
    if (!this.isOn) return;
    const side = this.sides[color];
    const { kind, seconds, increment, moves } = this.control;
    if (kind === "move") side.left = seconds;
    if (kind === "fischer") side.left += increment;
    if (kind === "period") {
      side.moves -= 1;
      if (side.moves === 0) Object.assign(side, { left: side.left + seconds, moves });
    }
  }

  /** What can be stored and given to a new clock. */
  state() {
    const side = (color) => ({ left: this.seconds(color), moves: this.sides[color].moves });
    return { white: side("white"), black: side("black") };
  }

  /** What an engine is told about a side's clock. */
  limits(color) {
    const left = this.seconds(color);
    const { kind, increment = 0 } = this.control;
    if (kind === "move") return { seconds: Math.min(left * 0.95, 600) };
    const clock = { left_s: left, increment_s: increment };
    return { clock: kind === "period" ? { ...clock, moves: this.sides[color].moves } : clock };
  }
}

/** `4:05`; below 20 seconds with tenths. */
export function clockText(seconds) {
  if (seconds < 20) return seconds.toFixed(1);
  const whole = Math.ceil(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}
