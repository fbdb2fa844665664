//! What a lab element does for its stepper: fetches its script when it is first wanted, opens schedules in it, and knows
//! where it stands. Not here: the stepper, and what is shown of it (`parts/steps-panel`).

import type { LabResult, Row } from '#glue';
import { failureWords } from '../words.ts';
import { asTexts, type LabEvent, type Steps } from './lab-state.ts';
import type { Stands } from './steps/schedule-stepper.ts';

/** One lab's stepping; the element tells it what the learner does. */
export class Stepping {
  readonly #happened: (event: LabEvent) => void;
  #stands: Stands | undefined;

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

  /** Opens a schedule at a step, unless the stepper stands there: it tells the same of itself. */
  open(schedule: string | null | undefined, at: number | null | undefined, { script }: Steps): void {
    if (!schedule || (schedule === this.#stands?.schedule && at === this.#stands.at)) return;
    this.#happened({ type: 'steps-wished', wish: { schedule, at: at ?? undefined }, of: undefined });
    void this.#fetch(script);
  }

  /** Opens a schedule that a row of a result tells of, and brings the learner there. */
  show({ params }: LabResult, { label }: Row, schedule: string, { script }: Steps): void {
    const wish = { schedule, at: undefined, brings: true };
    this.#happened({ type: 'steps-wished', wish, of: { row: label, values: asTexts(params) } });
    void this.#fetch(script);
  }

  /** The stepper has moved. */
  moved(stands: Stands): void {
    this.#stands = stands;
  }

  /** Another lab: what was stepped through was not of it. */
  forget(): void {
    this.#stands = undefined;
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
