// The lab `cpu-bound`: every strategy computes what CPython computes, and those that claim to run at once really do.
// Nothing here asserts that anything was fast.

import assert from 'node:assert/strict';
import { labOf } from './support/lab-list.mjs';
import { openPlayground, rowsOf, runLab } from './support/playground.mjs';
import { checkResult } from './support/result-checks.mjs';
import { ALL, inEngines } from './support/suite.mjs';

/** Made by CPython 3.11: names flagged of `random.Random(seed)` for seeds 0 and 1, and the two loops' sums. */
const KNOWN = [
  { workload: 'names', tasks: 2, size: 150_000, totals: ['89266', '89542'] },
  { workload: 'squares', tasks: 2, size: 3_000_000, totals: ['8999995500000500000', '8999995500000500000'] },
  { workload: 'squares', tasks: 1, size: 20_000_000, totals: ['2666666466666670000000'] },
  { workload: 'modulo', tasks: 2, size: 3_000_000, totals: ['5999999', '5999999'] },
];

const above = (threshold) => (low, high) => (low > threshold ? true : high < threshold ? false : 'unclear');
const atMost = (threshold) => (low, high) => (high <= threshold ? true : low > threshold ? false : 'unclear');

/** The claims about speed, the row each is about, and what its interval says. */
const VERDICTS = [
  { claim: 'gil-threads-no-gain', row: { strategy: 'threads', runtime: 'gil' }, decides: atMost(1.1) },
  { claim: 'free-threads-gain', row: { strategy: 'threads', runtime: 'free-threaded' }, decides: above(1.5) },
  { claim: 'interpreters-gain', row: { strategy: 'interpreters' }, decides: above(1.5) },
  { claim: 'processes-gain', row: { strategy: 'processes' }, decides: above(1.5) },
];

inEngines('cpu-bound', ALL, ({ name, sharedMemory, reports, test }) => {
  const engine = { name, sharedMemory, reports };
  const run = async (page, params) => {
    const result = await runLab(page, 'cpu-bound', params, { limitMs: 90_000 });
    checkResult(result, labOf('cpu-bound'), engine, params);
    return result;
  };

  for (const { totals, ...params } of KNOWN) {
    test(`${params.workload} of ${params.size}: all strategies give CPython's totals`, async (page) => {
      await openPlayground(page);
      const result = await run(page, { ...params, workers: 2, repeats: 1, budgetMs: 20_000 });
      const ran = raced(result);
      assert.deepEqual(new Set(ran.map(({ strategy }) => strategy)), expectedStrategies(sharedMemory));
      for (const row of ran) {
        assert.deepEqual(row.totals, totals, row.label);
        assert.equal(row.value, row.expected, row.label);
      }
    });
  }

  test('what claims to run at once overlaps', async (page) => {
    await openPlayground(page);
    const result = await run(page, {
      workload: 'names',
      tasks: 8,
      size: 100_000,
      workers: 2,
      repeats: 3,
      budgetMs: 10_000,
    });
    const parallel = [
      ...rowsOf(result, { strategy: 'threads', runtime: 'free-threaded', available: true }),
      ...rowsOf(result, { strategy: 'interpreters', available: true }),
      ...rowsOf(result, { strategy: 'processes', available: true }),
    ];
    assert.equal(parallel.length, sharedMemory ? 3 : 2);
    for (const { label, overlaps, spans } of parallel) {
      assert.ok(Math.max(...overlaps) > 0, `${label}: no overlap in any sample (${overlaps})`);
      assert.ok(new Set(spans.map(({ worker }) => worker)).size >= 2, `${label}: one worker took all tasks`);
    }
    for (const { overlaps } of rowsOf(result, { strategy: 'serial' })) {
      assert.ok(
        (overlaps ?? []).every((overlap) => overlap === 0),
        'serial work overlapped',
      );
    }
  });

  test('each verdict on speed follows from the interval of its samples', async (page) => {
    await openPlayground(page);
    const params = { workload: 'names', tasks: 4, size: 50_000, workers: 2, repeats: 7, budgetMs: 3000 };
    const result = await run(page, params);
    for (const { claim, row, decides } of VERDICTS) {
      const { holds, why } = result.claims.find(({ id }) => id === claim);
      const [found] = rowsOf(result, { ...row, available: true });
      if (!found) {
        assert.equal(holds, 'not-applicable', `${claim} without its row: ${why}`);
        continue;
      }
      const { speedupLow, speedupHigh } = found;
      const interval = decides(speedupLow, speedupHigh);
      const allowed = interval === 'unclear' ? ['not-applicable'] : [interval, 'not-applicable'];
      assert.ok(allowed.includes(holds), `${claim}: ${holds} from ${speedupLow} to ${speedupHigh}: ${why}`);
    }
  });

  test('the curve has a point for each number of workers, with how well each was used', async (page) => {
    await openPlayground(page);
    const params = {
      workload: 'modulo',
      tasks: 6,
      size: 1_000_000,
      workers: 3,
      curve: true,
      repeats: 2,
      budgetMs: 2000,
    };
    const result = await run(page, params);
    const points = result.rows.filter(({ variant }) => /^\d+$/.test(variant ?? ''));
    assert.deepEqual(
      points.map(({ workers }) => workers),
      [1, 2, 3],
    );
    for (const point of points) {
      assert.equal(point.available, sharedMemory, point.label);
      if (!sharedMemory) continue;
      assert.ok(Math.abs(point.efficiency - point.speedup / point.workers) < 1e-9, point.label);
      assert.deepEqual(point.totals, Array(6).fill(point.totals[0]), point.label);
    }
  });

  test('a row whose size was scaled to its budget says so', async (page) => {
    await openPlayground(page);
    const size = 20_000_000;
    const result = await run(page, { workload: 'squares', tasks: 8, size, workers: 2, repeats: 3, budgetMs: 100 });
    for (const row of result.rows.filter(({ available }) => available)) {
      assert.ok(row.scaledSize < size, `${row.label}: ${row.scaledSize}`);
      assert.ok(row.notes.length > 0, `${row.label} does not say that it was scaled`);
    }
  });
});

/** The rows that compute all tasks at the size asked; one more row computes half of it, to show that time follows. */
function raced(result) {
  return result.rows.filter(({ available, variant }) => available && variant !== 'half-size');
}

function expectedStrategies(sharedMemory) {
  return new Set(['serial', 'interpreters', 'processes', ...(sharedMemory ? ['threads'] : [])]);
}
