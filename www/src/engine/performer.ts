//! Does what the session asks for, one action at a time: on the lab worker, on isolates, on this page's own loop, on
//! the slow API. It owns every worker but the session's, and ends them all when anything goes wrong.

import type { Action, ActionOutcome, Impossible, Job, JobOutcome, StallJob, WorkSpan } from '#glue';
import { failure, failureWords } from '../words.ts';
import { painted } from './frames.ts';
import { Isolates, IsolatesMissing, type StartLimits } from './isolates.ts';
import { unlessAborted } from './limits.ts';
import { runsOnLoop } from './messages.ts';
import { holdsPageMs, stallPage } from './page-stall.ts';
import { Lab } from './pool.ts';
import type { EngineLimits } from './run-options.ts';
import type { Build, SiteFiles } from './site-files.ts';
import { ended, type WorkerLost } from './workers.ts';

/** The largest pool that a run leaves behind: each thread takes some megabytes. */
const KEPT_THREADS = 16;

/** The builds that do jobs. */
type LabBuild = Exclude<Build, 'model'>;
const LAB_BUILDS: readonly LabBuild[] = ['threaded', 'plain', 'loop'];

function buildFor(job: Job, threads: number): LabBuild {
  if (threads > 0) return 'threaded';
  return runsOnLoop(job) ? 'loop' : 'plain';
}

type ActionOf<T extends Action['type']> = Extract<Action, { type: T }>;

/** What the run knows and an action may need. */
export interface Surroundings {
  /** Whether threads over one memory can be tried. */
  sharedMemory: boolean;
  /** Whether the slow API answers. */
  serviceWorker: boolean;
  /** Tells the learner, before it happens, for how many milliseconds the page will be held. */
  announce: (ms: number) => void;
}

interface Work {
  elapsedMs: number;
  jobs: JobOutcome[];
  spans: WorkSpan[];
  started: number;
}

/** An action that cannot be done here, which is an answer and no failure. */
class NotHere extends Error {
  override readonly name = 'NotHere';
  readonly why: Impossible;

  constructor(why: Impossible) {
    super(why.type);
    this.why = why;
  }
}

/** All workers of measured runs, and the page's own loop. */
export class Performer {
  readonly #files: SiteFiles;
  readonly #limits: EngineLimits;
  readonly #isolates: Isolates;
  readonly #labs: Partial<Record<LabBuild, Lab>> = {};
  /** Whether the pool was used by this run already: then a larger one than asked is kept, warm code and all. */
  #poolUsed = false;
  #halt = new AbortController();

  constructor(files: SiteFiles, limits: EngineLimits) {
    this.#files = files;
    this.#limits = limits;
    this.#isolates = new Isolates(files, (lost) => this.#crash(lost));
  }

