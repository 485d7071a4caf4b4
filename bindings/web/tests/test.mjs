// Tests of the module in node: it equals native code request by request; errors; searches in a
// worker. Arguments: the native program, and the folder of the bundled agents.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { after, test } from "node:test";
import { CrownheadError, load } from "crownhead";
import { startAgent } from "crownhead/worker";

const [native, agents] = process.env.CROWNHEAD_WEB_TEST.split(":");
const GAMES = (await load()).ask({ do: "variants" });
/** The games with a network that comes along. */
const LEARNED = GAMES.slice(0, 5);

/** The native program, which answers the same requests. */
class Native {
  static all = [];

  constructor() {
    Native.all.push(this);
    this.process = spawn(native, { stdio: ["pipe", "pipe", "inherit"] });
    this.lines = createInterface({ input: this.process.stdout })[Symbol.asyncIterator]();
  }

  async ask(request, file = "") {
    this.process.stdin.write(`${file ? `${file}\t` : ""}${JSON.stringify(request)}\n`);
    const { value } = await this.lines.next();
    return JSON.parse(value);
  }

  close() {
    this.process.stdin.end();
  }
}

// A failed test leaves its program running, and this process would wait for it.
after(() => Native.all.forEach((program) => program.close()));

/** Equal but for the last digits of floating point numbers. */
function same(a, b, place) {
  if (typeof a === "number" && typeof b === "number") return assert.ok(Math.abs(a - b) <= 1e-5, `${place}: ${a} ${b}`);
  if (a === null || b === null || typeof a !== "object" || typeof b !== "object") return assert.equal(a, b, place);
  assert.deepEqual(Object.keys(a), Object.keys(b), place);
  for (const key of Object.keys(a)) same(a[key], b[key], `${place}.${key}`);
}

/** Both answer alike; returns the answer. */
async function both(crownhead, other, request, file = "") {
  const bytes = file ? readFileSync(file) : undefined;
  let own;
  try {
    own = { ok: crownhead.ask(request, bytes) };
  } catch (error) {
    own = { error: error.message };
  }
  same(own, await other.ask(request, file), JSON.stringify(request));
  return own.ok;
}

test("rules: perft and a random walk of each game are those of native code", async () => {
  const [crownhead, other] = [await load(), new Native()];
  for (const variant of GAMES) {
    const game = await both(crownhead, other, { do: "new_game", variant });
    await both(crownhead, other, { do: "perft", game, depth: 6 });
    for (let ply = 0; ply < 60; ply += 1) {
      const view = await both(crownhead, other, { do: "view", game });
      if (view.status !== "ongoing") break;
      const { text } = view.legal_moves[(ply * 7) % view.legal_moves.length];
      await both(crownhead, other, { do: "play", game, text });
    }
    await both(crownhead, other, { do: "write_pdn", game, tags: { White: "a" } });
    await both(crownhead, other, { do: "take_back", game });
  }
});

/** Plays a game by fixed nodes with both. */
async function play(crownhead, other, request, file, nodes, plies, variant) {
  const { handle: agent } = await both(crownhead, other, request, file);
  const game = await both(crownhead, other, { do: "new_game", variant });
  for (let ply = 0; ply < plies; ply += 1) {
    const view = crownhead.ask({ do: "view", game });
    if (view.status !== "ongoing") break;
    const chosen = await both(crownhead, other, { do: "choose", agent, game, limits: { nodes } });
    if (ply % 8 === 0) {
      await both(crownhead, other, { do: "analyse", agent, game, limits: { nodes, lines: 3 } });
      await both(crownhead, other, { do: "value", agent, game });
      await both(crownhead, other, { do: "judge", agent, game });
    }
    await both(crownhead, other, { do: "play", game, text: chosen.move });
  }
}

test("alpha-beta search that counts: a game of each variant", async () => {
  const [crownhead, other] = [await load(), new Native()];
  for (const variant of GAMES) {
    const request = { do: "load", name: `material:${variant}`, options: { hash: 1 } };
    await play(crownhead, other, request, "", 2000, 200, variant);
  }
});

test("alpha-beta search with learned evaluations", async () => {
  const [crownhead, other] = [await load(), new Native()];
  for (const variant of LEARNED) {
    const request = { do: "load", name: variant, options: { hash: 1 } };
    await play(crownhead, other, request, `${agents}/evaluations/${variant}.safetensors`, 2000, 200, variant);
  }
});

for (const precision of ["int8", "f32"]) {
  test(`tree search with networks in ${precision}`, async () => {
    const [crownhead, other] = [await load(), new Native()];
    for (const variant of LEARNED) {
      const request = { do: "load", name: variant, options: { precision, portable: true } };
      await play(crownhead, other, request, `${agents}/${variant}.safetensors`, 16, 24, variant);
    }
  });
}

