//! The place of the stepper in a lab: what it is for, the button that opens it, and the element once its script is here.
//! Not here: the stepper itself, which is fetched when somebody wants it.

import { html, nothing, type TemplateResult } from 'lit';
import type { LabState } from '../lab-state.ts';
import type { Laboratory, LabRun, Words } from '../laboratory.ts';
import type { Stands } from '../steps/schedule-stepper.ts';
import { paramsInWords } from './names.ts';

/** What the panel needs and tells. */
export interface StepsPanel {
  readonly request: LabRun;
  readonly look: Laboratory['look'];
  toggle(): void;
  moved(stands: Stands): void;
}

/** The panel; the stepper in it keeps its place while it is closed or the other mode is chosen. */
export function stepsPanel(state: LabState, panel: StepsPanel, words: Words): TemplateResult {
  const { lab, mode, steps } = state;
  const { request, look, toggle, moved } = panel;
  const { isOpen, script } = steps;
  const does = isOpen && script !== 'failed' ? 'close' : script === 'failed' ? 'again' : 'open';
  const params = paramsInWords(lab?.id ?? '', request.params, words);
  return html`<section class="steps" ?hidden=${mode !== 'model'}>
    <div class="invite">
      <h3>${words('ui.steps.heading')}</h3>
      <p class="how">${words('ui.steps.invite')}</p>
      <button type="button" class="step" aria-expanded=${isOpen} @click=${toggle}>${words(`ui.steps.${does}`)}</button>
      ${isOpen && script === 'wanted' ? html`<p class="note" role="status">${words('ui.steps.loading')}</p>` : nothing}
      ${
        isOpen && script === 'failed'
          ? html`<p class="note" role="alert">${words('ui.steps.failed', { detail: steps.failure ?? '' })}</p>`
          : nothing
      }
      ${
        isOpen && steps.of
          ? html`<p class="note">${words('ui.steps.of-result', { row: steps.of.row, params })}</p>`
          : nothing
      }
    </div>
    ${
      script === 'here'
        ? html`<schedule-stepper ?hidden=${!isOpen} .request=${request} .look=${look} .wish=${steps.wish}
            @steps-moved=${(event: CustomEvent<Stands>) => moved(event.detail)}></schedule-stepper>`
        : nothing
    }
  </section>`;
}
