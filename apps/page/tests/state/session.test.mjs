// The state machine of a game, defect by defect.

import assert from "node:assert/strict";
import { test } from "node:test";
import { newDocument } from "../../assets/document.js";
import { gameLine } from "../../assets/tree.js";
import { World, standing } from "./world.mjs";

const seat = (player) => ({ player, strength: "", name: "" });

/** A game on the board of a tab, with the server's replies so far. */
async function begun({ white = "human", black = "human", clock = null, ...more } = {}, world = new World()) {
  const tab = world.tab();
  const document = newDocument({ variant: "any", fen: "0", terms: { white: seat(white), black: seat(black), clock, ponder: false }, ...more });
  const session = await tab.open(document, false);
  await world.rest();
  return { world, tab, session };
}

const first = (session) => session.views.get(session.play.at).moves[0].notation;

/** Plays moves of persons; engines answer. */
async function play({ world, session }, moves = 1) {
  for (let count = 0; count < moves; count += 1) {
    session.move(first(session));
    await world.rest();
  }
}

test("a forgotten tab deletes no moves", async () => {
  const one = await begun();
  await play(one, 2);
  const other = one.world.tab();
  await other.open(one.session.id);
  await one.world.rest();
  await play(one, 6);
  one.session.close();
  other.session.close();
  await one.world.rest();
  assert.equal((await one.tab.library.game(one.session.id)).line.length, 8);
});

test("a tab follows what another one plays, and takes over with a move", async () => {
  const one = await begun({ black: "engine" });
  await play(one);
  const other = one.world.tab();
  await other.open(one.session.id);
  await one.world.rest();
  assert.equal(other.session.phase, "following");
  await play(one);
  assert.equal(other.session.play.live.plies, 4);
  assert.equal(other.server.thinking.size, 0, "one tab asks the engine");
  other.session.move(first(other.session));
  await one.world.rest();
  assert.deepEqual([one.session.phase, other.session.phase], ["following", "human"]);
  assert.equal(one.session.play.live.plies, 6);
});

test("two tabs that move at once keep both moves, and the user is told", async () => {
  const one = await begun();
  const other = one.world.tab();
  await other.open(one.session.id);
  await one.world.rest();
  const [a, b] = standing({ fen: "0", moves: [] }).moves.length > 1 ? standing({ fen: "0", moves: [] }).moves : [{ notation: "a" }, { notation: "b" }];
  one.session.move(a.notation);
  other.session.move(b.notation);
  await one.world.rest();
  const lines = (await one.tab.library.games()).map(({ line }) => line[0].move).sort();
  assert.deepEqual(lines, [a.notation, b.notation].sort());
  assert.deepEqual(one.world.told.map(({ kind }) => kind), ["forked"]);
});

test("a full storage loses nothing as long as the page is open, and says so", async () => {
  const one = await begun();
  one.world.isFull = true;
  await play(one, 2);
  assert.ok(one.world.told.some(({ kind }) => kind === "full"));
  one.session.close();
  const again = await one.tab.open(one.session.id);
  assert.equal(again.play.live.plies, 2, "memory precedes what is stored");
  one.world.isFull = false;
  again.save();
  await one.world.rest();
  const fresh = one.world.library();
  assert.equal((await fresh.game(again.id)).line.length, 2);
});

test("a game that is closed while its changes are stored is opened with all of them", async () => {
  const one = await begun();
  const { session, tab, world } = one;
  session.move(first(session));
  session.change((game) => (game.at.comment = "early"));
  const [again] = await Promise.all([tab.open(session.id), world.rest()]);
  assert.equal(again.play.live.comment, "early");
  await world.rest();
  again.move(first(again));
  await world.rest();
  assert.deepEqual(world.told, [], "no other tab has changed it");
  assert.equal((await tab.library.games()).length, 1);
});

test("a page that closes leaves the change that waits for another one", async () => {
  const left = {};
  const one = await begun();
  const { session, tab } = one;
  tab.library.local = { setItem: (key, text) => (left[key] = JSON.parse(text)), removeItem: (key) => delete left[key] };
  session.move(first(session));
  session.change((game) => (game.at.comment = "late"));
  session.close();
  tab.library.leave();
  assert.deepEqual(Object.values(left).map(({ line }) => line[0].comment), ["late"]);
  await one.world.rest();
  assert.deepEqual(left, {}, "a page that goes on leaves nothing behind");
});

