//! What all share: variables, and each lock drawn around the data that it protects, with its holder and those who wait.

import { html, nothing, type TemplateResult } from 'lit';
import type { Position, PositionObject, PositionValue } from '#glue';
import type { Words } from '../../laboratory.ts';
import { values } from './values.ts';

/** The shared cells and objects; nothing where a program has none. */
export function board({ cells, objects, threads }: Position, words: Words): TemplateResult | typeof nothing {
  if (cells.length === 0 && objects.length === 0) return nothing;
  // A cell stands inside the first object that protects it; a second one names it.
  const home = new Map<string, PositionObject>();
  for (const object of objects) for (const name of object.protects) if (!home.has(name)) home.set(name, object);
  const free = cells.filter(({ name }) => !home.has(name));
  const names = (some: readonly number[]) => some.map((thread) => threads[thread]?.name ?? '?').join(', ');
  return html`<section class="board" aria-label=${words('ui.steps.shared')}><h4>${words('ui.steps.shared')}</h4>
    <div class="shared">
      ${free.length > 0 ? html`<div class="free">${values(free, words)}</div>` : nothing}
      ${objects.map((object) => {
        const inside = cells.filter(({ name }) => home.get(name) === object);
        return thing(object, inside, names, words);
      })}
    </div>
  </section>`;
}

function thing(
  object: PositionObject,
  inside: readonly PositionValue[],
  names: (some: readonly number[]) => string,
  words: Words,
): TemplateResult {
  const { kind, name, says, holders, waiters, protects } = object;
  const elsewhere = protects.filter((one) => !inside.some((cell) => cell.name === one));
  const held = holders.length > 0;
  // A condition is nothing but who waits: its words say it already.
  const waiting = kind === 'condition' ? [] : waiters;
  return html`<div class="object ${kind} ${held ? 'held' : ''}" role="group" aria-label="${words(`ui.steps.kind.${kind}`)} ${name}">
    <p class="title">${kind === 'lock' ? (held ? CLOSED : OPEN) : nothing}<span class="kind">${words(`ui.steps.kind.${kind}`)}</span> <code>${name}</code></p>
    <p class="who" data-provenance="modelled"><span class="says">${says}</span>
      ${waiting.length > 0 ? html`<span class="waiters">${words('ui.steps.waiters', { names: names(waiting) })}</span>` : nothing}</p>
    ${
      protects.length > 0
        ? html`<div class="inside"><span class="label">${words('ui.steps.protects')}${elsewhere.length > 0 ? html` <code>${elsewhere.join(', ')}</code>` : nothing}</span>
          ${inside.length > 0 ? values(inside, words) : nothing}</div>`
        : nothing
    }
  </div>`;
}

const OPEN = lockIcon('M4 8V5.5a4 4 0 0 1 7.5-2M2.5 8h11v6.5h-11z');
const CLOSED = lockIcon('M4 8V5.5a4 4 0 0 1 8 0V8M2.5 8h11v6.5h-11z');

function lockIcon(path: string): TemplateResult {
  return html`<svg class="mark" aria-hidden="true" width="16" height="16" viewBox="0 0 16 16"><path d=${path}></path></svg>`;
}
