// The page of all figures: everything published and modelled is there to read without scripts, a lab is measured when its
// button is pressed and stops when it is pressed again, and what a learner pastes is read line by line, kept, and cleared.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { tooWide, violations } from './support/for-everybody.mjs';
import { LABS } from './support/lab-list.mjs';
import { WORDS } from './support/lab-page.mjs';
import { DIST, siteUrl } from './support/site.mjs';
import { inEngines, ONE_EACH } from './support/suite.mjs';

const { figures: FIGURES } = JSON.parse(readFileSync(`${DIST}/figures.json`, 'utf8'));
const RUN_MS = 60_000;
const WIDTHS = [320, 360, 768, 1280];
/** What a run fetches; before one none of it may be asked for. */
const OF_A_RUN = /worker-\w+\.js|\.wasm|playground\.js/;

const figureOf = (id) => FIGURES.find((figure) => figure.id === id);
const section = (lab) => `.lab-figures[data-lab="${lab}"]`;
const button = (lab) => `${section(lab)} .measuring button`;

async function openFigures(page) {
  await page.goto(await siteUrl('figures.html'));
  await page.untilThere('.measuring:not([hidden])');
  await page.untilThere('#reported:not([hidden])');
}

/** What stands in a column, by the figures' names: number, where it is from, verdict, and all words. */
function column(page, name) {
  return page.call((wanted) => {
    const cells = [...document.querySelectorAll(`[data-column="${wanted}"] .said`)];
    return Object.fromEntries(
      cells.map((cell) => [
        cell.closest('tr').id,
        {
          number: cell.querySelector('.number')?.textContent,
          provenance: cell.querySelector('.number')?.dataset.provenance,
          verdict: cell.querySelector('.agrees, .differs')?.className,
          ratio: cell.querySelector('.ratio')?.textContent,
          text: cell.textContent.trim(),
        },
      ]),
    );
  }, name);
}

/** Pastes a text, presses the button, and gives what is said of it, line by line. */
async function take(page, text) {
  await page.call((pasted) => {
    document.querySelector('#reported-text').value = pasted;
    document.querySelector('#reported-said').replaceChildren();
  }, text);
  await page.click('#reported .take');
  await page.untilThere('#reported-said p');
  return page.call(() => [...document.querySelectorAll('#reported-said p')].map((line) => line.textContent));
}

function say(id, args) {
  return WORDS[id].replace(/\{(\w+)\}/g, (_, name) => args[name]);
}

const pasted = () => FIGURES.map(({ id, value, range }) => `${id} ${value ?? (range[0] + range[1]) / 2}`).join('\n');

