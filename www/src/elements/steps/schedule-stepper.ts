//! `<schedule-stepper>`: one schedule of a small program, step by step, with the learner as the scheduler. It lives inside
// `<concurrency-lab>`, in a script of its own that is fetched when somebody wants to step.
//
// Not here: what a step does, who may go on, what an ending is worth. The session answers all of it anew for each step.

import { html, LitElement, nothing, type PropertyValues, unsafeCSS } from 'lit';
import tokens from '../../../styles/parts/tokens.css' with { type: 'text' };
import { failureWords, wordsOf } from '../../words.ts';
import type { Laboratory, LabRun } from '../laboratory.ts';
import { actionOfKey, threadName } from './keys.ts';
import { board } from './parts/board.ts';
import { goals, now } from './parts/now.ts';
import { threads } from './parts/threads.ts';
import { tools } from './parts/tools.ts';
import { transcript } from './parts/transcript.ts';
import { spoken } from './speech.ts';
import {
  type Action,
  canMove,
  INITIAL,
  questionOf,
  type StepsEvent,
  type StepsState,
  update,
  type Wish,
} from './steps-state.ts';
import boardStyles from './styles/board.css' with { type: 'text' };
import stepperStyles from './styles/stepper.css' with { type: 'text' };
import threadStyles from './styles/threads.css' with { type: 'text' };
import transcriptStyles from './styles/transcript.css' with { type: 'text' };

/** How long each step of a schedule stands while it plays. */
const STEP_MS = 900;
/** More keys pressed than this ahead of the answers are no wish any more. */
const MOST_WAITING = 50;

/** What the stepper tells: where it stands now. */
export interface Stands {
  /** Empty where nothing has been decided. */
  readonly schedule: string;
  readonly at: number;
}

/**
 * The stepper. Properties: `request` (whose program), `look` (who is asked), `wish` (a place to open; a new object is a
 * new wish). Event: `steps-moved`, with the schedule and the step that it stands at.
 */
export class ScheduleStepper extends LitElement {
  static override properties = {
    request: { attribute: false },
    look: { attribute: false },
    wish: { attribute: false },
    shown: { state: true },
  };

  static override styles = [tokens, stepperStyles, boardStyles, threadStyles, transcriptStyles].map((text) =>
    unsafeCSS(text),
  );

  declare request: LabRun | undefined;
  declare look: Laboratory['look'] | undefined;
  declare wish: Wish | undefined;
  declare protected shown: StepsState;

  /** Actions that wait for the answer to the one before. */
  #waiting: Action[] = [];
  /** The question that is out; an answer to any other comes too late. */
  #asked: symbol | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    super();
    this.shown = INITIAL;
    this.addEventListener('keydown', (event) => this.#pressed(event));
  }

  override disconnectedCallback(): void {
    this.#happened({ type: 'paused' });
    super.disconnectedCallback();
  }

  override focus(): void {
    this.renderRoot.querySelector<HTMLElement>('.now, .trouble')?.focus();
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    const program = JSON.stringify([this.request?.lab, this.request?.params]);
    const isOther = this.request !== undefined && program !== this.shown.program;
    if (isOther) this.#happened({ type: 'program', program });
    if (changed.has('wish') && this.wish) this.#startOver({ type: 'open', place: this.wish });
    else if (isOther) this.#startOver({ type: 'open', place: { schedule: '', at: 0 } });
  }

