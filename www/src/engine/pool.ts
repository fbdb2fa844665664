//! The lab worker, with a pool of threads over one shared memory beside it, or with none.
//!
//! All workers start at once and the pool is as large as asked or the start fails: a new size is a new instance.
//! The page makes the memory. Browsers hold few shared memories at a time (Chromium 124 a page), and only the page's
//! own garbage collector is asked when they run out; so after `end` nothing here refers to memory or module.

import type { HandedCall, Job, JobOutcome } from '#glue';
import { words } from '../words.ts';
import { within } from './limits.ts';
import type { Build, SiteFiles } from './site-files.ts';
import { ended, RoleWorker, WorkerLost } from './workers.ts';

/** 4 MiB to begin with: more than the module's own data asks for, so that a growing table does not break the start. */
const INITIAL_PAGES = 64;
/** 256 MiB: each instance reserves its maximum, and small devices refuse large ones. */
const MAXIMUM_PAGES = 4096;

/** What is needed to start a lab worker. */
export interface LabNeeds {
  files: SiteFiles;
  /** Which build; only `threaded` has threads, and needs shared memory. */
  build: Build;
  /** Threads of the pool. */
  threads: number;
  /** For everything together: scripts, instances, handshake. */
  limitMs: number;
  /** Aborted when the start is given up. */
  signal: AbortSignal;
  /** Hears of a worker that broke down after the start. */
  lost: (failure: WorkerLost) => void;
}

/** The lab worker and its pool. */
export class Lab {
  /** Threads of the pool, all of them started. */
  readonly threads: number;
  readonly #workers: RoleWorker[] = [];
  #handed: ((call: HandedCall) => void) | undefined;

  private constructor(threads: number) {
    this.threads = threads;
  }

  /** Starts all workers at once; rejects with `WorkerLost`, leaving nothing behind, when any of them does not start. */
  static async start({ files, build, threads, limitMs, signal, lost }: LabNeeds): Promise<Lab> {
    const [module, script] = await Promise.all([files.module(build), files.script(build)]);
    signal.throwIfAborted();
    const memory =
      threads > 0
        ? new WebAssembly.Memory({ initial: INITIAL_PAGES, maximum: MAXIMUM_PAGES, shared: true })
        : undefined;
    const lab = new Lab(threads);
    let ready = false;
    const stop = (): void => lab.end(signal.reason);
    signal.addEventListener('abort', stop);
    const failed = (failure: WorkerLost): void => {
      lab.end(failure);
      if (ready) lost(failure);
    };
    const silent = (): WorkerLost =>
      new WorkerLost(words('engine.detail.silent', { what: words('engine.detail.workers'), seconds: limitMs / 1000 }));
    try {
      const pool: RoleWorker[] = [];
      const poolWanted = (receiver: number): void => {
        if (!memory) return;
        for (const worker of pool) worker.start({ type: 'pool', module, memory, receiver });
        Promise.all(pool.map((worker) => worker.ready)).then(
          () => first.tell({ type: 'pool-ready' }),
          (error: unknown) => first.tell({ type: 'pool-failed', reason: String(error) }),
        );
      };
      const call = (handed: HandedCall): void => lab.#handed?.(handed);
      const first = new RoleWorker(script, { type: 'lab', module, memory, threads }, 'lab', {
        lost: failed,
        poolWanted,
        call,
      });
      lab.#workers.push(first);
      for (let index = 0; index < threads; index += 1) {
        const worker = new RoleWorker(script, undefined, `pool ${index}`, { lost: failed });
        pool.push(worker);
        lab.#workers.push(worker);
      }
      await within(first.ready, limitMs, silent);
      ready = true;
      return lab;
    } catch (error) {
      lab.end(error);
      throw error;
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  /** Runs one job; `handed` hears of calls that its loop hands to other workers. */
  job(job: Job, callers: number, handed: (call: HandedCall) => void): Promise<JobOutcome> {
    const [first] = this.#workers;
    if (!first) return Promise.reject(ended());
    this.#handed = handed;
    return first.job(job, callers);
  }

  /** Tells the loop that a call has ended. */
  answer(id: number, outcome: JobOutcome): void {
    this.#workers[0]?.tell({ type: 'call-answered', id, outcome });
  }

  /** Ends every worker at once. */
  end(reason: unknown): void {
    for (const worker of this.#workers.splice(0)) worker.end(reason);
    this.#handed = undefined;
  }
}
