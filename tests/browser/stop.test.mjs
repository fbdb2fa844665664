// Stopping a run in whatever state it is: it settles at once, with the signal's own reason, says nothing more
// afterwards, and the next run works. The limit asserted is wide; the figures are printed, and `bench` keeps them.

import assert from 'node:assert/strict';
import { after } from 'node:test';
import { openPlayground, workers } from './support/playground.mjs';
import { ALL, inEngines } from './support/suite.mjs';

const LIMIT_MS = 2000;
const LONG = { repeats: 100, budgetMs: 60_000 };

/** A state of a run: what is run, and at which of its progress reports, and how long after it, the stop comes. */
const STATES = [
  {
    state: 'warming up',
    lab: 'cpu-bound',
    params: { ...LONG, size: 20_000_000, workload: 'squares' },
    sampling: false,
    afterMs: 0,
  },
  { state: 'starting workers', lab: 'cpu-bound', params: { ...LONG, workers: 16 }, sampling: false, afterMs: 10 },
  {
    state: 'computing',
    lab: 'cpu-bound',
    params: { ...LONG, size: 20_000_000, workload: 'squares' },
    sampling: true,
    afterMs: 40,
  },
  {
    state: 'computing in cold processes',
    lab: 'cpu-bound',
    params: { ...LONG, pool: 'cold', workers: 4 },
    sampling: true,
    afterMs: 300,
  },
  {
    state: 'waiting for locks',
    lab: 'lost-updates',
    params: { ...LONG, variant: 'lock', threads: 8, additions: 10_000_000 },
    sampling: true,
    afterMs: 40,
  },
  {
    state: 'waiting for the interpreter lock',
    lab: 'lost-updates',
    params: { ...LONG, variant: 'wide', threads: 8, additions: 10_000_000 },
    sampling: true,
    afterMs: 40,
  },
  {
    state: 'asleep in a blocking call',
    lab: 'stall',
    params: { variant: 'blocking', where: 'worker', callMs: 3000 },
    sampling: true,
    afterMs: 600,
  },
  {
    state: 'waiting for a thread',
    lab: 'stall',
    params: { variant: 'to-thread', where: 'worker', callMs: 3000 },
    sampling: true,
    afterMs: 600,
  },
  {
    state: 'with requests under way',
    lab: 'fan-out',
    params: { variant: 'tasks', delayMs: 5000 },
    sampling: true,
    afterMs: 600,
  },
  {
    state: 'blocked in requests',
    lab: 'fan-out',
    params: { variant: 'threads', workers: 4, requests: 8, delayMs: 5000 },
    sampling: true,
    afterMs: 600,
  },
  {
    state: 'before the page is held',
    lab: 'stall',
    params: { variant: 'slices', where: 'page', callMs: 3000 },
    sampling: true,
    afterMs: 0,
  },
  {
    state: 'in slices on the page',
    lab: 'stall',
    params: { variant: 'slices', where: 'page', callMs: 3000 },
    sampling: true,
    afterMs: 600,
  },
  // The stop is asked for while nothing on the page can run; it is answered when the call lets go of it.
  {
    state: 'while the page is held',
    lab: 'stall',
    params: { variant: 'blocking', where: 'page', callMs: 1000 },
    sampling: true,
    afterMs: 600,
  },
];

/** Runs in the page: starts a run, stops it at the moment given, and tells how that went. */
async function stopAt({ lab, params, sampling, afterMs }) {
  const controller = new AbortController();
  const reason = new Error('stopped by the test');
  const seen = { reports: 0, reportsAfterwards: 0, settled: 0 };
  let abortedAt;
  const stop = () => {
    abortedAt = performance.now();
    controller.abort(reason);
    controller.abort(new Error('a second stop'));
  };
  let planned = false;
  const onProgress = (progress) => {
    if (seen.settled > 0) seen.reportsAfterwards += 1;
    seen.reports += 1;
    if (planned || progress.sampling !== sampling || progress.queued > 0) return;
    planned = true;
    if (afterMs === 0) stop();
    else setTimeout(stop, afterMs);
  };
  const run = window.playground.run({ lab, mode: 'measured', params }, { signal: controller.signal, onProgress });
  const how = await run.then(
    () => 'it ended by itself',
    (error) => (error === reason ? 'reason' : `${error?.name}: ${error?.message}`),
  );
  seen.settled += 1;
  const tookMs = performance.now() - abortedAt;
  const left = window.__workers.filter(({ role, ended }) => !ended && role !== 'session').map(({ role }) => role);
  const next = await window.playground.run({ lab: 'capabilities', mode: 'measured' });
  return { how, tookMs, ...seen, left, next: next.lab };
}

