//! The fourth column: what a learner's own Python said. The text is kept as it was pasted, in this browser alone, where
//! the browser keeps anything. Not here: how lines are read.

import { type Content, fill } from './cells.ts';
import { figures, say } from './data.ts';
import { type BadLine, LENGTH_LIMIT, type Read, readLines } from './lines.ts';

const KEY = 'concurrency-playground:reported';
/** Bad lines that are told one by one. */
const MOST_TOLD = 20;

/** The browser's storage, which may be forbidden, full or not there at all. */
const kept = {
  read(): string {
    try {
      return localStorage.getItem(KEY) ?? '';
    } catch {
      return '';
    }
  },

  /** Whether it is really kept. */
  write(text: string): boolean {
    try {
      if (text === '') localStorage.removeItem(KEY);
      else localStorage.setItem(KEY, text);
      return (localStorage.getItem(KEY) ?? '') === text;
    } catch {
      return false;
    }
  },
};

function contentOf(id: string, numbers: ReadonlyMap<string, number>): Content | undefined {
  const number = numbers.get(id);
  if (number === undefined) return undefined;
  const base = numbers.get(figures.get(id)?.baseline ?? '');
  return { number, ratio: base !== undefined && number > 0 ? base / number : undefined };
}

function show(numbers: ReadonlyMap<string, number>): void {
  for (const figure of figures.values()) fill(figure, 'reported', contentOf(figure.id, numbers));
}

/** Installs the form and shows what was kept. */
export function installReported(): void {
  const form = document.querySelector<HTMLFormElement>('#reported');
  const text = form?.querySelector('textarea');
  const said = form?.querySelector<HTMLElement>('#reported-said');
  if (!form || !text || !said) return;
  const tell = (...lines: readonly string[]): void => {
    said.replaceChildren(
      ...lines.map((line) => {
        const paragraph = document.createElement('p');
        paragraph.textContent = line;
        return paragraph;
      }),
    );
  };

  const before = kept.read();
  if (before !== '') {
    text.value = before;
    show(readLines(before, (id) => figures.has(id)).numbers);
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const pasted = text.value;
    if (pasted.length > LENGTH_LIMIT) {
      tell(say('ui.figures.live.too-long', { n: pasted.length, limit: LENGTH_LIMIT }));
      return;
    }
    const read = readLines(pasted, (id) => figures.has(id));
    if (read.numbers.size + read.bad.length === 0) {
      tell(say('ui.figures.live.nothing'));
      return;
    }
    show(read.numbers);
    tell(...inWords(read, kept.write(pasted)));
  });

  form.querySelector('.clear')?.addEventListener('click', () => {
    text.value = '';
    kept.write('');
    show(new Map());
    tell(say('ui.figures.live.cleared'));
    text.focus();
  });

  form.hidden = false;
}

function inWords({ numbers, bad, again }: Read, isKept: boolean): string[] {
  const lines = [say('ui.figures.live.taken', { n: numbers.size })];
  if (numbers.size > 0) lines.push(isKept ? say('ui.figures.live.kept') : say('ui.figures.live.not-kept'));
  if (bad.length > 0) lines.push(say('ui.figures.live.bad', { n: bad.length }));
  const told = [...bad, ...again].sort((one, other) => one.line - other.line);
  const word = ({ line, text, why }: BadLine): string => say(why, { line, text });
  lines.push(...told.slice(0, MOST_TOLD).map(word));
  if (told.length > MOST_TOLD) lines.push(say('ui.figures.live.bad.more', { n: told.length - MOST_TOLD }));
  return lines;
}
