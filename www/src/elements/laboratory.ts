//! What a lab element needs of the site around it. The site gives the real engine; a test gives results it chose.

import type { LabDescription, LabResult, Named } from '#glue';
import type { RunProgress } from '../engine/run-options.ts';
import type { TextArguments } from '../words.ts';

/** The sentence with this id, its places filled in; the id itself where the language has no such sentence. */
export type Words = (id: string, args?: TextArguments) => string;

/** A run as an element asks for it. */
export interface LabRun {
  readonly lab: string;
  readonly mode: string;
  readonly params: Named;
  readonly seed: number;
}

/** The site around an element. */
export interface Laboratory {
  /** The labs, in teaching order. */
  readonly labs: readonly LabDescription[];
  /** Runs a lab. Rejects with a `PlaygroundError`, or with the signal's reason. */
  run(run: LabRun, options: { signal: AbortSignal; onProgress(progress: RunProgress): void }): Promise<LabResult>;
}
