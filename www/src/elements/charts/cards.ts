//! What can run here, as cards: available or not, why not, and what would help.

import { html, nothing, type TemplateResult } from 'lit';
import type { Row } from '#glue';
import type { Words } from '../laboratory.ts';
import { lookOf } from './look.ts';

/** One card a strategy. */
export function cards(rows: readonly Row[], words: Words): TemplateResult | undefined {
  if (rows.length === 0) return undefined;
  return html`<figure class="picture">
    <figcaption><h4>${words('ui.cards.heading')}</h4><p class="how">${words('ui.cards.how')}</p></figcaption>
    <ul class="cards">${rows.map((row) => card(row, words))}</ul>
  </figure>`;
}

function card(row: Row, words: Words): TemplateResult {
  return html`<li class="card ${row.available ? 'yes' : 'no'}">
    <svg class="swatch ${lookOf(row)}" aria-hidden="true" width="100%" height="8"><rect width="100%" height="8" fill="url(#fill-${lookOf(row)})"></rect></svg>
    <p class="way">${row.label}</p>
    <p class="verdict">${row.available ? YES : NO} ${words(row.available ? 'ui.cards.yes' : 'ui.row.unavailable')}</p>
    ${row.reason ? html`<p class="what">${row.reason}</p>` : nothing}
    ${row.cure ? html`<p class="what cure">${words('ui.row.cure', { cure: row.cure })}</p>` : nothing}
    ${row.notes.map((note) => html`<p class="what" data-provenance=${row.provenance}>${note}</p>`)}
  </li>`;
}

const YES = html`<svg class="mark" aria-hidden="true" width="16" height="16" viewBox="0 0 16 16"><path d="M3 8.5l3.5 3.5L13 4.5"></path></svg>`;
const NO = html`<svg class="mark" aria-hidden="true" width="16" height="16" viewBox="0 0 16 16"><path d="M3.5 8h9"></path></svg>`;