inEngines('figures', ONE_EACH, ({ sharedMemory, test }) => {
  test('nothing of a run is fetched before a button is pressed; then a lab is measured and each number says so', async (page) => {
    await openFigures(page);
    assert.deepEqual(
      page.served.filter((path) => OF_A_RUN.test(path)),
      [],
    );
    await page.click(button('event-loop'));
    const state = await page.untilAttribute(section('event-loop'), 'data-state', ['done', 'failed', 'stopped'], RUN_MS);
    assert.equal(state, 'done', await page.text(`${section('event-loop')} .doing`));
    const cells = await column(page, 'measured');
    const own = FIGURES.filter(({ lab }) => lab === 'event-loop');
    assert.ok(own.length > 0);
    for (const { id, low, high } of own) {
      const { number, provenance, verdict, text } = cells[id];
      assert.equal(provenance, 'measured', `${id}: ${text}`);
      assert.ok(Number(number) > 0, `${id}: ${text}`);
      // What is shown has three digits; a number on the very edge may fall to either side.
      const shown = Number(number);
      const near = [low, high].some((bound) => Math.abs(shown / bound - 1) < 0.01);
      assert.ok(near || verdict === (shown >= low && shown <= high ? 'agrees' : 'differs'), `${id}: ${text}`);
    }
    const others = FIGURES.filter(({ lab }) => lab !== 'event-loop').map(({ id }) => cells[id]);
    assert.ok(
      others.every(({ number }) => number === undefined),
      'another lab got a number',
    );
    assert.equal(await page.text(button('event-loop')), WORDS['ui.figures.live.measure']);
  });

  test('pressed again the button stops at once, and another lab is measured afterwards', async (page) => {
    await openFigures(page);
    await page.click(button('cpu-bound'));
    await page.untilThere(`${section('cpu-bound')} progress[value]`);
    assert.equal(await page.text(button('cpu-bound')), WORDS['ui.figures.live.stop']);
    await page.click(button('cpu-bound'));
    await page.untilAttribute(section('cpu-bound'), 'data-state', ['stopped'], 5_000);
    assert.equal(await page.text(`${section('cpu-bound')} .doing`), WORDS['ui.figures.live.stopped']);
    await page.click(button('event-loop'));
    assert.equal(
      await page.untilAttribute(section('event-loop'), 'data-state', ['done', 'failed', 'stopped'], RUN_MS),
      'done',
    );
  });

  if (!sharedMemory) {
    test('what cannot run here has no number but a reason and what helps', async (page) => {
      await openFigures(page);
      await page.click(button('lost-updates'));
      const states = ['done', 'failed', 'stopped'];
      assert.equal(await page.untilAttribute(section('lost-updates'), 'data-state', states, RUN_MS), 'done');
      const cells = await column(page, 'measured');
      const [begin] = WORDS['ui.figures.live.none'].split('{');
      for (const { id } of FIGURES.filter(({ lab }) => lab === 'lost-updates')) {
        const { number, text } = cells[id];
        assert.equal(number, undefined, id);
        assert.ok(text.startsWith(begin) && text.length > begin.length + 10, `${id}: ${text}`);
      }
    });
  }

  test('pasted lines fill the fourth column, stay over a reload, and can be cleared', async (page) => {
    await openFigures(page);
    const said = await take(page, `# a comment\n\n${pasted()}\n`);
    assert.deepEqual(said, [say('ui.figures.live.taken', { n: FIGURES.length }), WORDS['ui.figures.live.kept']]);
    const check = async () => {
      const cells = await column(page, 'reported');
      for (const { id, compares, baseline } of FIGURES) {
        const { provenance, verdict, ratio, text } = cells[id];
        assert.equal(provenance, 'reported', `${id}: ${text}`);
        assert.equal(verdict, compares ? 'agrees' : undefined, `${id}: ${text}`);
        assert.equal(ratio !== undefined, baseline !== undefined, `${id}: ${text}`);
      }
      assert.ok(cells['A-cpu-threads'].ratio.includes('1.02'), cells['A-cpu-threads'].text);
    };
    await check();
    await openFigures(page);
    await check();
    await page.click('#reported .clear');
    await page.untilThere('#reported-said p');
    assert.deepEqual(new Set(Object.values(await column(page, 'reported')).map(({ text }) => text)), new Set(['–']));
    assert.equal(await page.call(() => document.querySelector('#reported-text').value), '');
    await openFigures(page);
    assert.ok(Object.values(await column(page, 'reported')).every(({ number }) => number === undefined));
  });

  test('bad lines are told with their numbers, good ones count, and the text stays', async (page) => {
    await openFigures(page);
    const text = [
      'A-cpu-serial 3.1',
      'A-cpu-threads',
      'A-cpu-nothing 1',
      'A-cpu-processes fast',
      'A-count-gil -1',
      'A-cpu-interpreters 1 s',
      '<b>x</b> 1',
      'A-cpu-serial 3.2',
      'B-cpu-3m-threads 9.75',
      'A-count-gil 1e999',
    ].join('\r\n');
    const said = await take(page, text);
    assert.deepEqual(said, [
      say('ui.figures.live.taken', { n: 2 }),
      WORDS['ui.figures.live.kept'],
      say('ui.figures.live.bad', { n: 7 }),
      say('ui.figures.live.bad.form', { line: 2, text: 'A-cpu-threads' }),
      say('ui.figures.live.bad.unknown', { line: 3, text: 'A-cpu-nothing' }),
      say('ui.figures.live.bad.number', { line: 4, text: 'fast' }),
      say('ui.figures.live.bad.number', { line: 5, text: '-1' }),
      say('ui.figures.live.bad.form', { line: 6, text: 'A-cpu-interpreters 1 s' }),
      say('ui.figures.live.bad.unknown', { line: 7, text: '<b>x</b>' }),
      say('ui.figures.live.bad.twice', { line: 8, text: 'A-cpu-serial' }),
      say('ui.figures.live.bad.number', { line: 10, text: '1e999' }),
    ]);
    const cells = await column(page, 'reported');
    assert.deepEqual([cells['A-cpu-serial'].number, cells['A-cpu-serial'].verdict], ['3.2', undefined]);
    assert.deepEqual([cells['B-cpu-3m-threads'].number, cells['B-cpu-3m-threads'].verdict], ['9.75', 'differs']);
    assert.equal(cells['A-count-gil'].number, undefined);
    const held = await page.call(() => document.querySelector('#reported-text').value);
    assert.equal(held, text.replaceAll('\r\n', '\n'));
    assert.deepEqual(await take(page, '# nothing\n'), [WORDS['ui.figures.live.nothing']]);
    assert.equal((await column(page, 'reported'))['A-cpu-serial'].number, '3.2', 'an empty paste took numbers away');
    const [tooLong] = await take(page, 'x'.repeat(200_001));
    assert.equal(tooLong, say('ui.figures.live.too-long', { n: 200_001, limit: 200_000 }));
  });

  test('where the browser keeps nothing, numbers are shown all the same, and it is said', async (page) => {
    await openFigures(page);
    await page.call(() => {
      Object.defineProperty(window, 'localStorage', {
        configurable: true,
        get() {
          throw new DOMException('not allowed', 'SecurityError');
        },
      });
    });
    const said = await take(page, 'A-stall-gap 1.6');
    assert.deepEqual(said, [say('ui.figures.live.taken', { n: 1 }), WORDS['ui.figures.live.not-kept']]);
    assert.equal((await column(page, 'reported'))['A-stall-gap'].verdict, 'agrees');
  });
});

