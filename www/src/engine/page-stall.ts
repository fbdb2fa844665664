//! The heartbeat on this page's own loop: the browser's timers and frames, and a call that holds the page or does not.
//! No wasm runs here. The worker's event loop has the same variants, so the two can be compared.

import type { SlowStep, StallJob, StallSeen } from '#glue';
import { FrameRecorder, painted } from './frames.ts';
import { pause } from './limits.ts';

const HANDLERS = 10;
const HANDLER_MS = 100;
const SLOW_STEP_MS = 50;
/** The task that makes the call, named as in the worker's program, and what holds the page in it. */
const MAIN = 'fetch_report';
const BUSY = 'busy wait';

/** What the page's loop needs from its surroundings. */
export interface StallHost {
  /** Aborted when the run is given up. */
  signal: AbortSignal;
  /** Blocks another worker for so many milliseconds. */
  blockElsewhere(ms: number): Promise<unknown>;
}

/** For how long this job holds the page without a break, in milliseconds; what has to be announced. */
export function holdsPageMs(job: StallJob): number {
  switch (job.variant) {
    case 'blocking':
    case 'compute-inline':
      return callMs(job);
    case 'to-thread':
    case 'own-timeout':
    case 'compute-to-thread':
    case 'compute-processes':
      return job.sabotage === 'to-thread-that-blocks' ? callMs(job) : 0;
    case 'slices':
      return job.sabotage === 'slices-that-do-not-yield' ? callMs(job) : 0;
    case 'handlers-blocking':
      return HANDLERS * HANDLER_MS;
    case 'handlers-awaiting':
      return job.sabotage === 'await-that-blocks' ? HANDLERS * HANDLER_MS : 0;
  }
}

function callMs(job: StallJob): number {
  return job.sabotage === 'call-that-does-not-block' ? 0 : job.callMs;
}

/** Lets timers, frames and events in between: a message to oneself, because timers of 0 ms soon wait 4 ms. */
function turnOfTheLoop(signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      if (signal.aborted) reject(signal.reason);
      else resolve();
    };
    port2.postMessage(null);
  });
}

interface Ended {
  /** None while nobody waited for the end. */
  endedMs: number | undefined;
  /** What may still go on on another worker. */
  elsewhere: Promise<unknown> | undefined;
}

/** One program on the page's loop. */
class PageLoop {
  readonly #job: StallJob;
  readonly #host: StallHost;
  readonly #start = performance.now();
  readonly #beats: number[] = [];
  readonly #slowSteps: SlowStep[] = [];
  #beat: ReturnType<typeof setTimeout> | undefined;
  #timeoutAt: number | undefined;

  constructor(job: StallJob, host: StallHost) {
    this.#job = job;
    this.#host = host;
  }

