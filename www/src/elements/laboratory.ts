//! What a lab element needs of the site around it. The site gives the real engine; a test gives results it chose.

import type { Choice, LabDescription, LabResult, Named, Position } from '#glue';
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
  /** What has been decided so far, where a schedule is stepped through; none at its start. */
  readonly schedule?: string;
}

/** The site around an element. */
export interface Laboratory {
  /** The labs, in teaching order. */
  readonly labs: readonly LabDescription[];
  /** Runs a lab. Rejects with a `PlaygroundError`, or with the signal's reason. */
  run(run: LabRun, options: { signal: AbortSignal; onProgress(progress: RunProgress): void }): Promise<LabResult>;
  /**
   * Where the lab's small program stands after `at` steps of the run's schedule (all of them when undefined) and what is
   * chosen there. Rejects with a `PlaygroundError`.
   */
  look(run: LabRun, at: number | undefined, choice: Choice): Promise<Position>;
}
