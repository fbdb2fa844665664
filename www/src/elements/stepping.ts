//! What a lab element does for its stepper: fetches its script when it is first wanted, opens schedules in it, and knows
//! where it stands. Not here: the stepper, and what is shown of it (`parts/steps-panel`).

import type { LabResult, Row } from '#glue';
import { failureWords } from '../words.ts';
import { asTexts, type LabEvent, type Steps } from './lab-state.ts';
import type { Stands } from './steps/schedule-stepper.ts';
import type { Wish } from './steps/steps-state.ts';

/** One lab's stepping; the element tells it what the learner does. */
export class Stepping {
  readonly #happened: (event: LabEvent) => void;
  #stands: Stands | undefined;
  /** The place that the stepper was last asked to open, until it has moved. */
  #wished: { schedule: string; at: number | undefined } | undefined;

  constructor(happened: (event: LabEvent) => void) {
    this.#happened = happened;
  }

  /** Where the stepper stands; undefined where nothing has been stepped. */
  get stands(): Stands | undefined {
    return this.#stands?.schedule ? this.#stands : undefined;
  }

  /** The button of the panel. */
  toggle({ isOpen, script }: Steps): void {
    const closes = isOpen && script !== 'failed';
    this.#happened({ type: closes ? 'steps-closed' : 'steps-opened' });
    if (!closes) void this.#fetch(script);
  }

  /** Opens a schedule at a step, unless the stepper goes there already: it tells the same of itself. Without one it goes
   *  back to the beginning, where it has left it. */
  open(wanted: string | null | undefined, step: number | null | undefined, { script }: Steps): void {
    const schedule = wanted ?? '';
    const at = schedule === '' ? 0 : (step ?? undefined);
    const now = this.#wished ?? this.#stands;
    if (schedule === (now?.schedule ?? '') && (schedule === '' || at === now?.at)) return;
    this.#wish({ schedule, at }, undefined, script);
  }

  /** Opens a schedule that a row of a result tells of, and brings the learner there. */
  show({ params }: LabResult, { label }: Row, schedule: string, { script }: Steps): void {
    this.#wish({ schedule, at: undefined, brings: true }, { row: label, values: asTexts(params) }, script);
  }

  /** The stepper has moved. */
  moved(stands: Stands): void {
    this.#stands = stands;
    this.#wished = undefined;
  }

  /** Another lab: what was stepped through was not of it. */
  forget(): void {
    this.#stands = undefined;
    this.#wished = undefined;
  }

  #wish(wish: Wish, of: Steps['of'], script: Steps['script']): void {
    this.#wished = { schedule: wish.schedule, at: wish.at };
    this.#happened({ type: 'steps-wished', wish, of });
    void this.#fetch(script);
  }

  async #fetch(script: Steps['script']): Promise<void> {
    if (script === 'here' || script === 'wanted') return;
    try {
      const { defineStepper } = await import('./steps/schedule-stepper.ts');
      defineStepper();
      this.#happened({ type: 'steps-arrived' });
    } catch (thrown) {
      this.#happened({ type: 'steps-failed', message: failureWords(thrown) });
    }
  }
}