inEngines('figures for everybody', ['chromium'], ({ test }) => {
  test('without scripts every figure has its published and its modelled number, and the box is whole', async (page) => {
    await page.withoutJavaScript();
    await page.goto(await siteUrl('figures.html'));
    const seen = await page.puppeteer.evaluate(`({
      text: document.body.innerText,
      rows: [...document.querySelectorAll('tr[data-figure]')].map((row) => ({
        id: row.id,
        published: row.querySelector('[data-column=published] .number')?.dataset.provenance,
        modelled: row.querySelector('[data-column=modelled] .number')?.dataset.provenance,
        number: Number(row.querySelector('[data-column=modelled] .number')?.textContent.replaceAll(',', '')),
        visible: row.checkVisibility(),
        link: row.querySelector('th a')?.getAttribute('href'),
      })),
      sources: [...document.querySelectorAll('.number:not([data-provenance])')].length,
      buttons: [...document.querySelectorAll('button')].filter((one) => one.checkVisibility()).length,
      right: [...document.querySelectorAll('.point')].map((point) => point.firstElementChild.className),
      captions: document.querySelectorAll('table > caption').length,
      tables: document.querySelectorAll('table').length,
    })`);
    assert.deepEqual(
      seen.rows.map(({ id }) => id),
      FIGURES.map(({ id }) => id),
    );
    for (const { id, published, modelled, number, visible, link } of seen.rows) {
      const figure = figureOf(id);
      assert.deepEqual([published, modelled, visible], [figure.provenance, 'modelled', true], id);
      const off = Math.abs(number - figure.modelled);
      assert.ok(off <= Math.abs(figure.modelled) * 0.01, `${id}: ${number} is not ${figure.modelled}`);
      assert.ok(link.startsWith(`index.html#v=1&lab=${figure.lab}&mode=model`), link);
    }
    assert.equal(seen.sources, 0, 'a number does not say where it comes from');
    assert.equal(seen.buttons, 0, 'a button that does nothing');
    assert.deepEqual(seen.right, ['right', 'right', 'right', 'right']);
    assert.equal(seen.captions, seen.tables);
    assert.ok(seen.text.includes(WORDS['ui.figures.page.no-script']));
    assert.ok(seen.text.includes(WORDS['ui.figures.page.exception.C-cpu-ft-interpreters']));
    assert.doesNotMatch(seen.text, /\{\w+\}|undefined|NaN|\[object/);
  });

  test('each link opens its lab with values that the lab takes', async (page) => {
    await page.goto(await siteUrl('index.html'));
    await page.untilThere('#capabilities-strip[data-threads]');
    const labs = [...new Set(FIGURES.map(({ lab }) => lab))];
    assert.ok(labs.every((lab) => LABS.some(({ id }) => id === lab)));
    const links = [...new Set(FIGURES.map(({ link }) => link))];
    const wrong = await page.callWithin(
      RUN_MS,
      'every link to be opened',
      async (hashes, opened) => {
        const bad = [];
        for (const hash of hashes) {
          const changed = new Promise((resolve) => addEventListener('hashchange', resolve, { once: true }));
          location.hash = hash;
          await changed;
          await window.__browserTest.changed(() => document.querySelector('.notice'), 5_000, hash);
          const said = [...document.querySelectorAll('.notice')].map((notice) => notice.textContent);
          if (said.length !== 1 || said[0] !== opened) bad.push(`${hash}: ${said}`);
        }
        return bad;
      },
      links,
      WORDS['ui.page.link.opened'],
    );
    assert.deepEqual(wrong, []);
    assert.equal(await page.call(() => document.querySelectorAll('nav a[href="figures.html"]').length), 1);
  });

  for (const colorScheme of ['light', 'dark']) {
    test(`${colorScheme}: axe finds nothing, before and after a paste with bad lines, narrow and wide`, async (page) => {
      await page.emulate({ colorScheme, reducedMotion: 'reduce' });
      await openFigures(page);
      const found = { before: await violations(page) };
      await take(page, `${pasted()}\nnonsense\nA-count-gil 5`);
      for (const width of [360, 1280]) {
        await page.setViewport({ width, height: 800 });
        found[width] = await violations(page);
      }
      assert.deepEqual(found, { before: [], 360: [], 1280: [] });
    });
  }
});

inEngines('width of the figures', ['chromium', 'firefox'], ({ test }) => {
  test(`nothing is wider than the window at ${WIDTHS.join(', ')}, before and after a paste`, async (page) => {
    const wide = {};
    await openFigures(page);
    const measure = async (when) => {
      for (const width of WIDTHS) {
        await page.setViewport({ width, height: 800 });
        const found = await tooWide(page);
        if (found.length > 0) wide[`${when} at ${width}`] = found;
      }
    };
    await measure('before');
    await take(page, `${pasted()}\n${'x'.repeat(300)}\n${'y'.repeat(80)} 1\nA-fan-serial 123456789.123`);
    await measure('after');
    assert.deepEqual(wide, {});
  });
});
