// Links that hold a schedule, and links that come at a bad time: set as a whole or not at all, and nothing runs.

import assert from 'node:assert/strict';
import { labElement, openLabPage, untilState, WORDS } from './support/lab-page.mjs';
import { siteUrl } from './support/site.mjs';
import { inEngines, ONE_EACH } from './support/suite.mjs';

const LONG = { size: '20000000', workload: 'squares', repeats: '100', budgetMs: '60000' };
const OF_A_RUN = /worker-\w+\.js|\.wasm/;

/** What a link sets, as it stands on the page. */
function standing(page, id) {
  return page.call((at) => {
    const { mode, params, chosenSeed, theme, schedule } = window.__browserTest.find(at);
    return {
      mode,
      params,
      seed: chosenSeed,
      theme: theme ?? '',
      schedule: schedule ?? '',
      page: document.documentElement.dataset.theme ?? '',
    };
  }, labElement(id));
}

inEngines('links', ONE_EACH, ({ test }) => {
  test('a link opened during a run changes nothing, says so, and opens afterwards by its button', async (page) => {
    await openLabPage(page, 'cpu-bound');
    await page.call(
      (at, params) => {
        window.__browserTest.find(at).params = params;
      },
      labElement('cpu-bound'),
      LONG,
    );
    await page.click(labElement('cpu-bound', 'button.run'));
    await untilState(page, 'cpu-bound', ['warming', 'running']);
    const before = await standing(page, 'cpu-bound');
    await page.call((hash) => {
      location.hash = hash;
    }, '#lab=cpu-bound&mode=model&seed=7&theme=dark&p.workers=3');
    await page.untilThere('#notices >>> .notice');
    assert.ok((await page.text('#notices')).includes(WORDS['ui.page.link.busy']), await page.text('#notices'));
    assert.deepEqual(await standing(page, 'cpu-bound'), before, 'half of the link was set');
    assert.match(await untilState(page, 'cpu-bound', ['warming', 'running'], 100), /warming|running/);
    await page.click(labElement('cpu-bound', 'button.stop'));
    await untilState(page, 'cpu-bound', ['stopped'], 5000);
    await page.click('#notices button');
    await untilState(page, 'cpu-bound', ['idle'], 5000);
    const { mode, params, seed, page: theme } = await standing(page, 'cpu-bound');
    assert.deepEqual([mode, params.workers, seed, theme], ['model', '3', '7', 'dark']);
  });

  for (const link of [
    'lab=cpu-bound&mode=model&schedule=x.AB',
    'lab=stall&schedule=x.AB',
    'lab=lost-updates&mode=measured&schedule=x.AB',
  ]) {
    test(`the link "${link}" asks for steps where there are none: refused in words, and nothing is set`, async (page) => {
      await page.goto(await siteUrl(`index.html#${link}&theme=dark`));
      await page.untilThere('#notices >>> [role=alert]');
      assert.match(await page.text('#notices'), /schedule/);
      assert.equal(await page.call(() => document.documentElement.dataset.theme ?? ''), '');
      assert.deepEqual(
        page.served.filter((path) => OF_A_RUN.test(path)),
        [],
      );
    });
  }
});
