// The engines that the tests run in, and what each of them is. One list: the command line, the suites and the reports
// walk it.

import { within } from './limits.mjs';
import { startPuppeteer } from './puppeteer-engine.mjs';
import { startWebKit } from './webkit-engine.mjs';

/** Longest time that one call into a page may take; a test's own limits are shorter. */
const EVALUATE_LIMIT_MS = 240_000;
const START_LIMIT_MS = 60_000;

/**
 * `sharedMemory`: threads over one memory work on an isolated page. `reports`: what the page's environment calls the
 * engine. `emulates`: colour scheme, reduced motion and a page without JavaScript can be asked for.
 */
export const ENGINES = {
  chromium: {
    sharedMemory: true,
    reports: 'chromium',
    emulates: true,
    start: (options) => startPuppeteer('chromium', options),
  },
  firefox: {
    sharedMemory: true,
    reports: 'firefox',
    emulates: false,
    start: (options) => startPuppeteer('firefox', options),
  },
  'webkit-shared': {
    sharedMemory: true,
    reports: 'webkit',
    emulates: false,
    start: (options) => startWebKit({ ...options, sharedMemory: true }),
  },
  webkit: {
    sharedMemory: false,
    reports: 'webkit',
    emulates: false,
    start: (options) => startWebKit({ ...options, sharedMemory: false }),
  },
};

/** A running engine: `open()` gives a page without any past, `close()` ends it. */
export async function startEngine(name) {
  const { start, ...facts } = ENGINES[name];
  const starting = start({ evaluateLimitMs: EVALUATE_LIMIT_MS });
  const engine = await within(START_LIMIT_MS, `${name} to start`, starting);
  return { name, ...facts, open: engine.open, close: engine.close };
}
