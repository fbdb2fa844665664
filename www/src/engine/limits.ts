//! Waiting with an end: every promise the engine waits for can be given up, by a time limit or by a stop.

import type { EngineLimits } from './run-options.ts';

/** Well above what was ever seen (64 workers: under 1 s) and below the 10 s in which everything must fall back. */
export const DEFAULT_LIMITS: EngineLimits = { startMs: 8_000, replyMs: 10_000, fetchMs: 30_000 };

/** The promise, or a rejection with `late()` after so many milliseconds. The timer never outlives the promise. */
export function within<T>(promise: Promise<T>, ms: number, late: () => unknown): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(late()), ms);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** The promise, or a rejection with the signal's reason as soon as it is aborted. */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop);
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/** Resolves after so many milliseconds, or rejects with the signal's reason; the timer is cleared then. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal.addEventListener('abort', stop);
  });
}
