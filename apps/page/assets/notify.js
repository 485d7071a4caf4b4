// Tells the user on the desktop when a run ends, dies or collapses, if the user wants that.

import { button, h } from "./dom.js";
import { keepSetting, setting } from "./settings.js";
import { labels, words } from "./words.js";

/** The verdict on a run that loses what it has learned. */
const COLLAPSED = "collapsed";

/** What has happened to a run between two readings of it; null if nothing of note has. */
export function newsOf(before, now) {
  if (before.is_live && !now.is_live) return now.status?.interrupted === false ? words.runEnded(now.name) : words.runDied(now.name);
  if (now.is_live && now.verdict?.word === COLLAPSED && before.verdict?.word !== COLLAPSED) return words.runCollapses(now.name, now.verdict.reason);
  return null;
}

export class Notifier {
  constructor() {
    this.known = new Map();
    this.button = button(labels.notify, () => this.toggle(), { class: "quiet" });
    this.note = h("span", { class: "note", role: "status" });
    this.element = h("span", { hidden: typeof Notification === "undefined" }, this.note, this.button);
    this.draw();
  }

  get isOn() {
    return setting("notify", false) && Notification.permission === "granted";
  }

  draw() {
    if (typeof Notification !== "undefined") this.button.setAttribute("aria-pressed", String(this.isOn));
  }

  async toggle() {
    const isWanted = !this.isOn;
    const isAllowed = isWanted && (await Notification.requestPermission()) === "granted";
    keepSetting("notify", isAllowed);
    this.note.textContent = isWanted && !isAllowed ? labels.notAllowed : "";
    this.draw();
  }

  /** Compares runs with what they were. */
  see(runs) {
    for (const run of runs) {
      const before = this.known.get(run.name);
      const news = before && newsOf(before, run);
      this.known.set(run.name, run);
      if (news && typeof Notification !== "undefined" && this.isOn) tell(news, run.name);
    }
  }
}

function tell(body, tag) {
  try {
    new Notification("Crownhead", { body, tag });
  } catch {
    // On phones only the page's worker may.
    navigator.serviceWorker?.ready.then((worker) => worker.showNotification("Crownhead", { body, tag })).catch(() => {});
  }
}
