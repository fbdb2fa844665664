//! The public module: what other pages import. Everything here is documented in the README and kept compatible.

import type { Environment, LabDescription, LabResult, Plain } from '#glue';
import described from '../pkg/labs.json';
import { type AllResults, runEach } from './engine/all-labs.ts';
import { Engine } from './engine/engine.ts';
import { PlaygroundError } from './engine/playground-error.ts';
import { toRunRequest } from './engine/raw.ts';
import type { RunOptions } from './engine/run-options.ts';

export type { ErrorCode, LabDescription, LabResult } from '#glue';
export type { AllResults } from './engine/all-labs.ts';
export type { RunOptions, RunProgress } from './engine/run-options.ts';
export { PlaygroundError };

/** A run as it is asked for; whatever else is handed in is refused with a code. */
export interface RunInput {
  /** A lab's id, or `all` for every lab one after another. */
  lab: string;
  /** `measured` or `model`. */
  mode: string;
  /** The lab's parameters; those left out have their defaults. */
  params?: Readonly<Record<string, Plain>> | undefined;
  /** An unsigned integer; 1 when left out. */
  seed?: number | undefined;
  /** A schedule for the model. */
  schedule?: string | undefined;
  /** The language of the texts; `en` when left out. */
  language?: string | undefined;
}

// The file is written from the Rust list by a build step, in the shape of `LabDescription`; JSON carries no types.
/** Every lab, in teaching order. */
export const labs = described as unknown as readonly LabDescription[];

let engine: Engine | undefined;

/** The engine that this page's runs share. It makes nothing until the first run. */
export function defaultEngine(): Engine {
  // Bundled chunks lie beside the entries, so this is the site's own directory wherever this code ends up.
  engine ??= new Engine({ base: new URL('.', import.meta.url) });
  return engine;
}

/** What this browser can do here. */
export function capabilities(): Promise<Environment> {
  return defaultEngine().environment();
}

/** Runs one lab, or all. Rejects with `PlaygroundError`, or with the signal's reason. */
export function run(request: RunInput & { lab: 'all' }, options?: RunOptions): Promise<AllResults>;
export function run(request: RunInput, options?: RunOptions): Promise<LabResult>;
export function run(request: RunInput, options: RunOptions = {}): Promise<LabResult | AllResults> {
  if (!asksForAll(request)) return defaultEngine().run(request, options);
  // Read once and guarded: a copy made with `...` would run getters that throw.
  const asked = toRunRequest(request);
  const mode = 'value' in asked.mode ? asked.mode.value : undefined;
  return runEach(labs, mode, (lab) =>
    defaultEngine().runRequest({ ...asked, lab: { type: 'text', value: lab } }, options),
  );
}

/** Callers from JavaScript may hand in anything, even an object whose getters throw. */
function asksForAll(request: RunInput | null | undefined): boolean {
  try {
    return request?.lab === 'all';
  } catch {
    return false;
  }
}
