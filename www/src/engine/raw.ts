//! Turns whatever a caller hands over into a request that can be posted. It judges nothing: the session does.

import type { RawParameter, RawValue, RunRequest } from '#glue';

const TEXT_LIMIT = 1_000;
const PARAMETER_LIMIT = 100;
const UNKNOWN_LIMIT = 100;
const KNOWN = ['lab', 'mode', 'params', 'seed', 'schedule', 'language'] as const;
type Known = (typeof KNOWN)[number];

/** A text of at most 1,000 characters, the last one an ellipsis where it was longer. */
export function cut(text: string): string {
  // A cut through a surrogate pair would leave half a character, which the wire cannot carry.
  const short = text.length > TEXT_LIMIT ? `${text.slice(0, TEXT_LIMIT - 1)}…` : text;
  return short.replace(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g, '\uFFFD');
}

/** One value as it came in. */
export function toRawValue(value: unknown): RawValue {
  switch (typeof value) {
    case 'number':
      return { type: 'number', value };
    case 'string':
      return { type: 'text', value: cut(value) };
    case 'boolean':
      return { type: 'flag', value };
    case 'undefined':
      return { type: 'missing' };
    case 'object':
      if (value === null) return { type: 'other', what: 'null' };
      return { type: 'other', what: isArray(value) ? 'array' : 'object' };
    default:
      return { type: 'other', what: typeof value };
  }
}

/** `Array.isArray` throws for a revoked proxy. */
function isArray(value: object): boolean {
  try {
    return Array.isArray(value);
  } catch {
    return false;
  }
}

/** An object's own names, none where asking throws; a prototype's names are never among them. */
function ownNames(object: object): string[] {
  try {
    return Object.keys(object);
  } catch {
    return [];
  }
}

/** One property; a getter that throws is a value like any other. */
function read(object: object, name: string): RawValue {
  try {
    return toRawValue(Reflect.get(object, name));
  } catch {
    return { type: 'other', what: 'a getter that throws' };
  }
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

function toParameters(params: unknown): { parameters: RawParameter[]; wrong: boolean } {
  if (params === undefined) return { parameters: [], wrong: false };
  if (!isObject(params) || isArray(params)) return { parameters: [], wrong: true };
  const names = ownNames(params).slice(0, PARAMETER_LIMIT);
  return { parameters: names.map((name) => ({ name: cut(name), value: read(params, name) })), wrong: false };
}

/** The request as the session takes it. Anything at all may be handed in. */
export function toRunRequest(request: unknown): RunRequest {
  const object = isObject(request) ? request : {};
  const names = ownNames(object);
  const own = (name: Known): RawValue => (names.includes(name) ? read(object, name) : { type: 'missing' });
  let params: unknown;
  try {
    params = names.includes('params') ? Reflect.get(object, 'params') : undefined;
  } catch {
    params = null;
  }
  const { parameters, wrong } = toParameters(params);
  const unknown = names.filter((name) => !KNOWN.includes(name as Known)).slice(0, UNKNOWN_LIMIT);
  return {
    lab: own('lab'),
    mode: own('mode'),
    // Parameters that are no object at all become one parameter of that name, which no lab has: it is refused by name.
    params: wrong ? [{ name: 'params', value: toRawValue(params) }] : parameters,
    seed: own('seed'),
    schedule: own('schedule'),
    language: own('language'),
    unknown: unknown.map(cut),
  };
}
