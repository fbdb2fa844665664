//! Asks the slow API from a worker: by a request beside which the worker goes on, or by one that blocks it. Not here: when
//! to ask, and what for; a program in Rust decides that.

import type { RequestEnd, SlowRequest } from '#glue';

/**
 * The slow API answers with status 200 when all is well, and with this one when it was asked to fail: browsers write
 * statuses from 400 on into the console as errors, and a fault that was ordered is none.
 */
const FAULT_STATUS = 299;

/** A file of this name lies on the host, so that a request which goes past the service worker is no error there. */
const NAME = 'slow/request.txt';

/** Where to ask; the worker's script lies beside it. */
function addressOf({ delayMs, fails, capacity, backlog, group }: SlowRequest): URL {
  const status = fails ? FAULT_STATUS : 200;
  const query = { delay: delayMs, status, capacity, backlog, group };
  const written = Object.entries(query).map(([name, value]) => [name, String(value)]);
  return new URL(`${NAME}?${new URLSearchParams(written)}`, self.location.href);
}

function endOf(status: number, type: string | null): RequestEnd {
  if (!type?.startsWith('application/json')) return 'passed-by';
  return status === 200 ? 'answered' : 'failed';
}

/** Blocks this worker until the answer is there. */
export function askBlocking(request: SlowRequest): RequestEnd {
  const asking = new XMLHttpRequest();
  try {
    asking.open('GET', addressOf(request), false);
    asking.send();
  } catch {
    return 'failed';
  }
  return endOf(asking.status, asking.getResponseHeader('Content-Type'));
}

/** How the request ended; one that is given up fails. */
export async function ask(request: SlowRequest, signal: AbortSignal): Promise<RequestEnd> {
  if (request.byTimer) return byTimer(request, signal);
  try {
    const response = await fetch(addressOf(request), { signal, cache: 'no-store' });
    await response.arrayBuffer();
    return endOf(response.status, response.headers.get('Content-Type'));
  } catch {
    return 'failed';
  }
}

function byTimer({ delayMs, fails }: SlowRequest, signal: AbortSignal): Promise<RequestEnd> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(fails ? 'failed' : 'answered'), delayMs);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve('failed');
    });
  });
}
