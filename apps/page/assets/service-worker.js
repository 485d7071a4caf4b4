// Makes the page installable, and opens it when the server is away. A file that the server has comes from there.

const CACHE = "crownhead";

async function fetched(request) {
  try {
    const response = await fetch(request);
    if (response.ok) await (await caches.open(CACHE)).put(request, response.clone());
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
  event.respondWith(fetched(event.request));
});
