//! The session, in a worker of its own that starts when it is first needed. It survives stops; when it breaks down,
//! that is reported and the next question starts a new one.

import type { Reply, Request } from '#glue';
import { failure, failureWords, language, words } from '../words.ts';
import { within } from './limits.ts';
import type { EngineLimits } from './run-options.ts';
import type { Build, SiteFiles } from './site-files.ts';
import { ended, RoleWorker, WorkerLost } from './workers.ts';

/** One session. Questions are asked one after another, however they come in. */
export class SessionClient {
  readonly #build: Build;
  readonly #files: SiteFiles;
  readonly #limits: EngineLimits;
  #worker: RoleWorker | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(build: Build, files: SiteFiles, limits: EngineLimits) {
    this.#build = build;
    this.#files = files;
    this.#limits = limits;
  }

  /** One question, one answer; rejects with `PlaygroundError` when there is no session to ask. */
  ask(request: Request): Promise<Reply> {
    const answer = this.#last.then(() => this.#askNow(request));
    this.#last = answer.catch(() => {});
    return answer;
  }

  /** Gives the current run up, if there is a session that could have one. */
  cancel(): void {
    // Asked even while the worker is still starting: the question before this one may be the run's own start.
    this.ask({ type: 'cancel' }).catch(() => {});
  }

  /** Ends its worker for good. */
  close(reason: unknown): void {
    this.#closed = true;
    this.#end(reason);
  }

  #end(reason: unknown): void {
    this.#worker?.end(reason);
    this.#worker = undefined;
  }

  async #askNow(request: Request): Promise<Reply> {
    if (request.type === 'cancel' && !this.#worker) return { type: 'ready' };
    const worker = this.#worker ?? (await this.#start());
    try {
      return await this.#limited(worker.ask(request), this.#limits.replyMs);
    } catch (error) {
      this.#end(error);
      throw failure('crashed', 'engine.session-crashed', { detail: failureWords(error) });
    }
  }

  async #start(): Promise<RoleWorker> {
    let worker: RoleWorker | undefined;
    try {
      const [module, script, table] = await Promise.all([
        this.#files.module(this.#build),
        this.#files.script(this.#build),
        this.#files.table(language),
      ]);
      if (this.#closed) throw ended();
      worker = new RoleWorker(script, { type: 'session', module }, 'session', {
        lost: () => {
          if (this.#worker === worker) this.#worker = undefined;
        },
      });
      await this.#limited(worker.ready, this.#limits.startMs);
      const heard = await this.#limited(worker.ask({ type: 'speak', language, table }), this.#limits.replyMs);
      if (heard.type === 'rejected') throw new Error(heard.detail);
    } catch (error) {
      worker?.end(error);
      throw failure('unavailable', 'engine.load-failed', { detail: failureWords(error) });
    }
    if (this.#closed) worker.end(ended());
    else this.#worker = worker;
    return worker;
  }

  #limited<T>(promise: Promise<T>, ms: number): Promise<T> {
    return within(promise, ms, () => {
      const what = words('engine.detail.session');
      return new WorkerLost(words('engine.detail.silent', { what, seconds: ms / 1000 }));
    });
  }
}