test("agents that are held back", async () => {
  const [crownhead, other] = [await load(), new Native()];
  for (const variant of LEARNED) {
    for (const file of [`${agents}/${variant}.safetensors`, `${agents}/evaluations/${variant}.safetensors`]) {
      const options = { hash: 1, precision: "f32", portable: true };
      const { elo_range: range } = await both(crownhead, other, { do: "load", name: variant, options }, file);
      if (!range) continue; // It was not measured.
      const elo = 0.7 * range[0] + 0.3 * range[1];
      for (const seed of [1, 2]) await play(crownhead, other, { do: "load", name: variant, options: { ...options, elo, seed } }, file, 1, 12, variant);
      await both(crownhead, other, { do: "load", name: variant, options: { ...options, elo: range[1] + 1 } }, file);
    }
  }
});

test("a bad game of PDN costs no other", async () => {
  const [crownhead, other] = [await load(), new Native()];
  const cyrillic = [0xcf, 0xe5, 0xf2, 0xf0, 0xee, 0xe2];
  const games = `[White "?"]
[GameType "21"]
{begin} 1. 11-15! {good} 23-19 {[%clk 0:01]} 1-0

[GameType "21"]
1. 9-14 {kept} 1-2 {lost} *

[GameType "1"]
1. e2-e4 *
`;
  const at = games.indexOf("?");
  const bytes = Uint8Array.from([...games].flatMap((letter, index) => (index === at ? cyrillic : letter.charCodeAt(0))));
  for (const [source, options, encoding] of [
    [games.replace("?", "Петров"), {}, "UTF-8"],
    [bytes, {}, "windows-1251"],
    [bytes.buffer, { encoding: "cp1251" }, "windows-1251"],
  ]) {
    const [good, bad, chess] = crownhead.pdnGames(source, options);
    assert.equal(good.encoding, encoding);
    assert.deepEqual(good.tags, { White: "Петров", GameType: "21" });
    assert.deepEqual([good.game.moves, good.result, good.comment, good.error], [["11-15", "23-19"], "black", "begin", null]);
    assert.deepEqual([good.comments, good.glyphs, good.data], [["good", ""], ["!", ""], [{}, { clk: "0:01" }]]);
    assert.deepEqual([bad.number, bad.line, bad.game.moves, bad.comments, bad.written], [2, 5, ["9-14"], ["kept"], ["9-14", "1-2"]]);
    assert.ok(bad.error.line === 6 && bad.error.message.includes("`1-2` is not a legal move"));
    assert.ok(chess.game === null && chess.error.message.includes("GameType 1"));
  }
  for (const { game } of crownhead.pdnGames(games)) {
    assert.equal(game.variant, "english");
    break; // Closes the reader.
  }
  const refused = (call, part) => assert.throws(call, (error) => error instanceof CrownheadError && part.test(error.message));
  refused(() => [...crownhead.pdnGames(5)], /a PDN text or its bytes/);
  refused(() => [...crownhead.pdnGames(bytes, { encoding: "klingon" })], /unknown encoding `klingon`/);
  await both(crownhead, other, { do: "next_pdn", reader: 99 });
});

test("what is wrong is refused in the library's words", async () => {
  const [crownhead, other] = [await load(), new Native()];
  for (const request of [
    { do: "new_game", variant: "chess" },
    { do: "new_game", variant: "english", fen: "W:W99:B1" },
    { do: "new_game", variant: "english", moves: ["1-5"] },
    { do: "read_pdn", text: "1. 11-15 *" },
    { do: "view", game: 7 },
    { do: "load", name: "material:chess" },
    { do: "choose", agent: 1, game: 2 },
    { do: "close", handle: 3 },
  ]) {
    await both(crownhead, other, request);
  }
  const game = crownhead.game("english");
  const refused = (call, part) => assert.throws(call, (error) => error instanceof CrownheadError && part.test(error.message));
  refused(() => game.play("1-5"), /`1-5` is not a legal move here/);
  refused(() => crownhead.agent(new Uint8Array(99)), /safetensors/);
  for (const nothing of [undefined, null, 5, new Uint8Array()]) refused(() => crownhead.agent(nothing), /bytes of a safetensors file/);
  refused(() => crownhead.agent(readFileSync(`${agents}/thai.safetensors`).subarray(0, 1000)), /cut off or damaged|safetensors/);
  const agent = crownhead.agent("material:english", { hash: 1 });
  refused(() => agent.choose(game, { nodes: 0 }), /nodes is 0/);
  refused(() => agent.choose(crownhead.game("thai")), /plays english, not thai/);
  assert.throws(() => agent.analyse(game, {}, () => { throw new RangeError("mine"); }), RangeError);
  refused(() => agent.analyse(game, { depth: 3 }, () => game.takeBack()), /a report cannot make requests/);
  for (const foreign of [(await load()).game("english"), null, {}]) refused(() => agent.choose(foreign), /a game of its own module/);
  const detached = new ArrayBuffer(8);
  structuredClone(detached, { transfer: [detached] });
  assert.throws(() => crownhead.ask({ do: "variants" }, detached), TypeError);
  const { buffer, byteOffset, byteLength } = readFileSync(`${agents}/thai.safetensors`);
  assert.equal(crownhead.agent(new DataView(buffer, byteOffset, byteLength)).variant, "thai");
  game.close();
  refused(() => game.play("11-15"), /is not an open game/);
  assert.match(agent.choose(crownhead.game("english"), { seconds: 0.05 }), /^\d+-\d+$/);
});

