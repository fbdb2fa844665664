// The lab `stall`: one blocking call on a real event loop, in a worker and on the page itself. Times are compared with
// each other and with the call's own length, never with how fast a machine should be.

import assert from 'node:assert/strict';
import { labOf } from './support/lab-list.mjs';
import { openPlayground, rowOf, runLab } from './support/playground.mjs';
import { checkResult } from './support/result-checks.mjs';
import { ALL, inEngines } from './support/suite.mjs';

const TIMES = { callMs: 1500, heartbeatMs: 100, timeoutMs: 500 };
/** The coarsest clock among the engines steps by 1 ms; a gap is a difference of two readings. */
const CLOCK_ROOM_MS = 2;

inEngines('stall', ALL, ({ name, sharedMemory, reports, test }) => {
  const engine = { name, sharedMemory, reports };
  const run = async (page, params) => {
    const asked = { ...TIMES, ...params };
    const result = await runLab(page, 'stall', asked);
    checkResult(result, labOf('stall'), engine, asked);
    return result;
  };

  test('blocking, in a worker: the gap is at least the call, and the timeout cannot fire', async (page) => {
    await openPlayground(page);
    const row = rowOf(await run(page, { variant: 'blocking', where: 'worker' }), { variant: 'blocking' });
    assert.ok(row.longestGapMs >= TIMES.callMs - CLOCK_ROOM_MS, `gap ${row.longestGapMs}`);
    assert.equal(row.timeoutFired, false);
    assert.match(row.culprit, /\d/, 'who held the loop, and for how long, is named');
  });

  test('to-thread, in a worker: the gap stays under half the call, the timeout fires before its end', async (page) => {
    await openPlayground(page);
    const row = rowOf(await run(page, { variant: 'to-thread', where: 'worker' }), { variant: 'to-thread' });
    assert.ok(row.longestGapMs < TIMES.callMs / 2, `gap ${row.longestGapMs}`);
    assert.equal(row.timeoutFired, true);
    assert.ok(row.timeoutAfterMs < TIMES.callMs, `timeout after ${row.timeoutAfterMs}`);
    const callLasts = row.programEndedMs - row.callStartedMs;
    assert.ok(callLasts >= TIMES.callMs - CLOCK_ROOM_MS, `the program ended ${callLasts} ms after the call began`);
  });

  test('slices: the loop gets a turn after each', async (page) => {
    await openPlayground(page);
    const row = rowOf(await run(page, { variant: 'slices', where: 'worker' }), { variant: 'slices' });
    assert.ok(row.longestGapMs < TIMES.callMs / 2, `gap ${row.longestGapMs}`);
  });

  test('on the page: announced, no frame for as long as the call, and the page goes on', async (page) => {
    await openPlayground(page);
    const told = await page.callWithin(
      40_000,
      'the page stall to end',
      async (params) => {
        const held = [];
        const onProgress = ({ holdsPageMs }) => held.push(holdsPageMs);
        const stalled = await window.playground.run({ lab: 'stall', mode: 'measured', params }, { onProgress });
        const after = await window.playground.run({ lab: 'capabilities', mode: 'measured' });
        return { stalled, held, after };
      },
      { ...TIMES, variant: 'blocking', where: 'page' },
    );
    checkResult(told.stalled, labOf('stall'), engine, { ...TIMES, variant: 'blocking', where: 'page' });
    const row = rowOf(told.stalled, { variant: 'blocking' });
    assert.ok(row.longestFrameGapMs >= TIMES.callMs - CLOCK_ROOM_MS, `frame gap ${row.longestFrameGapMs}`);
    assert.ok(row.longestGapMs >= TIMES.callMs - CLOCK_ROOM_MS, `heartbeat gap ${row.longestGapMs}`);
    assert.equal(row.timeoutFired, false);
    assert.ok(
      told.held.some((ms) => ms >= TIMES.callMs),
      `the page was not told before it froze: ${told.held}`,
    );
    checkResult(told.after, labOf('capabilities'), engine);
  });
});
