// Searches of positions on the server. There is one analysis at a time; a new one ends the old one.

import { stream } from "./api.js";
import { words } from "./words.js";

/** How often a busy server is asked for a place; it lets each request wait for some seconds before it refuses it. */
const ATTEMPTS = 5;

/**
 * A search that can be stopped. Resolves to its last findings, or to null if it was stopped. One in the other side's time
 * asks a busy server only once: it would be over before there is a place.
 */
export class SearchTask {
  constructor(order, onInfo) {
    this.control = new AbortController();
    this.answer = this.run(order, onInfo);
  }

  get isStopped() {
    return this.control.signal.aborted;
  }

  stop() {
    this.control.abort();
  }

  async run(order, onInfo) {
    for (let left = order.ponder ? 1 : ATTEMPTS; ; left -= 1) {
      try {
        return await this.ask(order, onInfo);
      } catch (error) {
        if (this.isStopped) return null;
        if (error.isBusy && left > 1) continue;
        this.stop();
        throw error;
      }
    }
  }

  /** Asks once. */
  async ask(order, onInfo) {
    let answer = null;
    await stream("/api/think", order, this.control.signal, (kind, content) => {
      if (this.isStopped) return;
      if (kind === "failure") throw new Error(content.error);
      if (kind === "answer") answer = content;
      onInfo(content);
    });
    if (this.isStopped) return null;
    if (!answer) throw new Error(words.connectionLost);
    return answer;
  }
}
