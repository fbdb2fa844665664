//! `<concurrency-lab>`: one lab with its controls, its run and its result. What others embed is what the page uses.
//!
//! Not here: what is valid, what is measured, what is found. The session decides; this element shows.

import { html, LitElement, nothing, type PropertyValues, unsafeCSS } from 'lit';
import type { LabDescription, LabResult, RunState } from '#glue';
import tables from '../../styles/parts/tables.css' with { type: 'text' };
import tokens from '../../styles/parts/tokens.css' with { type: 'text' };
import { PlaygroundError, stateAfter } from '../engine/playground-error.ts';
import { failureWords, wordsOf } from '../words.ts';
import { hatches } from './charts/look.ts';
import { FrameClock } from './frame-clock.ts';
import {
  asTexts,
  INITIAL,
  isUnderWay,
  type LabEvent,
  type LabState,
  requestedParams,
  resultOf,
  update,
  type Values,
} from './lab-state.ts';
import type { Laboratory, LabRun } from './laboratory.ts';
import { controls } from './parts/controls.ts';
import { type Panel, panelsOf, results } from './parts/results.ts';
import { announcement, status, trouble } from './parts/status.ts';
import { stepsPanel } from './parts/steps-panel.ts';
import { Stepping } from './stepping.ts';
import type { Stands } from './steps/schedule-stepper.ts';
import cardStyles from './styles/cards.css' with { type: 'text' };
import controlStyles from './styles/controls.css' with { type: 'text' };
import exploredStyles from './styles/explored.css' with { type: 'text' };
import labStyles from './styles/lab.css' with { type: 'text' };
import pictureStyles from './styles/pictures.css' with { type: 'text' };
import printStyles from './styles/print.css' with { type: 'text' };
import resultStyles from './styles/results.css' with { type: 'text' };

/**
 * A lab.
 *
 * Attributes: `lab` (its id), `mode` (`measured` or `model`), `seed`, `theme` (`light`, `dark`; else the reader's
 * choice), `show` (panels: `controls steps chart table claims figures environment`; all by default), `view`, `schedule` and
 * `at` (a schedule of the lab's model to open, and how many of its steps to show; they follow the learner's steps).
 * Properties: `result`, `state` (also an attribute), `params`. Methods: `run()`, `stop()`.
 * Events, bubbling and composed: `lab-ready`, `lab-progress`, `lab-result`, `lab-error`. A stop is no error: it sends
 * nothing, and `state` is `stopped`.
 * Children are shown until the element is ready, and where scripts do not run. Slot `buttons`: beside Run and Stop.
 */
export class ConcurrencyLab extends LitElement {
  /** The site around all elements of a page; set before the first one is made. */
  static laboratory: Laboratory | undefined;

  static override properties = {
    lab: { type: String },
    mode: { type: String },
    seed: { type: String },
    theme: { type: String, reflect: true },
    show: { type: String },
    view: { type: String },
    schedule: { type: String },
    at: { type: Number },
    state: { type: String, reflect: true },
    shown: { state: true },
  };

  static override styles = [
    tokens,
    tables,
    labStyles,
    controlStyles,
    resultStyles,
    pictureStyles,
    cardStyles,
    exploredStyles,
    printStyles,
  ].map((text) => unsafeCSS(text));

  declare lab: string;
  declare mode: string;
  declare seed: string;
  declare theme: string | undefined;
  declare show: string | undefined;
  declare view: string | undefined;
  declare schedule: string | undefined;
  declare at: number | undefined;
  /** The state of the run. Read it; writing it changes nothing but the attribute. */
  declare state: RunState;
  declare protected shown: LabState;

