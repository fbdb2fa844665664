//! Turns whatever a caller hands over into a request that can be posted. It judges nothing: the session does.

import type { RawParameter, RawValue, RunRequest } from '#glue';

const TEXT_LIMIT = 1_000;
/** A schedule of a small program names each of its steps; a link holds one of as many characters. */
const SCHEDULE_LIMIT = 100_000;
const PARAMETER_LIMIT = 100;
const UNKNOWN_LIMIT = 100;
const KNOWN = ['lab', 'mode', 'params', 'seed', 'schedule', 'language'] as const;
type Known = (typeof KNOWN)[number];

/** A text of at most 1,000 characters or as many as are said, the last one an ellipsis where it was longer. */
export function cut(text: string, limit = TEXT_LIMIT): string {
  // A cut through a surrogate pair would leave half a character, which the wire cannot carry.
  const short = text.length > limit ? `${text.slice(0, limit - 1)}…` : text;
  return short.replace(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g, '\uFFFD');
}

/** One value as it came in. */
export function toRawValue(value: unknown, limit = TEXT_LIMIT): RawValue {
  switch (typeof value) {
    case 'number':
      return { type: 'number', value };
    case 'string':
      return { type: 'text', value: cut(value, limit) };
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
function read(object: object, name: string, limit?: number): RawValue {
  try {
    return toRawValue(Reflect.get(object, name), limit);
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
  const own = (name: Known, limit?: number): RawValue =>
    names.includes(name) ? read(object, name, limit) : { type: 'missing' };
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
    schedule: own('schedule', SCHEDULE_LIMIT),
    language: own('language'),
    unknown: unknown.map((name) => cut(name)),
  };
}
