// The lab `lost-updates` with real threads: what is correct loses nothing, ever; what is not loses, and shows it.

import assert from 'node:assert/strict';
import { labOf } from './support/lab-list.mjs';
import { openPlayground, rowOf, runLab } from './support/playground.mjs';
import { checkResult } from './support/result-checks.mjs';
import { inEngines, WITH_THREADS } from './support/suite.mjs';

/** The smallest switch interval: a run of 50 intervals is then short, and hand-overs are as frequent as can be. */
const OFTEN_US = 1;

inEngines('lost-updates', WITH_THREADS, ({ name, sharedMemory, reports, test }) => {
  const engine = { name, sharedMemory, reports };
  const run = async (page, params) => {
    const result = await runLab(page, 'lost-updates', params, { limitMs: 80_000 });
    checkResult(result, labOf('lost-updates'), engine, params);
    return result;
  };
  const allCounted = ({ label, losses }, samples) => assert.equal(losses?.length, samples, `${label}: samples kept`);

  for (const variant of ['lock', 'atomic', 'own-then-merge', 'queue']) {
    test(
      `${variant} loses nothing in 100 runs under any runtime`,
      async (page) => {
        await openPlayground(page);
        const params = {
          variant,
          threads: 4,
          additions: 1000,
          switchIntervalUs: OFTEN_US,
          repeats: 100,
          budgetMs: 8000,
        };
        const { rows } = await run(page, params);
        assert.deepEqual(new Set(rows.map(({ runtime }) => runtime)), new Set(['gil-legacy', 'gil', 'free-threaded']));
        for (const row of rows) {
          assert.ok(row.available, `${row.label}: ${row.reason}`);
          allCounted(row, 100);
          assert.ok(
            row.losses.every((lost) => lost === 0),
            `${row.label} lost ${row.losses}`,
          );
          assert.equal(row.value, row.expected, row.label);
        }
      },
      { limitMs: 100_000 },
    );
  }

  // Two threads, so that two cores are enough. Ten runs show it on an idle machine; in the first seconds after a
  // browser's start, and where other programs take the cores, threads run one after another for a while.
  test(
    'plain without an interpreter lock loses when threads really overlap',
    async (page) => {
      await openPlayground(page);
      const seen = [];
      for (let tens = 0; tens < 12 && !seen.some(({ overlap }) => overlap >= 0.5); tens += 1) {
        const params = { variant: 'plain', runtime: 'free-threaded', threads: 2, repeats: 10, budgetMs: 10_000 };
        const free = rowOf(await run(page, params), { runtime: 'free-threaded' });
        allCounted(free, 10);
        assert.ok(Number(free.value) <= Number(free.expected), 'a lost update never adds one');
        seen.push(...free.losses.map((lost, sample) => ({ lost, overlap: free.overlaps[sample] })));
      }
      const overlapping = seen.filter(({ overlap }) => overlap >= 0.5);
      assert.ok(overlapping.length > 0, `no run overlapped by half: ${seen.map(({ overlap }) => overlap.toFixed(2))}`);
      assert.ok(
        overlapping.some(({ lost }) => lost > 0),
        'runs that overlapped by half lost nothing',
      );
    },
    { limitMs: 100_000 },
  );

  test('plain under the interpreter lock loses nothing, and the result calls it luck', async (page) => {
    await openPlayground(page);
    const result = await run(page, { variant: 'plain', runtime: 'gil', threads: 4, repeats: 10, budgetMs: 10_000 });
    const gil = rowOf(result, { runtime: 'gil' });
    allCounted(gil, 10);
    assert.ok(
      gil.losses.every((lost) => lost === 0),
      `lost ${gil.losses}`,
    );
    assert.ok(gil.handOvers >= 4, `only ${gil.handOvers} hand-overs: not every thread had the lock`);
  });

  test('plain before Python 3.10 loses in most of 20 runs', async (page) => {
    await openPlayground(page);
    const result = await run(page, {
      variant: 'plain',
      runtime: 'gil-legacy',
      threads: 4,
      repeats: 20,
      budgetMs: 20_000,
    });
    const legacy = rowOf(result, { runtime: 'gil-legacy' });
    allCounted(legacy, 20);
    const losing = legacy.losses.filter((lost) => lost > 0).length;
    assert.ok(losing > 10, `lost in ${losing} of 20: ${legacy.losses}`);
  });

  // As above: while other programs take the cores, a thread may add undisturbed for a while. One quiet row is enough.
  test('wide with four threads loses over half', async (page) => {
    await openPlayground(page);
    const shares = [];
    while (shares.length < 5 && !shares.some((share) => share > 0.5)) {
      const result = await run(page, { variant: 'wide', runtime: 'gil', threads: 4, repeats: 5, budgetMs: 15_000 });
      const { lost, expected } = rowOf(result, { runtime: 'gil' });
      shares.push(lost / Number(expected));
    }
    assert.ok(Math.max(...shares) > 0.5, `lost only ${shares}`);
  });
});
