//! The one error that a run is refused or fails with, and what run state a failure is. Not here: its words.

import type { ErrorCode, Refusal, RunState } from '#glue';

/** A refusal (nothing ran) or a failure (`crashed`, `timed-out`) of a run. An abort rejects with the signal's reason instead. */
export class PlaygroundError extends Error {
  override readonly name = 'PlaygroundError';
  /** What kind: a closed list. */
  readonly code: ErrorCode;
  /** The parameter at fault, where there is one. */
  readonly parameter?: string;

  constructor({ code, message, parameter }: Refusal) {
    super(message);
    this.code = code;
    if (parameter !== undefined) this.parameter = parameter;
  }
}

/** The run state that a rejected run leaves behind. Whatever is no error of the playground is somebody's stop. */
export function stateAfter(failure: unknown): RunState {
  if (!(failure instanceof PlaygroundError)) return 'stopped';
  return failure.code === 'crashed' || failure.code === 'timed-out' ? 'failed' : 'unavailable';
}
