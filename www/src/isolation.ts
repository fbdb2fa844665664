//! Brings the service worker in, and with it, on hosts that send no headers, isolation: with at most one reload.
//! Everything here may be forbidden where the page is framed or sandboxed; nothing here throws or waits for long.

import type { ServiceWorkerState } from '#glue';
import { framed } from './engine/framed.ts';
import { within } from './engine/limits.ts';

const REGISTER_LIMIT_MS = 5_000;
const CONTROL_LIMIT_MS = 3_000;
const MARK = 'concurrency-playground:reloaded';
/** The first Chromium in which a frame can be isolated by its own policy. */
const FRAME_POLICY_SINCE = 137;

/** What became of it. */
export interface Isolation {
  /** The service worker's state. */
  serviceWorker: ServiceWorkerState;
  /** The page is about to be loaded again: whatever it starts now is lost. */
  reloading: boolean;
}

let remembered: ServiceWorkerState | undefined;

/** `navigator.serviceWorker`; even asking for it throws in a sandboxed frame. */
function container(): ServiceWorkerContainer | 'unsupported' | 'blocked' {
  try {
    return navigator.serviceWorker ?? 'unsupported';
  } catch {
    return 'blocked';
  }
}

/** The service worker's state now, without changing it. */
export async function serviceWorkerState(): Promise<ServiceWorkerState> {
  const workers = container();
  if (typeof workers === 'string') return workers;
  if (workers.controller) return 'controls';
  try {
    const registration = await within(workers.getRegistration(), CONTROL_LIMIT_MS, () => new Error('silent'));
    if (registration?.active) return 'installed';
  } catch {
    return remembered ?? 'blocked';
  }
  // Nothing is registered: because it was tried and failed, or because nobody has tried.
  return remembered ?? (location.protocol === 'file:' ? 'unsupported' : 'failed');
}

/** Resolves when the service worker has taken this page over, or the limit has passed. */
async function controlled(workers: ServiceWorkerContainer): Promise<void> {
  if (workers.controller) return;
  let changed = (): void => {};
  const control = new Promise<void>((resolve) => {
    changed = resolve;
  });
  workers.addEventListener('controllerchange', changed);
  await within(control, CONTROL_LIMIT_MS, () => undefined).catch(() => {});
  workers.removeEventListener('controllerchange', changed);
}

async function register(base: URL): Promise<ServiceWorkerState> {
  const workers = container();
  if (typeof workers === 'string') return workers;
  try {
    const script = new URL('service-worker.js', base);
    await within(workers.register(script), REGISTER_LIMIT_MS, () => new Error('silent'));
    await controlled(workers);
    return workers.controller ? 'controls' : 'installed';
  } catch (error) {
    return error instanceof DOMException && error.name === 'SecurityError' ? 'blocked' : 'failed';
  }
}

/** A note that survives a reload: in the session's storage, or with this entry of the history where that is blocked. */
const mark = {
  isSet(): boolean {
    try {
      if (sessionStorage.getItem(MARK) !== null) return true;
    } catch {
      // Storage is blocked; the history may still know.
    }
    const state: unknown = history.state;
    return typeof state === 'object' && state !== null && MARK in state;
  },

  /** Whether the note has really been made: without one a reload could repeat itself for ever. */
  set(): boolean {
    try {
      sessionStorage.setItem(MARK, '1');
    } catch {
      // See above.
    }
    try {
      const state: unknown = history.state;
      history.replaceState({ ...(typeof state === 'object' ? state : {}), [MARK]: true }, '');
    } catch {
      // Neither may be there; `isSet` tells.
    }
    return mark.isSet();
  },

  clear(): void {
    try {
      sessionStorage.removeItem(MARK);
    } catch {
      // Nothing was stored then.
    }
  },
};

/** Whether headers that the service worker adds can isolate this page. */
function canBeIsolated(): boolean {
  if (framed() === 'no') return true;
  const version = /\b(?:Headless)?Chrom(?:e|ium)\/(\d+)/.exec(navigator.userAgent)?.[1];
  return version !== undefined && Number(version) >= FRAME_POLICY_SINCE;
}

/** Called once when a page starts. Never throws; takes at most 8 s, and changes nothing the page shows. */
export async function prepareIsolation(base: URL): Promise<Isolation> {
  const serviceWorker = await register(base);
  remembered = serviceWorker;
  if (globalThis.crossOriginIsolated === true) {
    mark.clear();
    return { serviceWorker, reloading: false };
  }
  const helps = serviceWorker === 'controls' && canBeIsolated() && !mark.isSet() && mark.set();
  if (helps) location.reload();
  return { serviceWorker, reloading: helps };
}
