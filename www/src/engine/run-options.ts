//! What a caller may hand to a run and hear from it. Not here: what a run is asked for, which is judged in Rust.

import type { Action, Progress } from '#glue';

/** How far a run is: the session's own account, and what only the page knows. */
export interface RunProgress extends Progress {
  /** Runs that go before this one; 0 when it is its turn. While it is over 0, nothing has started. */
  queued: number;
  /** This page's own loop is held for so many milliseconds from the next frame on; 0 otherwise. */
  holdsPageMs: number;
}

/** Options of a run; both may be left out. */
export interface RunOptions {
  /** Aborting it rejects the run with its reason at once and ends every worker of the run. */
  signal?: AbortSignal | undefined;
  /** Hears of every step. What it throws is reported to the console and changes nothing. */
  onProgress?: ((progress: RunProgress) => void) | undefined;
}

/** Time limits in milliseconds. */
export interface EngineLimits {
  /** For workers to start and answer, all of them together. */
  startMs: number;
  /** For one reply of the session. */
  replyMs: number;
  /** For one file to arrive. */
  fetchMs: number;
}

/** What an engine is made with. */
export interface EngineOptions {
  /** Where the scripts and wasm files lie; ends with a slash. */
  base: URL;
  /** Replaces an action before it is performed: for tests that put a fault in. */
  intercept?: ((action: Action) => Action) | undefined;
  /** Limits other than the defaults. */
  limits?: Partial<EngineLimits> | undefined;
}
