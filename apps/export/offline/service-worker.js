// Caches the page's files, so that it opens without a network.

const FILES = __FILES__;
// Other exports on the same origin have caches of their own.
const OWN = `crownhead-${registration.scope}-`;
const CACHE = `${OWN}__VERSION__`;

addEventListener("install", (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(FILES)).then(() => skipWaiting()));
});

addEventListener("activate", (event) => {
  const old = (name) => name.startsWith(OWN) && name !== CACHE;
  event.waitUntil(caches.keys().then((names) => Promise.all(names.filter(old).map((name) => caches.delete(name)))));
});

addEventListener("fetch", (event) => {
  event.respondWith(caches.match(event.request, { cacheName: CACHE, ignoreSearch: true }).then((kept) => kept ?? fetch(event.request)));
});
