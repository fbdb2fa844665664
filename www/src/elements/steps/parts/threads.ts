//! One card a thread or task: what it can do and why not, its code with the place where it stands, its own variables, and
//! the button that lets it go on.

import { html, nothing, type TemplateResult } from 'lit';
import type { Position, PositionLine, PositionThread } from '#glue';
import type { Words } from '../../laboratory.ts';
import { threadName } from '../keys.ts';
import { knownNext, type StepsState } from '../steps-state.ts';
import { values } from './values.ts';

/** The cards, in the threads' order. */
export function threads(
  state: StepsState,
  position: Position,
  words: Words,
  choose: (thread: number) => void,
): TemplateResult {
  const next = knownNext(state);
  return html`<section class="threads" aria-label=${words('ui.steps.threads')}>
    <p class="how">${words('ui.steps.legend')}</p>
    <div class="cards">${position.threads.map((one, index) => card(one, index, index === next, words, choose))}</div>
  </section>`;
}

function card(
  one: PositionThread,
  index: number,
  isNext: boolean,
  words: Words,
  choose: (thread: number) => void,
): TemplateResult {
  const { name, state, says } = one;
  const ready = state === 'ready';
  return html`<section class="card ${state} ${one.wasLast ? 'last' : ''}" aria-label=${name}>
    <p class="head"><b class="name">${name}</b>
      <span class="state">${STATES[state]} ${words(`ui.steps.state.${state}`)}</span>
      <span class="tags">${one.wasLast ? html`<span class="tag">◂ ${words('ui.steps.was-last')}</span>` : nothing}
        ${isNext ? html`<span class="tag">▸ ${words('ui.steps.next-one')}</span>` : nothing}</span></p>
    <button type="button" class="go" aria-disabled=${!ready} aria-describedby="says-${index}" aria-keyshortcuts=${threadName(index)}
      @click=${() => choose(index)}><span>${words('ui.steps.go', { name })}</span><kbd aria-hidden="true">${threadName(index)}</kbd></button>
    <p class="says" id="says-${index}">${says}</p>
    ${code(one, words)}
    <div class="own"><h5>${words('ui.steps.registers')}</h5>
      ${one.registers.length > 0 ? values(one.registers, words) : html`<p class="none">${words('ui.steps.no-registers')}</p>`}</div>
  </section>`;
}

function code({ name, lines, next, stepLines }: PositionThread, words: Words): TemplateResult {
  return html`<ol class="code" aria-label=${words('ui.steps.code', { name })}>
    ${lines.map((line, index) => {
      const isNext = index === next;
      const runs = next !== undefined && next !== null && index >= next && index < next + stepLines;
      return codeLine(line, isNext, runs, words);
    })}</ol>`;
}

function codeLine(
  { code: text, maySwitch }: PositionLine,
  isNext: boolean,
  runs: boolean,
  words: Words,
): TemplateResult {
  return html`<li class="${maySwitch ? 'may-switch' : ''} ${runs ? 'runs' : ''}" aria-current=${isNext ? 'step' : nothing}>
    ${maySwitch ? html`<span class="hidden">(${words('ui.steps.may-switch')})</span>` : nothing}<code>${text}</code></li>`;
}

const STATES = {
  ready: icon('M4 2.5v11L13 8z', true),
  blocked: icon('M3 3h10v10H3z', true),
  done: icon('M3 8.5l3.5 3.5L13 4.5', false),
  failed: icon('M4 4l8 8M12 4l-8 8', false),
} as const;

function icon(path: string, filled: boolean): TemplateResult {
  return html`<svg class="mark ${filled ? 'filled' : ''}" aria-hidden="true" width="14" height="14" viewBox="0 0 16 16"><path d=${path}></path></svg>`;
}
