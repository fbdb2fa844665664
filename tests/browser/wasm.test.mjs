// The shipped wasm files themselves, read with binaryen: a plain addition must stay a load, an addition and a store,
// and the files must stay small. No browser is needed.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import binaryen from 'binaryen';
import { DIST } from './support/site.mjs';
import { inNode } from './support/suite.mjs';

const KIB = 1024;
const WASM_LIMIT_KIB = 175;
const PLAIN_EXPORT = 'plain_additions';

/** The text of an exported function, and that of the functions it calls, for what the optimiser did not inline. */
function textOf(wasm, name) {
  const module = binaryen.readBinary(wasm);
  module.setFeatures(binaryen.Features.All);
  const text = module.emitText();
  module.dispose();
  const internal = text.match(new RegExp(`\\(export "${name}" \\(func (\\$[^)\\s]+)\\)\\)`))?.[1];
  assert.ok(internal, `${name} is not exported`);
  const functions = new Map(text.split(/\n (?=\(func )/).map((part) => [part.match(/^\(func (\S+)/)?.[1], part]));
  const called = new Set();
  const collect = (id) => {
    if (called.has(id) || !functions.has(id)) return;
    called.add(id);
    for (const [, next] of functions.get(id).matchAll(/\(call (\$[^)\s]+)/g)) collect(next);
  };
  collect(internal);
  called.delete(internal);
  return { own: functions.get(internal), called: [...called].map((id) => functions.get(id)) };
}

/** The loop's calls, loads and stores of the counter, in the order of the text, which is that of the run here. */
function script(text) {
  const words = { call: 'burn', 'i32.atomic.load': 'read', 'i32.atomic.store': 'write' };
  return [...text.matchAll(/\((call|i32\.atomic\.(?:load|store))\b/g)].map(([, instruction]) => words[instruction]);
}

inNode('wasm', ({ test }) => {
  const threaded = () => textOf(readFileSync(`${DIST}/threaded.wasm`), PLAIN_EXPORT);

  test('the loop of plain additions holds one atomic load, one atomic store and no read-modify-write', () => {
    const { own, called } = threaded();
    const count = (pattern) => ([own, ...called].join('').match(pattern) ?? []).length;
    assert.equal(count(/\bi(32|64)\.atomic\.load/g), 1, 'atomic loads');
    assert.equal(count(/\bi(32|64)\.atomic\.store/g), 1, 'atomic stores');
    assert.equal(count(/\batomic\.rmw/g), 0, 'read-modify-writes');
    assert.equal((own.match(/\(loop /g) ?? []).length, 1, 'one loop');
  });

  test('between the load and the store it burns the time of three bytecodes, of the seven of an addition', () => {
    const { own, called } = threaded();
    assert.equal(called.length, 1, 'all that is called is what burns time');
    const loop = own.slice(own.indexOf('(loop '));
    assert.deepEqual(script(loop), ['burn', 'burn', 'read', 'burn', 'burn', 'burn', 'write', 'burn', 'burn']);
    assert.deepEqual(script(own), script(loop), 'nothing of it stands outside of the loop');
  });

  for (const build of ['threaded', 'plain', 'loop']) {
    test(`${build}.wasm is at most ${WASM_LIMIT_KIB} KiB after gzip`, () => {
      const kib = gzipSync(readFileSync(`${DIST}/${build}.wasm`)).length / KIB;
      assert.ok(kib <= WASM_LIMIT_KIB, `${kib.toFixed(1)} KiB`);
    });
  }
});
