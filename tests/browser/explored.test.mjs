// Every way a program can end, drawn from a result made up for the purpose: counts of hundreds of digits, shares next to
// nothing, no end of schedules. And from there to the schedule itself.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { pageWords } from '../../www/build/page-words.mjs';
import { WORDS } from './support/lab-page.mjs';
import { DIST } from './support/site.mjs';
import { focused, MADE_UP, openMadeUp, openStepper, seen, untilAt, untilFocused } from './support/stepper-page.mjs';
import { inEngines, inNode, ONE_EACH } from './support/suite.mjs';

const RESULT = JSON.parse(readFileSync(new URL('fixtures/results/explored.json', import.meta.url), 'utf8'));
const FOUND = RESULT.rows.filter(({ explored }) => explored);
const HUGE = FOUND.map(({ explored }) => explored.schedules).find((count) => count?.length > 300);

async function showResult(page, params) {
  await openMadeUp(page, params);
  await page.call(
    async (at, result) => {
      const lab = window.__browserTest.find(at);
      lab.result = result;
      await lab.updateComplete;
    },
    MADE_UP,
    RESULT,
  );
  await page.untilThere(`${MADE_UP} >>> figure.explored`);
}

inEngines('explored', ONE_EACH, ({ test }) => {
  test('every outcome has a grade in words, an exact count, an honest share and its fewest preemptions', async (page) => {
    await showResult(page);
    const drawn = await page.call((at) => {
      const figure = window.__browserTest.find(at).shadowRoot.querySelector('figure.explored');
      const text = (element) => element.textContent.trim().replace(/\s+/g, ' ');
      for (const details of figure.querySelectorAll('details')) details.open = true;
      return {
        whole: text(figure),
        rows: [...figure.querySelectorAll('.strips')].map((strips) =>
          [...strips.querySelectorAll('.outcome')].map((line) => ({
            text: text(line),
            width: Number(line.querySelector('.shape')?.getAttribute('width') ?? Number.NaN),
          })),
        ),
        sourceless: [...figure.querySelectorAll('.figure, .remarks')]
          .filter((one) => !one.closest('[data-provenance=modelled]'))
          .map(text),
        endless: [...figure.querySelectorAll('.endless li')].map(text),
        summaries: [...figure.querySelectorAll('svg[role=img]')].map((one) => one.getAttribute('aria-label')),
      };
    }, MADE_UP);
    FOUND.forEach(({ explored: { outcomes } }, row) => {
      assert.equal(drawn.rows[row].length, outcomes.length);
      for (const { grade, text, share } of outcomes) {
        const line = drawn.rows[row].find((one) => one.text.startsWith(`${WORDS[`ui.grade.${grade}`]} ${text}`));
        assert.ok(line, `not drawn: ${grade}, ${text}`);
        if (share !== undefined) assert.ok(line.width >= 2, `${text}: nothing is drawn for what is possible`);
        else assert.ok(line.text.includes(WORDS['ui.explored.possible']), line.text);
      }
      const [first] = outcomes;
      assert.ok(drawn.rows[row][0].text.includes(first.text), 'the right ones do not come first');
    });
    const shares = drawn.rows.flat().map(({ text }) => text.match(/([\d.]+)\s%/)?.[1]);
    assert.ok(!shares.includes('0'), 'a share of something possible is 0 %');
    assert.match(drawn.whole, /less than 0\.1\s%/);
    assert.match(drawn.whole, /33\.5\s%/);
    assert.ok(drawn.whole.replaceAll(',', '').includes(HUGE), 'the exact number cannot be had');
    assert.ok(drawn.whole.includes(`10${HUGE.length - 1}`), 'its power of ten is not said');
    assert.ok(drawn.whole.includes(WORDS['ui.explored.no-end']));
    assert.equal(drawn.endless.length, 2);
    assert.deepEqual(drawn.sourceless, []);
    assert.equal(drawn.summaries.length, FOUND.length);
    assert.doesNotMatch(drawn.whole, /\{\w+\}|undefined|NaN|\[object/);
  });

  test('the table has all counts, exactly', async (page) => {
    await showResult(page);
    const table = (await page.text(`${MADE_UP} >>> details.data`)).replaceAll(',', '');
    for (const { explored } of FOUND) {
      for (const count of [explored.schedules, String(explored.states)]) {
        if (count) assert.ok(table.includes(count), `not in the table: ${count}`);
      }
    }
  });

  test('a losing schedule is opened by its button, at its end, and the learner is brought there', async (page) => {
    await showResult(page, { program: 'two-locks' });
    await page.click(`${MADE_UP} >>> .grade-deadlock button.show`);
    await untilAt(page, 2, 2);
    assert.match((await seen(page)).ending, /^Deadlock/);
    await untilFocused(page, MADE_UP);
    assert.match(await focused(page), /schedule-stepper div\.now$/);
    assert.match(await page.text(`${MADE_UP} >>> .steps .note`), /row “/, 'nothing says whose program it is');
    await page.press('ArrowLeft');
    await untilAt(page, 1, 2);
  });

  test('without a stepper there is nothing to open, and nothing else is missing', async (page) => {
    await openMadeUp(page);
    await openStepper(page);
    const buttons = await page.call(
      async (at, result) => {
        const lab = window.__browserTest.find(at);
        lab.show = 'chart';
        lab.result = result;
        await lab.updateComplete;
        return [...lab.shadowRoot.querySelectorAll('.show, schedule-stepper')].length;
      },
      MADE_UP,
      RESULT,
    );
    assert.equal(buttons, 0);
  });
});

inNode('page words', ({ test }) => {
  const read = (name) => JSON.parse(readFileSync(`${DIST}/${name}`, 'utf8'));

  test('the page has every name that it makes up, and none of the session’s sentences', () => {
    const [table, labs] = [read('text.en.json'), read('labs.json')];
    const own = pageWords(table, labs);
    const missing = labs.flatMap(({ id: lab, parameters }) =>
      parameters
        .flatMap(({ id, takes }) => [
          [`${lab}.parameter.${id}`, `parameter.${id}`],
          ...(takes.choices ?? []).flatMap((choice) => [[`${lab}.${id}.${choice}`, `${id}.${choice}`]]),
        ])
        .flat()
        .filter((id) => id in table && !(id in own)),
    );
    assert.deepEqual(missing, []);
    const strays = Object.keys(own).filter((id) => /\.(claim|finding|why|model)\./.test(id));
    assert.deepEqual(strays, []);
    assert.ok(Object.keys(table).length - Object.keys(own).length > 200, 'hardly anything was left out');
  });
});