  protected override render() {
    const { shown } = this;
    const { position } = shown;
    const act = (action: Action) => this.#act(action);
    return html`<div class="stepper" aria-busy=${position === undefined && shown.trouble === undefined}>
      ${
        shown.trouble === undefined
          ? nothing
          : html`<div class="trouble" tabindex="-1"><h4>${wordsOf('ui.steps.refused')}</h4><p>${shown.trouble}</p>
        ${position ? nothing : html`<button type="button" class="restart" @click=${() => act({ type: 'restart' })}>${wordsOf('ui.steps.restart')}</button>`}</div>`
      }
      ${
        position
          ? html`${tools(shown, position, wordsOf, { act, play: () => this.#play(), pause: () => this.#happened({ type: 'paused' }) })}
            <div class="columns">
              <div class="stage">
                ${now(shown, position, wordsOf)} ${board(position, wordsOf)}
                ${threads(shown, position, wordsOf, (thread) => this.#choose(thread))}
              </div>
              <div class="beside">
                ${goals(shown, position, wordsOf)} ${transcript(position, wordsOf, (at) => act({ type: 'jump', at }))}
              </div>
            </div>
            <p class="keys">${wordsOf('ui.steps.keys', {
              first: threadName(0),
              last: threadName(position.threads.length - 1),
              n: position.threads.length,
            })}</p>`
          : nothing
      }
      <p class="spoken" role="status" aria-live="polite">${spoken(shown, wordsOf)}</p>
    </div>`;
  }

  protected override updated(): void {
    // Within its own box: the page must not scroll by itself.
    const list = this.renderRoot.querySelector<HTMLElement>('.transcript ol');
    const line = list?.querySelector<HTMLElement>('[aria-current]');
    if (!list || !line) return;
    // The list is what its lines are placed in.
    const top = line.offsetTop;
    if (top < list.scrollTop) list.scrollTop = top;
    else if (top + line.offsetHeight > list.scrollTop + list.clientHeight) {
      list.scrollTop = top + line.offsetHeight - list.clientHeight;
    }
  }

  #pressed(event: KeyboardEvent): void {
    const { position } = this.shown;
    const action = position && actionOfKey(event, position.threads.length);
    if (!action) return;
    event.preventDefault();
    // Whoever embeds the lab may have keys of their own, slides for example.
    event.stopPropagation();
    if (action.type === 'choose') this.#choose(action.thread);
    else this.#act(action);
  }

  #choose(thread: number): void {
    this.#act({ type: 'choose', thread });
  }

  /** What the learner does ends the playing; only moving along by itself does not. */
  #act(action: Action): void {
    this.#happened({ type: 'paused' });
    this.#put(action);
  }

  /** A new program, or a schedule from outside: whatever was asked before is of no interest any more. */
  #startOver(action: Action): void {
    this.#waiting = [];
    this.#asked = undefined;
    this.#happened({ type: 'paused' });
    this.#put(action);
  }

  #put(action: Action): void {
    // A jump does not depend on what waits before it, and a slider makes many.
    if (action.type === 'jump') this.#waiting = [];
    if (this.#waiting.length < MOST_WAITING) this.#waiting.push(action);
    if (!this.#asked) void this.#askAll();
  }

  async #askAll(): Promise<void> {
    for (let action = this.#waiting.shift(); action; action = this.#waiting.shift()) {
      if (!(await this.#ask(action))) return;
    }
  }

  /** Asks for one action; false where the answer came too late, and somebody else goes on asking. */
  async #ask(action: Action): Promise<boolean> {
    const { request, look } = this;
    if (action.type === 'choose' && this.#cannot(action.thread)) return true;
    const question = questionOf(this.shown, action);
    if (!request || !look || !question) return true;
    const ticket = Symbol('question');
    this.#asked = ticket;
    try {
      const { place, choice } = question;
      const run = place.schedule === '' ? request : { ...request, schedule: place.schedule };
      const position = await look(run, place.at, choice);
      if (this.#asked !== ticket) return false;
      this.#happened({ type: 'answered', action, position });
      const isFresh = this.shown.position?.steps.length === 0;
      const detail = { schedule: isFresh ? '' : position.schedule, at: position.at };
      this.dispatchEvent(new CustomEvent<Stands>('steps-moved', { detail }));
    } catch (thrown) {
      if (this.#asked !== ticket) return false;
      this.#waiting = [];
      this.#happened({ type: 'refused', message: failureWords(thrown) });
    }
    this.#asked = undefined;
    if (action.type === 'open' && action.place.brings) void this.updateComplete.then(() => this.focus());
    return true;
  }

  /** Whether this one cannot go on; then that is said. */
  #cannot(thread: number): boolean {
    const one = this.shown.position?.threads[thread];
    if (!one) return true;
    if (one.state === 'ready') return false;
    this.#happened({ type: 'cannot', thread });
    return true;
  }

  #play(): void {
    this.#happened({ type: 'played' });
    this.#playOn();
  }

  /** The next step comes some time after the answer to the one before, however long that took. */
  #playOn(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(async () => {
      if (document.hidden) this.#happened({ type: 'paused' });
      if (!this.shown.playing || !canMove(this.shown, 1)) return;
      // What the learner pressed meanwhile waits for this answer.
      if (!this.#asked && (await this.#ask({ type: 'move', by: 1 }))) await this.#askAll();
      this.#playOn();
    }, STEP_MS);
  }

  #happened(event: StepsEvent): void {
    this.shown = update(this.shown, event);
    if (!this.shown.playing) clearTimeout(this.#timer);
  }
}

/** Makes the element known to the browser. A second call changes nothing. */
export function defineStepper(): void {
  if (!customElements.get('schedule-stepper')) customElements.define('schedule-stepper', ScheduleStepper);
}
