// What nobody should do and somebody will: starts and stops as fast as they come, as many workers as there may be,
// messages that no worker of ours sends, a browser that takes shared memory away, elements pulled from under a run.
// Each ends in words and in time, and the next run works.

import assert from 'node:assert/strict';
import { labElement, openLabPage, untilState } from './support/lab-page.mjs';
import { openPlayground, rowsOf, runLab, workers } from './support/playground.mjs';
import { siteUrl } from './support/site.mjs';
import { inEngines, ONE_EACH } from './support/suite.mjs';

const SMALL = { workload: 'modulo', tasks: 4, size: 20_000, workers: 2, repeats: 2, budgetMs: 200 };
/** A message that breaks nothing may leave the run waiting; then the watchdog ends it, or the run just goes on. */
const SETTLES_MS = 20_000;

const RUNNING = { ...SMALL, size: 200_000, repeats: 5, budgetMs: 1000 };

const FORGED = [
  ['nothing', null],
  ['text', 'hello'],
  ['a type that there is not', { type: 'owned' }],
  ['an answer without content', { type: 'job-done' }],
  ['an outcome that makes no sense', { type: 'job-done', outcome: { type: 'computed', elapsedMs: -1, totals: 'x' } }],
  ['a reply that there is not', { type: 'reply', reply: { type: 'owned' } }],
  ['a reply without content', { type: 'reply' }],
  ['a call without content', { type: 'call' }],
  ['a second start', { type: 'ready' }],
];

const LINKS = [
  'lab=stall&p.where=page&mode=measured',
  'lab=stall&p.callMs=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E',
  'lab=stall&p.variant=%22%3E%3Cscript%3Ealert(1)%3C/script%3E',
  'lab=%3Cimg%20src=x%3E',
  '%3Cimg%20src%3Dx%3E=1&lab=stall',
  `lab=stall&schedule=${'1'.repeat(100_001)}`,
  `lab=stall${'&a=b'.repeat(1000)}`,
  'lab=stall&lab=cpu-bound',
  'lab=stall&p.callMs=10&p.callMs=20',
  'lab=stall&show=%00,../..,controls',
  'lab=stall&language=%F0%9F%98%80',
  'v=1&lab=stall&p.callMs=\u202e123',
  '&&&===&&&',
  'lab=stall&at=99999999999999999999',
];

/** Runs in the page: a run during which every worker seems to say something, and the same run once more. */
async function forge(params, message) {
  const Original = window.Worker;
  const living = [];
  window.Worker = class extends Original {
    constructor(...how) {
      super(...how);
      living.push(this);
    }
  };
  // Workers of an earlier run are known to nobody here: a short stop makes the run start its own.
  const stopper = new AbortController();
  const stopped = window.playground.run({ lab: 'cpu-bound', mode: 'measured', params }, { signal: stopper.signal });
  stopped.catch(() => {});
  setTimeout(() => stopper.abort(), 20);
  await stopped.catch(() => {});
  let told = 0;
  const onProgress = ({ sampling }) => {
    if (!sampling || told > 0) return;
    told += 1;
    // A moment later, so that orders are out.
    setTimeout(() => {
      for (const worker of living) worker.dispatchEvent(new MessageEvent('message', { data: message }));
    }, 3);
  };
  const start = performance.now();
  const run = window.playground.run({ lab: 'cpu-bound', mode: 'measured', params }, { onProgress });
  const ended = await run.then(
    () => ({ how: 'done' }),
    ({ name, code, message: said }) => ({ how: name, code, words: said }),
  );
  const tookMs = performance.now() - start;
  window.Worker = Original;
  const next = await window.playground.run({ lab: 'cpu-bound', mode: 'measured', params });
  return { ...ended, tookMs, told, next: next.rows.filter(({ available }) => available).length };
}

