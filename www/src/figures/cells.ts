//! The cells of the page of figures: a number with where it comes from, and what to say of it. Not here: where numbers
//! come from.

import { type Figure, say } from './data.ts';

/** The columns that the script fills. */
export type Column = 'measured' | 'reported';

/** What stands in a cell. */
export interface Content {
  /** The number; none where there is none to show, and then the notes say why. */
  number?: number | undefined;
  /** How many times as fast that is as the same work one part after another. */
  ratio?: number | undefined;
  notes?: readonly string[];
}

/** A number as it is shown: whole ones whole, others with three digits that count. */
export function digits(number: number): string {
  const options = Number.isInteger(number) ? {} : { maximumSignificantDigits: 3 };
  return new Intl.NumberFormat('en', options).format(number);
}

/** Whether a number agrees with the figure as the model's would have to. */
export function agrees({ low, high }: Figure, number: number): boolean {
  return number >= low && (high === undefined || number <= high);
}

/** Fills a cell, or empties it where there is nothing to say. */
export function fill(figure: Figure, column: Column, content: Content | undefined): void {
  const row = document.getElementById(figure.id);
  const place = row?.querySelector(`[data-column="${column}"] .said`);
  if (!place) return;
  const parts: HTMLElement[] = [];
  const add = (tag: 'span' | 'small', className: string, text: string): HTMLElement => {
    const part = document.createElement(tag);
    if (className) part.className = className;
    part.textContent = text;
    parts.push(part);
    return part;
  };
  if (content?.number !== undefined) {
    const { number } = content;
    add('span', 'number', digits(number)).dataset.provenance = column;
    // Another machine's seconds agree or differ by chance: nothing is said of them.
    if (figure.compares) {
      const verdict = agrees(figure, number) ? 'agrees' : 'differs';
      add('small', verdict, verdict === 'agrees' ? say('ui.figures.live.agrees') : say('ui.figures.live.differs'));
    }
  }
  if (content?.ratio !== undefined) {
    add('small', 'ratio', say('ui.figures.live.ratio', { ratio: digits(content.ratio) })).dataset.provenance = column;
  }
  for (const note of content?.notes ?? []) add('small', content?.number === undefined ? 'none' : '', note);
  if (parts.length === 0) add('span', 'none', '–');
  place.replaceChildren(...parts);
}
