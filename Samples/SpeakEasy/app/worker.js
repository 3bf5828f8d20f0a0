// The app's own files without a connection. The network is asked first, so a new version of the app is seen at once.
const files = ['./', 'app.css', 'app.mjs', 'copy.mjs', 'server.mjs', 'views.mjs', 'icon.svg'];

addEventListener('install', event => {
  event.waitUntil(caches.open('speakeasy').then(cache => cache.addAll(files)).then(() => skipWaiting()));
});
addEventListener('activate', event => event.waitUntil(clients.claim()));

addEventListener('fetch', event => {
  const { request } = event;
  // The program itself is in the copy, which the pages read; only files of the app are kept here.
  if (request.method !== 'GET' || !request.url.startsWith(registration.scope)) return;
  event.respondWith((async () => {
    const cache = await caches.open('speakeasy');
    try {
      const answer = await fetch(request);
      if (answer.ok) await cache.put(request, answer.clone());
      return answer;
    } catch {
      return await cache.match(request, { ignoreSearch: true }) ?? Response.error();
    }
  })());
});