test("a wrong argument is named with what belongs there", async () => {
  const [crownhead, other] = [await load(), new Native()];
  const [game, agent] = [crownhead.game("english"), crownhead.agent("material:english", { hash: 1 })];
  const whole = "give a whole number from 0 to 4294967295";
  for (const [message, call] of [
    ["game: variant is missing: give a string", () => crownhead.game()],
    ["game: variant is 5: give a string", () => crownhead.game(5)],
    ["game: fen is true: give a string", () => crownhead.game("english", true)],
    [`game: moves is "${"11-15 ".repeat(6)}11-…: give a list`, () => crownhead.game("english", null, "11-15 ".repeat(99))],
    ["game: moves[1] is 23: give a string", () => crownhead.game("english", null, ["11-15", 23])],
    ["readPdn: text is null: give a string", () => crownhead.readPdn(null)],
    ["pdnGames: encoding is a list: give a string", () => [...crownhead.pdnGames(new Uint8Array(1), { encoding: [] })]],
    [`agent: options.hash is "64": ${whole}`, () => crownhead.agent("material:english", { hash: "64" })],
    [`agent: options.threads is -1: ${whole}`, () => crownhead.agent("material:english", { threads: -1 })],
    ["agent: options.precision is 8: give a string", () => crownhead.agent("material:english", { precision: 8 })],
    ["agent: unknown field `size`, expected one of `hash`, ", () => crownhead.agent("material:english", { size: 1 })],
    ["pdn: tags.Round is 1: give a string", () => game.pdn({ Round: 1 })],
    ["pdn: tags is 1: give an object", () => game.pdn(1)],
    [`perft: depth is missing: ${whole}`, () => game.perft()],
    ["choose: limits is null: give an object", () => agent.choose(game, null)],
    ["choose: limits.nodes is 1.5: give a whole number from 0", () => agent.choose(game, { nodes: 1.5 })],
    [`choose: limits.depth is 5000000000: ${whole}`, () => agent.choose(game, { depth: 5e9 })],
    ['choose: limits.seconds is "NaN": give a number', () => agent.choose(game, { seconds: NaN })],
    ['choose: limits.seconds is "1": give a number', () => agent.choose(game, { seconds: 1n })],
    ["analyse: unknown field `sims`, expected one of `nodes`, ", () => agent.analyse(game, { sims: 3 })],
    ["do: unknown variant `dance`, expected one of `variants`, ", () => crownhead.ask({ do: "dance" })],
  ]) {
    assert.throws(call, (error) => error instanceof CrownheadError && error.message.startsWith(message), message);
  }
  for (const request of [5, [], {}, { do: 7 }, { do: "variants", x: 1 }, { do: "view" }, { do: "think", agent: 1, question: {} }]) {
    await both(crownhead, other, request);
  }
});

test("a worker searches, reports, stops, and goes on", async () => {
  const crownhead = await load();
  const game = crownhead.game("frisian");
  const agent = await startAgent(readFileSync(`${agents}/evaluations/frisian.safetensors`), { hash: 4 });
  assert.equal(agent.variant, "frisian");
  const local = crownhead.agent(readFileSync(`${agents}/evaluations/frisian.safetensors`), { hash: 4 });
  assert.deepEqual(agent.eloRange, local.eloRange);
  assert.equal(await agent.choose(game, { nodes: 5000 }), local.choose(game, { nodes: 5000 }));
  let n = 0;
  const found = await agent.analyse(game, { lines: 2 }, () => (n += 1) < 5);
  assert.equal(found.lines.length, 2);
  let deep = 0;
  const endless = agent.analyse(game, {}, (found) => {
    deep = found.lines[0].depth;
    if (deep > 3) agent.stop();
  });
  assert.equal((await endless).lines[0].depth, deep);
  assert.ok(deep > 3);
  const unheard = assert.rejects(agent.analyse(game), /stopped before it found anything/);
  agent.stop();
  await unheard;
  await assert.rejects(Promise.all([agent.analyse(game, { nodes: 100 }), agent.analyse(game)]), /is searching/);
  agent.stop();
  game.play(await agent.choose(game, { nodes: 500 }));
  await assert.rejects(agent.choose(crownhead.game("thai")), /plays frisian, not thai/);
  for (const nothing of [undefined, null, 5, "11-15"]) {
    for (const call of ["choose", "analyse", "value", "judge"]) await assert.rejects(agent[call](nothing), /^CrownheadError: the agent needs a game/);
  }
  await assert.rejects(startAgent(new Uint8Array(3)), CrownheadError);
  await assert.rejects(startAgent("material:thai", { hash: () => 1 }), /could not be cloned/);
  await assert.rejects(agent.choose(game, { nodes: () => 1 }), /could not be cloned/);
  const cut = agent.analyse(game);
  agent.close();
  for (const late of [cut, agent.choose(game)]) await assert.rejects(late, /the agent was closed/);
});
