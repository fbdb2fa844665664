// A bare page with dist/playground.js on it, and its public functions called from a test. Not here: what a good answer
// is.

import assert from 'node:assert/strict';
import { siteUrl, TESTS_PATH } from './site.mjs';

/** Opens the bare page. `serviceWorker: 'refused'` makes every access to `navigator.serviceWorker` throw. */
export async function openPlayground(page, { headers = true, root, serviceWorker } = {}) {
  const query = serviceWorker ? `?service-worker=${serviceWorker}` : '';
  await page.goto(await siteUrl(`${TESTS_PATH}bare.html${query}`, { headers, ...(root ? { root } : {}) }));
  const state = await page.untilAttribute('#status', 'data-state', ['loaded', 'failed']);
  assert.equal(state, 'loaded', await page.text('#status'));
}

/** The labs' descriptions. */
export function labs(page) {
  return page.call(async () => [...(await window.playground.labs)]);
}

/** Runs a lab measured, and gives its result as JSON; rejects with what it was refused with. */
export function runLab(page, lab, params = {}, { limitMs = 60_000, ...rest } = {}) {
  const request = { lab, mode: 'measured', params, ...rest };
  return page.callWithin(limitMs, `lab ${lab} to end`, (asked) => window.playground.run(asked), request);
}

/** The workers that the page has started so far: role and whether they were ended. */
export function workers(page) {
  return page.call(() => window.__workers);
}

/** The rows of a result with these fields, for example `{strategy: 'threads', runtime: 'gil'}`. */
export function rowsOf(result, wanted) {
  return result.rows.filter((row) => Object.entries(wanted).every(([key, value]) => row[key] === value));
}

/** The one row with these fields. */
export function rowOf(result, wanted) {
  const found = rowsOf(result, wanted);
  assert.equal(found.length, 1, `rows with ${JSON.stringify(wanted)} in ${result.rows.map(({ label }) => label)}`);
  return found[0];
}
