// Every lab of the list, in each of its modes, in every engine: the result is whole, honest and plain. What one lab
// promises beyond that has a file of its own.

import assert from 'node:assert/strict';
import { LABS } from './support/lab-list.mjs';
import { labs, openPlayground } from './support/playground.mjs';
import { checkResult } from './support/result-checks.mjs';
import { ALL, inEngines } from './support/suite.mjs';

const MADE = { measured: 'measured', model: 'modelled' };

/** Runs in the page: the result must survive JSON unchanged, so that it can be stored, sent and shown anywhere. */
async function runAndCompare(request) {
  const result = await window.playground.run(request);
  const differs = (a, b, path) => {
    if (Object.is(a, b)) return '';
    if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return `${path}: ${a} and ${b}`;
    const prototype = Object.getPrototypeOf(a);
    if (prototype !== Object.prototype && prototype !== Array.prototype) return `${path} is not plain`;
    for (const key of new Set([...Reflect.ownKeys(a), ...Reflect.ownKeys(b)])) {
      const found = differs(a[key], b[key], `${path}.${String(key)}`);
      if (found) return found;
    }
    return '';
  };
  return { result, differs: differs(result, JSON.parse(JSON.stringify(result)), 'result') };
}

inEngines('labs', ALL, ({ name, sharedMemory, reports, test }) => {
  const engine = { name, sharedMemory, reports };

  test('the module lists the labs that were built', async (page) => {
    await openPlayground(page);
    assert.deepEqual(await labs(page), LABS);
    assert.ok(LABS.length >= 4, 'at least four labs');
  });

  for (const [lab, mode] of LABS.flatMap((lab) => lab.modes.map((mode) => [lab, mode]))) {
    test(
      `${lab.id}: a ${MADE[mode]} result is whole, honest and plain`,
      async (page) => {
        await openPlayground(page);
        // A model takes no time to speak of: all of its rows are run.
        const params = mode === 'model' ? {} : lab.opening;
        const request = { lab: lab.id, mode, params };
        const { result, differs } = await page.callWithin(80_000, `lab ${lab.id} to end`, runAndCompare, request);
        checkResult(result, lab, engine, params, mode);
        assert.equal(differs, '');
        // What is modelled at the defaults does not depend on this machine.
        const failed = result.claims.filter(({ holds }) => mode === 'model' && holds === false);
        assert.deepEqual(failed, []);
      },
      { limitMs: 100_000 },
    );
  }
});
