// Measured or modelled: the switch between them, on the learner's page, by mouse and by keys; what each mode shows, what
// it keeps, and links that name one.

import assert from 'node:assert/strict';
import { LABS, labOf } from './support/lab-list.mjs';
import { labElement, openLabPage, untilState, WORDS } from './support/lab-page.mjs';
import { checkResult } from './support/result-checks.mjs';
import { siteUrl } from './support/site.mjs';
import { inEngines, ONE_EACH } from './support/suite.mjs';

const BOTH = LABS.filter(({ modes }) => modes.length > 1);
const MODEL_ONLY = LABS.filter(({ modes }) => modes.join() === 'model');
const radio = (id, mode) => labElement(id, `input[name=mode][value=${mode}]`);

/** What the element shows: mode, state, finding, and the ids of its controls. */
function shown(page, id) {
  return page.call((at) => {
    const element = window.__browserTest.find(at);
    const root = element.shadowRoot;
    return {
      mode: element.mode,
      state: element.state,
      finding: root.querySelector('.finding')?.textContent ?? null,
      provenance: root.querySelector('.finding')?.dataset.provenance ?? null,
      controls: [...root.querySelectorAll('[id^="p-"]')].map((control) => control.id.slice(2)),
      checked: root.querySelector('input[name=mode]:checked')?.value ?? null,
    };
  }, labElement(id));
}

function setParams(page, id, params) {
  return page.call(
    async (at, values) => {
      const element = window.__browserTest.find(at);
      element.params = values;
      await element.updateComplete;
    },
    labElement(id),
    params,
  );
}

async function run(page, id) {
  await page.click(labElement(id, 'button.run'));
  // The click is heard at once; the state before it may have been the same as the one after.
  await untilState(page, id, ['warming', 'running', 'done', 'failed', 'unavailable']);
  assert.equal(await untilState(page, id, ['done', 'failed', 'unavailable', 'stopped'], 60_000), 'done');
}

function expectedControls(lab, mode) {
  const ofMode = lab.parameters.filter((parameter) => (parameter.mode ?? mode) === mode);
  return new Set([...ofMode.map(({ id }) => id), ...(ofMode.length > 0 ? ['seed'] : [])]);
}

