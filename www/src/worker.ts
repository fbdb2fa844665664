//! The script of every worker: its first message says what it is. One classic script for each wasm build.
//!
//! Not here: starting other workers, waiting with a time limit, restarting. The page does all of that.

import * as glue from '#glue';
import * as poolGlue from '#pool-glue';
import type { Order, Report, Role } from './engine/messages.ts';
import { askBlocking } from './worker/asking.ts';
import { isolate } from './worker/isolate.ts';
import { labWorker } from './worker/lab.ts';

declare const self: DedicatedWorkerGlobalScope & {
  reportPanic?: (text: string) => void;
  askSlow?: typeof askBlocking;
};

function tell(report: Report): void {
  self.postMessage(report);
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

// The panic hook in Rust looks this name up: the page hears the text before the instance traps.
self.reportPanic = (text) => tell({ type: 'panicked', text });
// Requests that block are made for the work in Rust, which looks this name up.
self.askSlow = askBlocking;

/** A process fetches and compiles the module by itself, as a new Python process imports everything anew. */
async function fetchModule(wasm: string): Promise<WebAssembly.Module> {
  const response = await fetch(wasm);
  if (!response.ok) throw new Error(`${wasm}: ${response.status}`);
  // Bytes, not a stream: a host that serves wasm with a wrong type must not fail here.
  return WebAssembly.compile(await response.arrayBuffer());
}

/** Takes orders until it is ended. An exception out of wasm leaves the instance unusable, so it is always reported. */
function serve(take: (order: Order) => void): void {
  self.onmessage = ({ data }: MessageEvent<Order>) => {
    try {
      take(data);
    } catch (error) {
      tell({ type: 'died', reason: reasonOf(error) });
    }
  };
  tell({ type: 'ready' });
}

async function start(role: Role): Promise<void> {
  switch (role.type) {
    case 'session': {
      glue.initSync({ module: role.module });
      const session = new glue.SessionHandle();
      return serve((order) => {
        if (order.type === 'ask') tell({ type: 'reply', reply: session.handle(order.request) });
      });
    }
    case 'lab': {
      glue.initSync(role.memory ? { module: role.module, memory: role.memory } : { module: role.module });
      if (role.threads > 0) await poolGlue.initThreadPool(role.threads);
      return serve(labWorker(tell, reasonOf));
    }
    case 'pool': {
      glue.initSync({ module: role.module, memory: role.memory });
      tell({ type: 'ready' });
      try {
        // Returns only when the pool ends, which it never does; what comes out of it is a trap. The lab worker blocks
        // meanwhile, so this catch is the only way the page hears of it.
        poolGlue.wbg_rayon_start_worker(role.receiver);
      } catch (error) {
        tell({ type: 'died', reason: reasonOf(error) });
      }
      return;
    }
    case 'interpreter':
    case 'process': {
      const module = role.type === 'process' ? await fetchModule(role.wasm) : role.module;
      glue.initSync({ module });
      return serve(isolate(tell, reasonOf));
    }
  }
}

self.onmessage = ({ data }: MessageEvent<Role>) => {
  self.onmessage = null;
  start(data).catch((error: unknown) => tell({ type: 'failed', reason: reasonOf(error) }));
};
