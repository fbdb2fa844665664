// The lab `event-loop`: small programs whose order of printing is the loop's own, on the real clock and in the model.

import assert from 'node:assert/strict';
import { labOf } from './support/lab-list.mjs';
import { openPlayground } from './support/playground.mjs';
import { checkResult } from './support/result-checks.mjs';
import { ALL, inEngines } from './support/suite.mjs';

/** The coarsest clock among the engines steps by 1 ms; a time is a difference of two readings. */
const CLOCK_ROOM_MS = 2;

inEngines('event-loop', ALL, ({ name, sharedMemory, reports, test }) => {
  const engine = { name, sharedMemory, reports };

  test(
    'every scene prints the same lines in the same order on the real clock and in the model, and never early',
    async (page) => {
      await openPlayground(page);
      const { measured, model } = await page.callWithin(60_000, 'all scenes to end', async () => {
        const run = (mode) => window.playground.run({ lab: 'event-loop', mode, params: {} });
        return { measured: await run('measured'), model: await run('model') };
      });
      checkResult(measured, labOf('event-loop'), engine);
      assert.equal(measured.rows.length, labOf('event-loop').variants.length);
      const texts = ({ log }) => log.map(({ text }) => text);
      for (const [place, row] of measured.rows.entries()) {
        const modelled = model.rows[place];
        assert.deepEqual(texts(row), texts(modelled), row.label);
        assert.ok(row.medianMs >= modelled.medianMs - CLOCK_ROOM_MS, `${row.label} ended after ${row.medianMs} ms`);
      }
      for (const claim of measured.claims.filter(({ kind }) => kind === 'invariant')) {
        assert.equal(claim.holds, true, `${claim.id}: ${claim.why}`);
      }
    },
    { limitMs: 90_000 },
  );
});
