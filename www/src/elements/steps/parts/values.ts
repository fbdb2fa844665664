//! Names with what they hold. What the last step changed is marked by a word and a frame, not by colour alone.

import { html, nothing, type TemplateResult } from 'lit';
import type { PositionValue } from '#glue';
import type { Words } from '../../laboratory.ts';

/** The values, one beside the other. */
export function values(all: readonly PositionValue[], words: Words): TemplateResult {
  return html`<dl class="values">${all.map(
    ({ name, value, changed }) => html`<div class=${changed ? 'changed' : ''}><dt>${name}</dt>
      <dd data-provenance="modelled">${value}</dd>${changed ? html`<dd class="tag">${words('ui.steps.changed')}</dd>` : nothing}</div>`,
  )}</dl>`;
}
