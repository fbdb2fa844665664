// The lab of all schedules on the learner's page, with the site's own programs: searched, stepped through by keys alone,
// shared by a link. Not here: what a search must find, which is tested natively.

import assert from 'node:assert/strict';
import { labElement, openLabPage, untilState, WORDS } from './support/lab-page.mjs';
import { siteUrl } from './support/site.mjs';
import { focused, focusIn, inStepper, openStepper, seen, untilAt, untilFocused } from './support/stepper-page.mjs';
import { inEngines, ONE_EACH } from './support/suite.mjs';

const ID = 'interleavings';
const LAB = labElement(ID);
const RUN_MS = 60_000;
/** What a schedule needs to be shown: the session with the models. Nothing else may be fetched for it. */
const OTHERS = /worker-(plain|threaded|loop)\.js|(plain|threaded|loop)\.wasm/;

async function tabTo(page, pattern, most) {
  for (let presses = 0; !pattern.test(await focused(page)); presses += 1) {
    assert.ok(presses < most, `${pattern} cannot be reached with Tab; the focus is on ${await focused(page)}`);
    await page.press('Tab');
  }
}

const isRun = /concurrency-lab button\.run$/;

/** Presses Tab until the focus is in this lab's own Run. */
async function tabToRun(page) {
  await page.call((at) => {
    const before = window.__browserTest.find(at).closest('.lab').querySelector('h2, h3');
    before.tabIndex = -1;
    before.focus();
  }, LAB);
  await tabTo(page, isRun, 40);
}

/** The link that the page's button gives, taken from the address bar. */
async function copiedLink(page) {
  await page.call((at) => {
    const refuse = () => Promise.reject(new Error('not here'));
    Object.defineProperty(navigator, 'clipboard', { value: { writeText: refuse }, configurable: true });
    window.__browserTest.find(at).querySelector('button[slot=buttons]').click();
  }, LAB);
  await page.callWithin(
    5000,
    'the link',
    (at, text) => {
      const { changed, find } = window.__browserTest;
      return changed(() => find(at).querySelector('.said').textContent === text, 4000, 'the link');
    },
    LAB,
    WORDS['ui.page.link.shown'],
  );
  return page.call(() => location.hash);
}

