//! Runs labs: asks the session, performs what it wants, stops, and always settles each run exactly once.
//!
//! Not here: any decision about a lab (the session's), any worker (the performer's), any word (the text tables').

import type {
  Action,
  Choice,
  Environment,
  LabResult,
  Position,
  Progress,
  RawValue,
  Reply,
  RunRequest,
  RunState,
} from '#glue';
import { failure, failureWords, words } from '../words.ts';
import { environment } from './capabilities.ts';
import { DEFAULT_LIMITS, unlessAborted } from './limits.ts';
import { Performer } from './performer.ts';
import { PlaygroundError, stateAfter } from './playground-error.ts';
import { toRunRequest } from './raw.ts';
import type { EngineOptions, RunOptions, RunProgress } from './run-options.ts';
import { SessionClient } from './session-client.ts';
import { type Build, SiteFiles } from './site-files.ts';
import { Turns } from './turns.ts';

const NOTHING_YET: Progress = { sampling: false, done: 0, total: 0, leftMs: undefined, label: '' };

/** Runs of one kind: they share a session and wait for their turns. */
interface Lane {
  session: SessionClient;
  turns: Turns;
  /** Whether the page's workers are this run's while its turn lasts. */
  hasWorkers: boolean;
}

/** A signal that is aborted with either of two, until it is released. */
function either(...sources: (AbortSignal | undefined)[]): { signal: AbortSignal; release: () => void } {
  const both = new AbortController();
  const releases = sources.map((source) => {
    const abort = (): void => both.abort(source?.reason);
    if (source?.aborted) abort();
    source?.addEventListener('abort', abort);
    return () => source?.removeEventListener('abort', abort);
  });
  const release = (): void => {
    for (const each of releases) each();
  };
  return { signal: both.signal, release };
}

/** Gathers news of a run into its progress and passes that on, until the run has been given up. */
function teller(end: AbortSignal, onProgress: RunOptions['onProgress']): (news: Partial<RunProgress>) => void {
  let progress: RunProgress = { ...NOTHING_YET, queued: 0, holdsPageMs: 0 };
  return (news) => {
    progress = { ...progress, ...news };
    if (end.aborted) return;
    try {
      onProgress?.(progress);
    } catch (error) {
      // A listener's mistake must not end the run; it shows up where uncaught errors do.
      reportError(error);
    }
  };
}

/** An answer that belongs to another question: a bug, or files of different versions. */
function unexpected(reply: Reply): PlaygroundError {
  const detail = reply.type === 'rejected' ? reply.detail : reply.type;
  return failure('crashed', 'engine.session-crashed', { detail });
}

/** One engine: one session and one set of workers, kept from run to run. Several elements on a page share it. */
export class Engine {
  readonly #files: SiteFiles;
  readonly #performer: Performer;
  readonly #intercept: (action: Action) => Action;
  readonly #measured: Lane;
  readonly #modelled: Lane;
  readonly #probed: Lane;
  readonly #disposed = new AbortController();
  #state: RunState = 'idle';