  /** Performs an action; rejects with `PlaygroundError` when a worker breaks down or the watchdog ends it. */
  async perform(action: Action, surroundings: Surroundings): Promise<ActionOutcome> {
    const halt = new AbortController();
    this.#halt = halt;
    let hidden = document.hidden;
    const watch = (): void => {
      hidden ||= document.hidden;
    };
    document.addEventListener('visibilitychange', watch);
    let watchdog: ReturnType<typeof setTimeout> | undefined;
    const arm = (): void => {
      watchdog = setTimeout(() => {
        this.stop(failure('timed-out', 'engine.timed-out', { seconds: action.limitMs / 1000 }));
      }, action.limitMs);
    };
    try {
      const work = await unlessAborted(this.#do(action, surroundings, halt.signal, arm), halt.signal);
      return { type: 'performed', ...work, hidden };
    } catch (error) {
      if (error instanceof NotHere) return { type: 'unavailable', why: error.why };
      // Whatever failed, nothing half-done may be left for the next run.
      const reason = halt.signal.aborted
        ? halt.signal.reason
        : failure('crashed', 'engine.crashed', { detail: failureWords(error) });
      this.stop(reason);
      throw reason;
    } finally {
      clearTimeout(watchdog);
      document.removeEventListener('visibilitychange', watch);
    }
  }

  /** A run has ended well: what is cheap to keep is kept for the next. */
  endRun(): void {
    this.#poolUsed = false;
    this.#isolates.trim();
    if ((this.#labs.threaded?.threads ?? 0) > KEPT_THREADS) this.#endLab('threaded', ended());
  }

  /** Ends every worker at once and fails the current action with the reason. */
  stop(reason: unknown): void {
    this.#poolUsed = false;
    this.#halt.abort(reason);
    for (const build of LAB_BUILDS) this.#endLab(build, reason);
    this.#isolates.end(reason);
  }

  #endLab(build: LabBuild, reason: unknown): void {
    this.#labs[build]?.end(reason);
    delete this.#labs[build];
  }

  #crash(lost: WorkerLost): void {
    this.stop(failure('crashed', 'engine.crashed', { detail: lost.message }));
  }

  #do(action: Action, surroundings: Surroundings, signal: AbortSignal, arm: () => void): Promise<Work> {
    switch (action.type) {
      case 'on-lab':
        return this.#onLab(action, surroundings, signal, arm);
      case 'on-isolates':
        return this.#onIsolates(action, signal, arm);
      case 'on-pair':
        return this.#onPair(action, signal, arm);
      case 'on-own-processes':
        return this.#onOwnProcesses(action, signal, arm);
      case 'on-new-isolates':
        return this.#onNewIsolates(action, signal, arm);
      case 'on-page':
        return this.#onPage(action, surroundings, signal, arm);
      case 'on-network':
        return this.#onNetwork(action, surroundings, signal, arm);
    }
  }

