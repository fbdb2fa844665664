// The lab `fan-out` with real requests to the service worker: from tasks by `fetch`, from threads and processes by requests
// that block. Numbers are compared with limits and delays, never with how fast a machine should be.

import assert from 'node:assert/strict';
import { labOf } from './support/lab-list.mjs';
import { openPlayground, rowOf, runLab } from './support/playground.mjs';
import { checkResult } from './support/result-checks.mjs';
import { ALL, inEngines } from './support/suite.mjs';

const SMALL = { requests: 30, delayMs: 100, workers: 6, limit: 6, deadlineMs: 0 };
/** Clocks of two workers and a timer, coarse by up to 1 ms each, in every round. */
const CLOCK_ROOM_MS = 3;
/** Rows whose requests block their worker. */
const BLOCKING = [
  'one-by-one',
  'threads',
  'processes',
  'blocking',
  'to-thread',
  'gather-to-thread',
  'deadline-to-thread',
];

/** The bare page, under the service worker's control: by itself it registers none. */
async function openControlled(page) {
  await openPlayground(page);
  await page.callWithin(15_000, 'the service worker to take the page over', async () => {
    const workers = navigator.serviceWorker;
    const controlled = new Promise((resolve) => {
      if (workers.controller) resolve();
      workers.addEventListener('controllerchange', resolve);
    });
    await workers.register('/service-worker.js');
    await controlled;
  });
}

inEngines('fan-out', ALL, ({ name, sharedMemory, reports, test }) => {
  const engine = { name, sharedMemory, reports };
  // Some of WebKit's workers send blocking requests past the service worker, straight to the host, and some do not.
  const mayPassBy = reports === 'webkit';
  const run = async (page, params) => {
    const asked = { ...SMALL, ...params };
    const result = await runLab(page, 'fan-out', asked);
    checkResult(result, labOf('fan-out'), engine, asked);
    return result;
  };

  test('every way: all answered, never above its limit, never faster than its rounds', async (page) => {
    await openControlled(page);
    const result = await run(page, {});
    const places = { tasks: 30, limited: 6, threads: 6, processes: 6, 'one-by-one': 1, blocking: 1 };
    for (const row of result.rows) {
      if (mayPassBy && !row.available && BLOCKING.includes(row.variant)) {
        assert.match(row.reason, /past the service worker/, row.label);
        continue;
      }
      assert.ok(row.available, `${row.label}: ${row.reason}`);
      assert.ok(
        row.notes.every((note) => !/Timers stand in/.test(note)),
        `${row.label}: ${row.notes}`,
      );
      const most = places[row.variant] ?? row.workers ?? SMALL.requests;
      assert.ok(row.inFlightMax <= most, `${row.label}: ${row.inFlightMax} under way`);
      if (!(row.variant in places)) continue;
      const requests = places[row.variant] === 1 ? 10 : SMALL.requests;
      const rounds = Math.ceil(requests / most);
      assert.deepEqual([row.answered, row.errors], [requests, []], row.label);
      const least = rounds * (SMALL.delayMs - CLOCK_ROOM_MS);
      assert.ok(row.medianMs >= least, `${row.label}: ${row.medianMs} ms, ${rounds} rounds`);
      assert.ok(row.p50Ms >= SMALL.delayMs - CLOCK_ROOM_MS && row.p50Ms <= row.p99Ms, row.label);
      assert.equal(row.inFlight.at(-1).value, 0, `${row.label}: the curve does not end`);
    }
    const cancelled = rowOf(result, { variant: 'deadline-tasks' });
    assert.equal(cancelled.timeoutFired, true);
    const failed = rowOf(result, { variant: 'failure-group' });
    assert.ok(
      failed.errors.some(({ kind }) => kind === 'cancelled'),
      JSON.stringify(failed.errors),
    );
  });

  test('a server that serves two at once takes its rounds', async (page) => {
    await openControlled(page);
    const result = await run(page, { variant: 'tasks', requests: 8, capacity: 2 });
    const row = rowOf(result, { variant: 'tasks' });
    assert.deepEqual([row.answered, row.errors], [8, []]);
    assert.ok(row.medianMs >= 4 * (SMALL.delayMs - CLOCK_ROOM_MS), `took ${row.medianMs}`);
  });

  test('one that is full refuses, and the refusal ends the group', async (page) => {
    page.expectProblems(/503/);
    await openControlled(page);
    const result = await run(page, { variant: 'tasks', requests: 8, capacity: 1, backlog: 1 });
    const row = rowOf(result, { variant: 'tasks' });
    assert.ok(
      row.errors.some(({ kind, count }) => kind === 'connection' && count > 0),
      JSON.stringify(row.errors),
    );
    assert.ok(row.answered < 8, `answered ${row.answered}`);
  });

  test('without a service worker timers stand in, and the rows say so', async (page) => {
    await openPlayground(page);
    const result = await run(page, { requests: 12 });
    for (const row of result.rows) {
      assert.ok(row.available, `${row.label}: ${row.reason}`);
      assert.ok(
        row.notes.some((note) => /Timers stand in/.test(note)),
        `${row.label}: ${row.notes}`,
      );
    }
    assert.deepEqual(
      page.served.filter((path) => path.includes('slow/')),
      [],
      'somebody was asked all the same',
    );
  });
});
