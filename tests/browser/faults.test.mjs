// What must never happen, made to happen: threads that panic, run out of memory or loop for ever, pools started over
// and over, files that are missing or broken. Each ends in words, in time, and the next run works.

import assert from 'node:assert/strict';
import { brokenSite } from './support/broken-site.mjs';
import { siteUrl, TESTS_PATH } from './support/site.mjs';
import { ALL, inEngines, WITH_THREADS } from './support/suite.mjs';

const REPORT_LIMIT_MS = 10_000;
const WATCHDOG_MS = 3000;
const SIZES = [2, 4, 8, 1, 3];
const CYCLES = { chromium: 200, firefox: 200, 'webkit-shared': 60 };

const MEASURED = { lab: 'capabilities', mode: 'measured' };
const OF_MODEL = { request: { lab: 'stall', mode: 'model' }, other: MEASURED };
const OF_LOOP = { request: { lab: 'event-loop', mode: 'measured' }, other: { lab: 'event-loop', mode: 'model' } };

async function openFaults(page, root) {
  await page.goto(await siteUrl(`${TESTS_PATH}faults.html`, root ? { root } : {}));
  await page.untilAttribute('html', 'data-ready', ['yes']);
}

inEngines('faults', WITH_THREADS, ({ name, test }) => {
  for (const [fault, code, words] of [
    ['panic', 'crashed', /panick/],
    ['exhaust-memory', 'crashed', /\S \S/],
    ['stack-overflow', 'crashed', /\S \S/],
    ['endless-loop', 'timed-out', /3/],
  ]) {
    test(`${fault} in a pool thread is reported, and the next run works`, async (page) => {
      // The panic hook writes to the console as well, and a trap may be reported by the browser itself.
      page.expectProblems(/panicked at/, /RuntimeError|unreachable|out of memory|call stack|too much recursion/i);
      await openFaults(page);
      const { faulty, next } = await page.callWithin(
        40_000,
        `the run with ${fault} and the next one`,
        (which, limit) => window.faults.faultThenRun(which, limit),
        fault,
        WATCHDOG_MS,
      );
      assert.equal(faulty.how, 'PlaygroundError', faulty.message);
      assert.equal(faulty.code, code, faulty.message);
      assert.match(faulty.message, words);
      assert.equal(faulty.state, 'failed');
      assert.ok(faulty.tookMs < REPORT_LIMIT_MS, `took ${faulty.tookMs} ms`);
      assert.equal(next.how, 'done', next.message);
      assert.equal(next.state, 'done');
      assert.deepEqual(
        next.rows.filter(({ available }) => !available),
        [],
      );
    });
  }

  test(
    `${CYCLES[name]} pools of ${SIZES} threads in turn: all start, all threads answer, all end`,
    async (page) => {
      await openFaults(page);
      const { wrong, left } = await page.callWithin(
        110_000,
        'all pools',
        (cycles, sizes) => window.faults.cyclePools(cycles, sizes),
        CYCLES[name],
        SIZES,
      );
      assert.deepEqual(wrong, []);
      assert.equal(left, 0, 'workers are left over');
    },
    { limitMs: 120_000 },
  );
});

inEngines('broken files', ALL, ({ sharedMemory, test }) => {
  for (const { what, breaks, words, onlyThreads, request, other } of [
    { what: 'a worker script that is missing', breaks: 'no-worker-script', words: /worker-plain\.js/ },
    { what: 'a worker script with a syntax error', breaks: 'bad-worker-script', words: /\S \S/ },
    { what: 'a worker script that never answers', breaks: 'silent-worker-script', words: /5/ },
    { what: 'wasm that is missing', breaks: 'no-wasm', words: /404.*plain\.wasm/ },
    { what: 'wasm that is cut off', breaks: 'truncated-wasm', words: /plain\.wasm/ },
    { what: 'a page in place of the wasm', breaks: 'html-for-wasm', words: /plain\.wasm/ },
    { what: 'a missing script of the models', breaks: 'no-model-script', words: /model/, ...OF_MODEL },
    { what: 'missing wasm of the models', breaks: 'no-model-wasm', words: /404.*model\.wasm/, ...OF_MODEL },
    { what: 'missing wasm of the event loop', breaks: 'no-loop-wasm', words: /loop\.wasm/, ...OF_LOOP },
    { what: 'a missing script of the threads', breaks: 'no-threaded-script', onlyThreads: true },
    { what: 'missing wasm of the threads', breaks: 'no-threaded-wasm', onlyThreads: true },
  ]) {
    if (onlyThreads && !sharedMemory) continue;
    test(`${what}: said in words, and nothing hangs`, async (page) => {
      page.expectProblems(/worker-|\.wasm|SyntaxError|Unexpected|404/);
      await openFaults(page, await brokenSite(breaks));
      const { broken, whole, left } = await page.callWithin(
        30_000,
        'the runs to end',
        (asked, next) => window.faults.runFromSite(asked, next),
        request,
        other,
      );
      assert.ok(broken.tookMs < 15_000, `took ${broken.tookMs} ms`);
      assert.equal(left, 0, 'workers are left over');
      if (onlyThreads) {
        // Without its threads the lab still runs; their rows say why they could not.
        assert.equal(broken.how, 'done', broken.message);
        const without = broken.rows.filter(({ available }) => !available);
        assert.ok(without.length > 0 && without.length < broken.rows.length, JSON.stringify(broken.rows));
        for (const { label, reason } of without) assert.match(reason ?? '', /\S \S/, label);
      } else {
        assert.equal(broken.how, 'PlaygroundError', broken.message);
        assert.ok(['unavailable', 'crashed'].includes(broken.code), broken.code);
        assert.match(broken.message, words);
        if (other) assert.equal(whole.how, 'done', `what needs other files alone: ${whole.message}`);
      }
    });
  }
});
