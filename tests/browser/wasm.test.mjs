// The shipped wasm files themselves, read with binaryen: a plain addition must stay a load, an addition and a store,
// and the files must stay small. No browser is needed.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import binaryen from 'binaryen';
import { DIST } from './support/site.mjs';
import { inNode } from './support/suite.mjs';

const KIB = 1024;
const WASM_LIMIT_KIB = 150;
const PLAIN_EXPORT = 'plain_additions';

/** The text of an exported function, and of the functions it calls, for what the optimiser did not inline. */
function textOf(wasm, name) {
  const module = binaryen.readBinary(wasm);
  module.setFeatures(binaryen.Features.All);
  const text = module.emitText();
  module.dispose();
  const internal = text.match(new RegExp(`\\(export "${name}" \\(func (\\$[^)\\s]+)\\)\\)`))?.[1];
  assert.ok(internal, `${name} is not exported`);
  const functions = new Map(text.split(/\n (?=\(func )/).map((part) => [part.match(/^\(func (\S+)/)?.[1], part]));
  const seen = new Set();
  const collect = (id) => {
    if (seen.has(id) || !functions.has(id)) return '';
    seen.add(id);
    const own = functions.get(id);
    return own + [...own.matchAll(/\(call (\$\S+)/g)].map(([, called]) => collect(called.replace(/\)+$/, ''))).join('');
  };
  return collect(internal);
}

inNode('wasm', ({ test }) => {
  test('the loop of plain additions holds one atomic load, one atomic store and no read-modify-write', () => {
    const text = textOf(readFileSync(`${DIST}/threaded.wasm`), PLAIN_EXPORT);
    const count = (pattern) => (text.match(pattern) ?? []).length;
    assert.equal(count(/\bi(32|64)\.atomic\.load/g), 1, 'atomic loads');
    assert.equal(count(/\bi(32|64)\.atomic\.store/g), 1, 'atomic stores');
    assert.equal(count(/\batomic\.rmw/g), 0, 'read-modify-writes');
    assert.ok(count(/\(loop /g) >= 1, 'the loop is there');
  });

  for (const build of ['threaded', 'plain']) {
    test(`${build}.wasm is at most ${WASM_LIMIT_KIB} KiB after gzip`, () => {
      const kib = gzipSync(readFileSync(`${DIST}/${build}.wasm`)).length / KIB;
      assert.ok(kib <= WASM_LIMIT_KIB, `${kib.toFixed(1)} KiB`);
    });
  }
});
