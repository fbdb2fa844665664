// The claims of all labs, judged in a headless browser: `node tests/claims/run.mjs [--mode model|measured] [--seed N]
// [--lab ID] [--engine NAME] [--json FILE]`. It asks the page for machines, as any CI job can, and ends with status 1
// where a claim is false or a lab did not run. The site must have been built before.

import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { ENGINES, startEngine } from '../browser/support/engines.mjs';
import { LABS } from '../browser/support/lab-list.mjs';
import { withPage } from '../browser/support/page.mjs';
import { closeSites, DIST, siteUrl } from '../browser/support/site.mjs';
import { report } from './report.mjs';

const ENDED = ['done', 'stopped', 'failed', 'unavailable'];
/** A lab measured takes its time budget for each of its rows. */
const LIMIT_MS = 200_000;

function readArguments() {
  const { values } = parseArgs({
    options: {
      mode: { type: 'string', default: 'model' },
      seed: { type: 'string', default: '1' },
      lab: { type: 'string' },
      engine: { type: 'string', default: 'chromium' },
      json: { type: 'string' },
    },
  });
  if (!Object.hasOwn(ENGINES, values.engine)) {
    throw new Error(`there is no engine "${values.engine}"; there are: ${Object.keys(ENGINES).join(', ')}`);
  }
  if (!['model', 'measured'].includes(values.mode)) throw new Error('--mode takes model or measured');
  return values;
}

/** What the page for machines shows of one lab once it has ended; a page without any past for each. */
function shown(engine, lab, { mode, seed }) {
  return withPage(engine, async (page) => {
    await page.goto(await siteUrl(`run.html#${new URLSearchParams({ lab, mode, seed })}`), { mayReload: true });
    await page.untilAttribute('html', 'data-state', ENDED, LIMIT_MS);
    return JSON.parse(await page.call(() => document.querySelector('#result').textContent));
  });
}

/** The labs one after another, in teaching order; what an error said stands where a result would. */
async function runEach(engine, wanted) {
  const all = { schema: 0, results: [], failed: [] };
  const chosen = LABS.filter(({ id, modes }) =>
    wanted.lab === undefined ? modes.includes(wanted.mode) : id === wanted.lab,
  );
  if (chosen.length === 0)
    throw new Error(`there is no lab "${wanted.lab}"; there are: ${LABS.map(({ id }) => id).join(', ')}`);
  for (const { id: lab } of chosen) {
    const { error, ...result } = await shown(engine, lab, wanted);
    if (error) all.failed.push({ lab, ...error });
    else {
      all.schema = result.schema;
      all.results.push(result);
    }
  }
  return all;
}

async function main() {
  const wanted = readArguments();
  if (!existsSync(`${DIST}/run.html`)) throw new Error('there is no built site; first run: ./build.sh build');
  const engine = await startEngine(wanted.engine);
  try {
    const all = await runEach(engine, wanted);
    if (wanted.json) await writeFile(wanted.json, `${JSON.stringify(all, null, 1)}\n`);
    const { lines, troubles, ok } = report(all);
    console.log(lines.join('\n'));
    for (const trouble of troubles) console.error(`claims: ${trouble}`);
    process.exitCode = ok ? 0 : 1;
  } finally {
    await engine.close();
    await closeSites();
  }
}

main().catch((error) => {
  console.error(`claims: ${error.message}`);
  process.exit(1);
});
