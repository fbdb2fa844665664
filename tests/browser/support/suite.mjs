// How a theme's tests are registered with node:test: one group an engine, one browser a group, one page a test.

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

function register(group, collected, hooks) {
  const chosen = collected.filter(({ title }) => !wantedNames || wantedNames.test(`${group}: ${title}`));
  if (chosen.length === 0) return;
  if (listOnly) {
    for (const { title } of chosen) console.log(`${group}: ${title}`);
    return;
  }
  describe(group, { concurrency: 1 }, () => {
    before(hooks.before, { timeout: 90_000 });
    after(hooks.after, { timeout: 30_000 });
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
    let engine;
    const collected = [];
    const test = (title, fn, { limitMs = DEFAULT_LIMIT_MS } = {}) => {
      collected.push({ title, limitMs, run: () => withPage(engine, fn) });
    };
    define({ name, ...ENGINES[name], test });
    register(`${theme} in ${name}`, collected, {
      before: async () => {
        engine = await startEngine(name);
      },
      after: async () => {
        await engine?.close();
        await closeSites();
      },
    });
  }
}

/** Tests that need no browser. They run whatever engines are chosen. */
export function inNode(theme, define) {
  const collected = [];
  define({
    test: (title, run, { limitMs = DEFAULT_LIMIT_MS } = {}) => collected.push({ title, limitMs, run }),
  });
  register(theme, collected, { before: () => {}, after: closeSites });
}

export const ALL = Object.keys(ENGINES);
export const WITH_THREADS = ALL.filter((name) => ENGINES[name].sharedMemory);
