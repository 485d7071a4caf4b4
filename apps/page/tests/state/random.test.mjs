// Random actions in two tabs with a slow engine and a dying server, checked against a model.
//
//     node --test apps/page/tests/state
//     SEED=7 node --test apps/page/tests/state/random.test.mjs

import assert from "node:assert/strict";
import { test } from "node:test";
import { newDocument } from "../../assets/document.js";
import { World, standing } from "./world.mjs";

const ACTIONS = 2000;

/** All lines of a tree that was stored, as texts. */
function linesOf({ line }) {
  const lines = new Set();
  const walk = (plies, before) => {
    let at = before;
    for (const { move, variations = [] } of plies) {
      for (const variation of variations) walk(variation, at);
      at = `${at} ${move}`;
      lines.add(at);
    }
  };
  walk(line, "");
  return lines;
}

const textOf = (node) => node.moves.map((move) => ` ${move}`).join("");

/** What a game has to be: every line, and the one that was played. It does not use the page's tree. */
class Model {
  constructor(lines = [], live = "") {
    Object.assign(this, { lines: new Set(lines), live });
  }

  copy() {
    return new Model(this.lines, this.live);
  }

  /** Adds a line with all that leads to it. */
  add(line) {
    const moves = line.split(" ").filter(Boolean);
    moves.forEach((_, index) => this.lines.add(moves.slice(0, index + 1).map((move) => ` ${move}`).join("")));
  }

  /** The line that is left when the last move of a person is taken back; sides alternate, White begins. */
  takenBack(terms, isTurnKnown) {
    const moves = this.live.split(" ").filter(Boolean);
    const isHuman = (plies) => terms[plies % 2 ? "black" : "white"].player === "human";
    let plies = moves.length - 1;
    while (isTurnKnown && plies >= 0 && !isHuman(plies)) plies -= 1;
    return moves.slice(0, plies < 0 ? moves.length - 1 : plies).map((move) => ` ${move}`).join("");
  }

  equals(game, what) {
    assert.deepEqual([...linesOf(game)].sort(), [...this.lines].sort(), `lines of ${what}`);
    assert.equal(liveOf(game), this.live, `the game as it was played of ${what}`);
  }
}

/** The line that a stored game stands at. */
function liveOf({ line, live }) {
  let text = "";
  let [at, index] = [line, 0];
  for (const place of live ?? []) {
    const ply = at[index];
    text += ` ${(place === 0 ? ply : ply.variations[place - 1][0]).move}`;
    [at, index] = place === 0 ? [at, index + 1] : [ply.variations[place - 1], 1];
  }
  return text;
}

function terms(white, black, clock) {
  const seat = (player) => ({ player, strength: "", name: "" });
  return { white: seat(white), black: seat(black), clock, ponder: true };
}

/** A run of random actions. */
class Run {
  constructor(seed) {
    this.world = new World(seed);
    this.random = this.world.random;
    this.tabs = [this.world.tab(), this.world.tab()];
    /** By mark: what a stored game has to be. */
    this.models = [];
    /** The games that are stored. */
    this.stored = new Set();
    /** Lines that users have played and not taken back. */
    this.played = new Set();
    this.forks = 0;
    this.ids = [];
    this.log = [];
    this.tabs.forEach((tab) => follow(this, tab));
  }

  async begin(tab) {
    const [white, black] = this.random.one([["human", "engine"], ["engine", "human"], ["human", "human"], ["engine", "rival"]]);
    const document = newDocument({ variant: "any", fen: String(this.ids.length), terms: terms(white, black, this.random.one([null, "1+2", "move:30"])) });
    this.ids.push(document.id);
    await tab.open(document, false);
  }

