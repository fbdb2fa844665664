//! The controls of a lab, made from its description alone: a new parameter needs no line here.

import { html, nothing, type TemplateResult } from 'lit';
import type { LabDescription, ParameterDescription } from '#glue';
import { isChanged, isUnderWay, type LabState, parametersOf } from '../lab-state.ts';
import type { Words } from '../laboratory.ts';
import { formatCount } from '../numbers.ts';
import { choiceName, parameterName } from './names.ts';

/** What the controls tell the element. */
export interface ControlActions {
  set(id: string, text: string): void;
  seed(text: string): void;
  mode(mode: string): void;
  reset(): void;
  run(): void;
  stop(): void;
}

/** Settings of how it is run, not of what: they step back behind the lab's own question. */
const OF_RUNNING = new Set(['repeats', 'budgetMs', 'preset', 'cores', 'logicalCores']);

/** The form: parameters, run and stop. */
export function controls(lab: LabDescription, state: LabState, words: Words, actions: ControlActions): TemplateResult {
  const parameters = parametersOf(lab, state.mode);
  const own = parameters.filter(({ id }) => !OF_RUNNING.has(id));
  const ofRunning = parameters.filter(({ id }) => OF_RUNNING.has(id));
  const atFault = state.refusal?.parameter;
  const open = atFault !== undefined && (OF_RUNNING.has(atFault) || atFault === 'seed');
  const submit = (event: Event) => {
    event.preventDefault();
    actions.run();
  };
  const settings = () => html`<details class="settings" ?open=${open}>
    <summary>${words(`ui.controls.more.${state.mode}`)}</summary>
    <div class="fields">${ofRunning.map((one) => field(lab, one, state, words, actions))}${seedField(state, words, actions)}</div>
  </details>`;
  // The browser's own checks would stop a wrong value before the session could say what is right.
  return html`<form class="controls" novalidate @submit=${submit}>
    ${lab.modes.length > 1 ? modes(lab, state, words, actions) : nothing}
    ${own.length > 0 ? html`<div class="fields">${own.map((one) => field(lab, one, state, words, actions))}</div>` : nothing}
    ${parameters.length > 0 ? settings() : nothing}
    ${buttons(state, words, actions)}
  </form>`;
}

/** Measured or modelled: two ways to ask the same question. */
function modes(lab: LabDescription, state: LabState, words: Words, actions: ControlActions): TemplateResult {
  const busy = isUnderWay(state);
  // As with the buttons: what is disabled drops the focus, and the choice must stand still while a run goes on.
  const stay = (event: Event) => busy && event.preventDefault();
  const one = (mode: LabDescription['modes'][number]) => html`<label class="mode">
    <input type="radio" name="mode" value=${mode} .checked=${mode === state.mode} aria-disabled=${busy}
      @click=${stay} @change=${() => actions.mode(mode)}> ${words(`ui.mode.${mode}`)}</label>`;
  return html`<fieldset class="modes"><legend>${words('ui.mode')}</legend>${lab.modes.map(one)}</fieldset>`;
}

function buttons(state: LabState, words: Words, actions: ControlActions): TemplateResult {
  const busy = isUnderWay(state);
  // aria-disabled instead of disabled: a disabled button drops the focus of whoever has just pressed it.
  return html`<div class="buttons">
    <button type="submit" class="run" aria-disabled=${busy}>${RUN_MARK} ${words('ui.run')}</button>
    <button type="button" class="stop" aria-disabled=${!busy} @click=${() => busy && actions.stop()}>${STOP_MARK} ${words('ui.stop')}</button>
    <slot name="buttons"></slot>
    ${isChanged(state) ? html`<button type="button" class="plain" @click=${actions.reset}>${words('ui.reset')}</button>` : nothing}
  </div>`;
}

