// The sound of a piece that is put down. Off unless the user wants it.

import { keepSetting, setting } from "./settings.js";

let context = null;

export const isSoundOn = () => setting("sound", false);

export function setSound(isOn) {
  keepSetting("sound", isOn);
  if (isOn) clack(false);
}

/** Plays the sound of a move, twice for a capture. */
export function clack(isCapture) {
  if (!isSoundOn()) return;
  context ??= new AudioContext();
  for (const delay of isCapture ? [0, 0.09] : [0]) {
    const at = context.currentTime + delay;
    const [tone, volume] = [context.createOscillator(), context.createGain()];
    tone.type = "triangle";
    tone.frequency.setValueAtTime(320, at);
    tone.frequency.exponentialRampToValueAtTime(90, at + 0.06);
    volume.gain.setValueAtTime(0.3, at);
    volume.gain.exponentialRampToValueAtTime(0.001, at + 0.08);
    tone.connect(volume).connect(context.destination);
    tone.start(at);
    tone.stop(at + 0.09);
  }
}
