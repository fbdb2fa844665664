//! Every step of the schedule in words, in order: the same text for everybody. Each step is a button that shows it.

import { html, nothing, type TemplateResult } from 'lit';
import type { Position } from '#glue';
import type { Words } from '../../laboratory.ts';

/** The list; the step that is shown is marked, and those after it are there to jump to. */
export function transcript(position: Position, words: Words, show: (at: number) => void): TemplateResult {
  const { at, steps } = position;
  // One stop for the tab key, however many steps there are; the arrow keys go along the schedule.
  const keys = (event: KeyboardEvent) => {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const to = at + (by ?? 0);
    if (by === undefined || to < 0 || to > steps.length) return;
    event.preventDefault();
    show(to);
    const list = event.currentTarget as HTMLElement;
    list.querySelectorAll<HTMLElement>('button')[to]?.focus();
  };
  const line = (text: string, index: number, preempts: boolean) => html`<li class=${index > at ? 'ahead' : ''}
    aria-current=${index === at ? 'step' : nothing}><button type="button" tabindex=${index === at ? 0 : -1} @click=${() => show(index)}>
      <span class="number">${index}</span><span class="text">${text}${preempts ? html` <em class="tag">${words('ui.steps.preempts')}</em>` : nothing}</span></button></li>`;
  return html`<section class="transcript"><h4>${words('ui.steps.transcript')}</h4>
    <ol start="0" @keydown=${keys} data-provenance="modelled">
      ${line(words('ui.steps.transcript.start'), 0, false)}
      ${steps.map(({ text, preempts }, index) => line(text, index + 1, preempts))}
    </ol>
  </section>`;
}