  async #onLab(
    { threads, job, callers }: ActionOf<'on-lab'>,
    { sharedMemory }: Surroundings,
    signal: AbortSignal,
    arm: () => void,
  ): Promise<Work> {
    if (threads > 0 && !sharedMemory) throw new NotHere({ type: 'no-shared-memory' });
    const [lab] = await Promise.all([
      this.#lab(buildFor(job, threads), threads, signal),
      this.#callers(callers, signal),
    ]);
    await this.#wakeFor(job, signal);
    const give = callers > 0 ? this.#isolates.desk(callers) : undefined;
    arm();
    const start = performance.now();
    const outcome = await lab.job(job, callers, (call) => {
      give?.(call.job).then(
        (answer) => lab.answer(call.id, answer),
        () => {},
      );
    });
    return { elapsedMs: performance.now() - start, jobs: [outcome], spans: [], started: lab.threads };
  }

  /** The lab worker with at least so many threads; a pool of another size than a new run asks for is made anew. */
  async #lab(build: LabBuild, threads: number, signal: AbortSignal): Promise<Lab> {
    const old = this.#labs[build];
    const fits = old && (old.threads === threads || (this.#poolUsed && old.threads > threads));
    if (threads > 0) this.#poolUsed = true;
    if (fits) return old;
    this.#endLab(build, ended());
    let lab: Lab | undefined;
    try {
      lab = await Lab.start({
        files: this.#files,
        build,
        threads,
        limitMs: this.#limits.startMs,
        signal,
        lost: (lost) => {
          if (this.#labs[build] === lab) this.#crash(lost);
        },
      });
    } catch (error) {
      if (signal.aborted || threads === 0) throw error;
      throw new NotHere({ type: 'pool-failed', detail: failureWords(error) });
    }
    this.#labs[build] = lab;
    return lab;
  }

  async #callers(callers: number, signal: AbortSignal): Promise<void> {
    if (callers > 0) await reportMissing(this.#isolates.warmUp('interpreter', callers, this.#start(signal)));
  }

  #start(signal: AbortSignal): StartLimits {
    return { limitMs: this.#limits.startMs, signal };
  }

  async #onIsolates(
    { kind, workers, cold, jobs }: ActionOf<'on-isolates'>,
    signal: AbortSignal,
    arm: () => void,
  ): Promise<Work> {
    const isolates = this.#isolates;
    if (!cold) await reportMissing(isolates.warmUp(kind, workers, this.#start(signal)));
    await this.#wakeFor(jobs[0], signal);
    arm();
    const { outcomes, ...work } = await reportMissing(
      cold ? isolates.onCold(kind, workers, jobs, this.#start(signal)) : isolates.onWarm(kind, workers, jobs),
    );
    return { ...work, jobs: outcomes };
  }

  async #onPair({ job }: ActionOf<'on-pair'>, signal: AbortSignal, arm: () => void): Promise<Work> {
    await reportMissing(this.#isolates.warmUp('interpreter', 2, this.#start(signal)));
    arm();
    const start = performance.now();
    const outcome = await this.#isolates.pair(job);
    return { elapsedMs: performance.now() - start, jobs: [outcome], spans: [], started: 2 };
  }

  async #onOwnProcesses({ jobs }: ActionOf<'on-own-processes'>, signal: AbortSignal, arm: () => void): Promise<Work> {
    arm();
    const { outcomes, ...work } = await reportMissing(this.#isolates.onOwn(jobs, this.#start(signal)));
    return { ...work, jobs: outcomes };
  }

  async #onNewIsolates(
    { kind, jobs }: ActionOf<'on-new-isolates'>,
    signal: AbortSignal,
    arm: () => void,
  ): Promise<Work> {
    arm();
    const { outcomes, ...work } = await reportMissing(this.#isolates.onNew(kind, jobs, this.#start(signal)));
    return { ...work, jobs: outcomes };
  }

  async #onPage(
    { stall }: ActionOf<'on-page'>,
    { announce }: Surroundings,
    signal: AbortSignal,
    arm: () => void,
  ): Promise<Work> {
    await this.#callers(callsOf(stall), signal);
    const give = this.#isolates.desk(1);
    announce(holdsPageMs(stall));
    await painted();
    signal.throwIfAborted();
    arm();
    const start = performance.now();
    const seen = await stallPage(stall, { signal, blockElsewhere: (ms) => give({ type: 'block', ms }) });
    announce(0);
    return { elapsedMs: performance.now() - start, jobs: [{ type: 'stalled', ...seen }], spans: [], started: 1 };
  }

  async #onNetwork(
    { delayMs }: ActionOf<'on-network'>,
    { serviceWorker }: Surroundings,
    signal: AbortSignal,
    arm: () => void,
  ): Promise<Work> {
    if (!serviceWorker) throw new NotHere({ type: 'no-service-worker' });
    arm();
    const start = performance.now();
    await this.#askSlow('page', delayMs, signal);
    return { elapsedMs: performance.now() - start, jobs: [], spans: [], started: 0 };
  }

  /** A service worker that nobody has asked for a while is asleep; to wake it is no part of a measurement. */
  async #wakeFor(job: Job | undefined, signal: AbortSignal): Promise<void> {
    if (job?.type !== 'request' && job?.type !== 'batch') return;
    if (!job.request.byTimer) await this.#askSlow('request.txt', 0, signal);
  }

  async #askSlow(name: string, delayMs: number, signal: AbortSignal): Promise<void> {
    const response = await fetch(this.#files.slow(name, { delay: String(delayMs) }), { signal, cache: 'no-store' });
    // A host without the service worker answers this address with a page or a file of its own.
    const answered = response.ok && response.headers.get('Content-Type')?.startsWith('application/json');
    if (!answered) throw new NotHere({ type: 'no-service-worker' });
    await response.arrayBuffer();
  }
}

/** Workers that a job on the page's loop hands its call to. */
function callsOf({ variant }: StallJob): number {
  return variant === 'to-thread' || variant === 'own-timeout' ? 1 : 0;
}

async function reportMissing<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof IsolatesMissing)) throw error;
    throw new NotHere({ type: 'isolates-failed', started: error.started, detail: error.message });
  }
}
