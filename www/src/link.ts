//! The link format: what the hash of an address says, read and written. Reading is total: it never throws, whatever
//! the hash holds. Not here: whether a lab or its parameters exist; the session judges that when something runs.

import type { RawValue, Refusal, RunRequest } from '#glue';
import { type TextId, words } from './words.ts';

/** What a link restores. What it does not say is left out. */
export interface LinkState {
  lab?: string;
  mode?: 'measured' | 'model';
  seed?: number;
  /** The decisions that fix a run of the model. */
  schedule?: string;
  /** The event shown, counted from 0. */
  at?: number;
  view?: 'guided' | 'explore' | 'check';
  /** Panels. */
  show?: string[];
  steps?: string[];
  readonly?: boolean;
  predict?: boolean;
  theme?: 'auto' | 'light' | 'dark';
  language?: string;
  /** The lab's parameters as they were written, in their order. */
  params: { name: string; value: string }[];
}

/** A link that was read, or why it was not. */
export type ParsedLink = { state: LinkState; notices: string[] } | { refusal: Refusal };

type Known = Exclude<keyof LinkState, 'params'>;

const VERSION = '1';
const LENGTH_LIMIT = 200_000;
const ENTRY_LIMIT = 200;
const SHOWN = 60;
const PARAMETER = 'p.';

function oneOf<T extends string>(...choices: readonly T[]): (text: string) => T | undefined {
  return (text) => choices.find((choice) => choice === text);
}

function matching(pattern: RegExp): (text: string) => string | undefined {
  return (text) => (pattern.test(text) ? text : undefined);
}

function unsigned(text: string): number | undefined {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  return value <= 0xffff_ffff ? value : undefined;
}

function onOff(text: string): boolean | undefined {
  if (text === 'on' || text === 'true' || text === '') return true;
  return text === 'off' || text === 'false' ? false : undefined;
}

function names(pattern: RegExp): (text: string) => string[] | undefined {
  return (text) => {
    const list = text.split(',');
    return list.every((name) => pattern.test(name)) ? list : undefined;
  };
}

const asIs = (value: string): string => value;
const asSwitch = (value: boolean): string => (value ? 'on' : 'off');
const asList = (value: readonly string[]): string => value.join(',');

/** One key: how its text is read into a state, and written from one. */
interface Key {
  name: Known;
  takes: TextId;
  /** False where the text is no value of this key. */
  read(text: string, state: LinkState): boolean;
  /** Undefined where the state does not say it. */
  write(state: LinkState): string | undefined;
}

function key<K extends Known>(
  name: K,
  takes: TextId,
  read: (text: string) => LinkState[K] | undefined,
  write: (value: NonNullable<LinkState[K]>) => string,
): Key {
  return {
    name,
    takes,
    read(text, state) {
      const value = read(text);
      if (value === undefined) return false;
      state[name] = value;
      return true;
    },
    write(state) {
      const value = state[name];
      return value === undefined ? undefined : write(value as NonNullable<LinkState[K]>);
    },
  };
}

/** Every key but `v` and the parameters, in the order in which a link is written. */
const KEYS: readonly Key[] = [
  key('lab', 'link.takes.lab', matching(/^[a-z][a-z0-9-]{0,63}$/), asIs),
  key('mode', 'link.takes.mode', oneOf('measured', 'model'), asIs),
  key('seed', 'link.takes.seed', unsigned, String),
  key('schedule', 'link.takes.schedule', matching(/^[\w.,:;~*-]{1,100000}$/), asIs),
  key('at', 'link.takes.at', unsigned, String),
  key('view', 'link.takes.view', oneOf('guided', 'explore', 'check'), asIs),
  key('show', 'link.takes.show', names(/^[a-z][a-z-]{0,31}$/), asList),
  key('steps', 'link.takes.steps', names(/^[a-z0-9][a-z0-9-]{0,31}$/), asList),
  key('readonly', 'link.takes.switch', onOff, asSwitch),
  key('predict', 'link.takes.switch', onOff, asSwitch),
  key('theme', 'link.takes.theme', oneOf('auto', 'light', 'dark'), asIs),
  key('language', 'link.takes.language', matching(/^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$/), asIs),
];

