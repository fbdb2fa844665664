//! Reads what a learner pastes: lines of a figure's name and a number. Nothing is dropped in silence: a line that says
//! nothing usable is told with its number. Not here: keeping and showing what was read.

import type { LiveId } from './data.ts';

/** Characters of a text that are read at most. A run of the script prints some thousands. */
export const LENGTH_LIMIT = 200_000;
/** Characters of a bad line that are shown. */
const SHOWN = 60;

/** A line that was left out, or that another one is in the way of. */
export interface BadLine {
  /** From 1. */
  line: number;
  /** The part of it that is at fault. */
  text: string;
  why: Extract<LiveId, `ui.figures.live.bad.${'form' | 'unknown' | 'number' | 'twice'}`>;
}

/** What a text says. */
export interface Read {
  numbers: Map<string, number>;
  /** Lines that said nothing usable. */
  bad: BadLine[];
  /** Lines that say a figure once more. They count, and the one before does not. */
  again: BadLine[];
}

const NUMBER = /^\+?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

/** Reads a text line by line. Empty lines and those that begin with # are no lines. */
export function readLines(text: string, isKnown: (id: string) => boolean): Read {
  const numbers = new Map<string, number>();
  const bad: BadLine[] = [];
  const again: BadLine[] = [];
  for (const [index, whole] of text.split(/\r\n|\n|\r/).entries()) {
    const trimmed = whole.trim();
    if (trimmed === '' || trimmed.startsWith('#')) continue;
    const note = (list: BadLine[], why: BadLine['why'], part: string): void => {
      const shown = part.length > SHOWN ? `${part.slice(0, SHOWN)}…` : part;
      list.push({ line: index + 1, text: shown, why });
    };
    const [id = '', written = '', ...rest] = trimmed.split(/\s+/);
    const number = NUMBER.test(written) ? Number(written) : Number.NaN;
    if (written === '' || rest.length > 0) note(bad, 'ui.figures.live.bad.form', trimmed);
    else if (!isKnown(id)) note(bad, 'ui.figures.live.bad.unknown', id);
    else if (!Number.isFinite(number)) note(bad, 'ui.figures.live.bad.number', written);
    else {
      if (numbers.has(id)) note(again, 'ui.figures.live.bad.twice', id);
      numbers.set(id, number);
    }
  }
  return { numbers, bad, again };
}
