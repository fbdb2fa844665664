//! The service worker: it adds the four isolation headers where the host sends none, and answers the slow API.
//! Not here: a cache. What the host has is what the page gets.

import { isSlow, slowAnswer } from './worker/slow-api.ts';

declare const self: ServiceWorkerGlobalScope;

/** The same four that `_headers` asks hosts for; together they isolate the top page, and in Chromium a frame as well. */
const ISOLATION_HEADERS = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Document-Isolation-Policy': 'isolate-and-require-corp',
} as const;

/** Statuses whose answers have no body, so that `Response` refuses one. */
const BODILESS = [204, 205, 304];

async function withHeaders(request: Request): Promise<Response> {
  const response = await fetch(request);
  // Opaque answers and redirects can be neither read nor made anew.
  if (response.type !== 'basic' || response.redirected) return response;
  const headers = new Headers(response.headers);
  for (const [name, value] of Object.entries(ISOLATION_HEADERS)) {
    if (!headers.has(name)) headers.set(name, value);
  }
  const body = BODILESS.includes(response.status) ? null : response.body;
  return new Response(body, { status: response.status, statusText: response.statusText, headers });
}

self.addEventListener('install', () => {
  // A new version takes over at once: page and service worker are always of the same build.
  self.skipWaiting();
});

self.addEventListener('activate', (event) => {
  // The page that registered it can ask the slow API without being loaded again.
  event.waitUntil(self.clients.claim());
});

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (url.origin !== self.location.origin || request.method !== 'GET') return;
  // Chromium asks so for pages opened from its developer tools, and forbids to pass it on.
  if (request.cache === 'only-if-cached' && request.mode !== 'same-origin') return;
  const scope = new URL(self.registration.scope).pathname;
  event.respondWith(isSlow(url, scope) ? slowAnswer(url, scope, ISOLATION_HEADERS) : withHeaders(request));
});
