// The element on a page of somebody's own: several at once, values and results set from a script, sensible and not.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { siteUrl, TESTS_PATH } from './support/site.mjs';
import { inEngines, ONE_EACH } from './support/suite.mjs';

const HOME = new URL('fixtures/results/', import.meta.url);
/** Results of every kind, as they were saved. */
const SAVED = readdirSync(HOME).map((name) => [name, JSON.parse(readFileSync(new URL(name, HOME), 'utf8'))]);
const QUICK = { callMs: 200, timeoutMs: 100, heartbeatMs: 20 };

async function openOwnPage(page) {
  await page.goto(await siteUrl(`${TESTS_PATH}element.html`));
  await page.untilThere('concurrency-lab[theme] >>> form');
}

inEngines('element', ONE_EACH, ({ test }) => {
  test('two of the same lab run one after the other, each with its own result; a second Run while one runs is none', async (page) => {
    await openOwnPage(page);
    const seen = await page.callWithin(
      40_000,
      'both runs',
      async (params) => {
        const [one, other] = document.querySelectorAll('concurrency-lab[lab="stall"]');
        one.params = params;
        other.params = { ...params, variant: 'to-thread' };
        const queued = [];
        other.addEventListener('lab-progress', ({ detail }) => queued.push(detail.queued));
        const [first, second, again] = await Promise.all([one.run(), other.run(), one.run()]);
        return {
          variants: [first, second].map(({ params: { variant } }) => variant),
          again: again ?? 'nothing',
          kept: one.result === first && other.result === second,
          queued: Math.max(...queued),
          states: [one.state, other.state],
        };
      },
      QUICK,
    );
    assert.deepEqual(seen.variants, ['blocking', 'to-thread']);
    assert.deepEqual([seen.again, seen.kept, seen.states], ['nothing', true, ['done', 'done']]);
    assert.ok(seen.queued >= 1, 'the second was never said to wait');
  });

  test('values may be set as numbers, before the element is on the page, and are kept', async (page) => {
    await openOwnPage(page);
    const params = await page.callWithin(
      40_000,
      'the run',
      async (quick) => {
        const lab = document.createElement('concurrency-lab');
        lab.lab = 'stall';
        lab.params = { ...quick, variant: 'slices' };
        document.querySelector('main').append(lab);
        return (await lab.run())?.params ?? (await lab.updateComplete.then(() => lab.run())).params;
      },
      QUICK,
    );
    assert.deepEqual(
      { callMs: params.callMs, timeoutMs: params.timeoutMs, variant: params.variant },
      { callMs: QUICK.callMs, timeoutMs: QUICK.timeoutMs, variant: 'slices' },
    );
  });

  test('values that make no sense are refused in words, and nothing runs', async (page) => {
    await openOwnPage(page);
    const answers = await page.callWithin(30_000, 'all refusals', async () => {
      const lab = document.querySelector('concurrency-lab');
      const said = [];
      lab.addEventListener('lab-error', ({ detail }) => said.push([detail.code, detail.parameter]));
      const seen = [];
      for (const params of [
        { callMs: {} },
        { callMs: Number.NaN },
        { callMs: [1, 2] },
        { nope: 1 },
        ['x'],
        JSON.parse('{"__proto__": 4}'),
      ]) {
        lab.shadowRoot.querySelector('button.plain')?.click();
        lab.params = params;
        await lab.run();
        await lab.updateComplete;
        seen.push([lab.state, ...(said.pop() ?? ['no error']), lab.shadowRoot.textContent.includes('Not run')]);
      }
      for (const nothing of [null, undefined, 5, 'text']) lab.params = nothing;
      return seen;
    });
    assert.deepEqual(answers, [
      ['unavailable', 'wrong-type', 'callMs', true],
      ['unavailable', 'wrong-type', 'callMs', true],
      ['unavailable', 'wrong-type', 'callMs', true],
      ['unavailable', 'unknown-parameter', 'nope', true],
      ['unavailable', 'unknown-parameter', '0', true],
      ['unavailable', 'unknown-parameter', '__proto__', true],
    ]);
    assert.ok(!page.served.some((path) => /worker-threaded/.test(path)), 'a refused run started threads');
  });

  test('saved results are drawn, and what is no result is refused and changes nothing', async (page) => {
    await openOwnPage(page);
    const seen = await page.call(async (saved) => {
      const lab = document.querySelector('concurrency-lab');
      const drawn = [];
      for (const [name, result] of saved) {
        lab.result = result;
        await lab.updateComplete;
        const shown = lab.shadowRoot.textContent.replace(/\s+/g, ' ');
        const missing = result.rows.filter(
          ({ label, provenance }) => provenance === 'measured' && !shown.includes(label),
        );
        if (!shown.includes(result.finding.text) || missing.length > 0 || lab.state !== 'done')
          drawn.push([name, missing]);
      }
      const before = lab.shadowRoot.textContent;
      const kept = [];
      for (const none of [
        {},
        [],
        5,
        'text',
        { rows: 3 },
        { ...saved[0][1], finding: null },
        { ...saved[0][1], rows: [{}] },
      ]) {
        try {
          lab.result = none;
          kept.push('was taken');
        } catch (error) {
          kept.push(error.name);
        }
        await lab.updateComplete;
        if (lab.shadowRoot.textContent !== before) kept.push('was drawn');
      }
      lab.result = undefined;
      return { drawn, kept };
    }, SAVED);
    assert.deepEqual(seen.drawn, [], 'saved results that are not whole on the page');
    assert.deepEqual([...new Set(seen.kept)], ['TypeError']);
  });

  test('has a sheet of its own, in the theme asked for, on any page', async (page) => {
    await openOwnPage(page);
    const seen = await page.call(() => {
      document.body.style.background = 'rgb(255, 0, 0)';
      const light = (color) => {
        const parts = color.match(/[\d.]+/g).map(Number);
        const scale = color.startsWith('rgb') ? 255 : 1;
        return parts.slice(0, 3).reduce((sum, part) => sum + part / scale / 3, 0);
      };
      const { backgroundColor, color } = getComputedStyle(document.querySelector('concurrency-lab[theme="dark"]'));
      return { paper: light(backgroundColor), ink: light(color), clear: /, 0\)$/.test(backgroundColor) };
    });
    assert.ok(!seen.clear && seen.paper < 0.3 && seen.ink > 0.7, JSON.stringify(seen));
  });
});
