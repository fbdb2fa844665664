// A page that only asks for isolation, as every page of the site does first. The query may refuse it the service worker
// or the storage, as a sandboxed frame or a strict browser would.

import { environment } from '../../../www/src/engine/capabilities.ts';
import { prepareIsolation } from '../../../www/src/isolation.ts';

const LOADS = 'test:loads';
const refused = new URLSearchParams(location.search).getAll('refuse');

function refuse(owner: object, name: string): void {
  Object.defineProperty(owner, name, {
    configurable: true,
    get() {
      throw new DOMException(`${name} is refused here.`, 'SecurityError');
    },
  });
}

/** Counted in the window's name, which survives a reload where storage is refused. */
function countLoad(): number {
  const loads = (window.name.startsWith(LOADS) ? Number(window.name.slice(LOADS.length)) : 0) + 1;
  window.name = LOADS + loads;
  return loads;
}

const loads = countLoad();
if (refused.includes('service-worker')) refuse(Navigator.prototype, 'serviceWorker');
if (refused.includes('storage')) refuse(window, 'sessionStorage');

const start = performance.now();
const isolation = await prepareIsolation(new URL('/', location.href));
if (!isolation.reloading) {
  const found = await environment();
  Object.assign(window, { seen: { ...isolation, loads, tookMs: performance.now() - start, environment: found } });
  // Tells the server, which tells the test: this page is not going to load itself anew.
  await fetch('bare.html?isolation-settled');
}