inEngines('abuse', ONE_EACH, ({ sharedMemory, test }) => {
  test('forty runs started and stopped at once, soon and a little later: each ends with its own reason', async (page) => {
    await openPlayground(page);
    const seen = await page.callWithin(
      50_000,
      'forty stops',
      async (params, labs) => {
        const wrong = [];
        const one = async (number) => {
          const controller = new AbortController();
          const reason = new Error(`stop ${number}`);
          const lab = labs[number % labs.length];
          const request = { lab, mode: 'measured', params: lab === 'cpu-bound' ? params : {} };
          const run = window.playground.run(request, { signal: controller.signal });
          const settled = run.then(
            () => 'a result',
            (error) => error,
          );
          // From not waiting at all to long enough for workers to be half started.
          for (let wait = 0; wait < number % 5; wait += 1) await new Promise((resolve) => setTimeout(resolve, 7));
          controller.abort(reason);
          const how = await settled;
          if (how !== reason) wrong.push(`${number}: ${how}`);
        };
        // One after the other, then in heaps that queue behind each other.
        for (let number = 0; number < 20; number += 1) await one(number);
        for (let heap = 20; heap < 40; heap += 5) await Promise.all([0, 1, 2, 3, 4].map((step) => one(heap + step)));
        return wrong;
      },
      SMALL,
      // Without threads the lab of lost updates is over before anybody can stop it.
      ['cpu-bound', 'stall', sharedMemory ? 'lost-updates' : 'cpu-bound', 'capabilities'],
    );
    assert.deepEqual(seen, []);
    const next = await runLab(page, 'cpu-bound', SMALL);
    assert.ok(rowsOf(next, { available: true }).length >= 3);
    const left = (await workers(page)).filter(({ ended }) => !ended);
    // The session, a pool of two with its lab worker, and two warm isolates of each kind.
    assert.ok(left.length <= 8, `${left.length} workers are left: ${left.map(({ role }) => role)}`);
  });

  test(
    '64 workers, the most that may be asked: they run, or say how many could not start',
    async (page) => {
      await openPlayground(page);
      const many = { ...SMALL, workers: 64, tasks: 64, size: 2000, repeats: 1, budgetMs: 1000 };
      const result = await runLab(page, 'cpu-bound', many, { limitMs: 90_000 });
      for (const { label, available, reason, cure } of result.rows) {
        assert.ok(available || (/\S \S/.test(reason) && /\S \S/.test(cure)), `${label}: ${reason}`);
      }
      if (!sharedMemory) assert.deepEqual(rowsOf(result, { strategy: 'threads', available: true }), []);
      const next = await runLab(page, 'cpu-bound', SMALL);
      assert.ok(rowsOf(next, { available: true }).length >= 3);
      const left = (await workers(page)).filter(({ ended }) => !ended);
      assert.ok(left.length <= 1 + 17 + 16, `${left.length} workers are kept after so many`);
    },
    { limitMs: 120_000 },
  );

  test(
    'messages that no worker of ours sends: the run ends in words or goes on, and the next one works',
    async (page) => {
      await openPlayground(page);
      for (const [what, message] of FORGED) {
        const seen = await page.callWithin(SETTLES_MS + 20_000, `the run with ${what}`, forge, RUNNING, message);
        const where = `${what}: ${JSON.stringify(seen)}`;
        assert.equal(seen.told, 1, `the run was over before anything was forged: ${where}`);
        assert.ok(seen.how === 'done' || (seen.how === 'PlaygroundError' && seen.code === 'crashed'), where);
        if (seen.how !== 'done') assert.match(seen.words, /\S \S/, where);
        assert.ok(seen.tookMs < SETTLES_MS, where);
        assert.ok(seen.next >= 3, where);
      }
    },
    { limitMs: 120_000 },
  );

  test('an element that is taken away, moved, or given another lab while it runs stops, and runs again', async (page) => {
    await openLabPage(page, 'stall');
    const seen = await page.callWithin(
      30_000,
      'all of it',
      async (at) => {
        const lab = window.__browserTest.find(at);
        const started = () => new Promise((resolve) => lab.addEventListener('lab-progress', resolve, { once: true }));
        const states = [];
        const during = async (what) => {
          lab.params = { callMs: 3000, variant: 'blocking' };
          const run = lab.run();
          await started();
          what();
          states.push([(await run) === undefined, lab.state]);
        };
        const home = lab.parentElement;
        await during(() => lab.remove());
        home.append(lab);
        await during(() => home.prepend(lab));
        await during(() => {
          lab.lab = 'lost-updates';
        });
        lab.lab = 'nope';
        await lab.updateComplete;
        states.push([(await lab.run()) === undefined, lab.state]);
        lab.lab = 'stall';
        await lab.updateComplete;
        lab.params = { callMs: 100, heartbeatMs: 20 };
        const last = await lab.run();
        return { states, last: last.lab, state: lab.state };
      },
      labElement('stall'),
    );
    assert.deepEqual(seen.states.slice(0, 2), [
      [true, 'stopped'],
      [true, 'stopped'],
    ]);
    assert.ok(seen.states[2][0] && ['idle', 'stopped'].includes(seen.states[2][1]), JSON.stringify(seen.states));
    assert.deepEqual(seen.states[3], [true, 'unavailable']);
    assert.deepEqual([seen.last, seen.state], ['stall', 'done']);
  });

  test('links bring in no markup and run nothing', async (page) => {
    // A page that is left soon after it was opened may be left before its icon has come.
    page.expectProblems(/icon\.svg/, /ServiceWorker intercepted/);
    for (const [number, link] of LINKS.entries()) {
      await page.goto(await siteUrl(`index.html?${number}#${link}`));
      await page.untilThere(labElement('stall', 'button.run'));
      await page.untilThere('#capabilities-strip[data-threads]');
      const seen = await page.call((at) => {
        const strangers = window.__browserTest.findAll('img, script:not([src]), iframe, object, embed');
        return { strangers: strangers.map(({ outerHTML }) => outerHTML), state: window.__browserTest.find(at).state };
      }, labElement('stall'));
      assert.deepEqual(seen, { strangers: [], state: 'idle' }, link.slice(0, 100));
    }
    const started = page.served.filter((path) => /worker-\w+\.js|\.wasm/.test(path));
    assert.deepEqual(started, [], 'a link started something');
  });
});

inEngines('without SharedArrayBuffer', ['chromium', 'firefox'], ({ test }) => {
  test('threads say why not, everything else runs, and the strip on top says it too', async (page) => {
    await page.puppeteer.evaluateOnNewDocument(() => {
      delete globalThis.SharedArrayBuffer;
    });
    await openLabPage(page, 'cpu-bound');
    assert.match(await page.text('#capabilities-strip'), /not available here.*SharedArrayBuffer/);
    await page.call(
      (at, params) => {
        window.__browserTest.find(at).params = params;
      },
      labElement('cpu-bound'),
      SMALL,
    );
    await page.click(labElement('cpu-bound', 'button.run'));
    assert.equal(await untilState(page, 'cpu-bound', ['done', 'failed', 'unavailable']), 'done');
    const rows = await page.call((at) => window.__browserTest.find(at).result.rows, labElement('cpu-bound'));
    const threads = rows.filter(({ strategy }) => strategy === 'threads');
    assert.ok(
      threads.length >= 2 && threads.every(({ available, reason }) => !available && /SharedArrayBuffer/.test(reason)),
    );
    assert.ok(rows.filter(({ strategy, available }) => strategy !== 'threads' && available).length >= 3);
  });
});
