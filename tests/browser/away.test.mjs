// Runs whose surroundings go away: the host is unreachable, the page is left and come back to, another tab is in front.
// What cannot go on says so, nothing measured meanwhile is called a measurement, and the next run works.

import assert from 'node:assert/strict';
import { startServer } from '../../www/build/serve.mjs';
import { labElement, openLabPage, untilState } from './support/lab-page.mjs';
import { DIST, siteUrl, TESTS_PATH } from './support/site.mjs';
import { inEngines, ONE_EACH } from './support/suite.mjs';

const SMALL = { workload: 'modulo', tasks: 4, size: 20_000, workers: 2, repeats: 2, budgetMs: 300 };
const SLOW = { workload: 'squares', tasks: 4, size: 20_000_000, workers: 2, repeats: 50, budgetMs: 60_000 };

/** Runs in the page: the lab's element runs with these values; how that ended. */
async function run(at, params) {
  const lab = window.__browserTest.find(at);
  lab.params = Object.fromEntries(Object.entries(params).map(([id, value]) => [id, String(value)]));
  await lab.run();
  await lab.updateComplete;
  const rows = lab.state === 'done' ? lab.result.rows : [];
  return {
    state: lab.state,
    void: lab.state === 'done' && lab.result.environment.void,
    said: lab.shadowRoot.querySelector('.trouble')?.textContent.replace(/\s+/g, ' ').trim() ?? '',
    available: rows.filter(({ available }) => available).map(({ strategy }) => strategy),
    absent: rows
      .filter(({ available }) => !available)
      .map(({ strategy, reason, cure }) => ({ strategy, reason, cure })),
  };
}

inEngines('away', ONE_EACH, ({ test }) => {
  test(
    'the host is unreachable: what must be fetched says so, the rest runs, and all of it once the host is back',
    async (page) => {
      page.expectProblems(/fail|refused|unreachable|could not|network|load|connect|ERR_/i);
      const host = await startServer({ root: DIST });
      let again;
      try {
        await page.goto(`${host.url}index.html`);
        await page.untilThere(labElement('cpu-bound', 'button.run'));
        await page.untilThere('#capabilities-strip[data-threads]');
        await host.close();
        const unloaded = await page.callWithin(30_000, 'the run without a host', run, labElement('cpu-bound'), SMALL);
        assert.ok(['unavailable', 'failed'].includes(unloaded.state), JSON.stringify(unloaded));
        assert.match(unloaded.said, /could not be|did not load/);
        again = await startServer({ root: DIST, port: host.port });
        const back = await page.callWithin(30_000, 'the run with a host', run, labElement('cpu-bound'), SMALL);
        assert.equal(back.state, 'done', back.said);
        await again.close();
        const cold = { ...SMALL, pool: 'cold' };
        const without = await page.callWithin(
          60_000,
          'cold processes without a host',
          run,
          labElement('cpu-bound'),
          cold,
        );
        assert.equal(without.state, 'done', without.said);
        // Processes fetch the module anew; everything else is there already, or in the browser's own store.
        for (const { reason, cure } of without.absent) assert.ok(/\S \S/.test(reason) && /\S \S/.test(cure), reason);
        assert.ok(without.available.includes('serial'));
        again = await startServer({ root: DIST, port: host.port });
        const last = await page.callWithin(60_000, 'the last run', run, labElement('cpu-bound'), cold);
        assert.ok(last.state === 'done' && last.available.includes('processes'), JSON.stringify(last));
      } finally {
        await again?.close().catch(() => {});
      }
    },
    { limitMs: 120_000 },
  );

  test('the page is left in the middle of a run and come back to: nothing is called measured, and the next run works', async (page) => {
    await openLabPage(page, 'cpu-bound');
    await page.call(
      (at, params) => {
        const lab = window.__browserTest.find(at);
        window.__left = 'here';
        lab.params = params;
        lab.run();
      },
      labElement('cpu-bound'),
      SLOW,
    );
    await untilState(page, 'cpu-bound', ['running'], 40_000);
    // Firefox asks for one on its way between two pages.
    page.expectProblems(/favicon/);
    await page.goto(await siteUrl(`${TESTS_PATH}bare.html`));
    await page.back();
    await page.untilThere(labElement('cpu-bound', 'button.run'));
    const seen = await page.call(async (at) => {
      const lab = window.__browserTest.find(at);
      const kept = window.__left === 'here';
      const { state } = lab;
      lab.stop();
      while (lab.state === 'running' || lab.state === 'warming') await new Promise(requestAnimationFrame);
      return { kept, state, after: lab.state };
    }, labElement('cpu-bound'));
    // A page that the browser kept goes on or has stopped; one that it loaded anew has not begun.
    const fine = seen.kept ? ['running', 'warming', 'stopped', 'failed'] : ['idle'];
    assert.ok(fine.includes(seen.state), JSON.stringify(seen));
    const next = await page.callWithin(40_000, 'the next run', run, labElement('cpu-bound'), SMALL);
    assert.deepEqual([next.state, next.void], ['done', false], next.said);
  });
});

inEngines('away', ['chromium'], ({ test }) => {
  test('another tab comes to the front in the middle of a run: the result is void and says so first', async (page) => {
    await openLabPage(page, 'cpu-bound');
    const hide = (hidden) =>
      page.call((now) => {
        Object.defineProperty(document, 'hidden', { configurable: true, get: () => now });
        document.dispatchEvent(new Event('visibilitychange'));
      }, hidden);
    const ran = page.callWithin(40_000, 'the run', run, labElement('cpu-bound'), { ...SMALL, size: 2_000_000 });
    await untilState(page, 'cpu-bound', ['running']);
    await hide(true);
    await hide(false);
    const seen = await ran;
    assert.deepEqual([seen.state, seen.void], ['done', true]);
    assert.match(await page.text(labElement('cpu-bound', '.warnings')), /hidden/);
    const verdicts = await page.call((at) => {
      const { claims } = window.__browserTest.find(at).result;
      return claims.filter(({ kind }) => kind === 'speed').map(({ holds }) => holds);
    }, labElement('cpu-bound'));
    assert.deepEqual([...new Set(verdicts)], ['not-applicable']);
    const next = await page.callWithin(40_000, 'the next run', run, labElement('cpu-bound'), SMALL);
    assert.deepEqual([next.state, next.void], ['done', false]);
  });
});
