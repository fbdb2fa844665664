//! Workers with a wasm instance and a memory of their own: interpreters get the page's compiled module, processes
//! fetch and compile it themselves. Warm ones are kept from run to run, cold ones live for one action.

import type { CrossJob, IsolateKind, Job, JobOutcome, WorkSpan } from '#glue';
import { words } from '../words.ts';
import { within } from './limits.ts';
import type { Role } from './messages.ts';
import type { SiteFiles } from './site-files.ts';
import { ended, RoleWorker, WorkerLost } from './workers.ts';

/** Warm isolates of one kind that a run leaves behind; each takes some megabytes. */
const KEPT = 8;

/** What isolates made of their jobs. */
export interface HandedOut {
  /** From the start to the last answer. */
  elapsedMs: number;
  /** In the order of the jobs. */
  outcomes: JobOutcome[];
  /** By the page's clock; `task` is the job's place in the list. */
  spans: WorkSpan[];
  /** Isolates that had started. */
  started: number;
}

/** How long a start may take, and what gives it up. */
export interface StartLimits {
  limitMs: number;
  signal: AbortSignal;
}

/** Fewer isolates started than were asked for. */
export class IsolatesMissing extends Error {
  override readonly name = 'IsolatesMissing';
  readonly started: number;

  constructor(started: number, detail: string) {
    super(detail);
    this.started = started;
  }
}

interface Source {
  script: URL;
  role: Role;
}

interface Waiting {
  job: Job;
  done(answer: { outcome: JobOutcome; worker: number; startMs: number; endMs: number }): void;
  failed(reason: unknown): void;
}

/** Gives the next job to whoever is free. */
class Desk {
  readonly #free: { isolate: RoleWorker; number: number }[];
  readonly #waiting: Waiting[] = [];

  constructor(isolates: readonly RoleWorker[] = []) {
    this.#free = isolates.map((isolate, number) => ({ isolate, number }));
  }

  join(isolate: RoleWorker, number: number): void {
    this.#free.push({ isolate, number });
    this.#next();
  }

  hand(waiting: Waiting): void {
    this.#waiting.push(waiting);
    this.#next();
  }

  #next(): void {
    const free = this.#free[0];
    const waiting = this.#waiting[0];
    if (!free || !waiting) return;
    this.#free.shift();
    this.#waiting.shift();
    const startMs = performance.timeOrigin + performance.now();
    free.isolate.job(waiting.job).then((outcome) => {
      const endMs = performance.timeOrigin + performance.now();
      this.join(free.isolate, free.number);
      waiting.done({ outcome, worker: free.number, startMs, endMs });
    }, waiting.failed);
  }
}

/** All isolates of the page. */
export class Isolates {
  readonly #files: SiteFiles;
  readonly #lost: (failure: WorkerLost) => void;
  readonly #warm: Record<IsolateKind, RoleWorker[]> = { interpreter: [], process: [] };
  readonly #cold = new Set<RoleWorker>();

  constructor(files: SiteFiles, lost: (failure: WorkerLost) => void) {
    this.#files = files;
    this.#lost = lost;
  }

