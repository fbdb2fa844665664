// The verdict on claims, over reports made up here. Not here: real labs.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { report } from './report.mjs';

const claim = (id, holds) => ({ id, kind: 'invariant', holds, why: `because of ${id}`, text: `The claim ${id}.` });
const lab = (id, ...claims) => ({ lab: id, claims });

test('all true, or not applicable with a reason: well', () => {
  const { ok, lines, troubles } = report({
    results: [lab('one', claim('a', true), claim('b', 'not-applicable')), lab('two', claim('c', true))],
    failed: [],
  });
  assert.deepEqual([ok, troubles], [true, []]);
  assert.equal(lines.at(-1), '2 labs: 2 claims true, 0 false, 1 not applicable');
  assert.ok(lines.includes('  n/a    b (invariant)  because of b'));
});

test('one false claim among many is the verdict, and is told whole', () => {
  const { ok, troubles } = report({ results: [lab('one', claim('a', true), claim('b', false))], failed: [] });
  assert.deepEqual([ok, troubles], [false, ['one.b is false: The claim b. because of b']]);
});

test('a lab that did not run, or that claims nothing, is no success', () => {
  const refused = { lab: 'two', code: 'unavailable', message: 'not here' };
  const one = report({ results: [lab('one', claim('a', true))], failed: [refused] });
  assert.deepEqual([one.ok, one.troubles], [false, ['two did not run: not here (unavailable)']]);
  assert.deepEqual(report({ results: [lab('one')], failed: [] }).troubles, ['one makes no claim']);
});

test('what is no report is an error, not a success', () => {
  for (const wrong of [null, {}, { results: [] }, { results: [], failed: [] }, 'done']) {
    assert.throws(() => report(wrong), /no report|no lab/, JSON.stringify(wrong));
  }
  assert.throws(() => report({ results: [lab('one', claim('a', 'maybe'))], failed: [] }), /holds: "maybe"/);
});