const RUN_MARK = html`<svg aria-hidden="true" width="12" height="12" viewBox="0 0 12 12"><path d="M2 1v10l9-5z"></path></svg>`;
const STOP_MARK = html`<svg aria-hidden="true" width="12" height="12" viewBox="0 0 12 12"><path d="M1.5 1.5h9v9h-9z"></path></svg>`;

function field(
  lab: LabDescription,
  one: ParameterDescription,
  state: LabState,
  words: Words,
  actions: ControlActions,
): TemplateResult {
  const { id, takes } = one;
  const name = parameterName(lab.id, id, words);
  const value = state.values[id] ?? '';
  const wrong = state.refusal?.parameter === id;
  const attributes = { id: `p-${id}`, note: `n-${id}`, wrong };
  if (takes.type === 'flag') {
    return html`<div class="field flag ${wrong ? 'wrong' : ''}">
      <label><input type="checkbox" id=${attributes.id} .checked=${value === 'true'} aria-invalid=${wrong} aria-describedby=${attributes.note}
        @change=${(event: Event) => actions.set(id, String((event.target as HTMLInputElement).checked))}> ${name}</label>
      ${note(attributes.note, state, wrong, '')}
    </div>`;
  }
  if (takes.type === 'choice') {
    return html`<div class="field choice ${wrong ? 'wrong' : ''}">
      <label for=${attributes.id}>${name}</label>
      <select id=${attributes.id} aria-invalid=${wrong} aria-describedby=${attributes.note}
        @change=${(event: Event) => actions.set(id, (event.target as HTMLSelectElement).value)}>
        ${(one.default ?? '') === '' ? html`<option value="" ?selected=${value === ''}>${words('ui.controls.all')}</option>` : nothing}
        ${takes.choices.map((choice) => html`<option value=${choice} ?selected=${choice === value}>${choiceName(lab.id, id, choice, words)}</option>`)}
        ${known(takes.choices, value) ? nothing : html`<option value=${value} selected>${value}</option>`}
      </select>
      ${note(attributes.note, state, wrong, '')}
    </div>`;
  }
  const range = words('ui.controls.range', { min: formatCount(takes.min), max: formatCount(takes.max) });
  return html`<div class="field ${wrong ? 'wrong' : ''}">
    <label for=${attributes.id}>${name}${one.unit ? html` <span class="unit">(${one.unit})</span>` : nothing}</label>
    <input type="number" id=${attributes.id} min=${takes.min} max=${takes.max} step="1" inputmode="numeric" .value=${value}
      placeholder=${one.default ?? ''} aria-invalid=${wrong} aria-describedby=${attributes.note}
      @change=${(event: Event) => actions.set(id, written(event.target as HTMLInputElement))}>
    ${note(attributes.note, state, wrong, range)}
  </div>`;
}

/** The text of a number field. What is no number reads as empty there, and empty would silently be the default. */
function written(input: HTMLInputElement): string {
  return input.validity.badInput ? 'NaN' : input.value;
}

function known(choices: readonly string[], value: string): boolean {
  return value === '' || choices.includes(value);
}

function seedField(state: LabState, words: Words, actions: ControlActions): TemplateResult {
  const wrong = state.refusal?.parameter === 'seed';
  return html`<div class="field ${wrong ? 'wrong' : ''}">
    <label for="p-seed">${words('ui.controls.seed')}</label>
    <input type="number" id="p-seed" min="0" max="4294967295" step="1" inputmode="numeric" .value=${state.seed} aria-invalid=${wrong}
      aria-describedby="n-seed" @change=${(event: Event) => actions.seed(written(event.target as HTMLInputElement))}>
    ${note('n-seed', state, wrong, words('ui.controls.seed-note'))}
  </div>`;
}

/** The range, or in its place what the session said is wrong. */
function note(id: string, state: LabState, wrong: boolean, range: string): TemplateResult {
  return html`<p class="note" id=${id}>${wrong ? html`<strong>${state.refusal?.message}</strong>` : range}</p>`;
}