test("keys that have nothing to do leave the engine alone", async () => {
  const one = await begun({ white: "engine" }, new World());
  const { session, tab, world } = one;
  // A game whose first move is the engine's.
  const slow = await begun({ black: "engine" });
  slow.session.move(first(slow.session));
  await slow.world.rest(1);
  assert.equal(slow.session.phase, "thinking");
  slow.session.redo();
  assert.equal([...slow.tab.server.thinking].length, 1);
  await slow.world.rest();
  assert.equal(slow.session.play.live.plies, 2);
  const early = await tab.open(newDocument({ variant: "any", fen: "0", terms: { white: seat("engine"), black: seat("human"), clock: null } }), false);
  await world.rest(1);
  early.undo();
  await world.rest();
  assert.equal(early.play.live.plies, 1);
  assert.ok(session);
});

test("a clock stands still while the server is away, and the move stays", async () => {
  const one = await begun({ black: "engine", clock: "1+2" });
  const { session, world } = one;
  await play(one);
  world.isDead = true;
  session.move(first(session));
  await world.rest();
  assert.equal(session.phase, "stuck");
  world.time += 600_000;
  session.tick();
  assert.equal(session.result(), null, "nobody loses on time");
  assert.equal((await one.tab.library.game(session.id)).line.length, 3);
  world.isDead = false;
  session.retry();
  await world.rest();
  assert.equal(session.play.live.plies, 4);
  assert.equal(session.play.tree.root.end, session.play.live);
});

test("an engine that fails is asked again", async () => {
  const one = await begun({ black: "engine", clock: "1+2" });
  const { session, world } = one;
  session.move(first(session));
  await world.rest(1);
  world.isDead = true;
  await world.rest();
  assert.deepEqual([session.phase, session.clocks.running], ["stuck", null]);
  world.isDead = false;
  session.retry();
  await world.rest();
  assert.equal(session.play.live.plies, 2);
});

test("the game as it was played stays the main line", async () => {
  const one = await begun();
  const { session, world } = one;
  await play(one, 4);
  const { live } = session.play;
  const played = live.moves;
  session.change((game) => (game.at = game.tree.addLine(live, ["x", "y", "z"])));
  await world.rest();
  session.look(live);
  await world.rest();
  await play(one);
  assert.deepEqual(session.play.tree.root.end.moves.slice(0, 4), played);
  assert.equal(session.play.live.isMain, true);
  assert.deepEqual(session.play.live.parent.children.map(({ move }) => move), [session.play.live.move, "x"]);
});

test("nothing lengthens a game that is over or was played elsewhere", async () => {
  for (const more of [{ isRecord: true }, { ended: { status: "white", reason: "time" } }]) {
    const { moves } = standing({ fen: "0", moves: [] });
    const one = await begun({ line: [{ move: moves[0].notation }], ...more });
    const { session, world } = one;
    session.move(first(session));
    await world.rest();
    session.change((game) => (game.at = game.tree.addLine(game.live, ["x"])));
    await world.rest();
    assert.equal(session.play.live.plies, 1);
    const line = gameLine(session.play.tree, session.play.live);
    assert.equal(line.length, 1, "PDN has what was played");
    assert.equal(line[0].variations.length, session.play.live.children.length, "and what was tried, as variations");
    const again = await one.tab.open(session.id);
    assert.equal(again.play.live.plies, 1);
  }
});

test("looking at a game does not change it", async () => {
  const one = await begun();
  await play(one, 2);
  const { library } = one.tab;
  const before = await library.game(one.session.id);
  const again = await one.tab.open(one.session.id);
  await one.world.rest();
  again.look(again.play.tree.root);
  await one.world.rest();
  again.close();
  assert.deepEqual(await library.game(again.id), before);
});

test("what nobody has played is not listed", async () => {
  const one = await begun();
  assert.deepEqual(await one.tab.library.games(), []);
  await play(one);
  assert.equal((await one.tab.library.games()).length, 1);
});

test("what was offered in a game that was closed does not end it", async () => {
  const one = await begun();
  await play(one);
  const { session, world, tab } = one;
  session.close();
  session.end("draw", "agreed");
  await world.rest();
  assert.equal((await tab.library.game(session.id)).ended, null);
});