  async run(): Promise<StallSeen> {
    const { signal } = this.#host;
    const frames = new FrameRecorder();
    try {
      this.#heartbeat();
      await pause(this.#job.quietMs, signal);
      const callStartedMs = this.#now();
      const { endedMs, elsewhere } = await this.#call();
      await pause(this.#job.quietMs, signal);
      const mainEndedMs = this.#now();
      clearTimeout(this.#beat);
      await elsewhere;
      const programEndedMs = this.#now();
      // Without quiet after the call, the frame that ends its gap has yet to come.
      await painted();
      return {
        beatsMs: this.#beats,
        callStartedMs,
        callEndedMs: endedMs,
        timeoutAtMs: this.#timeoutAt,
        mainEndedMs,
        programEndedMs,
        slowSteps: this.#slowSteps,
        longestFrameGapMs: frames.stop(),
      };
    } finally {
      clearTimeout(this.#beat);
      frames.stop();
    }
  }

  #now(): number {
    return performance.now() - this.#start;
  }

  #heartbeat(): void {
    this.#beats.push(this.#now());
    // A beat asks for the next one when it comes, as a task that sleeps does: missed beats are not made up for.
    this.#beat = setTimeout(() => this.#heartbeat(), this.#job.heartbeatMs);
  }

  /** Holds the page. */
  #busy(task: string, ms: number): void {
    const atMs = this.#now();
    while (this.#now() - atMs < ms);
    const lengthMs = this.#now() - atMs;
    if (lengthMs >= SLOW_STEP_MS) this.#slowSteps.push({ task, call: BUSY, atMs, lengthMs });
  }

  /** When the call ended, where anybody waited so long, and what may still go on elsewhere after it. */
  async #call(): Promise<Ended> {
    const job = this.#job;
    switch (job.variant) {
      case 'blocking':
      case 'compute-inline':
        await this.#withTimeout(async () => this.#busy(MAIN, callMs(job)));
        return { endedMs: this.#now(), elsewhere: undefined };
      case 'slices':
        await this.#withTimeout((expired) => this.#slices(expired));
        return { endedMs: this.#now(), elsewhere: undefined };
      case 'to-thread':
      case 'compute-to-thread':
      case 'compute-processes':
        return this.#toThread();
      case 'own-timeout':
        return this.#ownTimeout();
      case 'handlers-blocking':
      case 'handlers-awaiting':
        await Promise.all(Array.from({ length: HANDLERS }, (_, index) => this.#handler(`handler ${index + 1}`)));
        return { endedMs: this.#now(), elsewhere: undefined };
    }
  }

  /** The timeout ends the waiting only: the call goes on, and has no end that anybody here sees. */
  async #toThread(): Promise<Ended> {
    let elsewhere: Promise<unknown> | undefined;
    await this.#withTimeout(async (expired) => {
      elsewhere = this.#elsewhere(callMs(this.#job));
      // Whoever still waits for it sees a failure; after a stop nobody does.
      elsewhere.catch(() => {});
      await Promise.race([elsewhere, expired.promise]);
    });
    return { endedMs: this.#timeoutAt === undefined ? this.#now() : undefined, elsewhere };
  }

  /** The call has a time limit of its own, so it really ends then; a timeout around it would fire no sooner. */
  async #ownTimeout(): Promise<Ended> {
    const { timeoutMs, sabotage } = this.#job;
    const limited = sabotage !== 'timeout-that-never-fires' && callMs(this.#job) > timeoutMs;
    await this.#elsewhere(limited ? timeoutMs : callMs(this.#job));
    const endedMs = this.#now();
    if (limited) this.#timeoutAt = endedMs;
    return { endedMs, elsewhere: undefined };
  }

  async #elsewhere(ms: number): Promise<void> {
    if (this.#job.sabotage === 'to-thread-that-blocks') this.#busy(MAIN, ms);
    else await this.#host.blockElsewhere(ms);
  }

  async #handler(name: string): Promise<void> {
    const { variant, sabotage } = this.#job;
    if (variant === 'handlers-awaiting' && sabotage !== 'await-that-blocks') {
      return pause(HANDLER_MS, this.#host.signal);
    }
    await turnOfTheLoop(this.#host.signal);
    if (sabotage !== 'call-that-does-not-block') this.#busy(name, HANDLER_MS);
  }

  async #slices(expired: Expiry): Promise<void> {
    const { sliceMs, sabotage } = this.#job;
    for (let left = callMs(this.#job); left > 0 && !expired.now; left -= Math.max(1, sliceMs)) {
      this.#busy(MAIN, Math.min(Math.max(1, sliceMs), left));
      if (sabotage !== 'slices-that-do-not-yield') await turnOfTheLoop(this.#host.signal);
    }
  }

  /** As a timeout around an await: it can only fire while the loop has control. */
  async #withTimeout(body: (expired: Expiry) => Promise<void>): Promise<void> {
    const expired = new Expiry();
    const timer =
      this.#job.sabotage === 'timeout-that-never-fires'
        ? undefined
        : setTimeout(() => {
            this.#timeoutAt = this.#now();
            expired.fire();
          }, this.#job.timeoutMs);
    const stop = (): void => expired.fire(this.#host.signal.reason);
    this.#host.signal.addEventListener('abort', stop);
    try {
      await body(expired);
    } finally {
      clearTimeout(timer);
      this.#host.signal.removeEventListener('abort', stop);
    }
  }
}

/** Whether a timeout has fired, to be asked and to be awaited. */
class Expiry {
  now = false;
  readonly promise: Promise<void>;
  #settle: { resolve: () => void; reject: (reason: unknown) => void } | undefined;

  constructor() {
    this.promise = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    this.promise.catch(() => {});
  }

  /** With a reason the waiting fails, without one it is over. */
  fire(...reason: [] | [unknown]): void {
    this.now = true;
    if (reason.length === 0) this.#settle?.resolve();
    else this.#settle?.reject(reason[0]);
  }
}

/** Runs the program. It must have been announced and a frame painted before, where it holds the page. */
export async function stallPage(job: StallJob, host: StallHost): Promise<StallSeen> {
  return new PageLoop(job, host).run();
}
