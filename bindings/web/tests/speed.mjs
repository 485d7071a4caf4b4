// Nodes per second in WebAssembly, with and without vector instructions, against the same search in
// native code, alternating. CROWNHEAD_WEB_TEST=NATIVE:AGENTS node speed.mjs

import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { load } from "crownhead";

const [native, agents] = process.env.CROWNHEAD_WEB_TEST.split(":");
const child = spawn(native, { stdio: ["pipe", "pipe", "inherit"] });
const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
const file = (name) => readFileSync(new URL(import.meta.resolve(`crownhead/${name}`)));
const sides = {
  vectors: await load(file("crownhead.wasm")),
  scalar: await load(file("crownhead-scalar.wasm")),
  native: {
    ask: async (request, bytes, path) => {
      child.stdin.write(`${bytes ? `${path}\t` : ""}${JSON.stringify(request)}\n`);
      return JSON.parse((await lines.next()).value).ok;
    },
  },
};

/** The moves of a game that goes another way each time, so that nothing is remembered of the last search. */
function opening(variant, round) {
  const game = sides.vectors.game(variant);
  for (let ply = 0; ply < 4 + (round % 5) && game.status === "ongoing"; ply += 1) {
    game.play(game.legalMoves[(3 * ply + 5 * round) % game.legalMoves.length]);
  }
  return game.moves;
}

async function measure(variant, path, options, nodes) {
  const [agent, seconds, searched] = [{}, {}, {}];
  for (const [name, side] of Object.entries(sides)) {
    agent[name] = (await side.ask({ do: "load", name: variant, options }, readFileSync(path), path)).handle;
    [seconds[name], searched[name]] = [0, 0];
  }
  for (let round = 0; round < 12; round += 1) {
    const moves = opening(variant, round);
    for (const [name, side] of Object.entries(sides)) {
      const game = await side.ask({ do: "new_game", variant, moves });
      const start = performance.now();
      const found = await side.ask({ do: "analyse", agent: agent[name], game, limits: { nodes } });
      // The first round warms up; a search that ends early, with a proof, is not measured.
      if (round === 0 || found.nodes < nodes / 2) continue;
      seconds[name] += (performance.now() - start) / 1e3;
      searched[name] += found.nodes;
    }
  }
  const rate = (name) => searched[name] / seconds[name];
  const share = (name) => (rate(name) / rate("native")).toFixed(2);
  return `native ${Math.round(rate("native"))}/s, vectors ${share("vectors")}, scalar ${share("scalar")} of it`;
}

for (const variant of ["english", "frisian"]) {
  const evaluation = `${agents}/evaluations/${variant}.safetensors`;
  console.log(`alpha-beta, ${variant}: ${await measure(variant, evaluation, {}, 200_000)}`);
  for (const precision of ["int8", "f32"]) {
    for (const portable of [true, false]) {
      const options = { precision, portable };
      const kind = portable ? "portable" : "best";
      const text = await measure(variant, `${agents}/${variant}.safetensors`, options, 800);
      console.log(`tree search, ${variant}, ${precision}, native ${kind}: ${text}`);
    }
  }
}
child.stdin.end();