inEngines('stop', ALL, ({ name, sharedMemory, test }) => {
  const taken = [];
  after(() => {
    const sorted = taken.sort((a, b) => a - b);
    const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]?.toFixed(0);
    if (sorted.length > 0)
      console.log(`stop in ${name}: median ${at(0.5)} ms, 95th percentile ${at(0.95)} ms of ${sorted.length} stops`);
  });

  // Without shared memory only the labs' waiting differs: calls block by the clock, not asleep on an atomic.
  for (const moment of STATES.filter(({ lab }) => sharedMemory || !['cpu-bound', 'lost-updates'].includes(lab))) {
    test(`${moment.state}: at once, with the reason, and the next run works`, async (page) => {
      await openPlayground(page);
      const { how, tookMs, reportsAfterwards, left, next } = await page.callWithin(40_000, 'the stop', stopAt, moment);
      assert.equal(how, 'reason');
      assert.ok(tookMs < LIMIT_MS, `took ${tookMs} ms`);
      assert.equal(reportsAfterwards, 0, 'progress was reported after the end');
      assert.deepEqual(left, [], 'workers of the stopped run are still there');
      assert.equal(next, 'capabilities');
      taken.push(tookMs);
    });
  }

  test('queued behind another run: only the stopped one ends', async (page) => {
    await openPlayground(page);
    const seen = await page.callWithin(40_000, 'both runs to settle', async () => {
      const controller = new AbortController();
      const reason = new Error('stopped by the test');
      const request = {
        lab: 'cpu-bound',
        mode: 'measured',
        params: { tasks: 2, workers: 2, repeats: 5, budgetMs: 500 },
      };
      const first = window.playground.run(request);
      let queued = 0;
      let abortedAt;
      const onProgress = (progress) => {
        if (progress.queued === 0 || abortedAt !== undefined) return;
        queued = progress.queued;
        abortedAt = performance.now();
        controller.abort(reason);
      };
      const second = window.playground.run(request, { signal: controller.signal, onProgress });
      const third = window.playground.run({ lab: 'capabilities', mode: 'measured' });
      const how = await second.then(
        () => 'it ran',
        (error) => (error === reason ? 'reason' : String(error)),
      );
      const tookMs = performance.now() - abortedAt;
      return { queued, how, tookMs, first: (await first).lab, third: (await third).lab };
    });
    assert.ok(seen.queued >= 1, 'the second run was never said to be queued');
    assert.equal(seen.how, 'reason');
    assert.ok(seen.tookMs < LIMIT_MS, `took ${seen.tookMs} ms`);
    assert.deepEqual([seen.first, seen.third], ['cpu-bound', 'capabilities']);
    taken.push(seen.tookMs);
  });

  test('stopped before it begins: rejects with the reason and starts nothing', async (page) => {
    await openPlayground(page);
    const how = await page.callWithin(10_000, 'the refusal', async () => {
      const reason = new Error('stopped before');
      const run = window.playground.run({ lab: 'cpu-bound', mode: 'measured' }, { signal: AbortSignal.abort(reason) });
      return run.then(
        () => 'it ran',
        (error) => (error === reason ? 'reason' : String(error)),
      );
    });
    assert.equal(how, 'reason');
    assert.deepEqual(
      (await workers(page)).filter(({ role }) => role !== 'session'),
      [],
    );
  });
});