test("nobody resigns before the server has said how the position stands", async () => {
  const one = await begun();
  const { session, world } = one;
  session.move(first(session));
  session.resign();
  await world.rest();
  assert.equal(session.result(), null);
  session.resign();
  await world.rest();
  assert.deepEqual(session.result(), { status: "white", reason: "resigned" });
});

test("a loss on time can be taken back", async () => {
  const one = await begun({ clock: "1+2" });
  const { session, world, tab } = one;
  await play(one, 3);
  const lose = async (on) => {
    world.time += 120_000;
    on.tick();
    await world.rest();
    assert.equal(on.result().reason, "time");
  };
  await lose(session);
  session.undo();
  await world.rest();
  session.tick();
  assert.deepEqual([session.result(), session.play.live.plies, session.clocks.seconds("black")], [null, 3, 64]);
  await lose(session);
  const again = await tab.open(session.id);
  await world.rest();
  again.undo();
  again.setPaused(false);
  await world.rest();
  again.tick();
  assert.deepEqual([again.result(), again.phase], [null, "human"]);
});

test("an engine that is changed while it searches, or thinks ahead, is asked anew", async () => {
  const one = await begun({ black: "engine", clock: "1+2" });
  const { session, world, tab } = one;
  const searches = () => [...tab.server.thinking].map(({ player, ponder }) => [player, ponder]);
  const change = async (black, more = {}) => {
    session.setTerms({ ...session.play.info.terms, black: { ...seat("engine"), ...black }, ...more });
    await world.rest(0);
  };
  session.move(first(session));
  await world.rest(1);
  for (const [black, more] of [[{ strength: "time:5" }], [{ player: "rival" }], [{ player: "rival" }, { clock: "5+3", ponder: true }]]) {
    const [before] = tab.server.thinking;
    await change(black, more);
    assert.ok(before.isStopped);
    assert.deepEqual(searches(), [[black.player ?? "engine", false]]);
  }
  await world.rest();
  assert.deepEqual([session.play.live.plies, session.phase], [2, "human"]);
  await change({ player: "engine" });
  assert.deepEqual(searches(), [["engine", true]]);
});

test("a game that gets another name in another tab goes on", async () => {
  const one = await begun({ black: "engine", clock: "1+2" });
  const { session, world, tab } = one;
  session.move(first(session));
  await world.rest(1);
  const library = world.library();
  session.play.live.value = { white: 1, draw: 0, black: 0 };
  const [search] = tab.server.thinking;
  world.time += 1000;
  await library.keep({ ...(await library.game(session.id)), name: "Renamed" });
  await world.rest(0);
  assert.deepEqual([session.play.info.name, session.phase, session.clocks.seconds("black"), search.isStopped], ["Renamed", "thinking", 61, false]);
  assert.ok(session.play.past.length, "what was done can be undone");
  await world.rest();
  await play(one);
  assert.deepEqual(world.told, []);
  const stored = await library.game(session.id);
  assert.deepEqual([stored.name, stored.line.length], ["Renamed", 4]);
});

test("a game that is deleted elsewhere and taken back goes on", async () => {
  const one = await begun();
  await play(one, 2);
  const { session, world } = one;
  const library = world.library();
  const game = await library.game(session.id);
  await library.remove(session.id);
  await world.rest();
  await library.keep(game);
  await world.rest();
  await play(one);
  assert.deepEqual([world.told, (await library.games()).length, session.phase], [[], 1, "human"]);
});

test("a tab that takes over gives no time back", async () => {
  for (const takeOver of [(session) => session.takeOver(), (session) => session.move(first(session))]) {
    const one = await begun({ clock: "1+2" });
    await play(one, 1);
    const { session, world } = one;
    const other = await world.tab().open(session.id);
    await world.rest();
    world.time += 10_000;
    takeOver(other);
    other.load();
    await world.rest();
    const increment = other.play.live.plies === 2 ? 2 : 0;
    assert.deepEqual([session.phase, other.phase, other.clocks.seconds("black")], ["following", "human", 52 + increment]);
  }
});

test("seats change in the middle of a game", async () => {
  const one = await begun();
  const { session, world } = one;
  await play(one);
  session.setTerms({ white: seat("human"), black: seat("engine"), clock: null });
  await world.rest();
  assert.equal(session.play.live.plies, 2);
});
