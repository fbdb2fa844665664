//! The buttons and the slider that move along the schedule. Not here: choosing who goes on (`threads`).

import { html, type TemplateResult } from 'lit';
import type { Position } from '#glue';
import type { Words } from '../../laboratory.ts';
import { bare } from '../speech.ts';
import { type Action, canMove, type StepsState } from '../steps-state.ts';

/** What the tools tell the stepper. */
export interface ToolActions {
  act(action: Action): void;
  play(): void;
  pause(): void;
}

/** All of them. Buttons that can do nothing now are marked and stay: a disabled one would drop the focus. */
export function tools(state: StepsState, position: Position, words: Words, actions: ToolActions): TemplateResult {
  const { act, play, pause } = actions;
  const [back, on] = [canMove(state, -1), canMove(state, 1)];
  const goesOn = position.ending === undefined || position.ending === null;
  const icon = (id: string, path: string, able: boolean, action: Action) =>
    html`<button type="button" class="icon ${id}" aria-disabled=${!able} aria-label=${words(`ui.steps.${id}`)} title=${words(`ui.steps.${id}`)}
      @click=${() => act(action)}>${mark(path)}</button>`;
  const named = (id: string, able: boolean, action: () => Action) =>
    html`<button type="button" class=${id} aria-disabled=${!able} @click=${() => act(action())}>${words(`ui.steps.${id}`)}</button>`;
  return html`<div class="tools" role="group" aria-label=${words('ui.steps.tools')}>
    <div class="moves">
      ${icon('to-start', 'M4 3v10M13 3L6 8l7 5z', back, { type: 'jump', at: 0 })}
      ${icon('back', 'M11 3L4 8l7 5z', back, { type: 'move', by: -1 })}
      <button type="button" class="play" aria-disabled=${!on} @click=${state.playing ? pause : play}>
        ${mark(state.playing ? 'M4 3h3v10H4zM9 3h3v10H9z' : 'M4 2.5v11L13 8z')} ${words(state.playing ? 'ui.steps.pause' : 'ui.steps.play')}</button>
      ${icon('forward', 'M5 3l7 5-7 5z', on, { type: 'move', by: 1 })}
      ${icon('to-end', 'M3 3l7 5-7 5zM12 3v10', on, { type: 'jump', at: position.steps.length })}
    </div>
    <div class="along">${slider(position, words, act)}<p class="place">${place(position, words)}</p></div>
    <div class="ways">
      ${named('finish', goesOn, () => ({ type: 'finish' }))}
      ${named('draw', goesOn, () => ({ type: 'draw', seed: anySeed() }))}
      ${named('restart', position.steps.length > 0, () => ({ type: 'restart' }))}
      ${named('return', state.left !== undefined, () => ({ type: 'return' }))}
    </div>
  </div>`;
}

/** Chance as good as the browser has it: what comes of it is a schedule, and that is what a link keeps. */
function anySeed(): number {
  return crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
}

function slider({ at, steps }: Position, words: Words, act: (action: Action) => void): TemplateResult {
  const move = (event: Event) => act({ type: 'jump', at: (event.target as HTMLInputElement).valueAsNumber });
  const here = words('ui.steps.place', { at, all: steps.length });
  const last = steps[at - 1];
  // The most comes before the value: a value above what was the most would be cut down to that.
  return html`<input type="range" min="0" max=${Math.max(1, steps.length)} step="1" .value=${String(at)}
    aria-label=${words('ui.steps.slider')} aria-valuetext=${last ? `${here}: ${bare(last.text)}` : here} @input=${move}>`;
}

/** "Step 3 of 12 · 1 preemption so far". */
function place({ at, steps, preemptions }: Position, words: Words): TemplateResult {
  const how = preemptions > 1 ? 'n' : preemptions;
  return html`<b>${words('ui.steps.place', { at, all: steps.length })}</b>
    <span class="aside">${words(`ui.steps.preemptions.${how}`, { n: preemptions })}</span>`;
}

function mark(path: string): TemplateResult {
  return html`<svg aria-hidden="true" width="16" height="16" viewBox="0 0 16 16"><path d=${path}></path></svg>`;
}