  async act() {
    const { random, world } = this;
    const tab = random.one(this.tabs);
    const { session } = tab;
    const actions = {
      begin: () => this.begin(tab),
      open: async () => (this.ids.length ? this.reopen(tab, random.one(this.ids.slice(-4))) : this.begin(tab)),
      both: async () => {
        const other = this.tabs.find((each) => each !== tab);
        if (other.session) await this.reopen(tab, other.session.id);
      },
      move: () => this.move(session),
      step: () => session?.look(random.one([session.play.tree.root, session.play.at.parent, session.play.at.children[0], session.play.at.end, session.play.live].filter(Boolean))),
      line: () => this.line(session),
      undo: () => session?.undo(),
      redo: () => session?.redo(),
      engineMove: () => session?.engineMove({ player: "engine", strength: "time:1", name: "" }),
      pause: () => session?.setPaused(random.is(0.5)),
      stepEngine: () => session?.step(),
      resign: () => random.is(0.2) && session?.resign(),
      retry: () => session?.retry(),
      die: () => (world.isDead = random.is(0.5)),
      full: () => (world.isFull = random.is(0.3)),
      reload: () => session && this.reopen(tab, session.id),
      time: () => {
        world.time += random.below(4000);
        this.tabs.forEach((each) => each.session?.tick());
      },
    };
    const weights = { begin: 3, open: 2, both: 5, move: 45, step: 10, line: 5, undo: 6, redo: 4, engineMove: 3, pause: 3, stepEngine: 3, resign: 1, retry: 4, die: 3, full: 2, reload: 2, time: 6 };
    const names = Object.entries(weights).flatMap(([name, weight]) => Array(weight).fill(name));
    const name = random.one(names);
    this.log.push(`${this.tabs.indexOf(tab)} ${name}`);
    const done = actions[name]();
    // The others wait for the server, which replies when the world lets it.
    if (["begin", "open", "both", "reload"].includes(name)) await done;
    await world.rest(random.one([0, 0, 1, 2, 5]));
  }

  async reopen(tab, id) {
    // Closing a tab loses games that are in memory only. The page warns of it.
    if (tab.library.unsaved.size) return;
    if (tab.session?.saving) await this.world.rest(0);
    if (this.stored.has(id)) await tab.open(id);
  }

  move(session) {
    const view = session?.views.get(session.play.at);
    if (!view || !session.mayMove() || view.moves.length === 0) return;
    session.move(this.random.one(view.moves).notation);
  }

  /** A line of an engine is clicked. */
  line(session) {
    if (!session) return;
    const { at } = session.play;
    const moves = [];
    for (let ply = 0; ply < 3; ply += 1) {
      const { moves: legal } = standing({ fen: session.play.info.fen, moves: [...at.moves, ...moves] });
      if (!legal.length) break;
      moves.push(this.random.one(legal).notation);
    }
    if (moves.length) session.change((play) => (play.at = play.tree.addLine(at, moves)));
  }

  /** What must hold at any time. */
  check() {
    for (const { session, server } of this.tabs) {
      if (!session) continue;
      const { phase, play, clocks } = session;
      const searches = [...server.thinking].filter(({ isStopped, ponder }) => !isStopped && !ponder);
      assert.equal(searches.length, phase === "thinking" ? 1 : 0, `${phase} has ${searches.length} searches`);
      if (phase === "thinking") assert.deepEqual(searches[0].game.moves, play.live.moves, "the engine thinks about the game's position");
      const runs = ["human", "thinking"].includes(phase) && clocks.isOn && play.live.parent;
      assert.equal(clocks.running, runs ? session.liveTurn() : null, `the clock in phase ${phase}`);
      assert.ok(play.live.isMain, "the game as played is the main line");
    }
  }
}

