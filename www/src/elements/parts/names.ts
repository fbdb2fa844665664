//! What ids of a lab are called: its parameters, their values, strategies, runtimes. The tables hold the words.

import type { Named, Runtime, Strategy } from '#glue';
import type { Words } from '../laboratory.ts';
import { formatCount } from '../numbers.ts';

/** The first of these ids that the language has a text for; the fallback where it has none. */
function firstOf(ids: readonly string[], fallback: string, words: Words): string {
  for (const id of ids) {
    const text = words(id);
    if (text !== id) return text;
  }
  return fallback;
}

/** A parameter's name. */
export function parameterName(lab: string, id: string, words: Words): string {
  return firstOf([`${lab}.parameter.${id}`, `parameter.${id}`], id, words);
}

/** A choice's name: a variant has its lab's, a strategy or runtime the one that all labs share. */
export function choiceName(lab: string, id: string, choice: string, words: Words): string {
  return firstOf([`${lab}.${id}.${choice}`, `${id}.${choice}`], choice, words);
}

/** Parameters with their values in words: "Workers: 4; Scaling curve: no". */
export function paramsInWords(lab: string, params: Named, words: Words): string {
  return Object.entries(params)
    .map(([id, value]) => `${parameterName(lab, id, words)}:\u00a0${valueInWords(lab, id, value, words)}${unitOf(id)}`)
    .join('; ');
}

/** The unit that a parameter's id ends in, behind a space that does not break. */
function unitOf(id: string): string {
  const unit = id.endsWith('Us') ? 'µs' : id.endsWith('Ms') ? 'ms' : '';
  return unit === '' ? '' : `\u00a0${unit}`;
}

function valueInWords(lab: string, id: string, value: string | number | boolean, words: Words): string {
  if (typeof value === 'number') return formatCount(value);
  if (typeof value === 'boolean') return words(value ? 'ui.yes' : 'ui.no');
  return choiceName(lab, id, value, words);
}

/** What runs: a row, or the subject of a published figure. */
interface Who {
  readonly strategy: Strategy;
  readonly runtime?: Runtime | undefined;
  readonly variant?: string | undefined;
}

/** What runs, in words: strategy, runtime, variant. */
export function whoRuns(lab: string, { strategy, runtime, variant }: Who, words: Words): string {
  const parts = [
    words(`strategy.${strategy}`),
    runtime === undefined ? '' : words(`runtime.${runtime}`),
    variant === undefined ? '' : choiceName(lab, 'variant', variant, words),
  ];
  return parts.filter((part) => part !== '').join(', ');
}
