// Makes the page installable, and opens it when the server is away. A file that the server has comes from there.

const CACHE = "crownhead";

async function fetched(event) {
  const { request } = event;
  try {
    const response = await fetch(request);
    if (response.ok) {
      const copy = response.clone();
      // Storage that is full or slow must not keep the page from opening.
      event.waitUntil(caches.open(CACHE).then((cache) => cache.put(request, copy)).catch(() => {}));
    }
    return response;
  } catch (error) {
    const kept = await caches.match(request);
    if (kept) return kept;
    throw error;
  }
}

addEventListener("fetch", (event) => {
  const { pathname, search } = new URL(event.request.url);
  // Only what is the same for everybody is kept.
  if (event.request.method !== "GET" || search || pathname.startsWith("/api/")) return;
  event.respondWith(fetched(event));
});