/** Makes a tab's model follow what is done in it, and the model of what is stored follow what the library takes. */
function follow(run, tab) {
  const { open, library } = tab;
  const { keep } = library;
  library.keep = async (game) => {
    // The mark names the model of the stored version, whichever tab was faster.
    run.models.push(tab.model.copy());
    const outcome = await keep.call(library, { ...game, mark: run.models.length - 1 });
    if (outcome.game) run.stored.add(game.id);
    return outcome;
  };
  tab.hear.forked = ({ id }) => {
    run.ids.push(id);
    run.forks += 1;
  };
  tab.open = async (document, isKept) => {
    tab.model = isKept === false ? new Model() : run.models[(await library.game(document)).mark].copy();
    // A tab that opens a game has nothing to undo.
    Object.assign(tab, { past: [], future: [] });
    const session = await open(document, isKept);
    const wrap = (name, act) => {
      const original = session[name].bind(session);
      session[name] = (...given) => act(original, ...given);
    };
    wrap("remember", (original) => {
      tab.past.push(tab.model.copy());
      tab.future = [];
      original();
    });
    wrap("advance", (original, notation) => {
      tab.model.live += ` ${notation}`;
      tab.model.add(tab.model.live);
      return original(notation);
    });
    wrap("move", (original, notation) => {
      const before = textOf(session.play.at);
      const isTry = !(session.isLive && session.isOwnTurn());
      run.played.add(`${session.play.info.fen}:${before} ${notation}`);
      // The session remembers the state before the move: the model adds the move after that.
      tab.tried = isTry ? `${before} ${notation}` : null;
      return original(notation);
    });
    wrap("save", (original) => {
      if (tab.tried) tab.model.add(tab.tried);
      tab.tried = null;
      return original();
    });
    wrap("change", (original, edit) => original((play) => {
      edit(play);
      tab.model.add(textOf(play.at));
    }));
    for (const [name, from, to] of [["undo", "past", "future"], ["redo", "future", "past"]]) {
      wrap(name, (original) => {
        const before = tab.model.copy();
        const step = tab[from].at(-1);
        if (step) tab.model = step.copy();
        else if (name === "undo") tab.model.live = tab.model.takenBack(session.play.info.terms, Boolean(session.firstTurn));
        const outcome = original();
        if (outcome === false) {
          tab.model = before;
          return outcome;
        }
        tab[from].pop();
        tab[to].push(before);
        for (const line of before.lines) if (!tab.model.lines.has(line)) run.played.delete(`${session.play.info.fen}:${line}`);
        return outcome;
      });
    }
    wrap("adopt", (original, newer) => {
      tab.model = run.models[newer.mark].copy();
      tab.model.equals(newer, `${newer.id}, taken over`);
      const { play } = session;
      const outcome = original(newer);
      // Another name leaves undo as it is.
      if (session.play !== play) Object.assign(tab, { past: [], future: [] });
      tab.tried = null;
      return outcome;
    });
    return session;
  };
}

test(`${ACTIONS} random actions in two tabs lose no move`, { timeout: 240_000 }, async () => {
  const seed = Number(process.env.SEED ?? 1);
  const run = new Run(seed);
  try {
    for (let action = 0; action < ACTIONS; action += 1) {
      await run.act();
      run.check();
    }
    // The server comes back, space is free: what waits is stored, and engines answer.
    Object.assign(run.world, { isDead: false, isFull: false });
    for (const { session } of run.tabs) {
      session?.retry();
      session?.save();
    }
    await run.world.rest(400);
    for (const { library } of run.tabs) await library.flush();
    run.check();
    const [{ library }] = run.tabs;
    const lines = new Set();
    for (const { id } of await library.games()) {
      const game = await library.game(id);
      run.models[game.mark].equals(game, id);
      linesOf(game).forEach((line) => lines.add(`${game.fen}:${line}`));
    }
    assert.deepEqual([...run.played].filter((line) => !lines.has(line)), [], "moves of users that are in no game");
    for (const { session, model } of run.tabs) if (session) model.equals(session.play.save(), `${session.id} in its tab`);
    assert.ok(run.played.size > 60, `${run.played.size} moves`);
    console.log(`seed ${seed}: ${run.stored.size} games, ${run.played.size} moves of users, ${run.forks} games of which two tabs had versions`);
  } catch (error) {
    console.log(`seed ${seed}, last actions: ${run.log.slice(-12).join(", ")}`);
    throw error;
  }
});