inEngines('interleavings', ONE_EACH, ({ test }) => {
  test(
    'keys alone: search, open a losing schedule, follow it, turn off where it goes wrong, and end right',
    async (page) => {
      await openLabPage(page, ID);
      await tabToRun(page);
      await page.press('Enter');
      assert.equal(await untilState(page, ID, ['done', 'failed', 'unavailable'], RUN_MS), 'done');
      const { explored } = await page.call(
        (at) => window.__browserTest.find(at).result.rows.find(({ explored: found }) => found?.schedules === '20'),
        LAB,
      );
      assert.deepEqual(
        explored.outcomes.map(({ grade, schedules }) => [grade, schedules]),
        [
          ['right', '2'],
          ['lost', '18'],
        ],
      );
      const before = await page.call(() => window.__browserTest.findAll('.outcome.grade-lost button.show').length);
      assert.ok(before > 0);
      for (let presses = 0; ; presses += 1) {
        const isLosing = await page.call(() => {
          let element = document.activeElement;
          while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
          return element?.matches('.show') && element.closest('.grade-lost') !== null;
        });
        if (isLosing) break;
        assert.ok(presses < 40, 'no losing schedule can be reached with Tab');
        await page.press('Tab');
      }
      await page.press('Enter');
      await page.untilThere(inStepper('.ending', LAB));
      const losing = await seen(page, LAB);
      assert.match(losing.ending, /^Lost: /);
      const n = losing.transcript.length - 1;
      await untilFocused(page, LAB);

      await page.press('Home');
      await untilAt(page, 0, n, LAB);
      const said = [];
      for (let step = 1; step <= n; step += 1) {
        await page.press('ArrowRight');
        await untilAt(page, step, n, LAB);
        said.push((await seen(page, LAB)).said);
      }
      said.forEach((line, index) => {
        const step = losing.transcript[index + 1].replace(/^\d+/, '').replace(WORDS['ui.steps.preempts'], '').trim();
        assert.ok(line.startsWith(`Step ${index + 1}: ${step}`), `said “${line}”, shown “${step}”`);
      });
      assert.ok(said.at(-1).includes(losing.ending), said.at(-1));
      // Let the one that goes first go on to its end, then the other: nothing is lost.
      await page.press('Home');
      await untilAt(page, 0, n, LAB);
      const [first, second] = /^1A/.test(losing.transcript[1]) ? ['A', 'B'] : ['B', 'A'];
      await page.press(first);
      await untilAt(page, 1, n, LAB);
      let at = 1;
      for (const key of [first, second]) {
        for (;;) {
          const index = key === 'A' ? 0 : 1;
          if ((await seen(page, LAB)).blocked[index]) break;
          await page.press(key);
          at += 1;
          await untilAt(page, at, undefined, LAB);
        }
      }
      assert.match((await seen(page, LAB)).ending, /^Right: /);
    },
    { limitMs: 2 * RUN_MS },
  );

  test('a link opens the schedule at its step, in another page, and runs nothing', async (page) => {
    await openLabPage(page, ID);
    await page.call((at) => {
      window.__browserTest.find(at).params = { program: 'two-locks' };
    }, LAB);
    await openStepper(page, LAB);
    await focusIn(page, 'button.go', LAB);
    await page.press('A');
    await untilAt(page, 1, 1, LAB);
    await page.press('B');
    await untilAt(page, 2, 2, LAB);
    await page.press('ArrowLeft');
    await untilAt(page, 1, 2, LAB);
    const left = await seen(page, LAB);
    const hash = await copiedLink(page);
    assert.match(hash, /schedule=[0-9a-f]{8}\.AB&at=1/);
    await page.goto('about:blank');
    await page.goto(await siteUrl(`index.html${hash}`));
    await untilAt(page, 1, 2, LAB);
    const opened = await seen(page, LAB);
    assert.deepEqual({ ...opened, said: '', able: [] }, { ...left, said: '', able: [] });
    assert.equal(await page.call((at) => window.__browserTest.find(at).state, LAB), 'idle');
    assert.equal(await page.call((at) => window.__browserTest.find(at).params.program, LAB), 'two-locks');
  });

  for (const [what, link] of [
    ['of another program', 'schedule=00000000.AB'],
    ['that is none', 'schedule=AB'],
    ['with a thread that the program lacks', 'schedule=~.H9'],
    ['longer than any', `schedule=~.${'AB'.repeat(40_000)}`],
    ['with a count of nothing', 'schedule=~.A0'],
  ]) {
    test(`a link with a schedule ${what} is refused in words where the steps would stand`, async (page) => {
      await openLabPage(page, ID);
      await openStepper(page, LAB);
      // The program's own mark, so that only what follows it is wrong.
      const own = await page.call(
        (at) =>
          window.__browserTest
            .find(at)
            .shadowRoot.querySelector('schedule-stepper')
            .shown.position.schedule.split('.')[0],
        LAB,
      );
      await page.goto('about:blank');
      await page.goto(await siteUrl(`index.html#lab=${ID}&${link.replace('~', own)}`));
      await page.untilThere(inStepper('.trouble', LAB));
      assert.match((await seen(page, LAB)).trouble, /\S \S+ \S/);
      assert.equal(await page.call((at) => window.__browserTest.find(at).state, LAB), 'idle');
      await page.click(inStepper('.trouble button', LAB));
      await untilAt(page, 0, 0, LAB);
    });
  }

  test('steps are taken while a model runs, and a schedule fetches nothing but what shows it', async (page) => {
    await openLabPage(page, ID);
    await openStepper(page, LAB);
    assert.deepEqual(
      page.served.filter((path) => OTHERS.test(path)),
      [],
    );
    await page.call((at) => {
      window.__browserTest.find(at).params = { program: 'counter', threads: '4', increments: '5' };
    }, LAB);
    await page.click(labElement(ID, 'button.run'));
    await untilState(page, ID, ['running'], RUN_MS);
    await untilAt(page, 0, 0, LAB);
    await focusIn(page, 'button.go', LAB);
    await page.press('A');
    await untilAt(page, 1, 1, LAB);
    assert.equal(await untilState(page, ID, ['running'], 100), 'running', 'the run was over before the step');
    await page.click(labElement(ID, 'button.stop'));
    await untilState(page, ID, ['stopped'], 5000);
    await page.press('Tab');
    await focusIn(page, 'button.go', LAB);
    await page.press('B');
    await untilAt(page, 2, 2, LAB);
  });
});
