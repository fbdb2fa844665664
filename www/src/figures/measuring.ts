//! Measures one lab's figures in this browser: each run that they share once, one after another, until it is stopped. The
//! engine is fetched by the first of them. Not here: what a run does, and what a row says of a figure.

import type { LabResult } from '#glue';
import type { RunProgress } from '../engine/run-options.ts';
import type { Isolation } from '../isolation.ts';
import { fill } from './cells.ts';
import { type Figure, figures, say } from './data.ts';
import { measuredContent } from './reading.ts';

type Playground = typeof import('../playground.ts');

/** How a lab's measuring stands; the section says it in `data-state`. */
type State = 'idle' | 'running' | 'done' | 'stopped' | 'failed';

/** One run, and the figures that it is for. */
interface Run {
  params: NonNullable<Figure['measured']>;
  figures: Figure[];
}

/** The runs of a lab. Figures that are measured with the same parameters share one. */
export function runsOf(lab: string): Run[] {
  const runs = new Map<string, Run>();
  for (const figure of figures.values()) {
    if (figure.lab !== lab || !figure.measured) continue;
    const key = JSON.stringify(Object.entries(figure.measured).sort());
    const run = runs.get(key) ?? { params: figure.measured, figures: [] };
    run.figures.push(figure);
    runs.set(key, run);
  }
  return [...runs.values()];
}

const wordsOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));

/** The button of a lab's section, and what is said beside it. */
export class Measuring {
  readonly #section: HTMLElement;
  readonly #lab: string;
  readonly #button: HTMLButtonElement;
  readonly #doing: HTMLElement;
  readonly #progress: HTMLProgressElement;
  readonly #isolation: Promise<Isolation>;
  #stop: AbortController | undefined;

  private constructor(section: HTMLElement, lab: string, place: HTMLElement, isolation: Promise<Isolation>) {
    const [button, doing, progress] = ['button', '.doing', 'progress'].map((part) => place.querySelector(part));
    this.#section = section;
    this.#lab = lab;
    this.#isolation = isolation;
    // The build writes all three into every section that can be measured.
    this.#button = button as HTMLButtonElement;
    this.#doing = doing as HTMLElement;
    this.#progress = progress as HTMLProgressElement;
    this.#button.addEventListener('click', () => {
      if (this.#stop) this.#stop.abort();
      else void this.#measure();
    });
    place.hidden = false;
  }

  /** Gives each section that can be measured its button. No run begins before it is known whether threads can. */
  static install(isolation: Promise<Isolation>): void {
    for (const section of document.querySelectorAll<HTMLElement>('.lab-figures')) {
      const place = section.querySelector<HTMLElement>('.measuring');
      const { lab } = section.dataset;
      if (place && lab !== undefined) new Measuring(section, lab, place, isolation);
    }
  }

  async #measure(): Promise<void> {
    const stop = new AbortController();
    this.#stop = stop;
    this.#button.textContent = say('ui.figures.live.stop');
    this.#show('running', say('ui.figures.live.loading'));
    try {
      const measured = await this.#runAll(stop.signal);
      const all = [...figures.values()].filter(({ lab }) => lab === this.#lab).length;
      this.#show('done', say('ui.figures.live.done', { measured, all }));
    } catch (thrown) {
      // A stop is the learner's own wish; anything else came from the site's files.
      if (stop.signal.aborted) this.#show('stopped', say('ui.figures.live.stopped'));
      else this.#show('failed', say('ui.figures.live.broken', { detail: wordsOf(thrown) }));
    } finally {
      this.#stop = undefined;
      this.#button.textContent = say('ui.figures.live.measure');
      this.#progress.hidden = true;
    }
  }

  /** How many figures got a number. Rejects when it is stopped, or when the engine does not come. */
  async #runAll(signal: AbortSignal): Promise<number> {
    const [playground]: [Playground, Isolation] = await Promise.all([import('../playground.ts'), this.#isolation]);
    const runs = runsOf(this.#lab);
    let measured = 0;
    for (const [index, run] of runs.entries()) {
      signal.throwIfAborted();
      const tell = (progress: RunProgress): void => this.#tell(progress, index + 1, runs.length);
      const result = await this.#run(playground, run, signal, tell);
      for (const figure of run.figures) {
        const content =
          typeof result === 'string'
            ? { notes: [say('ui.figures.live.none', { reason: result })] }
            : measuredContent(figure, result);
        if (content.number !== undefined) measured += 1;
        fill(figure, 'measured', content);
      }
    }
    return measured;
  }

  /** The result, or in words why there is none: a run that is refused or fails ends no other. */
  async #run(
    { PlaygroundError, run }: Playground,
    { params }: Run,
    signal: AbortSignal,
    onProgress: (progress: RunProgress) => void,
  ): Promise<LabResult | string> {
    try {
      return await run({ lab: this.#lab, mode: 'measured', params }, { signal, onProgress });
    } catch (thrown) {
      if (signal.aborted || !(thrown instanceof PlaygroundError)) throw thrown;
      return thrown.message;
    }
  }

  #tell({ queued, label, leftMs, done, total }: RunProgress, n: number, all: number): void {
    if (queued > 0) {
      this.#say(say('ui.figures.live.queued'));
      return;
    }
    const seconds = leftMs === undefined ? undefined : Math.max(1, Math.ceil(leftMs / 1000));
    const now = { n, all, label };
    this.#say(
      seconds === undefined ? say('ui.figures.live.run', now) : say('ui.figures.live.left', { ...now, seconds }),
    );
    this.#progress.max = all;
    this.#progress.value = n - 1 + (total > 0 ? Math.min(1, done / total) : 0);
  }

  #say(text: string): void {
    this.#doing.textContent = text;
  }

  #show(state: State, text: string): void {
    this.#progress.hidden = state !== 'running';
    if (state === 'running') this.#progress.removeAttribute('value');
    this.#say(text);
    // Last, so that whoever waits for the state finds the words there.
    this.#section.dataset.state = state;
  }
}
