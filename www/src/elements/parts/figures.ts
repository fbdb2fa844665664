//! The figures that a lesson printed, beside which the result stands: each with its source, its conditions, its note.

import { html, nothing, type TemplateResult } from 'lit';
import type { PublishedFigure } from '#glue';
import type { Words } from '../laboratory.ts';
import { formatCount } from '../numbers.ts';
import { paramsInWords, whoRuns } from './names.ts';

/** The table of published figures. */
export function figures(lab: string, all: readonly PublishedFigure[], words: Words): TemplateResult | typeof nothing {
  if (all.length === 0) return nothing;
  return html`<section class="published">
    <h3 id="figures-heading">${words('ui.figures.heading')}</h3>
    <p class="how">${words('ui.figures.how')}</p>
    <div class="scroll" tabindex="0" role="group" aria-labelledby="figures-heading">
      <table>
        <thead><tr>${['figure', 'quantity', 'for', 'conditions', 'lesson'].map((id) => html`<th scope="col">${words(`ui.figures.${id}`)}</th>`)}</tr></thead>
        <tbody>${all.map((figure) => line(lab, figure, words))}</tbody>
      </table>
    </div>
  </section>`;
}

function line(lab: string, figure: PublishedFigure, words: Words): TemplateResult {
  const { lesson, params, note, provenance } = figure;
  return html`<tr>
    <td class="value" data-provenance=${provenance}>${value(figure)}</td>
    <td>${quantity(figure.quantity, words)}</td>
    <td>${whoRuns(lab, figure, words)}
      ${note ? html`<span class="aside">${note}</span>` : nothing}</td>
    <td>${paramsInWords(lab, params, words)}</td>
    <td>${words('ui.figures.source', { lesson, provenance: words(`ui.provenance.${provenance}`) })}</td>
  </tr>`;
}

function value({ value: one, range, relation }: PublishedFigure): string {
  if (one !== undefined) return relation === 'at-least' ? `≥\u00a0${formatCount(one)}` : formatCount(one);
  const [low, high] = range ?? [];
  return low === undefined || high === undefined ? '–' : `${formatCount(low)} – ${formatCount(high)}`;
}

function quantity(id: string, words: Words): string {
  const key = `ui.quantity.${id}`;
  const found = words(key);
  return found === key ? id : found;
}
