// A contact sheet of the learner's pages: the page of all figures, and every lab, before and after a run in each of its
// modes, at three widths, light and dark, from Chromium into target/screenshots/. Nothing is compared; people look at it.
// `node tests/browser/screenshots.mjs [MODE]`

import { writeFile } from 'node:fs/promises';
import { startEngine } from './support/engines.mjs';
import { LABS } from './support/lab-list.mjs';
import { labElement, openLabPage, untilState } from './support/lab-page.mjs';
import { withPage } from './support/page.mjs';
import { closeSites, ROOT, siteUrl } from './support/site.mjs';
import { focusIn, openStepper, seen, untilAt } from './support/stepper-page.mjs';

const HOME = `${ROOT}target/screenshots`;
const SCHEMES = ['light', 'dark'];
const WIDTHS = [360, 768, 1280];
const HEIGHT = 900;
const RUN_MS = 60_000;
const [ONLY] = process.argv.slice(2);

const taken = [];

async function shoot(page, lab, state, colorScheme) {
  for (const width of WIDTHS) {
    await page.setViewport({ width, height: HEIGHT });
    const clip = await page.call((at) => {
      const { left, top, width: w, height: h } = window.__browserTest.find(at).getBoundingClientRect();
      return { x: left + scrollX, y: top + scrollY, width: w, height: h };
    }, labElement(lab));
    const name = `${lab}-${state}-${width}-${colorScheme}.png`;
    await page.screenshot(`${HOME}/${name}`, { clip, captureBeyondViewport: true });
    taken.push({ name, lab, state, width, colorScheme });
  }
}

/** Opens the stepper and lets the first two threads take turns. */
async function stepThrough(page, lab) {
  await openStepper(page, lab);
  await focusIn(page, 'button.go', lab);
  for (const [index, key] of [...'ABAB'].entries()) {
    if ((await seen(page, lab)).blocked[key === 'A' ? 0 : 1]) break;
    await page.press(key);
    await untilAt(page, index + 1, undefined, lab);
  }
}

async function shootFigures(page, colorScheme) {
  await page.goto(await siteUrl('figures.html'));
  await page.untilThere('.measuring:not([hidden])');
  for (const width of [320, ...WIDTHS]) {
    const name = `figures-${width}-${colorScheme}.png`;
    await page.screenshot(`${HOME}/${name}`, { width, height: HEIGHT, fullPage: true });
    taken.push({ name, lab: 'figures', state: 'whole', width, colorScheme });
  }
}

async function shootAll(page, colorScheme) {
  await page.emulate({ colorScheme });
  await shootFigures(page, colorScheme);
  await openLabPage(page, LABS[0].id);
  for (const width of WIDTHS) {
    await page.screenshot(`${HOME}/page-${width}-${colorScheme}.png`, { width, height: HEIGHT, fullPage: true });
    taken.push({ name: `page-${width}-${colorScheme}.png`, lab: 'page', state: 'whole', width, colorScheme });
  }
  for (const { id, modes, steps } of LABS) {
    for (const mode of modes.filter((one) => !ONLY || one === ONLY)) {
      if (modes.length > 1) await page.click(labElement(id, `input[name=mode][value=${mode}]`));
      await shoot(page, id, `${mode}-idle`, colorScheme);
      await page.click(labElement(id, 'button.run'));
      const state = await untilState(page, id, ['done', 'failed', 'unavailable', 'stopped'], RUN_MS);
      await shoot(page, id, `${mode}-${state}`, colorScheme);
      if (steps && mode === 'model') {
        await stepThrough(page, labElement(id));
        await shoot(page, id, 'steps', colorScheme);
      }
    }
  }
}

function sheet() {
  const picture = ({ name, width }) =>
    `<figure><a href="${name}"><img src="${name}" loading="lazy" width="${width / 2}" alt=""></a><figcaption>${name}</figcaption></figure>`;
  const groups = [...new Set(taken.map(({ lab }) => lab))].map(
    (lab) =>
      `<h2>${lab}</h2><div>${taken
        .filter((one) => one.lab === lab)
        .map(picture)
        .join('\n')}</div>`,
  );
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Contact sheet</title>
<style>body{font:14px sans-serif}div{display:flex;flex-wrap:wrap;gap:1em;align-items:start}figure{margin:0}img{border:1px solid #888}</style>
${groups.join('\n')}</html>\n`;
}

const engine = await startEngine('chromium');
try {
  for (const colorScheme of SCHEMES) await withPage(engine, (page) => shootAll(page, colorScheme));
  await writeFile(`${HOME}/index.html`, sheet());
  console.log(`screenshots: ${taken.length} pictures, see target/screenshots/index.html`);
} finally {
  await engine.close();
  await closeSites();
}
