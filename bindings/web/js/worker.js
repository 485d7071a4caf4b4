// Searches in a worker, so that the page stays responsive. This file contains both ends.

import { CrownheadError, load } from "./crownhead.js";

const IS_NODE = typeof globalThis.Worker === "undefined";
const CLOSED = "the agent was closed";

/** An agent in its own worker; `source` and `options` as in `Crownhead.agent`. */
export async function startAgent(source, options = {}) {
  const agent = new RemoteAgent(source, options);
  await agent.ready;
  return agent;
}

class RemoteAgent {
  #source;
  #options;
  #worker = null;
  /** The pending call that loads the agent, and the pending request. */
  #loading = null;
  #asked = null;
  #isClosed = false;

  constructor(source, options) {
    this.#source = source;
    this.#options = options;
    this.#start();
  }

  #start() {
    this.ready = this.#load();
    // Callers receive a failure; without callers it is ignored.
    this.ready.catch(() => {});
  }

  async #load() {
    const { Worker } = IS_NODE ? await import("node:worker_threads") : globalThis;
    if (this.#isClosed) throw new CrownheadError(CLOSED);
    const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module", workerData: "crownhead" });
    this.#worker = worker;
    const hear = ({ kind, content }) => worker === this.#worker && this.#hear(kind, content);
    const fail = (error) => hear({ kind: "error", content: error.message ?? "the worker cannot be started" });
    if (IS_NODE) worker.on("message", hear).on("error", fail);
    else {
      worker.onmessage = ({ data }) => hear(data);
      worker.onerror = fail;
    }
    const loaded = new Promise((resolve, reject) => (this.#loading = { resolve, reject }));
    try {
      worker.postMessage({ do: "load", source: this.#source, options: this.#options });
      ({ variant: this.variant, eloRange: this.eloRange } = await loaded);
    } catch (error) {
      worker.terminate();
      throw error;
    }
  }

  #hear(kind, content) {
    if (kind === "report") return this.#report(content);
    const waiting = this.#loading ?? this.#asked;
    if (this.#loading) this.#loading = null;
    else this.#asked = null;
    if (kind === "error") waiting?.reject(new CrownheadError(content));
    else waiting?.resolve(content);
  }

  #report(found) {
    const asked = this.#asked;
    if (!asked) return;
    asked.last = found;
    try {
      if (asked.report?.(found) === false) this.stop();
    } catch (error) {
      this.#asked = null;
      asked.reject(error);
      this.#restart();
    }
  }

  #restart() {
    this.#worker.terminate();
    this.#start();
  }

  #post(message, report = null) {
    if (this.#asked) throw new CrownheadError("the agent is searching: stop it, or wait");
    const asked = { report, last: null, isPosted: false };
    this.#asked = asked;
    const answer = new Promise((resolve, reject) => Object.assign(asked, { resolve, reject }));
    const post = () => {
      if (this.#asked !== asked) return;
      asked.isPosted = true;
      this.#worker.postMessage(message);
    };
    const fail = (error) => {
      if (this.#asked === asked) this.#asked = null;
      asked.reject(error);
    };
    // What cannot be posted fails too.
    this.ready.then(post).catch(fail);
    return answer;
  }

  async #ask(what, game, limits, report) {
    if (!game?.record) throw new CrownheadError("the agent needs a game: make it with `game` or `readPdn`");
    return this.#post({ do: what, game: game.record, limits }, report);
  }

  /** The move it chooses. */
  async choose(game, limits = {}) {
    return (await this.#ask("choose", game, limits)).move;
  }

  /** Analyses a position until a limit is reached, `report(analysis)` returns false, or `stop` is called. */
  analyse(game, limits = {}, report = null) {
    return this.#ask("analyse", game, limits, report);
  }

  /** The value of a position without search. */
  value(game) {
    return this.#ask("value", game);
  }

  /** The network's evaluation of a position. */
  judge(game) {
    return this.#ask("judge", game);
  }

  /** Answers one question of the page; see api.js. */
  async think(question, report) {
    return this.#post({ do: "think", question }, report);
  }

  /** Stops the search at once. Its promise resolves to the last result, or rejects if there is none. */
  stop() {
    const asked = this.#asked;
    if (!asked) return;
    this.#asked = null;
    if (asked.last) asked.resolve(asked.last);
    else asked.reject(new CrownheadError("the search was stopped before it found anything"));
    if (asked.isPosted) this.#restart();
  }

  /** Terminates the worker. Pending and later requests are rejected. */
  close() {
    this.#isClosed = true;
    this.#worker?.terminate();
    this.#hear("error", CLOSED);
    this.ready = Promise.reject(new CrownheadError(CLOSED));
    this.ready.catch(() => {});
  }
}

/** The worker's end: one agent, one request at a time. */
async function serve(port) {
  let crownhead = null;
  let agent = null;
  const answer = async ({ do: what, source, options, game, limits, question }) => {
    if (what === "load") {
      crownhead = await load();
      agent = crownhead.agent(source, options);
      return { variant: agent.variant, eloRange: agent.eloRange };
    }
    const report = (content) => port.postMessage({ kind: "report", content });
    if (what === "think") return crownhead.ask({ do: "think", agent: agent.handle, question }, undefined, report);
    const played = crownhead.game(game.variant, game.fen, game.moves);
    try {
      return crownhead.ask({ do: what, agent: agent.handle, game: played.handle, limits }, undefined, report);
    } finally {
      played.close();
    }
  };
  const hear = async (message) => {
    try {
      port.postMessage({ kind: "answer", content: await answer(message) });
    } catch (error) {
      port.postMessage({ kind: "error", content: error.message });
    }
  };
  if (IS_NODE) port.on("message", hear);
  else port.onmessage = ({ data }) => hear(data);
}

if (typeof WorkerGlobalScope !== "undefined" && self instanceof WorkerGlobalScope) serve(self);
else if (IS_NODE) {
  const { parentPort, workerData } = await import("node:worker_threads");
  if (parentPort && workerData === "crownhead") serve(parentPort);
}