  #running: AbortController | undefined;
  #stepping = new Stepping((event) => this.#happened(event));
  #sizes = new ResizeObserver(([entry]) => {
    const width = Math.floor(entry?.contentBoxSize[0]?.inlineSize ?? 0);
    // In the next frame: a drawing that brings in the page's scroll bar would change the width once more within this
    // one, which browsers report as an error of the page.
    requestAnimationFrame(() => {
      if (width > 0 && width !== this.shown.width) this.#happened({ type: 'resized', width });
    });
  });
  #openAll = () => {
    for (const details of this.renderRoot.querySelectorAll('details')) details.open = true;
  };

  constructor() {
    super();
    this.lab = '';
    this.mode = 'measured';
    this.seed = '1';
    this.shown = INITIAL;
    this.state = INITIAL.phase;
  }

  /** The last result. Setting one shows it, as if it had just been measured; what is none throws a `TypeError`. */
  get result(): LabResult | undefined {
    return resultOf(this.shown);
  }

  set result(result: LabResult | undefined) {
    if (!result) return;
    try {
      // Drawing looks at all of it and changes nothing.
      results({ result, panels: panelsOf(''), width: 0, earlier: false, words: wordsOf });
    } catch (thrown) {
      throw new TypeError(wordsOf('ui.results.none', { detail: failureWords(thrown) }));
    }
    this.#happened({ type: 'finished', result });
  }

  /** What the controls hold, as text; setting some leaves the others. Nothing is checked before a run. */
  get params(): Values {
    return this.shown.values;
  }

  set params(values: Readonly<Record<string, unknown>>) {
    this.#happened({ type: 'set', values: asTexts(values) });
  }

  /** What the seed's control holds. */
  get chosenSeed(): string {
    return this.shown.seed;
  }

  /** What the learner has stepped through: schedule, step, and the values of its program as text; none at its beginning. */
  get stepped(): (Stands & { params: Values }) | undefined {
    const { values, steps, mode } = this.shown;
    const { stands } = this.#stepping;
    return stands && mode === 'model' ? { ...stands, params: { ...values, ...steps.of?.values } } : undefined;
  }

  /** Runs the lab with what the controls hold. Resolves with the result, or undefined where there is none. */
  async run(): Promise<LabResult | undefined> {
    const { laboratory } = ConcurrencyLab;
    const { lab } = this.shown;
    if (!laboratory || !lab || isUnderWay(this.shown)) return undefined;
    const abort = new AbortController();
    this.#running = abort;
    this.#happened({ type: 'started' });
    try {
      const request = {
        lab: lab.id,
        mode: this.shown.mode,
        params: requestedParams(lab, this.shown.mode, this.shown.values),
        seed: seedOf(this.shown.seed),
      };
      const result = await laboratory.run(request, {
        signal: abort.signal,
        onProgress: (progress) => {
          this.#happened({ type: 'progressed', progress });
          this.#tell('lab-progress', progress);
        },
      });
      this.#happened({ type: 'finished', result });
      this.#tell('lab-result', result);
      return result;
    } catch (thrown) {
      this.#failed(thrown, abort.signal);
      return undefined;
    } finally {
      this.#running = undefined;
    }
  }

  /** Ends the run at once, whatever it is doing; without a run it does nothing. */
  stop(): void {
    this.#running?.abort(new DOMException(wordsOf('ui.announce.stopped'), 'AbortError'));
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#measureWidth();
    addEventListener('beforeprint', this.#openAll);
  }

  override disconnectedCallback(): void {
    this.stop();
    this.#sizes.disconnect();
    removeEventListener('beforeprint', this.#openAll);
    super.disconnectedCallback();
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('lab')) this.#find();
    else {
      if (changed.has('seed')) this.#happened({ type: 'seeded', seed: this.seed });
      if (changed.has('mode')) this.#happened({ type: 'switched', mode: this.mode });
    }
    // A lab need not offer the mode that was asked for, and a run keeps the one that it has.
    if (this.shown.lab) this.mode = this.shown.mode;
    if (changed.has('schedule') || changed.has('at')) this.#stepping.open(this.schedule, this.at, this.shown.steps);
  }

  protected override firstUpdated(): void {
    this.#measureWidth();
    this.#tell('lab-ready', { lab: this.lab });
  }

  protected override render() {
    const { shown } = this;
    const panels = panelsOf(this.show);
    return html`<div class="ruler"></div><svg class="hatches" aria-hidden="true" width="0" height="0">${hatches()}</svg>
      ${shown.lab ? this.#whole(shown.lab, panels) : trouble(shown, wordsOf, knownLabs())}
      <p class="spoken" role="status" aria-live="polite">${announcement(shown, wordsOf)}</p>`;
  }

  #whole(lab: LabDescription, panels: ReadonlySet<Panel>) {
    const { shown } = this;
    const result = resultOf(shown);
    const steps = lab.steps && panels.has('steps') ? ConcurrencyLab.laboratory : undefined;
    const actions = {
      set: (id: string, text: string) => this.#happened({ type: 'set', values: { [id]: text } }),
      seed: (text: string) => this.#happened({ type: 'seeded', seed: text }),
      mode: (mode: string) => {
        this.mode = mode;
      },
      reset: () => this.#happened({ type: 'reset' }),
      run: () => void this.run(),
      stop: () => this.stop(),
    };
    return html`
      ${panels.has('controls') ? controls(lab, shown, wordsOf, actions) : nothing}
      ${holdsThePage(shown) ? html`<p class="hold-ahead">${wordsOf('ui.stall.before', { ms: shown.values.callMs || '1500' })}</p>` : nothing}
      ${status(shown, wordsOf)} ${trouble(shown, wordsOf)}
      ${steps ? this.#steps(lab, steps.look) : nothing}
      ${
        result
          ? results({
              result,
              panels,
              width: shown.width,
              earlier: isUnderWay(shown),
              words: wordsOf,
              show: steps && ((row, schedule) => this.#stepping.show(result, row, schedule, shown.steps)),
            })
          : nothing
      }`;
  }

  #steps(lab: LabDescription, look: Laboratory['look']) {
    const { seed, values, steps } = this.shown;
    const params = requestedParams(lab, 'model', { ...values, ...steps.of?.values });
    const request: LabRun = { lab: lab.id, mode: 'model', params, seed: seedOf(seed) };
    const moved = (stands: Stands) => {
      this.#stepping.moved(stands);
      this.schedule = stands.schedule;
      this.at = stands.at;
    };
    return stepsPanel(
      this.shown,
      { request, look, moved, toggle: () => this.#stepping.toggle(this.shown.steps) },
      wordsOf,
    );
  }

  #find(): void {
    const lab = ConcurrencyLab.laboratory?.labs.find(({ id }) => id === this.lab);
    this.stop();
    this.#stepping.forget();
    this.#happened(
      lab ? { type: 'described', lab, mode: this.mode, seed: this.seed } : { type: 'not-found', lab: this.lab },
    );
  }

  #failed(thrown: unknown, { aborted }: AbortSignal): void {
    if (aborted) {
      // A stop is what somebody wanted, no error: the state says it.
      this.#happened({ type: 'stopped' });
      return;
    }
    if (thrown instanceof PlaygroundError && stateAfter(thrown) === 'unavailable') {
      this.#happened({ type: 'refused', refusal: refusalOf(thrown) });
      if (thrown.parameter) void this.#showFault(thrown.parameter);
    } else {
      this.#happened({ type: 'failed', message: failureWords(thrown) });
    }
    this.#tell('lab-error', thrown);
  }

  /** Whoever pressed Run is brought to the control at fault; nobody else loses the focus. */
  async #showFault(parameter: string): Promise<void> {
    if (!this.matches(':focus-within')) return;
    await this.updateComplete;
    this.renderRoot.querySelector<HTMLElement>(`#p-${CSS.escape(parameter)}`)?.focus();
  }

  /** By an element without height: the host's own height changes with every drawing, and each change is told. */
  #measureWidth(): void {
    const ruler = this.renderRoot?.querySelector('.ruler');
    if (ruler) this.#sizes.observe(ruler);
  }

  #happened(event: LabEvent): void {
    const { mode } = this.shown;
    this.shown = update(this.shown, event);
    this.state = this.shown.phase;
    // A result may be of the other mode. Where nothing changed it, a mode that was just set must not be lost.
    if (this.shown.mode !== mode) this.mode = this.shown.mode;
  }

  #tell(type: string, detail: unknown): void {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }));
  }
}

function refusalOf({ code, message, parameter }: PlaygroundError) {
  return parameter === undefined ? { code, message } : { code, message, parameter };
}

/** Whether a run as the controls stand would hold the page's own loop: that is announced before. */
function holdsThePage({ lab, mode, values }: LabState): boolean {
  const where = lab?.parameters.find(({ id }) => id === 'where');
  return mode === 'measured' && where !== undefined && (values.where || where.default) === 'page';
}

function knownLabs(): string[] {
  return (ConcurrencyLab.laboratory?.labs ?? []).map(({ id }) => id);
}

/** The seed as a number; what is none becomes NaN, which the session refuses in words. Nothing written is the default. */
function seedOf(text: string): number {
  return text.trim() === '' ? 1 : Number(text);
}

/** Makes the elements known to the browser, for a site with this laboratory. A second call changes nothing. */
export function defineLab(laboratory: Laboratory): void {
  ConcurrencyLab.laboratory ??= laboratory;
  if (!customElements.get('frame-clock')) customElements.define('frame-clock', FrameClock);
  if (!customElements.get('concurrency-lab')) customElements.define('concurrency-lab', ConcurrencyLab);
}