function shown(text: string): string {
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}

function refused(id: TextId, key: string, value: string, takes?: TextId): { refusal: Refusal } {
  const message = words(id, { key: shown(key), value: shown(value), takes: takes ? words(takes) : '' });
  return { refusal: { code: 'out-of-range', parameter: shown(key), message } };
}

/** Half a surrogate pair, which no address can hold, becomes the replacement character. */
function whole(text: string): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(new TextEncoder().encode(text));
}

/** `undefined` where the percent signs make no text. */
function decode(text: string): string | undefined {
  try {
    return whole(decodeURIComponent(text.replaceAll('+', ' ')));
  } catch {
    return undefined;
  }
}

/** Reads a hash, with or without its `#`. Never throws. */
export function parseLink(hash: string): ParsedLink {
  const text = hash.startsWith('#') ? hash.slice(1) : hash;
  if (text.length > LENGTH_LIMIT) {
    const message = words('link.too-long', { length: text.length, limit: LENGTH_LIMIT });
    return { refusal: { code: 'too-large', message } };
  }
  const entries = text.split('&').filter((entry) => entry !== '');
  if (entries.length > ENTRY_LIMIT) {
    const message = words('link.too-many', { limit: ENTRY_LIMIT });
    return { refusal: { code: 'too-large', message } };
  }
  const state: LinkState = { params: [] };
  const notices: string[] = [];
  const seen = new Set<string>();
  for (const entry of entries) {
    const equals = entry.indexOf('=');
    const rawName = equals < 0 ? entry : entry.slice(0, equals);
    const rawValue = equals < 0 ? '' : entry.slice(equals + 1);
    const name = decode(rawName);
    const known = KEYS.find((key) => key.name === name);
    if (name === undefined || !(known || name === 'v' || name.startsWith(PARAMETER))) {
      notices.push(words('link.unknown-key', { key: shown(name ?? rawName) }));
      continue;
    }
    const value = decode(rawValue);
    if (value === undefined) return refused('link.bad-encoding', name, rawValue);
    if (seen.has(name)) return refused('link.twice', name, value);
    seen.add(name);
    if (known) {
      if (!known.read(value, state)) return refused('link.bad-value', name, value, known.takes);
    } else if (name === 'v') {
      if (value !== VERSION) return refused('link.bad-version', name, value);
    } else {
      const parameter = name.slice(PARAMETER.length);
      if (parameter === '') return refused('link.bad-value', name, value, 'link.takes.parameter');
      state.params.push({ name: parameter, value });
    }
  }
  return { state, notices };
}

/** A text as it stands in a link. */
function encode(text: string): string {
  // Commas and colons are legal in a hash; left as they are, a link stays readable.
  return encodeURIComponent(whole(text)).replace(/%(2C|3A|3B)/g, decodeURIComponent);
}

/** The hash that restores a state, with its `#`. */
export function writeLink(state: LinkState): string {
  const entries: [name: string, value: string][] = [['v', VERSION]];
  for (const { name, write } of KEYS) {
    const value = write(state);
    if (value !== undefined) entries.push([name, value]);
  }
  for (const { name, value } of state.params) entries.push([`${PARAMETER}${name}`, value]);
  return `#${entries.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&')}`;
}

/** The run that a link asks for, unjudged. */
export function requestOfLink(state: LinkState): RunRequest {
  const given = (value: string | number | undefined): RawValue =>
    value === undefined ? { type: 'missing' } : { type: 'written', value: String(value) };
  return {
    lab: given(state.lab),
    mode: given(state.mode),
    params: state.params.map(({ name, value }) => ({ name, value: given(value) })),
    seed: given(state.seed),
    schedule: given(state.schedule),
    language: given(state.language),
    unknown: [],
  };
}
