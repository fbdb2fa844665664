//! Where it stands, in words: the step just made, what can be done from here or how it ended, and the goals. These lines
//! keep their room, so that nothing below them moves from step to step.

import { html, nothing, type TemplateResult } from 'lit';
import type { Position } from '#glue';
import { gradeMark } from '../../charts/grades.ts';
import type { Words } from '../../laboratory.ts';
import { bare } from '../speech.ts';
import { canMove, knownNext, type StepsState } from '../steps-state.ts';

/** The step that was made, and what comes next. */
export function now(state: StepsState, position: Position, words: Words): TemplateResult {
  const { at, steps } = position;
  const last = steps[at - 1];
  const happened = last ? words('ui.steps.now.step', { at, text: bare(last.text) }) : words('ui.steps.now.start');
  return html`<div class="now" tabindex="-1">
    <p class="happened" data-provenance="modelled">${happened}</p>
    ${position.ending ? ending(position.ending, words) : html`<p class="next">${next(state, position, words)}</p>`}
    ${position.drawn ? html`<p class="drawn" data-provenance="modelled">${position.drawn}</p>` : nothing}
  </div>`;
}

function next(state: StepsState, { at, steps, threads }: Position, words: Words): string {
  const name = threads[knownNext(state) ?? -1]?.name;
  if (canMove(state, 1) && name) return words('ui.steps.next.known', { name, at: at + 1, all: steps.length });
  return at === 0 ? '' : words('ui.steps.next.here');
}

/** How it ended: the grade as a word with a mark of its own shape, and what it is. */
function ending({ grade, text }: NonNullable<Position['ending']>, words: Words): TemplateResult {
  return html`<p class="ending grade-${grade}" data-provenance="modelled">${gradeMark(grade)}
    <span><b>${words(`ui.grade.${grade}`)}:</b> ${text}</span></p>`;
}

/** What to try; what was reached stays ticked, whatever schedule is open. */
export function goals(
  { program, reached }: StepsState,
  position: Position,
  words: Words,
): TemplateResult | typeof nothing {
  if (position.goals.length === 0) return nothing;
  const done = reached[program] ?? [];
  return html`<section class="goals"><h4>${words('ui.steps.goals')}</h4>
    <ul>${position.goals.map(({ id, text }) => {
      const is = done.includes(id) ? 'reached' : 'open';
      return html`<li class=${is}>${is === 'reached' ? TICKED : EMPTY}
        <span>${text} <span class="verdict">(${words(`ui.steps.goals.${is}`)})</span></span></li>`;
    })}</ul>
  </section>`;
}

const EMPTY = html`<svg class="mark" aria-hidden="true" width="16" height="16" viewBox="0 0 16 16"><path d="M2 2h12v12H2z"></path></svg>`;
const TICKED = html`<svg class="mark" aria-hidden="true" width="16" height="16" viewBox="0 0 16 16"><path d="M2 2h12v12H2zM4.5 8l2.5 2.7L11.5 5.3"></path></svg>`;
