//! Takes the place of wasm-bindgen-rayon's own helper in the lab worker: asks the page for the pool's workers, which
//! are already starting, instead of making nested ones. Not here: time limits; the page keeps one over everything.

import type { Order, Report } from './messages.ts';

/** The part of the crate's pool builder that is used. */
interface PoolBuilder {
  numThreads(): number;
  receiver(): number;
  build(): void;
}

/** The builder owns the channel that every pool thread reads from, so it must never be collected. */
let kept: PoolBuilder | undefined;

/** Called by the wasm glue of `initThreadPool`; resolves when the pool computes. */
export function startWorkers(
  _module: WebAssembly.Module,
  _memory: WebAssembly.Memory,
  builder: PoolBuilder,
): Promise<void> {
  kept = builder;
  return new Promise((resolve, reject) => {
    const listen = ({ data }: MessageEvent<Order>): void => {
      if (data.type !== 'pool-ready' && data.type !== 'pool-failed') return;
      removeEventListener('message', listen);
      if (data.type === 'pool-failed') {
        reject(new Error(data.reason));
        return;
      }
      try {
        kept?.build();
        resolve();
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    };
    addEventListener('message', listen);
    const wanted: Report = { type: 'pool-wanted', receiver: builder.receiver() };
    postMessage(wanted);
  });
}
