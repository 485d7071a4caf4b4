// Requests to the server. Every error is an `Error` whose message can be shown to the user; `isBusy` says that the server
// has no place now and may have one soon, `isAway` that it does not reply.

import { words } from "./words.js";

async function checked(response) {
  if (response.ok) return response;
  const document = await response.json().catch(() => null);
  const error = new Error(document?.error ?? words.serverStatus(response.status));
  throw Object.assign(error, { isBusy: response.status === 503 });
}

/** Throws what the browser says of a lost connection, in the user's language. */
function lost(error) {
  throw error.name === "AbortError" ? error : Object.assign(new Error(words.noServer), { isAway: true });
}

async function ask(path, options) {
  return checked(await fetch(path, options).catch(lost));
}

export async function get(path) {
  return (await ask(path)).json();
}

function posted(content, signal) {
  return {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(content),
    signal,
  };
}

export async function post(path, content) {
  return (await ask(path, posted(content))).json();
}

/** Calls `take(kind, content)` for each server-sent event. Aborting the signal ends the stream. */
export async function stream(path, content, signal, take) {
  const response = await ask(path, posted(content, signal));
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read().catch(lost);
    if (done) return;
    text += value;
    let end;
    while ((end = text.indexOf("\n\n")) >= 0) {
      const fields = text.slice(0, end).split("\n").map((line) => line.split(/: ?(.*)/s));
      text = text.slice(end + 2);
      const field = (name) => fields.find(([known]) => known === name)?.[1];
      if (field("data")) take(field("event"), JSON.parse(field("data")));
    }
  }
}

// Browsers have no such workers on pages of other machines without encryption, or without cookies.
globalThis.navigator?.serviceWorker?.register("/service-worker.js").catch(() => {});

let variants = null;

/** The variants by name, loaded once. A failure is not kept. */
export async function loadVariants() {
  variants ??= get("/api/variants").then((list) => new Map(list.map((v) => [v.name, v]))).catch((error) => {
    variants = null;
    throw error;
  });
  return variants;
}

/** The variant of the first game: that of the first run, if there is one. */
export async function usualVariant() {
  return (await get("/api/runs?first"))[0]?.variant;
}
