// How a theme's tests are registered with node:test: one group an engine, one browser an engine, one page a test.

import { after, before, describe, it } from 'node:test';
import { ENGINES, startEngine } from './engines.mjs';
import { withPage } from './page.mjs';
import { closeSites } from './site.mjs';

const split = (text) => (text ? text.split(',') : undefined);
/** Set by run.mjs; without them everything runs. */
const wantedEngines = split(process.env.BROWSER_TESTS_ENGINES);
const wantedNames = process.env.BROWSER_TESTS_ONLY ? new RegExp(process.env.BROWSER_TESTS_ONLY, 'i') : undefined;
const listOnly = process.env.BROWSER_TESTS_LIST === '1';

const DEFAULT_LIMIT_MS = 60_000;

/** Engines of this process, started when a group first needs them. An idle browser costs nothing worth a restart. */
const running = new Map();

function engineNamed(name) {
  if (!running.has(name)) running.set(name, startEngine(name));
  return running.get(name);
}

after(
  async () => {
    for (const engine of running.values()) await (await engine).close();
    await closeSites();
  },
  { timeout: 30_000 },
);

function register(group, collected, prepare) {
  const chosen = collected.filter(({ title }) => !wantedNames || wantedNames.test(`${group}: ${title}`));
  if (chosen.length === 0) return;
  if (listOnly) {
    for (const { title } of chosen) console.log(`${group}: ${title}`);
    return;
  }
  describe(group, { concurrency: 1 }, () => {
    before(prepare, { timeout: 90_000 });
    for (const { title, limitMs, run } of chosen) it(title, { timeout: limitMs }, run);
  });
}

/**
 * Tests of one theme in each of these engines. `define` gets the engine's name and facts and `test(title, fn,
 * {limitMs})`, whose `fn` gets a page without any past.
 */
export function inEngines(theme, names, define) {
  for (const name of names) {
    if (wantedEngines && !wantedEngines.includes(name)) continue;
    const collected = [];
    const test = (title, fn, { limitMs = DEFAULT_LIMIT_MS } = {}) => {
      collected.push({ title, limitMs, run: async () => withPage(await engineNamed(name), fn) });
    };
    define({ name, ...ENGINES[name], test });
    register(`${theme} in ${name}`, collected, () => engineNamed(name));
  }
}

/** Tests that need no browser. They run whatever engines are chosen. */
export function inNode(theme, define) {
  const collected = [];
  define({
    test: (title, run, { limitMs = DEFAULT_LIMIT_MS } = {}) => collected.push({ title, limitMs, run }),
  });
  register(theme, collected, () => {});
}

export const ALL = Object.keys(ENGINES);
export const WITH_THREADS = ALL.filter((name) => ENGINES[name].sharedMemory);
/** One of each kind, where shared memory makes no difference. */
export const ONE_EACH = ['chromium', 'firefox', 'webkit'];
