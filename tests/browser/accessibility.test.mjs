// The learner's page for everybody: no violation that axe can find in light or dark, nothing wider than the window, and
// everything there is to read without scripts. What axe cannot find (keys, focus) is in page.test.mjs.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { tooWide, violations } from './support/for-everybody.mjs';
import { LABS } from './support/lab-list.mjs';
import { labElement, openLabPage, untilState } from './support/lab-page.mjs';
import { DIST, siteUrl } from './support/site.mjs';
import { inEngines } from './support/suite.mjs';

const RUN_MS = 60_000;
const WIDTHS = [320, 360, 768, 1280];
const AXE_WIDTHS = [360, 1280];
const CLEAN = Object.fromEntries(AXE_WIDTHS.map((width) => [width, []]));
const BUDGET_KIB = 65;

/** What axe finds at each of these widths. */
async function violationsAt(page, widths) {
  const found = {};
  for (const width of widths) {
    await page.setViewport({ width, height: 800 });
    found[width] = await violations(page);
  }
  return found;
}

function openDetails(page) {
  return page.call(() => {
    for (const details of window.__browserTest.findAll('details')) details.open = true;
  });
}

/** Runs every lab in its first mode, or every one that has a model in that. */
async function runAll(page, mode) {
  for (const { id, modes } of LABS) {
    if (mode && !modes.includes(mode)) continue;
    if (mode && modes.length > 1) await page.click(labElement(id, `input[name=mode][value=${mode}]`));
    await page.click(labElement(id, 'button.run'));
    assert.equal(await untilState(page, id, ['done', 'failed', 'unavailable', 'stopped'], RUN_MS), 'done', id);
  }
}

inEngines('accessibility', ['chromium'], ({ test }) => {
  for (const colorScheme of ['light', 'dark']) {
    test(
      `${colorScheme}: axe finds nothing, before and after every lab's run and after a refusal; nothing moves, nothing comes from elsewhere`,
      async (page) => {
        await page.emulate({ colorScheme, reducedMotion: 'reduce' });
        await openLabPage(page, LABS[0].id);
        const found = { before: await violations(page) };
        await runAll(page);
        const moving = await page.call(() =>
          document.getAnimations().map((animation) => animation.animationName ?? 'transition'),
        );
        assert.deepEqual(moving, [], 'something moves by itself under reduced motion');
        const origin = new URL(await siteUrl()).origin;
        const foreign = page.requests.filter((url) => !/^(data|blob):/.test(url) && new URL(url).origin !== origin);
        assert.deepEqual(foreign, [], 'something was asked of another origin');
        await openDetails(page);
        found.after = await violationsAt(page, AXE_WIDTHS);
        await page.fill(labElement('cpu-bound', '#p-workers'), '1000');
        await page.press('Tab');
        await page.click(labElement('cpu-bound', 'button.run'));
        await untilState(page, 'cpu-bound', ['unavailable']);
        found.refused = await violations(page);
        assert.deepEqual(found, { before: [], after: CLEAN, refused: [] });
      },
      { limitMs: 150_000 },
    );

    test(
      `${colorScheme}: axe finds nothing after any model's run, nor after a refusal`,
      async (page) => {
        await page.emulate({ colorScheme, reducedMotion: 'reduce' });
        await openLabPage(page, LABS[0].id);
        await runAll(page, 'model');
        await openDetails(page);
        const found = { after: await violationsAt(page, AXE_WIDTHS) };
        await page.fill(labElement('fan-out', '#p-requests'), '1000000');
        await page.press('Tab');
        await page.click(labElement('fan-out', 'button.run'));
        await untilState(page, 'fan-out', ['unavailable']);
        found.refused = await violations(page);
        assert.deepEqual(found, { after: CLEAN, refused: [] });
      },
      { limitMs: 150_000 },
    );
  }

  test('without scripts the page still tells what each lab asks and what the lessons measured', async (page) => {
    await page.withoutJavaScript();
    await page.goto(await siteUrl('index.html'));
    const seen = await page.puppeteer.evaluate(`({
      text: document.body.innerText,
      figures: [...document.querySelectorAll('[data-provenance=published], [data-provenance=derived]')].filter((e) => e.checkVisibility()).length,
      labs: document.querySelectorAll('concurrency-lab').length,
    })`);
    for (const { title } of LABS) assert.ok(seen.text.includes(title), `without scripts, "${title}" is missing`);
    assert.equal(seen.labs, LABS.length);
    assert.ok(seen.figures > 0, 'no published figure can be seen');
    assert.ok(seen.text.split(/\s+/).length > 150, 'there is hardly any prose');
  });

  test(`before a run the page loads at most ${BUDGET_KIB} KiB of script and style, and no wasm`, async (page) => {
    await openLabPage(page, LABS[0].id);
    const loaded = [...new Set(page.served.map((path) => new URL(path, 'http://site').pathname))];
    const wasm = loaded.filter((path) => path.endsWith('.wasm'));
    assert.deepEqual(wasm, [], 'wasm before the first run');
    const counted = loaded.filter((path) => /\.(js|css)$/.test(path));
    assert.ok(counted.some((path) => path.endsWith('.js')) && counted.some((path) => path.endsWith('.css')));
    const kib = counted.reduce((sum, path) => sum + gzipSync(readFileSync(DIST + path)).length / 1024, 0);
    assert.ok(kib <= BUDGET_KIB, `${kib.toFixed(1)} KiB: ${counted}`);
  });
});

inEngines('width', ['chromium', 'firefox'], ({ test }) => {
  test(
    `nothing is wider than the window at ${WIDTHS.join(', ')}, before and after runs`,
    async (page) => {
      const wide = {};
      await openLabPage(page, LABS[0].id);
      const measure = async (when) => {
        for (const width of WIDTHS) {
          await page.setViewport({ width, height: 800 });
          const found = await tooWide(page);
          if (found.length > 0) wide[`${when} at ${width}`] = found;
        }
      };
      await measure('before');
      await runAll(page);
      await measure('after');
      await runAll(page, 'model');
      await measure('after the models');
      assert.deepEqual(wide, {});
    },
    { limitMs: 120_000 },
  );
});
