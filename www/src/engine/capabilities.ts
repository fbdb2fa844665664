//! What this browser can do here, found out by doing it. Not here: what follows from it; the session decides that.

import type { Environment, Scheme, SharedMemory } from '#glue';
import { serviceWorkerState } from '../isolation.ts';
import { framed } from './framed.ts';
import { within } from './limits.ts';

/** A function that returns a vector: eight bytes of header, then type, function, code. It only compiles with SIMD. */
const SIMD_MODULE = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11,
]);
const POSTING_LIMIT_MS = 1_000;
const CLOCK_STEPS = 20;
const CLOCK_LIMIT_MS = 50;

/** `new WebAssembly.Memory({ shared: true })` succeeds without isolation as well: only posting it tells. */
async function postsSharedMemory(): Promise<boolean> {
  const { port1, port2 } = new MessageChannel();
  try {
    const arrived = new Promise<boolean>((resolve) => {
      port2.onmessage = ({ data }: MessageEvent<unknown>) => resolve(data instanceof WebAssembly.Memory);
      port2.onmessageerror = () => resolve(false);
    });
    port1.postMessage(new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true }));
    return await within(arrived, POSTING_LIMIT_MS, () => new Error('silent'));
  } catch {
    return false;
  } finally {
    port1.close();
    port2.close();
  }
}

async function sharedMemory(isolated: boolean): Promise<SharedMemory> {
  const constructible = typeof SharedArrayBuffer !== 'undefined';
  if (constructible && (await postsSharedMemory())) return 'works';
  if (!isolated) return 'not-isolated';
  return constructible ? 'posting-fails' : 'no-shared-array-buffer';
}

/** The smallest step seen; browsers coarsen the clock where a page is not isolated. */
function clockStepMs(): number {
  let smallest = Number.POSITIVE_INFINITY;
  const start = performance.now();
  let last = start;
  for (let steps = 0; steps < CLOCK_STEPS && last - start < CLOCK_LIMIT_MS; ) {
    const now = performance.now();
    if (now === last) continue;
    smallest = Math.min(smallest, now - last);
    last = now;
    steps += 1;
  }
  return smallest;
}

function scheme(): Scheme {
  if (location.protocol === 'http:' || location.protocol === 'https:') return 'http';
  return location.protocol === 'file:' ? 'file' : 'other';
}

interface Brand {
  brand: string;
  version: string;
}

/** Engine and version; browsers on iOS are WebKit whatever they are called. */
export function browserEngine(userAgent: string, brands: readonly Brand[]): [engine: string, version: string] {
  const chromium = brands.find(({ brand }) => brand === 'Chromium');
  if (chromium) return ['chromium', chromium.version];
  const patterns: [engine: string, pattern: RegExp][] = [
    ['firefox', /\bFirefox\/([\d.]+)/],
    ['chromium', /\b(?:Chrome|HeadlessChrome|Chromium)\/([\d.]+)/],
    ['webkit', /\bAppleWebKit\/.*\bVersion\/([\d.]+)/],
    ['webkit', /\bAppleWebKit\/([\d.]+)/],
  ];
  for (const [engine, pattern] of patterns) {
    const version = pattern.exec(userAgent)?.[1];
    if (version !== undefined) return [engine, version];
  }
  return [userAgent.slice(0, 100), ''];
}

function brands(): readonly Brand[] {
  return 'userAgentData' in navigator ? ((navigator.userAgentData as { brands?: Brand[] }).brands ?? []) : [];
}

/** What does not change while the page lives, found out once. */
let lasting: Promise<Omit<Environment, 'serviceWorker' | 'hidden'>> | undefined;

async function findLasting(): Promise<Omit<Environment, 'serviceWorker' | 'hidden'>> {
  const isolated = globalThis.crossOriginIsolated === true;
  const [engine, engineVersion] = browserEngine(navigator.userAgent, brands());
  return {
    engine,
    engineVersion,
    isolated,
    sharedMemory: await sharedMemory(isolated),
    simd: WebAssembly.validate(SIMD_MODULE),
    // Some browsers do not say, whatever the types claim.
    coresClaimed: Number(navigator.hardwareConcurrency) || 0,
    clockStepMs: clockStepMs(),
    scheme: scheme(),
    framed: framed(),
  };
}

/** Where a run would take place now. */
export async function environment(): Promise<Environment> {
  lasting ??= findLasting();
  return { ...(await lasting), serviceWorker: await serviceWorkerState(), hidden: document.hidden };
}
