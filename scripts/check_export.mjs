#!/usr/bin/env node
// Checks export folders with onnxruntime-web, the runtime of browsers.
//
//     npm install onnxruntime-web@1.30.0        in any folder; run this script from there
//     node scripts/check_export.mjs DIR...
//
// Runs model.onnx on the golden positions of manifest.json, all together and one alone, and scores
// their moves. Fails where anything differs by 1e-4 or more.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const TOLERANCE = 1e-4;

const installed = createRequire(join(process.cwd(), 'package.json'));
const loaded = await import(pathToFileURL(installed.resolve('onnxruntime-web/wasm')));
const ort = loaded.default ?? loaded;
ort.env.wasm.numThreads = 1;

function tensor(positions, name, shape) {
  const values = positions.flatMap((position) => position[name].flat());
  return new ort.Tensor('float32', Float32Array.from(values), [positions.length, ...shape]);
}

/** Scores of a position's moves, as manifest.action.logit says. */
function logits(manifest, position, { f, t, k }) {
  const tokens = manifest.input.tokens[position.turn];
  const d = manifest.action.d;
  return position.moves.map(({ from, to, captured }) => {
    const [origin, end] = [tokens[from - 1] * d, tokens[to - 1] * d];
    let product = 0;
    for (let i = 0; i < d; i += 1) product += f[origin + i] * t[end + i];
    return captured.reduce((sum, c) => sum + k[tokens[c - 1]], product / Math.sqrt(d));
  });
}

function softmax(scores) {
  const powers = scores.map((score) => Math.exp(score - Math.max(...scores)));
  const sum = powers.reduce((a, b) => a + b);
  return powers.map((power) => power / sum);
}

async function check(folder) {
  const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
  const session = await ort.InferenceSession.create(readFileSync(join(folder, 'model.onnx')));
  const worst = {};
  const compare = (what, found, expected) => {
    if (found.length !== expected.length) throw new Error(`${what}: ${found.length} numbers`);
    const differences = expected.map((value, i) => Math.abs(found[i] - value));
    worst[what] = Math.max(worst[what] ?? 0, ...differences);
  };
  const golden = manifest.golden_positions;
  const { squares, planes, globals } = manifest.input;
  for (const positions of [golden, golden.slice(0, 1)]) {
    const outputs = await session.run({
      planes: tensor(positions, 'planes', [squares, planes.length]),
      globals: tensor(positions, 'globals', [globals.length]),
    });
    for (const { name } of manifest.outputs) {
      compare(name, outputs[name].data, positions.flatMap((position) => position[name].flat()));
    }
    positions.forEach((position, index) => {
      const part = (name) => {
        const { data } = outputs[name];
        const size = data.length / positions.length;
        return data.subarray(index * size, (index + 1) * size);
      };
      const scores = logits(manifest, position, { f: part('f'), t: part('t'), k: part('k') });
      compare('logits', scores, position.moves.map((move) => move.logit));
      compare('policy', softmax(scores), position.moves.map((move) => move.probability));
    });
  }
  return worst;
}

let failed = process.argv.length < 3;
for (const folder of process.argv.slice(2)) {
  const worst = await check(folder);
  const shown = Object.entries(worst).map(([what, value]) => `${what} ${value.toExponential(1)}`);
  failed ||= !Object.values(worst).every((value) => value < TOLERANCE);
  console.log(folder, shown.join(' '));
}
process.exit(failed ? 1 : 0);
