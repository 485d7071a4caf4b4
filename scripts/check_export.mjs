#!/usr/bin/env node
// Checks export folders with onnxruntime-web, the runtime of browsers.
//
//     npm ci                                    in a copy of scripts/outside
//     node .../scripts/check_export.mjs DIR...  from there
//
// Runs model.onnx on the golden positions of manifest.json, as one batch and one by one, and scores
// their moves. The error of model-int8.onnx must equal the one in the manifest. Fails if anything
// differs by 1e-4 or more; model-qdq.onnx may differ by 0.01 from its stated error, and its speed
// is printed.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const TOLERANCE = 1e-4;
const QDQ_TOLERANCE = 0.01;

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

/** What a network says about positions: outputs, scores and policies, one after the other. */
async function answers(manifest, session, positions) {
  const { squares, planes, globals } = manifest.input;
  const outputs = await session.run({
    planes: tensor(positions, 'planes', [squares, planes.length]),
    globals: tensor(positions, 'globals', [globals.length]),
  });
  const found = Object.fromEntries(manifest.outputs.map(({ name }) => [name, outputs[name].data]));
  const scores = positions.map((position, index) => {
    const part = (name) => {
      const size = found[name].length / positions.length;
      return found[name].subarray(index * size, (index + 1) * size);
    };
    return logits(manifest, position, { f: part('f'), t: part('t'), k: part('k') });
  });
  return { ...found, logits: scores.flat(), policy: scores.flatMap(softmax) };
}

/** The same of the golden answers. */
function expectations(manifest, positions) {
  const all = (part) => positions.flatMap(part);
  const outputs = manifest.outputs.map(({ name }) => [name, all((position) => position[name].flat())]);
  return {
    ...Object.fromEntries(outputs),
    logits: all(({ moves }) => moves.map((move) => move.logit)),
    policy: all(({ moves }) => moves.map((move) => move.probability)),
  };
}

function difference(found, expected) {
  if (found.length !== expected.length) throw new Error(`${found.length} numbers`);
  return Math.max(...expected.map((value, i) => Math.abs(found[i] - value)));
}

/** Batches a second, the best of some tries; the first ones are for the compiler, which goes on meanwhile. */
async function speed(manifest, session, positions) {
  const { squares, planes, globals } = manifest.input;
  const feed = { planes: tensor(positions, 'planes', [squares, planes.length]), globals: tensor(positions, 'globals', [globals.length]) };
  const warm = performance.now() + 1000;
  while (performance.now() < warm) await session.run(feed);
  let best = Infinity;
  for (let i = 0; i < 40; i += 1) {
    const start = performance.now();
    await session.run(feed);
    best = Math.min(best, performance.now() - start);
  }
  return 1 / best;
}

async function check(folder) {
  const read = (name) => readFileSync(join(folder, name));
  const manifest = JSON.parse(read('manifest.json'));
  const { golden_positions: golden, int8, qdq } = manifest;
  const worst = {};
  const session = await ort.InferenceSession.create(read('model.onnx'));
  for (const positions of [golden, golden.slice(0, 1)]) {
    const found = await answers(manifest, session, positions);
    for (const [what, expected] of Object.entries(expectations(manifest, positions))) {
      worst[what] = Math.max(worst[what] ?? 0, difference(found[what], expected));
    }
  }
  if (int8) {
    const small = await ort.InferenceSession.create(read(int8.file));
    const [found, expected] = [await answers(manifest, small, golden), expectations(manifest, golden)];
    const missed = (what, by) => Math.abs(difference(found[what], expected[what]) - by);
    worst['int8 wdl'] = missed('wdl', int8.golden.wdl);
    worst['int8 policy'] = missed('policy', int8.golden.probability);
  }
  if (qdq) {
    const fast = await ort.InferenceSession.create(read(qdq.file));
    const [found, expected] = [await answers(manifest, fast, golden), expectations(manifest, golden)];
    const off = difference(found.wdl, expected.wdl);
    if (!(Math.abs(off - qdq.golden.wdl) < QDQ_TOLERANCE)) throw new Error(`${qdq.file}: wdl off by ${off}, not ${qdq.golden.wdl}`);
    const times = (await speed(manifest, fast, golden)) / (await speed(manifest, session, golden));
    console.log(`${qdq.file}: ${times.toFixed(2)} times the speed of model.onnx; wdl off by ${off.toFixed(4)}`);
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