  /** Sees to it that so many warm ones are there; rejects with `IsolatesMissing` where fewer start within the limit. */
  async warmUp(kind: IsolateKind, count: number, { limitMs, signal }: StartLimits): Promise<void> {
    const warm = this.#warm[kind];
    const missing = count - warm.length;
    if (missing <= 0) return;
    const source = await this.#source(kind, signal);
    const made = Array.from({ length: missing }, () => this.#make(kind, source, warm));
    await this.#allReady(made, { before: count - missing, limitMs });
  }

  /** Jobs on warm isolates. */
  async onWarm(kind: IsolateKind, count: number, jobs: readonly Job[]): Promise<HandedOut> {
    const start = performance.now();
    const desk = new Desk(this.#warm[kind].slice(0, count));
    return { ...(await handOut(desk, jobs, start)), started: count };
  }

  /** Jobs on isolates that start within the measured time and are ended after it. */
  async onCold(
    kind: IsolateKind,
    count: number,
    jobs: readonly Job[],
    { limitMs, signal }: StartLimits,
  ): Promise<HandedOut> {
    // A compiled module is what an interpreter starts from: having it is not part of the start.
    const source = await this.#source(kind, signal);
    const start = performance.now();
    const desk = new Desk();
    const made = Array.from({ length: count }, () => this.#make(kind, source, this.#cold));
    const joined = this.#allReady(made, { before: 0, limitMs }, (isolate, number) => desk.join(isolate, number));
    try {
      const [answers] = await Promise.all([handOut(desk, jobs, start), joined]);
      return { ...answers, started: count };
    } finally {
      for (const isolate of made) this.#dismiss(isolate, ended());
    }
  }

  /** A payload from one warm interpreter to another, on a channel of their own. */
  pair(job: CrossJob): Promise<JobOutcome> {
    const [from, to] = this.#warm.interpreter;
    if (!from || !to) return Promise.reject(ended());
    const { port1, port2 } = new MessageChannel();
    from.tell({ type: 'connect', port: port1 }, [port1]);
    to.tell({ type: 'connect', port: port2 }, [port2]);
    return from.job({ type: 'cross', ...job });
  }

  /** Each job in a process of its own; one that traps is an outcome, and nobody else hears of it. */
  async onOwn(jobs: readonly Job[], { limitMs, signal }: StartLimits): Promise<HandedOut> {
    const source = await this.#source('process', signal);
    const made = jobs.map(() => this.#make('process', source, this.#cold, { mayDie: true }));
    try {
      await this.#allReady(made, { before: 0, limitMs });
      const start = performance.now();
      const spans: WorkSpan[] = [];
      const outcomes = await Promise.all(
        jobs.map(async (job, task) => {
          const startMs = performance.timeOrigin + performance.now();
          const outcome = await made[task]?.job(job).catch(died);
          spans.push({ worker: task, task, startMs, endMs: performance.timeOrigin + performance.now() });
          return outcome ?? died(ended());
        }),
      );
      return { outcomes, spans, elapsedMs: performance.now() - start, started: jobs.length };
    } finally {
      for (const isolate of made) this.#dismiss(isolate, ended());
    }
  }

  /** Each job on an isolate of its own, one after another: started for it and ended after it. */
  async onNew(kind: IsolateKind, jobs: readonly Job[], limits: StartLimits): Promise<HandedOut> {
    // As with cold ones, fetching the script and compiling what interpreters share is no part of a start.
    await this.#source(kind, limits.signal);
    const start = performance.now();
    const outcomes: JobOutcome[] = [];
    const spans: WorkSpan[] = [];
    for (const [task, job] of jobs.entries()) {
      const answer = await this.onCold(kind, 1, [job], limits);
      outcomes.push(...answer.outcomes);
      spans.push(...answer.spans.map((span) => ({ ...span, worker: task, task })));
    }
    return { outcomes, spans, elapsedMs: performance.now() - start, started: jobs.length };
  }

  /** One call on any of the warm interpreters that is free. */
  desk(count: number): (job: Job) => Promise<JobOutcome> {
    const desk = new Desk(this.#warm.interpreter.slice(0, count));
    return (job) =>
      new Promise((resolve, reject) => desk.hand({ job, done: ({ outcome }) => resolve(outcome), failed: reject }));
  }

  /** Ends warm ones beyond what is worth keeping. */
  trim(): void {
    for (const warm of Object.values(this.#warm)) {
      for (const isolate of warm.slice(KEPT)) this.#dismiss(isolate, ended());
    }
  }

  /** Ends every isolate at once. */
  end(reason: unknown): void {
    for (const isolate of [...this.#warm.interpreter, ...this.#warm.process, ...this.#cold]) {
      this.#dismiss(isolate, reason);
    }
  }

  /** What an isolate of this kind is made from. */
  async #source(kind: IsolateKind, signal: AbortSignal): Promise<Source> {
    const [script, module] = await Promise.all([
      this.#files.script('plain'),
      kind === 'interpreter' ? this.#files.module('plain') : undefined,
    ]);
    // A stop meanwhile has ended all that were there; none may be made after it.
    signal.throwIfAborted();
    const wasm = this.#files.wasm('plain').href;
    return { script, role: module ? { type: 'interpreter', module } : { type: 'process', wasm } };
  }

  #make(
    kind: IsolateKind,
    { script, role }: Source,
    home: RoleWorker[] | Set<RoleWorker>,
    { mayDie = false } = {},
  ): RoleWorker {
    let ready = false;
    const isolate = new RoleWorker(script, role, kind, {
      lost: (failure) => {
        this.#dismiss(isolate, failure);
        if (ready && !mayDie) this.#lost(failure);
      },
    });
    isolate.ready.then(
      () => {
        ready = true;
      },
      // Whoever waits for all of them reports it.
      () => {},
    );
    if (home instanceof Set) home.add(isolate);
    else home.push(isolate);
    return isolate;
  }

  /** Waits until each has answered a ping, and says so of each by its number. */
  async #allReady(
    made: readonly RoleWorker[],
    { before, limitMs }: { before: number; limitMs: number },
    answered: (isolate: RoleWorker, number: number) => void = () => {},
  ): Promise<void> {
    let started = before;
    const silent = (): WorkerLost =>
      new WorkerLost(words('engine.detail.silent', { what: words('engine.detail.workers'), seconds: limitMs / 1000 }));
    const all = made.map(async (isolate, number) => {
      await isolate.ready;
      await isolate.job({ type: 'ping' });
      started += 1;
      answered(isolate, number);
    });
    try {
      await within(Promise.all(all), limitMs, silent);
    } catch (error) {
      for (const isolate of made) this.#dismiss(isolate, error);
      // A stop is no failure of the isolates: its reason goes to whoever asked for them as it is.
      throw error instanceof WorkerLost ? new IsolatesMissing(started, error.message) : error;
    }
  }

  #dismiss(isolate: RoleWorker, reason: unknown): void {
    this.#cold.delete(isolate);
    for (const warm of Object.values(this.#warm)) {
      const place = warm.indexOf(isolate);
      if (place >= 0) warm.splice(place, 1);
    }
    isolate.end(reason);
  }
}

/** The outcome of a job whose process is gone; whatever else ended it goes to whoever asked for it. */
function died(reason: unknown): JobOutcome {
  if (!(reason instanceof WorkerLost)) throw reason;
  return { type: 'died', detail: reason.message };
}

async function handOut(desk: Desk, jobs: readonly Job[], start: number): Promise<Omit<HandedOut, 'started'>> {
  const spans: WorkSpan[] = [];
  const outcomes = await Promise.all(
    jobs.map(
      (job, task) =>
        new Promise<JobOutcome>((resolve, reject) =>
          desk.hand({
            job,
            failed: reject,
            done: ({ outcome, worker, startMs, endMs }) => {
              spans.push({ worker, task, startMs, endMs });
              resolve(outcome);
            },
          }),
        ),
    ),
  );
  return { outcomes, spans, elapsedMs: performance.now() - start };
}
