// Places that offer less: no SharedArrayBuffer, no headers, no service worker, no storage. What can run there runs,
// what cannot says why and what would help, and no page loads twice for more than one reason.

import assert from 'node:assert/strict';
import { brokenSite } from './support/broken-site.mjs';
import { labOf } from './support/lab-list.mjs';
import { labElement, untilState } from './support/lab-page.mjs';
import { openPlayground, rowsOf, runLab } from './support/playground.mjs';
import { checkResult } from './support/result-checks.mjs';
import { siteUrl, TESTS_PATH } from './support/site.mjs';
import { ALL, inEngines } from './support/suite.mjs';

const SMALL = { tasks: 2, size: 20_000, workers: 2, repeats: 3, budgetMs: 500 };
/** The learner's page itself, as a path of our server. */
const DOCUMENT = /^\/(index\.html)?(\?|$)/;
/** Whatever is blocked, the page knows after at most so long. */
const FALL_BACK_MS = 10_000;

async function isolation(page, query, where) {
  await page.goto(await siteUrl(`${TESTS_PATH}isolation.html${query}`, where), { mayReload: true });
  await page.untilServed(/isolation-settled/, 1, FALL_BACK_MS + 2000);
  return page.call(() => window.seen);
}

inEngines('degraded', ALL, ({ name, sharedMemory, reports, test }) => {
  const engine = { name, sharedMemory, reports };

  // With its switch on, WebKit shares memory even where the page is not isolated.
  const hostWithoutHeaders = name === 'webkit-shared' ? () => {} : test;

  hostWithoutHeaders('a host without headers: threads say why not, everything else runs', async (page) => {
    await openPlayground(page, { headers: false });
    const result = await runLab(page, 'cpu-bound', SMALL);
    checkResult(result, labOf('cpu-bound'), engine, SMALL);
    assert.equal(result.environment.page.isolated, false);
    assert.equal(result.environment.page.sharedMemory, 'not-isolated');
    const threads = rowsOf(result, { strategy: 'threads' });
    assert.ok(threads.length >= 2, 'no rows for threads');
    for (const { available, reason, cure, label } of threads) {
      assert.equal(available, false, label);
      assert.match(`${reason} ${cure}`, /isolat|header/i);
    }
    const strategies = new Set(result.rows.filter(({ available }) => available).map(({ strategy }) => strategy));
    assert.deepEqual(strategies, new Set(['serial', 'interpreters', 'processes']));
    const stall = { variant: 'to-thread', where: 'worker', callMs: 300, timeoutMs: 100, heartbeatMs: 20 };
    const stalled = await runLab(page, 'stall', stall);
    checkResult(stalled, labOf('stall'), engine, stall);
    assert.ok(stalled.rows.every(({ available }) => available));
    const capabilities = await runLab(page, 'capabilities');
    checkResult(capabilities, labOf('capabilities'), engine);
  });

  hostWithoutHeaders('a host without headers: the lab that is all threads says so in every row', async (page) => {
    await openPlayground(page, { headers: false });
    const params = { variant: 'plain', additions: 1000, repeats: 1, budgetMs: 200 };
    const result = await runLab(page, 'lost-updates', params);
    checkResult(result, labOf('lost-updates'), engine, params);
    assert.deepEqual(rowsOf(result, { strategy: 'threads', available: true }), []);
  });

  test('a host without headers: the service worker isolates the page after at most one reload', async (page) => {
    const seen = await isolation(page, '', { headers: false });
    assert.equal(seen.serviceWorker, 'controls');
    assert.ok(seen.loads <= 2, `${seen.loads} loads`);
    assert.equal(seen.environment.isolated, true, 'not isolated after the reload');
    assert.equal(seen.environment.sharedMemory, sharedMemory ? 'works' : 'no-shared-array-buffer');
  });

  test('a host with headers: no reload', async (page) => {
    const seen = await isolation(page, '', { headers: true });
    assert.deepEqual([seen.loads, seen.environment.isolated], [1, true]);
  });

  for (const refuse of ['service-worker', 'storage']) {
    test(`a host without headers, ${refuse} refused: at most one reload, and soon ready`, async (page) => {
      const seen = await isolation(page, `?refuse=${refuse}`, { headers: false });
      assert.ok(seen.loads <= 2, `${seen.loads} loads`);
      assert.ok(seen.tookMs < FALL_BACK_MS, `took ${seen.tookMs} ms`);
      if (refuse === 'service-worker') {
        assert.deepEqual([seen.loads, seen.serviceWorker, seen.environment.isolated], [1, 'blocked', false]);
      }
    });
  }

  test('a host without headers and without the service worker’s file: no reload, and soon ready', async (page) => {
    page.expectProblems(/service-worker/, /404/);
    const seen = await isolation(page, '', { headers: false, root: await brokenSite('no-service-worker') });
    assert.deepEqual([seen.loads, seen.serviceWorker, seen.environment.isolated], [1, 'failed', false]);
    assert.ok(seen.tookMs < FALL_BACK_MS, `took ${seen.tookMs} ms`);
  });
});

inEngines('the learner’s page on a host without headers', ALL, ({ sharedMemory, test }) => {
  test('is loaded at most twice, and runs a lab with threads where the engine has them', async (page) => {
    await page.goto(await siteUrl('index.html', { headers: false }), { mayReload: true });
    await page.untilServed(DOCUMENT, 2);
    await page.untilThere('#capabilities-strip[data-threads]');
    const documents = page.served.filter((path) => DOCUMENT.test(path));
    assert.ok(documents.length <= 2, `the page was asked for ${documents.length} times`);
    await page.call(
      (at, params) => {
        window.__browserTest.find(at).params = params;
      },
      labElement('cpu-bound'),
      { tasks: '2', size: '20000', workers: '2', repeats: '1', budgetMs: '200' },
    );
    await page.click(labElement('cpu-bound', 'button.run'));
    assert.equal(await untilState(page, 'cpu-bound', ['done', 'failed', 'unavailable']), 'done');
    const rows = await page.call((at) => window.__browserTest.find(at).result.rows, labElement('cpu-bound'));
    const threads = rows.filter(({ strategy }) => strategy === 'threads');
    assert.ok(threads.length > 0 && threads.every(({ available }) => available === sharedMemory));
  });
});

inEngines('WebKit as it comes', ['webkit'], ({ name, sharedMemory, reports, test }) => {
  test('isolated but without SharedArrayBuffer: said as such', async (page) => {
    await openPlayground(page);
    const result = await runLab(page, 'cpu-bound', SMALL);
    checkResult(result, labOf('cpu-bound'), { name, sharedMemory, reports }, SMALL);
    assert.equal(result.environment.page.isolated, true);
    assert.equal(result.environment.page.sharedMemory, 'no-shared-array-buffer');
    const threads = rowsOf(result, { strategy: 'threads' });
    assert.ok(
      threads.length >= 2 && threads.every(({ available, reason }) => !available && /SharedArrayBuffer/.test(reason)),
    );
    const rest = result.rows.filter(({ strategy }) => strategy !== 'threads');
    assert.ok(rest.length >= 3 && rest.every(({ available }) => available));
  });
});