  constructor({ base, intercept, limits }: EngineOptions) {
    const all = { ...DEFAULT_LIMITS, ...limits };
    this.#files = new SiteFiles(base, all.fetchMs);
    this.#performer = new Performer(this.#files, all);
    this.#intercept = intercept ?? ((action) => action);
    const session = (build: Build): SessionClient => new SessionClient(build, this.#files, all);
    const turns = new Turns();
    this.#measured = { session: session('plain'), turns, hasWorkers: true };
    this.#modelled = { session: session('model'), turns: new Turns(), hasWorkers: false };
    this.#probed = { session: session('model'), turns, hasWorkers: true };
  }

  /** The state of the run that has the workers, or of the last one that had them. */
  get state(): RunState {
    return this.#state;
  }

  /** Runs a lab. Anything may be asked for: what makes no sense is refused with a `PlaygroundError`, and nothing runs. */
  run(request: unknown, options: RunOptions = {}): Promise<LabResult> {
    return this.runRequest(toRunRequest(request), options);
  }

  /** As `run`, for a request whose values were written down as text, in a link or in attributes. */
  async runRequest(request: RunRequest, { signal, onProgress }: RunOptions = {}): Promise<LabResult> {
    const { signal: end, release } = either(signal, this.#disposed.signal);
    const lane = this.#laneOf(request);
    const tell = teller(end, onProgress);
    const turn = lane.turns.join((queued) => tell({ queued }));
    const stop = (): void => this.#giveUp(lane, end.reason);
    try {
      end.throwIfAborted();
      await unlessAborted(turn.come, end);
      end.addEventListener('abort', stop);
      this.#isIn(lane, 'warming');
      const result = await unlessAborted(this.#converse(lane, request, end, tell), end);
      this.#isIn(lane, 'done');
      return result;
    } catch (thrown) {
      // Whatever was thrown by nobody's wish is a failure, with words like any other.
      const known = end.aborted || thrown instanceof PlaygroundError;
      const error = known ? thrown : failure('crashed', 'engine.crashed', { detail: failureWords(thrown) });
      const state = end.aborted ? 'stopped' : stateAfter(error);
      if (turn.hasCome()) this.#isIn(lane, state);
      if (state === 'failed') this.#giveUp(lane, error);
      throw error;
    } finally {
      end.removeEventListener('abort', stop);
      release();
      turn.leave();
    }
  }

  /**
   * Where a lab's small program stands after the first `at` steps of the request's schedule (all of them when undefined)
   * and what is chosen there. May be asked at any time, also during a run, which it does not touch. Rejects with a
   * `PlaygroundError`.
   */
  async look(request: unknown, at: number | undefined, choice: Choice): Promise<Position> {
    if (at !== undefined && !isStep(at)) {
      const args = { key: 'at', value: String(at).slice(0, 60), takes: words('link.takes.at') };
      throw failure('out-of-range', 'link.bad-value', args, 'at');
    }
    const here = await environment();
    this.#disposed.signal.throwIfAborted();
    const question = { type: 'look', run: toRunRequest(request), environment: here, at, choice } as const;
    const reply = await unlessAborted(this.#modelled.session.ask(question), this.#disposed.signal);
    if (reply.type === 'stands') return reply.position;
    if (reply.type === 'refused') throw new PlaygroundError(reply.refusal);
    throw unexpected(reply);
  }

  /** Where a run would take place now. */
  environment(): Promise<Environment> {
    return environment();
  }

  /** Ends everything; runs reject with an `AbortError`, and so does every later one. */
  dispose(): void {
    const reason = new DOMException('The engine was disposed of.', 'AbortError');
    this.#disposed.abort(reason);
    this.#performer.stop(reason);
    for (const { session } of [this.#measured, this.#modelled, this.#probed]) session.close(reason);
    this.#files.drop();
  }

  /** A model needs its own worker alone, unless it is of this browser, which is probed first. */
  #laneOf({ mode, params }: RunRequest): Lane {
    const is = (raw: RawValue, text: string): boolean => 'value' in raw && raw.value === text;
    if (!is(mode, 'model')) return this.#measured;
    return params.some(({ name, value }) => name === 'preset' && is(value, 'here')) ? this.#probed : this.#modelled;
  }

  /** A model beside a measured run says nothing of what the workers do. */
  #isIn(lane: Lane, state: RunState): void {
    if (lane.hasWorkers) this.#state = state;
  }

  #giveUp(lane: Lane, reason: unknown): void {
    if (lane.hasWorkers) this.#performer.stop(reason);
    lane.session.cancel();
  }

  /** The conversation with the session, from the question to the result. */
  async #converse(
    lane: Lane,
    run: RunRequest,
    signal: AbortSignal,
    tell: (news: Partial<RunProgress>) => void,
  ): Promise<LabResult> {
    const here = await environment();
    signal.throwIfAborted();
    let reply: Reply = await lane.session.ask({ type: 'start', run, environment: here });
    for (;;) {
      signal.throwIfAborted();
      switch (reply.type) {
        case 'refused':
          throw new PlaygroundError(reply.refusal);
        case 'finished':
          if (lane.hasWorkers) this.#performer.endRun();
          return reply.result;
        case 'perform': {
          tell(reply.progress);
          // Whoever was told may have stopped the run: then nothing more of it may begin.
          signal.throwIfAborted();
          this.#isIn(lane, reply.progress.sampling ? 'running' : 'warming');
          const outcome = await this.#performer.perform(this.#intercept(reply.action), {
            sharedMemory: here.sharedMemory === 'works',
            serviceWorker: here.serviceWorker === 'controls',
            announce: (holdsPageMs) => tell({ holdsPageMs }),
          });
          signal.throwIfAborted();
          reply = await lane.session.ask({ type: 'continue', outcome });
          break;
        }
        case 'working':
          tell(reply.progress);
          signal.throwIfAborted();
          this.#isIn(lane, 'running');
          reply = await lane.session.ask({ type: 'go-on' });
          break;
        case 'ready':
        case 'stands':
        case 'rejected':
          throw unexpected(reply);
      }
    }
  }
}

/** Whether it is a step's number as the session takes it; anything else would be a fault of the page to it. */
function isStep(at: unknown): boolean {
  return Number.isInteger(at) && Number(at) >= 0 && Number(at) <= 0xffff_ffff;
}
