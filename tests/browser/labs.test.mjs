// Every lab of the list, measured, in every engine: the result is whole, honest and plain. What one lab promises beyond
// that has a file of its own.

import assert from 'node:assert/strict';
import { LABS } from './support/lab-list.mjs';
import { labs, openPlayground } from './support/playground.mjs';
import { checkResult } from './support/result-checks.mjs';
import { ALL, inEngines } from './support/suite.mjs';

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

  for (const lab of LABS.filter(({ modes }) => modes.includes('measured'))) {
    test(
      `${lab.id}: a measured result is whole, honest and plain`,
      async (page) => {
        await openPlayground(page);
        const request = { lab: lab.id, mode: 'measured', params: lab.opening };
        const { result, differs } = await page.callWithin(80_000, `lab ${lab.id} to end`, runAndCompare, request);
        checkResult(result, lab, engine, lab.opening);
        assert.equal(differs, '');
      },
      { limitMs: 100_000 },
    );
  }
});
