//! The one place where TypeScript turns an id or a failure into words. The words themselves lie in the text tables.

import type { ErrorCode } from '#glue';
import english from '../pkg/text.en.json';
import { PlaygroundError } from './engine/playground-error.ts';

/** An id of the page's that the English table is known to hold; any other is a type error. */
export type TextId = Extract<keyof typeof english, `${'ui' | 'link' | 'engine' | 'machine-page'}.${string}`>;

/** What stands in a text's `{name}` places. */
export type TextArguments = Readonly<Record<string, string | number>>;

/** The language of the table below. */
export const language = 'en';

/** The table, from id to text: in the bundle what the page says, by www/build/page-words.mjs. */
const table: Readonly<Record<string, string>> = english;

function fill(text: string, args: TextArguments): string {
  return text.replace(/\{(\w+)\}/g, (place, name: string) => (Object.hasOwn(args, name) ? String(args[name]) : place));
}

/** The text of an id that is known when this is written. */
export function words(id: TextId, args: TextArguments = {}): string {
  return fill(english[id], args);
}

/** The text of an id made up at run time, for example of a lab's parameter; an id without a text is shown as it is. */
export function wordsOf(id: string, args: TextArguments = {}): string {
  const text = Object.hasOwn(table, id) ? table[id] : undefined;
  return text === undefined ? id : fill(text, args);
}

/** A failure that the page itself found, with its words. */
export function failure(code: ErrorCode, id: TextId, args?: TextArguments, parameter?: string): PlaygroundError {
  const message = words(id, args);
  return new PlaygroundError(parameter === undefined ? { code, message } : { code, message, parameter });
}

/** Anything that was thrown, in words; the browser's own where it is none of ours. */
export function failureWords(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message === '' ? thrown.name : thrown.message;
  return String(thrown);
}
