// Two clocks with an increment before each move.

export class Clocks {
  /** `control` is "minutes+seconds", or "" for none. */
  constructor(control) {
    this.isOn = control !== "";
    const [minutes, increment] = control.split("+").map(Number);
    this.increment = this.isOn ? increment : 0;
    const start = this.isOn ? minutes * 60 + increment : 0;
    this.left = { white: start, black: start };
    this.running = null;
  }

  /** Seconds left for a side. */
  seconds(color) {
    const used = this.running === color ? (performance.now() - this.since) / 1000 : 0;
    return Math.max(0, this.left[color] - used);
  }

  start(color) {
    this.stop();
    if (!this.isOn) return;
    this.running = color;
    this.since = performance.now();
  }

  stop() {
    if (this.running) this.left[this.running] = this.seconds(this.running);
    this.running = null;
  }

  /** The side has moved: stops its clock and adds the increment of its next move. */
  press(color) {
    this.stop();
    if (this.isOn) this.left[color] += this.increment;
  }

  state() {
    return { white: this.seconds("white"), black: this.seconds("black") };
  }

  restore(state) {
    this.running = null;
    this.left = { ...state };
  }
}

/** `4:05`; below 20 seconds with tenths. */
export function clockText(seconds) {
  if (seconds < 20) return seconds.toFixed(1);
  const whole = Math.ceil(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}
