const VERSION = 'e647bf7b8b42f9a4';
const FILES = ["./","./app.css","./app.js","./icon-192.png","./icon-512.png","./icon.svg","./index.html","./katex.js","./manifest.webmanifest"];
// Keeps the files of the page, so that it opens without the server. Answers and conversations are never cached: whatever
// is not in FILES goes to the network untouched.
//
// VERSION and FILES are filled in by the build. VERSION is a digest of the files: a new build is a new cache.

const CACHE = `reckon-${VERSION}`;

self.addEventListener('install', (event) => {
  // `reload` passes by the browser's own cache, which may still hold the files of the build before.
  const fresh = FILES.map((file) => new Request(file, { cache: 'reload' }));
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(fresh)).then(() => self.skipWaiting()));
});

self.addEventListener('activate', (event) => {
  const old = (name) => name.startsWith('reckon-') && name !== CACHE;
  const drop = async () => {
    const names = await caches.keys();
    await Promise.all(names.filter(old).map((name) => caches.delete(name)));
    await self.clients.claim();
  };
  event.waitUntil(drop());
});

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const url = new URL(request.url);
  const name = url.pathname === '/' ? './' : `.${url.pathname}`;
  if (request.method !== 'GET' || url.origin !== location.origin || !FILES.includes(name)) return;
  event.respondWith(caches.open(CACHE).then(async (cache) => (await cache.match(name)) ?? fetch(request)));
});

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  const show = async () => {
    const pages = await self.clients.matchAll({ type: 'window' });
    const target = `./#c/${event.notification.data}`;
    if (!pages.length) return self.clients.openWindow(target);
    await pages[0].focus();
    pages[0].postMessage({ open: event.notification.data });
  };
  event.waitUntil(show());
});