inEngines('modes', ONE_EACH, ({ name, sharedMemory, reports, test }) => {
  const engine = { name, sharedMemory, reports };

  test('every lab shows the controls of the chosen mode alone, and a lab with one mode no switch', async (page) => {
    await openLabPage(page, LABS[0].id);
    for (const lab of LABS) {
      const [first] = lab.modes;
      const opened = await shown(page, lab.id);
      assert.equal(opened.mode, first, lab.id);
      assert.deepEqual(new Set(opened.controls), expectedControls(lab, first), `${lab.id}, ${first}`);
      assert.equal(opened.checked, lab.modes.length > 1 ? first : null, `${lab.id}: a switch`);
      if (lab.modes.length < 2) continue;
      await page.click(radio(lab.id, 'model'));
      const switched = await shown(page, lab.id);
      assert.deepEqual([switched.mode, switched.checked], ['model', 'model'], lab.id);
      assert.deepEqual(new Set(switched.controls), expectedControls(lab, 'model'), `${lab.id}, model`);
    }
    assert.ok(BOTH.length >= 4 && MODEL_ONLY.length >= 1, 'labs of both kinds');
  });

  test('by mouse: each mode keeps its own result, and its own values', async (page) => {
    await openLabPage(page, 'stall');
    await setParams(page, 'stall', { callMs: '200', timeoutMs: '100', heartbeatMs: '20', preset: 'lesson-b' });
    await run(page, 'stall');
    const measured = await shown(page, 'stall');
    assert.equal(measured.provenance, 'measured');
    await page.click(radio('stall', 'model'));
    const empty = await shown(page, 'stall');
    assert.deepEqual([empty.mode, empty.state, empty.finding], ['model', 'idle', null]);
    await run(page, 'stall');
    const model = await shown(page, 'stall');
    assert.equal(model.provenance, 'modelled');
    assert.notEqual(model.finding, measured.finding);
    const result = await page.call((at) => window.__browserTest.find(at).result, labElement('stall'));
    const asked = { callMs: 200, timeoutMs: 100, heartbeatMs: 20, preset: 'lesson-b', variant: 'blocking' };
    checkResult(result, labOf('stall'), engine, asked, 'model');
    await page.click(radio('stall', 'measured'));
    assert.deepEqual(await shown(page, 'stall'), measured, 'the measured result was not kept');
    await page.click(radio('stall', 'model'));
    assert.deepEqual(await shown(page, 'stall'), model, 'the modelled result was not kept');
  });

  test('by keys: an arrow switches, Enter runs, and the focus stays', async (page) => {
    await openLabPage(page, 'lost-updates');
    await page.focus(radio('lost-updates', 'measured'));
    await page.press('ArrowDown');
    assert.deepEqual((await shown(page, 'lost-updates')).mode, 'model');
    const focus = () =>
      page.call(
        (at) => window.__browserTest.find(at).shadowRoot.activeElement?.value ?? 'elsewhere',
        labElement('lost-updates'),
      );
    assert.equal(await focus(), 'model');
    await page.press('Enter');
    assert.equal(await untilState(page, 'lost-updates', ['done', 'failed', 'unavailable'], 30_000), 'done');
    assert.equal((await shown(page, 'lost-updates')).provenance, 'modelled');
    assert.equal(await focus(), 'model', 'the run took the focus away');
    await page.press('ArrowUp');
    const back = await shown(page, 'lost-updates');
    assert.deepEqual([back.mode, back.state, back.finding], ['measured', 'idle', null]);
  });

  test('while a run is under way the switch stands still, and works again after a stop', async (page) => {
    await openLabPage(page, 'stall');
    await setParams(page, 'stall', { callMs: '3000' });
    await page.click(labElement('stall', 'button.run'));
    await untilState(page, 'stall', ['warming', 'running']);
    await page.click(radio('stall', 'model'));
    assert.equal((await shown(page, 'stall')).mode, 'measured');
    await page.click(labElement('stall', 'button.stop'));
    await untilState(page, 'stall', ['stopped'], 5000);
    await page.click(radio('stall', 'model'));
    const switched = await shown(page, 'stall');
    assert.deepEqual([switched.mode, switched.state], ['model', 'idle']);
  });

  test('a model on the page: what is modelled is called modelled, the rows and the claims are shown', async (page) => {
    await openLabPage(page, LABS[0].id);
    for (const lab of [...BOTH, ...MODEL_ONLY]) {
      if (lab.modes.length > 1) await page.click(radio(lab.id, 'model'));
      await run(page, lab.id);
      const seen = await page.call((at) => {
        const element = window.__browserTest.find(at);
        const sources = [...element.shadowRoot.querySelectorAll('[data-provenance]')];
        const strangers = sources.filter(
          (one) => one.dataset.provenance === 'measured' && !one.closest('.environment'),
        );
        return {
          result: element.result,
          text: element.shadowRoot.textContent.replace(/\s+/g, ' '),
          strangers: strangers.map(({ textContent }) => textContent.trim().slice(0, 80)),
        };
      }, labElement(lab.id));
      checkResult(seen.result, lab, engine, lab.opening, 'model');
      assert.deepEqual(seen.strangers, [], `${lab.id}: modelled, and called measured`);
      const texts = [seen.result.finding, ...seen.result.claims].map(({ text }) => text);
      for (const text of [...texts, ...seen.result.rows.map(({ label }) => label), WORDS['ui.legend.modelled']]) {
        assert.ok(seen.text.includes(text.replace(/\s+/g, ' ')), `${lab.id}: not shown: ${text}`);
      }
      assert.doesNotMatch(seen.text, /\{\w+\}|undefined|NaN|\[object/, `${lab.id}: a placeholder or a non-value`);
    }
  });

  test('a link with mode=model opens that mode, runs nothing, and Run models it; the link copied from there says so', async (page) => {
    await openLabPage(page, 'cpu-bound', {
      hash: '#v=1&lab=cpu-bound&mode=model&seed=3&p.preset=lesson-c&p.workers=8&p.cores=2',
    });
    await page.untilThere('.notice');
    const opened = await shown(page, 'cpu-bound');
    assert.deepEqual([opened.mode, opened.checked, opened.state], ['model', 'model', 'idle']);
    assert.deepEqual(
      page.served.filter((path) => /worker-\w+\.js|\.wasm/.test(path)),
      [],
      'a link started something',
    );
    await run(page, 'cpu-bound');
    const result = await page.call((at) => window.__browserTest.find(at).result, labElement('cpu-bound'));
    const { params, seed, mode } = result;
    assert.deepEqual(
      [mode, seed, params.preset, params.workers, params.cores, params.logicalCores],
      ['model', 3, 'lesson-c', 8, 2, 4],
    );
    const copied = await page.call((at) => {
      Object.defineProperty(navigator, 'clipboard', { value: { writeText: async (text) => (window.__copied = text) } });
      const lab = window.__browserTest.find(at);
      lab.querySelector('button[slot=buttons]').click();
      return new URL(window.__copied).hash;
    }, labElement('cpu-bound'));
    assert.match(copied, /&mode=model&/);
    assert.doesNotMatch(copied, /repeats|budgetMs/, 'a link holds what its mode does not take');
    // The page for machines refuses what does not fit; it takes this link as it is.
    await page.goto(await siteUrl(`run.html${copied}`));
    assert.equal(await page.untilAttribute('html', 'data-state', ['done', 'failed', 'unavailable']), 'done');
    assert.equal(JSON.parse(await page.text('#result')).traceHash, result.traceHash);
  });

  // No values that may be asked for come to a limit within a minute: the row is made from one that ran.
  test('a modelled row that came to its limit says why, and what would help', async (page) => {
    await openLabPage(page, 'cpu-bound');
    await page.click(radio('cpu-bound', 'model'));
    await run(page, 'cpu-bound');
    const reason = WORDS['limit.steps'].replace('{limit}', '1,000,000,000');
    const text = await page.call(
      async (at, why, cure) => {
        const element = window.__browserTest.find(at);
        const result = structuredClone(element.result);
        const row = result.rows.find(({ strategy }) => strategy === 'threads');
        for (const key of ['medianMs', 'speedup', 'efficiency', 'spans', 'overlap', 'overlaps']) delete row[key];
        Object.assign(row, { available: false, samplesMs: [], reason: why, cure });
        element.result = result;
        await element.updateComplete;
        return element.shadowRoot.querySelector('.picture').textContent.replace(/\s+/g, ' ');
      },
      labElement('cpu-bound'),
      reason,
      WORDS['limit.cure'],
    );
    assert.ok(text.includes(reason) && text.includes(WORDS['limit.cure']), text);
  });

  test('a model of this browser says on the page what it was made from', async (page) => {
    await openLabPage(page, 'stall');
    await page.click(radio('stall', 'model'));
    await setParams(page, 'stall', { preset: 'here' });
    await run(page, 'stall');
    const { found, text } = await page.call((at) => {
      const element = window.__browserTest.find(at);
      const where = element.shadowRoot.querySelector('.environment');
      return { found: element.result.environment.found, text: where.textContent };
    }, labElement('stall'));
    const constants = Object.keys(found).filter((name) => name !== 'cores');
    assert.equal(constants.length, 6, `${constants}`);
    for (const name of constants) assert.ok(text.includes(WORDS[`ui.environment.found.${name}`]), `not shown: ${name}`);
  });

  for (const [link, words] of [
    ['lab=stall&mode=guessed', /guessed/],
    ['lab=stall&mode=', /mode/],
    ['lab=capabilities&mode=model', /capabilities.*model/],
    ['lab=interleavings&mode=measured', /interleavings.*measured/],
  ]) {
    test(`the link "${link}" is refused in words, and nothing runs`, async (page) => {
      await page.goto(await siteUrl(`index.html#${link}`));
      await page.untilThere('#notices >>> [role=alert]');
      assert.match(await page.text('#notices'), words);
      assert.deepEqual(
        page.served.filter((path) => /worker-\w+\.js|\.wasm/.test(path)),
        [],
      );
    });
  }
});
