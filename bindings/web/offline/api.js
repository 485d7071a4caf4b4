// The page's requests, answered in the browser: rules in this thread, searches in a worker.

import { load } from "./crownhead.js";
import { startAgent } from "./worker.js";

const crownhead = load();
const agents = fetch(new URL("agents.json", import.meta.url)).then((response) => response.json());
let variants = null;
/** The player that searches, and its worker. */
let busy = { id: null, agent: null };

/** By variant: a promise for its endgame database. */
const endgames = new Map();

async function ask(path, body = null) {
  return (await crownhead).ask({ do: "page", path, body });
}

/** Fetches the endgame database of a variant; the page works without it. */
async function loadEndgames(variant, file) {
  try {
    const response = await fetch(new URL(file, import.meta.url));
    if (!response.ok) throw new Error(`cannot load ${file}: status ${response.status}`);
    const bytes = new Uint8Array(await response.arrayBuffer());
    (await crownhead).ask({ do: "endgames", variant }, bytes);
  } catch (error) {
    console.warn(error.message);
  }
}

/** Waits for the database that covers a position, or a position after one move; false if there is none. */
async function hasEndgames({ variant, board, moves, status }) {
  const own = (await agents).find((agent) => agent.variant === variant);
  const fewest = board.replaceAll(".", "").length - Math.max(0, ...moves.map(({ captured }) => captured.length));
  if (!own || status !== "ongoing" || fewest > own.endgames.pieces) return false;
  if (!endgames.has(variant)) endgames.set(variant, loadEndgames(variant, own.endgames.file));
  await endgames.get(variant);
  return true;
}

/** The agents of the folder, then one that counts pieces and plays all variants. */
async function players(variant) {
  const own = (await agents).filter((agent) => agent.variant === variant);
  const offered = own.map(({ id, name, takes_simulations }) => ({ id, name: ["named", [name]], group: ["agents", []], takes_simulations, analyses: true }));
  const heldBack = own.flatMap(({ id, name, strengths }) => strengths.map((elo) => ({ id: `${id},elo=${elo}`, name: ["at-elo", [elo, "named", name]], group: ["held-back", ["named", name]], takes_simulations: false, analyses: false })));
  return [...offered, ...heldBack, { id: `material:${variant}`, name: ["material", []], group: ["others", []], takes_simulations: false, analyses: true }];
}

export async function get(path) {
  if (path === "/api/runs") return [];
  const variant = path.match(/^\/api\/players\/(.+)$/)?.[1];
  if (variant) return players(variant);
  return ask(path);
}

export async function post(path, content) {
  const reply = await ask(path, content);
  const isTold = path !== "/api/game" || [reply, ...reply.moves].some(({ truth }) => truth);
  return !isTold && (await hasEndgames(reply)) ? ask(path, content) : reply;
}

async function thinker(id) {
  if (busy.id === id) return busy.agent;
  busy.agent?.close();
  busy = { id: null, agent: null };
  const [own, elo] = id.split(",elo=");
  const known = (await agents).find((agent) => agent.id === own);
  let source = id;
  if (known) {
    const response = await fetch(new URL(known.file, import.meta.url));
    if (!response.ok) throw new Error(`cannot load ${known.file}: status ${response.status}`);
    source = new Uint8Array(await response.arrayBuffer());
  }
  busy = { id, agent: await startAgent(source, { name: known?.file ?? id, hash: 16, elo: elo ? Number(elo) : null }) };
  return busy.agent;
}

/** Calls `take(kind, content)` for each report of a search, then for its result. Aborting the signal stops it. */
export async function stream(path, content, signal, take) {
  const agent = await thinker(content.player);
  const aborted = () => new DOMException("the search was stopped", "AbortError");
  if (signal.aborted) throw aborted();
  signal.addEventListener("abort", () => agent.stop(), { once: true });
  const answer = await agent.think(content, (found) => take("info", found)).catch((error) => {
    throw signal.aborted ? aborted() : error;
  });
  if (signal.aborted) throw aborted();
  take("answer", answer);
}

/** The variants by name, variants of the agents first. */
export async function loadVariants() {
  variants ??= Promise.all([get("/api/variants"), agents]).then(([list, own]) => {
    const isOwn = ({ name }) => own.some((agent) => agent.variant === name);
    return new Map([...list.filter(isOwn), ...list.filter((v) => !isOwn(v))].map((v) => [v.name, v]));
  });
  return variants;
}

navigator.serviceWorker?.register(new URL("../service-worker.js", import.meta.url));
