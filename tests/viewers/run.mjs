// Exports in the viewers that people use: `node tests/viewers/run.mjs [--only PATTERN] [DIRECTORY]`.
// Writes the exports (or takes those in DIRECTORY), opens each in Perfetto and in speedscope in a headless Chromium, and
// compares what they found with what the file says. The first run fetches Perfetto.

import { execFileSync } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startServer } from '../../www/build/serve.mjs';
import { startPuppeteer } from '../browser/support/puppeteer-engine.mjs';
import { checkInPerfetto } from './perfetto.mjs';
import { perfettoUi } from './perfetto-ui.mjs';
import { checkInSpeedscope } from './speedscope.mjs';
import { readTrace } from './trace-file.mjs';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const TRACES = `${ROOT}target/viewers/traces`;
const TRACES_PATH = '/__traces__/';
const EVALUATE_LIMIT_MS = 60_000;

function writeExports() {
  const cargo = process.env.CARGO ?? 'cargo';
  execFileSync(cargo, ['run', '--locked', '--quiet', '--example', 'exports', '--', TRACES], {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return TRACES;
}

const VIEWERS = {
  perfetto: { files: perfettoUi, check: checkInPerfetto },
  speedscope: { files: () => `${ROOT}node_modules/speedscope/dist/release`, check: checkInSpeedscope },
};

/** Opens every trace in one viewer, one after another; how many were shown as they should be, and how many not. */
async function inViewer([viewer, { files, check }], chromium, directory, names) {
  const totals = { passed: 0, failed: 0 };
  if (names.length === 0) return totals;
  const server = await startServer({ root: await files(), headers: false, mounts: { [TRACES_PATH]: directory } });
  for (const name of names) {
    const tab = await chromium.open();
    try {
      const url = new URL(TRACES_PATH + name, server.url).href;
      const found = await check(tab.puppeteer, server.url, url, await readTrace(`${directory}/${name}`));
      console.log(`${viewer}: ${name}: ${found}`);
      totals.passed += 1;
    } catch (error) {
      console.error(`${viewer}: ${name}: FAILED: ${error.message}`);
      totals.failed += 1;
    } finally {
      await tab.close();
    }
  }
  await server.close();
  return totals;
}

async function main() {
  const { values, positionals } = parseArgs({ options: { only: { type: 'string' } }, allowPositionals: true });
  const only = new RegExp(values.only ?? '');
  const directory = positionals[0] ?? writeExports();
  const names = (await readdir(directory)).filter((name) => name.endsWith('.json')).sort();
  const started = performance.now();
  const chromium = await startPuppeteer('chromium', { evaluateLimitMs: EVALUATE_LIMIT_MS });
  const all = await Promise.all(
    Object.entries(VIEWERS).map((viewer) => {
      const wanted = names.filter((name) => only.test(`${viewer[0]}: ${name}`));
      return inViewer(viewer, chromium, directory, wanted);
    }),
  );
  await chromium.close();
  const passed = all.reduce((sum, totals) => sum + totals.passed, 0);
  const failed = all.reduce((sum, totals) => sum + totals.failed, 0);
  if (passed + failed === 0) throw new Error('no trace matches');
  const seconds = Math.round((performance.now() - started) / 1000);
  console.log(`viewers: ${passed} passed, ${failed} failed in ${seconds} s`);
  process.exitCode = failed === 0 ? 0 : 1;
}

main().catch((error) => {
  console.error(`viewers: ${error.message}`);
  process.exit(1);
});
