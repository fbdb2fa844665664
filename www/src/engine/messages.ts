//! What the page and its workers say to each other about themselves, and which kind of worker a job is for. Not the
//! wire: what a job, a request or an answer is comes from Rust.

import type { HandedCall, Job, JobOutcome, Reply, Request } from '#glue';

/** The first message a worker gets: what it is from then on. */
export type Role =
  | { type: 'session'; module: WebAssembly.Module }
  | { type: 'lab'; module: WebAssembly.Module; memory: WebAssembly.Memory | undefined; threads: number }
  | { type: 'pool'; module: WebAssembly.Module; memory: WebAssembly.Memory; receiver: number }
  | { type: 'interpreter'; module: WebAssembly.Module }
  | { type: 'process'; wasm: string };

/** Whether a job runs on the event loop, turn by turn. */
export function runsOnLoop(job: Job): boolean {
  return ['stall', 'scene', 'waits', 'batch'].includes(job.type);
}

/** Any later message of the page. */
export type Order =
  | { type: 'ask'; request: Request }
  | { type: 'job'; job: Job; callers: number }
  /** The other worker of a pair listens at the other end. */
  | { type: 'connect'; port: MessagePort }
  | { type: 'call-answered'; id: number; outcome: JobOutcome }
  | { type: 'pool-ready' }
  | { type: 'pool-failed'; reason: string };

/** What a worker says. */
export type Report =
  /** It can take its first job. */
  | { type: 'ready' }
  /** It could not start. */
  | { type: 'failed'; reason: string }
  /** It started and is now beyond use: its wasm instance trapped. */
  | { type: 'died'; reason: string }
  /** The text of a panic; the instance traps right after. */
  | { type: 'panicked'; text: string }
  /** The lab worker waits for the pool beside it. */
  | { type: 'pool-wanted'; receiver: number }
  | { type: 'reply'; reply: Reply }
  | { type: 'job-done'; outcome: JobOutcome }
  | { type: 'call'; call: HandedCall };
