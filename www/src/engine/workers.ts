//! The only place that makes workers. The page owns each of them, keeps a reference until it is ended, and hears of
//! everything that can go wrong with it. Not here: which workers there are, and what happens when one is lost.

import type { HandedCall, Job, JobOutcome, Reply, Request } from '#glue';
import { words } from '../words.ts';
import type { Order, Report, Role } from './messages.ts';

/** Firefox collects workers that nobody refers to, even while they compute. */
const living = new Set<Worker>();

/** How many workers of this page are alive. */
export function livingWorkers(): number {
  return living.size;
}

/** A worker failed to start or broke down; the message is the browser's or the panic's own. */
export class WorkerLost extends Error {
  override readonly name = 'WorkerLost';
}

/** What a worker that is no longer needed is ended with. */
export function ended(): WorkerLost {
  return new WorkerLost(words('engine.detail.ended'));
}

/** Who is told about a worker besides those who wait for its answers. */
export interface WorkerListener {
  /** It broke down after it had started. */
  lost?(failure: WorkerLost): void;
  /** A lab worker waits for its pool. */
  poolWanted?(receiver: number): void;
  /** A lab worker hands a call over. */
  call?(call: HandedCall): void;
}

interface Settle<T> {
  resolve(value: T): void;
  reject(reason: unknown): void;
}

/** One worker in one role: it gets ready, then answers one order at a time. */
export class RoleWorker {
  /** Resolves when it can take an order; rejects with `WorkerLost`, or with what `end` was given. */
  readonly ready: Promise<void>;
  readonly #worker: Worker | undefined;
  readonly #listener: WorkerListener;
  #starting: Settle<void> | undefined;
  #reply: Settle<Reply> | undefined;
  #outcome: Settle<JobOutcome> | undefined;
  #gone: unknown;

  /** Starts the script. Where the browser refuses, it is lost like any other, a moment later. */
  constructor(script: URL, role: Role | undefined, name: string, listener: WorkerListener = {}) {
    this.#listener = listener;
    this.ready = new Promise((resolve, reject) => {
      this.#starting = { resolve, reject };
    });
    // Whoever awaits it sees a rejection; nobody may be waiting any more when a stop ends it.
    this.ready.catch(() => {});
    try {
      const worker = new Worker(script, { name });
      this.#worker = worker;
      living.add(worker);
      worker.onmessage = ({ data }: MessageEvent<Report>) => this.#hear(data);
      worker.onmessageerror = () => this.#lose(words('engine.detail.message-error'));
      worker.onerror = (event) => {
        // The failure is reported where the run is, so it need not stand in the console a second time.
        event.preventDefault();
        this.#lose(event.message || words('engine.detail.script', { file: script.pathname }));
      };
    } catch (error) {
      this.#loseSoon(error);
    }
    if (role) this.start(role);
  }

  /** Tells a worker made without a role what it is. */
  start(role: Role): void {
    try {
      this.#worker?.postMessage(role);
    } catch (error) {
      this.#loseSoon(error);
    }
  }

  /** One job, then its answer. */
  job(job: Job, callers = 0): Promise<JobOutcome> {
    return new Promise((resolve, reject) => {
      this.#outcome = { resolve, reject };
      this.tell({ type: 'job', job, callers });
    });
  }

  /** One request, then its reply. */
  ask(request: Request): Promise<Reply> {
    return new Promise((resolve, reject) => {
      this.#reply = { resolve, reject };
      this.tell({ type: 'ask', request });
    });
  }

  /** An order that gets no answer of its own. */
  tell(order: Order, transfer: Transferable[] = []): void {
    if (this.#gone !== undefined) this.#rejectAll(this.#gone);
    else this.#worker?.postMessage(order, transfer);
  }

  /** Ends it at once, whatever it does; all who wait for it get the reason. */
  end(reason: unknown): void {
    this.#gone ??= reason ?? ended();
    if (this.#worker) {
      this.#worker.onmessage = null;
      this.#worker.onmessageerror = null;
      this.#worker.onerror = null;
      this.#worker.terminate();
      living.delete(this.#worker);
    }
    this.#rejectAll(this.#gone);
  }

  #rejectAll(reason: unknown): void {
    for (const waiting of [this.#starting, this.#reply, this.#outcome]) waiting?.reject(reason);
    this.#starting = this.#reply = this.#outcome = undefined;
  }

  #lose(reason: string): void {
    if (this.#gone !== undefined) return;
    const failure = new WorkerLost(reason);
    this.end(failure);
    this.#listener.lost?.(failure);
  }

  /** Not at once: whoever makes the worker has no name for it yet. */
  #loseSoon(error: unknown): void {
    queueMicrotask(() => this.#lose(error instanceof Error ? error.message : String(error)));
  }

  #hear(report: Report | null | undefined): void {
    switch (report?.type) {
      case 'ready':
        this.#starting?.resolve();
        this.#starting = undefined;
        break;
      case 'failed':
      case 'died':
        this.#lose(report.reason);
        break;
      case 'panicked':
        this.#lose(report.text);
        break;
      case 'pool-wanted':
        this.#listener.poolWanted?.(report.receiver);
        break;
      case 'call':
        this.#listener.call?.(report.call);
        break;
      case 'reply':
        this.#reply?.resolve(report.reply);
        this.#reply = undefined;
        break;
      case 'job-done':
        this.#outcome?.resolve(report.outcome);
        this.#outcome = undefined;
        break;
      default:
        // No script of this site says that: what it will say next cannot be trusted either.
        this.#lose(words('engine.detail.message-error'));
    }
  }
}
