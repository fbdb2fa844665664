// The learner's page: every lab runs by a click and by keys alone, says in words how it stands, and stops; links open
// what they say and run nothing.

import assert from 'node:assert/strict';
import { LABS, labOf } from './support/lab-list.mjs';
import { labElement, openLabPage, stateInWords, untilState, WORDS, watched, watchLab } from './support/lab-page.mjs';
import { checkResult } from './support/result-checks.mjs';
import { siteUrl } from './support/site.mjs';
import { inEngines, ONE_EACH } from './support/suite.mjs';

const RUN_MS = 60_000;
/** What the page fetches once a session or a lab starts; before a run none of it may be asked for. */
const OF_A_RUN = /worker-\w+\.js|\.wasm/;

const clickRun = (page, id) => page.click(labElement(id, 'button.run'));

/** The element that has the focus, through shadow roots: its lab and its class. */
function focused(page) {
  return page.call(() => {
    let element = document.activeElement;
    let lab = null;
    while (element?.shadowRoot?.activeElement) {
      lab = element.getAttribute('lab') ?? lab;
      element = element.shadowRoot.activeElement;
    }
    return { lab, className: element?.className ?? '', id: element?.id ?? '', tag: element?.localName };
  });
}

inEngines('page', ONE_EACH, ({ name, sharedMemory, reports, test }) => {
  const engine = { name, sharedMemory, reports };

  for (const { id } of LABS) {
    test(
      `${id}: runs by a click and says how it stands`,
      async (page) => {
        await openLabPage(page, id);
        assert.equal(await stateInWords(page, id), WORDS['ui.state.idle']);
        await watchLab(page, id);
        await clickRun(page, id);
        await untilState(page, id, ['done', 'failed', 'stopped', 'unavailable'], RUN_MS);
        const { states, events } = await watched(page);
        assert.equal(states[0], 'idle');
        assert.equal(states[1], 'warming');
        assert.equal(states.at(-1), 'done', `states ${states}`);
        assert.deepEqual(
          events.filter((type) => type !== 'lab-progress'),
          ['lab-result'],
        );
        assert.equal(await stateInWords(page, id), WORDS['ui.state.done']);
        const result = await page.call((at) => window.__browserTest.find(at).result, labElement(id));
        const [mode] = labOf(id).modes;
        checkResult(result, labOf(id), engine, labOf(id).opening, mode);
        const shown = await page.call(
          (at) => window.__browserTest.find(at).shadowRoot.textContent.replace(/\s+/g, ' '),
          labElement(id),
        );
        assert.ok(shown.includes(result.finding.text.replace(/\s+/g, ' ')), 'the finding is not shown');
        for (const { text } of result.claims)
          assert.ok(shown.includes(text.replace(/\s+/g, ' ')), `not shown: ${text}`);
        const ran = result.rows.filter(({ provenance }) => provenance === 'measured' || provenance === 'modelled');
        for (const { label } of ran) assert.ok(shown.includes(label), `not shown: row ${label}`);
        assert.doesNotMatch(shown, /\{\w+\}|undefined|NaN|\[object/, 'a placeholder or a non-value is shown');
      },
      { limitMs: RUN_MS + 20_000 },
    );
  }

  test('stop ends a run at once, and the next run works', async (page) => {
    await openLabPage(page, 'cpu-bound');
    await page.call((at) => {
      window.__browserTest.find(at).params = {
        size: '20000000',
        workload: 'squares',
        repeats: '100',
        budgetMs: '60000',
      };
    }, labElement('cpu-bound'));
    await watchLab(page, 'cpu-bound');
    await clickRun(page, 'cpu-bound');
    await untilState(page, 'cpu-bound', ['warming', 'running']);
    await page.click(labElement('cpu-bound', 'button.stop'));
    await untilState(page, 'cpu-bound', ['stopped'], 5000);
    assert.equal(await stateInWords(page, 'cpu-bound'), WORDS['ui.state.stopped']);
    const { events } = await watched(page);
    assert.deepEqual(
      events.filter((type) => type !== 'lab-progress'),
      [],
      'a stop is neither a result nor an error',
    );
    await page.call((at) => {
      window.__browserTest.find(at).params = { size: '1000', workload: 'modulo', repeats: '1', budgetMs: '100' };
    }, labElement('cpu-bound'));
    await clickRun(page, 'cpu-bound');
    assert.equal(await untilState(page, 'cpu-bound', ['done', 'failed', 'unavailable'], RUN_MS), 'done');
  });

  test('a refused value is explained at its control, and nothing runs', async (page) => {
    await openLabPage(page, 'cpu-bound');
    await page.fill(labElement('cpu-bound', '#p-workers'), '1000');
    await page.press('Tab');
    await clickRun(page, 'cpu-bound');
    await untilState(page, 'cpu-bound', ['unavailable']);
    assert.match(await page.text(labElement('cpu-bound', '#n-workers')), /1\D+64/);
    assert.equal((await focused(page)).id, 'p-workers', 'the learner is not brought to the control');
    assert.ok(!page.served.some((path) => /worker-threaded/.test(path)), 'a refused run started threads');
  });

  test('keys alone: reach Run, run, and stop', async (page) => {
    await openLabPage(page, LABS[0].id);
    const [{ id }] = LABS;
    await page.call(() => window.scrollTo(0, 0));
    for (let presses = 0; ; presses += 1) {
      const { lab, className } = await focused(page);
      if (lab === id && /\brun\b/.test(className)) break;
      assert.ok(presses < 150, 'Run cannot be reached with Tab');
      await page.press('Tab');
    }
    await page.press('Enter');
    assert.equal(await untilState(page, id, ['done', 'failed', 'unavailable'], RUN_MS), 'done');
    const { lab, className } = await focused(page);
    assert.ok(lab === id && /\brun\b/.test(className), 'the run took the focus away');
  });

  test('a link opens its lab with its parameters and runs nothing', async (page) => {
    await openLabPage(page, 'cpu-bound', {
      hash: '#v=1&lab=cpu-bound&mode=measured&seed=7&p.workers=3&p.workload=modulo&p.curve=true',
    });
    const { params, seed, state } = await page.call((at) => {
      const element = window.__browserTest.find(at);
      return { params: element.params, seed: element.chosenSeed, state: element.state };
    }, labElement('cpu-bound'));
    assert.deepEqual([params.workers, params.workload, params.curve, seed], ['3', 'modulo', 'true', '7']);
    assert.equal(state, 'idle');
    assert.deepEqual(
      page.served.filter((path) => OF_A_RUN.test(path)),
      [],
      'a link started something',
    );
  });

  for (const link of [
    'lab=nope',
    'lab=cpu-bound&p.nope=1',
    'lab=constructor',
    'lab=__proto__',
    'lab=%E0%A4%A',
    'v=99&lab=stall',
    'lab=stall&seed=-1',
  ]) {
    test(`the bad link "${link}" is explained and runs nothing`, async (page) => {
      await page.goto(await siteUrl(`index.html#${link}`));
      await page.untilThere('#notices >>> [role=alert]');
      assert.match(await page.text('#notices'), /\S \S/, 'nothing says what is wrong with the link');
      assert.deepEqual(
        page.served.filter((path) => OF_A_RUN.test(path)),
        [],
        'a bad link started something',
      );
    });
  }

  for (const [value, words] of [
    ['1000', /1\D+64/],
    ['NaN', /\S \S/],
    ['-1', /1\D+64/],
    ['1e308', /1\D+64/],
  ]) {
    test(`a link with workers=${value} runs nothing, and Run refuses it at its control`, async (page) => {
      await openLabPage(page, 'cpu-bound', { hash: `#lab=cpu-bound&p.workers=${value}` });
      await page.untilThere('.notice');
      assert.deepEqual(
        page.served.filter((path) => OF_A_RUN.test(path)),
        [],
        'a link started something',
      );
      await clickRun(page, 'cpu-bound');
      await untilState(page, 'cpu-bound', ['unavailable', 'done', 'failed']);
      assert.equal(await untilState(page, 'cpu-bound', ['unavailable'], 100), 'unavailable');
      assert.match(await page.text(labElement('cpu-bound', '#n-workers')), words);
      assert.ok(!page.served.some((path) => /worker-threaded/.test(path)), 'a refused run started threads');
    });
  }
});
