//! The slow API: `slow/NAME?delay=200&status=200&capacity=20&backlog=512&group=id` answers after a while, like a
//! service that serves `capacity` requests at a time, lets `backlog` more wait and refuses the rest.
//!
//! Ranges and defaults are those of `QUERY` below; a value outside is answered with status 400 and the reason.

const PREFIX = 'slow/';
const MAX_GROUP = 64;

/** Each number of the query: default and range, both ends allowed. A capacity of 0 means no limit. */
const QUERY = {
  delay: { default: 200, min: 0, max: 10_000 },
  status: { default: 200, min: 200, max: 599 },
  capacity: { default: 0, min: 0, max: 10_000 },
  backlog: { default: 512, min: 0, max: 10_000 },
} as const;

type Settings = Record<keyof typeof QUERY, number> & { group: string };

/** Requests of one group, which share one capacity. */
interface Group {
  serving: number;
  /** Each lets one waiting request in. */
  readonly waiting: (() => void)[];
}

const groups = new Map<string, Group>();

/** Whether an address belongs to the slow API; `scope` is the path of the site. */
export function isSlow(url: URL, scope: string): boolean {
  return url.pathname.startsWith(`${scope}${PREFIX}`);
}

/** The settings, or what is wrong with them. */
export function readQuery(query: URLSearchParams): Settings | { parameter: string; message: string } {
  const settings: Settings = { delay: 0, status: 0, capacity: 0, backlog: 0, group: query.get('group') ?? '' };
  for (const name of Object.keys(QUERY) as (keyof typeof QUERY)[]) {
    const { default: usual, min, max } = QUERY[name];
    const text = query.get(name);
    const value = text === null ? usual : /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= min && value <= max)) return { parameter: name, message: `a whole number from ${min} to ${max}` };
    settings[name] = value;
  }
  if (settings.group.length > MAX_GROUP) {
    return { parameter: 'group', message: `at most ${MAX_GROUP} characters` };
  }
  return settings;
}

/** Waits for a place in the group; false where the backlog is full. */
function enter(group: Group, { capacity, backlog }: Settings): Promise<boolean> | boolean {
  if (capacity === 0 || group.serving < capacity) {
    group.serving += 1;
    return true;
  }
  if (group.waiting.length >= backlog) return false;
  // Whoever leaves hands its place on, so `serving` stays as it is.
  return new Promise((resolve) => group.waiting.push(() => resolve(true)));
}

function leave(name: string, group: Group): void {
  const next = group.waiting.shift();
  if (next) next();
  else group.serving -= 1;
  if (group.serving === 0) groups.delete(name);
}

function answer(status: number, body: object, headers: Readonly<Record<string, string>>): Response {
  const empty = status === 204 || status === 205 || status === 304;
  return new Response(empty ? null : JSON.stringify(body), {
    status,
    headers: { ...headers, 'Content-Type': 'application/json', 'Cache-Control': 'no-store' },
  });
}

/**
 * Answers one request. `headers` go with every answer, so that isolated pages may read it. A request that its asker
 * gives up is served to the end all the same: browsers tell a service worker nothing of it.
 */
export async function slowAnswer(
  url: URL,
  scope: string,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  const name = url.pathname.slice(scope.length + PREFIX.length);
  const settings = readQuery(url.searchParams);
  if ('message' in settings) return answer(400, { name, error: 'bad-query', ...settings }, headers);
  const arrived = performance.now();
  const group = groups.get(settings.group) ?? { serving: 0, waiting: [] };
  groups.set(settings.group, group);
  const { delay: delayMs, status, capacity } = settings;
  if (!(await enter(group, settings))) {
    return answer(503, { name, error: 'full', serving: group.serving, waiting: group.waiting.length }, headers);
  }
  const waitedMs = performance.now() - arrived;
  const serving = group.serving;
  await new Promise((resolve) => setTimeout(resolve, delayMs));
  leave(settings.group, group);
  const tookMs = performance.now() - arrived;
  return answer(status, { name, delayMs, status, capacity, serving, waitedMs, tookMs }, headers);
}
