// The page's requests, answered in the browser: rules in this thread, searches in a worker.

import { load } from "./crownhead.js";
import { words } from "./words.js";
import { startAgent } from "./worker.js";

/** Throws what the browser says of a lost connection, in the user's language. */
function lost(error) {
  throw error instanceof TypeError ? new Error(words.connectionLost) : error;
}

/** What is loaded when it is asked for, once. A failure is not kept. */
function once(load) {
  let kept = null;
  const forget = () => (kept = null);
  return () => {
    if (!kept) (kept = load().catch(lost)).catch(forget);
    return kept;
  };
}

/** A file of the page, as a response. */
async function file(name) {
  const response = await fetch(new URL(name, import.meta.url)).catch(lost);
  if (!response.ok) throw new Error(`cannot load ${name}: status ${response.status}`);
  return response;
}

const crownhead = once(load);
const agents = once(async () => (await file("agents.json")).json());
// They come while the page loads its other modules; who asks for them learns of a failure.
for (const begin of [crownhead, agents]) begin();

/**
 * Searches do not stop those of other kinds: the game goes on next to an analysis, and an endless analysis next to a
 * question. Each kind has a worker, which answers one request after the other: its player, and the end of the last one.
 */
const kinds = Object.fromEntries(["game", "endless", "question"].map((kind) => [kind, { id: null, agent: null, last: Promise.resolve() }]));

/** By variant: a promise for its endgame database. */
const endgames = new Map();

async function ask(path, body = null) {
  return (await crownhead()).ask({ do: "page", path, body });
}

/** Fetches the endgame database of a variant; the page works without it. */
async function loadEndgames(variant, name) {
  try {
    const bytes = new Uint8Array(await (await file(name)).arrayBuffer());
    (await crownhead()).ask({ do: "endgames", variant }, bytes);
  } catch (error) {
    console.warn(error.message);
  }
}

/** Waits for the database that covers a position, or a position after one move; false if there is none. */
async function hasEndgames({ variant, board, moves, status }) {
  const own = (await agents()).find((agent) => agent.variant === variant);
  const fewest = board.replaceAll(".", "").length - Math.max(0, ...moves.map(({ captured }) => captured.length));
  if (!own || status !== "ongoing" || fewest > own.endgames.pieces) return false;
  if (!endgames.has(variant)) endgames.set(variant, loadEndgames(variant, own.endgames.file));
  await endgames.get(variant);
  return true;
}

/** The agents of the folder, then one that counts pieces and plays all variants. They are called as a server calls them. */
async function players(variant) {
  const own = (await agents()).filter((agent) => agent.variant === variant);
  const player = (id, name, group, more = {}) => ({ id, name, group, takes_simulations: false, analyses: false, ...more });
  const offered = own.map(({ id, label, takes_simulations }) => player(id, label, ["bundled", []], { takes_simulations, analyses: true }));
  const limited = own.flatMap(({ id, label: [key, parts], strengths }) => strengths.map((elo) => player(`${id},elo=${elo}`, ["at-elo", [elo, key, ...parts]], ["held-back", [key, ...parts]])));
  return [...offered, ...limited, player(`material:${variant}`, ["material", []], ["others", []], { analyses: true, counts_pieces: true })];
}

export async function get(path) {
  if (path === "/api/runs") return [];
  if (path === "/api/puzzles") return null;
  const variant = path.match(/^\/api\/players\/(.+)$/)?.[1];
  if (variant) return players(variant);
  return ask(path);
}

export async function post(path, content) {
  if (path === "/api/book") return null;
  const reply = await ask(path, content);
  const isTold = path !== "/api/game" || [reply, ...reply.moves].some(({ truth }) => truth);
  return !isTold && (await hasEndgames(reply)) ? ask(path, content) : reply;
}

async function thinker(kind, id) {
  if (kind.id === id) return kind.agent;
  kind.agent?.close();
  Object.assign(kind, { id: null, agent: null });
  const [own, elo] = id.split(",elo=");
  const known = (await agents()).find((agent) => agent.id === own);
  const source = known ? new Uint8Array(await (await file(known.file)).arrayBuffer()) : id;
  const agent = await startAgent(source, { name: known?.file ?? id, hash: 16, elo: elo ? Number(elo) : null });
  Object.assign(kind, { id, agent });
  return agent;
}

/** Calls `take(kind, content)` for each report of a search, then for its result. Aborting the signal stops it. */
export function stream(path, content, signal, take) {
  // Only the game's searches have a seed.
  const kind = kinds[content.seed != null ? "game" : content.endless ? "endless" : "question"];
  const mine = kind.last.then(() => search(kind, content, signal, take));
  kind.last = mine.catch(() => {});
  return mine;
}

async function search(kind, content, signal, take) {
  const aborted = () => new DOMException("the search was stopped", "AbortError");
  if (signal.aborted) throw aborted();
  const agent = await thinker(kind, content.player);
  if (signal.aborted) throw aborted();
  const stop = () => agent.stop();
  signal.addEventListener("abort", stop);
  const answer = await agent.think(content, (found) => take("info", found)).catch((error) => {
    throw signal.aborted ? aborted() : error;
  }).finally(() => signal.removeEventListener("abort", stop));
  if (signal.aborted) throw aborted();
  take("answer", answer);
}

/** The variants by name, in the order of a server's page. */
export const loadVariants = once(async () => new Map((await get("/api/variants")).map((variant) => [variant.name, variant])));

/** The variant of the first game: one that an agent has learned. */
export async function usualVariant() {
  return (await agents())[0]?.variant;
}

navigator.serviceWorker?.register(new URL("../service-worker.js", import.meta.url)).catch(() => {});
