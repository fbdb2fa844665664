//! The lesson's sentences, judged: the verdict in a word with a mark, the sentence, and what decided it.

import { html, nothing, type TemplateResult } from 'lit';
import type { Claim, Provenance } from '#glue';
import type { Words } from '../laboratory.ts';

/** The list of claims: those that this run decided first, the others folded away where there are both. */
export function claims(all: readonly Claim[], provenance: Provenance, words: Words): TemplateResult {
  const list = (some: readonly Claim[]) => html`<ul>${some.map((claim) => one(claim, provenance, words))}</ul>`;
  const decided = all.filter(({ holds }) => holds !== 'not-applicable');
  const others = all.filter(({ holds }) => holds === 'not-applicable');
  const both = decided.length > 0 && others.length > 0;
  return html`<section class="claims">
    <h3>${words('ui.claims.heading')}</h3>
    ${list(both ? decided : all)}
    ${both ? html`<details><summary>${words('ui.claims.others', { count: others.length })}</summary>${list(others)}</details>` : nothing}
  </section>`;
}

function one({ holds, text, why, kind }: Claim, provenance: Provenance, words: Words): TemplateResult {
  const verdict = holds === 'not-applicable' ? 'not-applicable' : holds ? 'holds' : 'fails';
  return html`<li class=${verdict}>
    <p class="verdict">${MARKS[verdict]} ${words(`ui.claims.${verdict}`)}</p>
    <p class="text">${text}</p>
    <p class="why" data-provenance=${provenance}>${why} <span class="kind">${words(`ui.claims.kind.${kind}`)}</span></p>
  </li>`;
}

const MARKS = {
  holds: mark('M3 8.5l3.5 3.5L13 4.5'),
  fails: mark('M4 4l8 8M12 4l-8 8'),
  'not-applicable': mark('M3.5 8h9'),
} as const;

function mark(path: string): TemplateResult {
  return html`<svg class="mark" aria-hidden="true" width="16" height="16" viewBox="0 0 16 16"><path d=${path}></path></svg>`;
}
