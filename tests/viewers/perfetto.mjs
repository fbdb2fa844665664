// A trace in Perfetto: what its trace processor found in the file, and that its page shows it.

import assert from 'node:assert/strict';
import { within } from '../browser/support/limits.mjs';

const LOAD_LIMIT_MS = 30_000;

/** In the page: the rows of a query as objects of texts. */
async function rowsOf(sql) {
  const result = await window.app.trace.engine.query(sql);
  const rows = [];
  for (const row = result.iter({}); row.valid(); row.next()) {
    rows.push(Object.fromEntries(result.columns().map((column) => [column, String(row.get(column))])));
  }
  return rows;
}

/** Opens the trace at `url` in the user interface at `site` and compares. */
export async function checkInPerfetto(page, site, url, expected) {
  const errors = [];
  page.on('pageerror', (error) => errors.push(error.message));
  // It asks two hosts of its makers and a helper program on this machine, and works without any of them.
  await page.setRequestInterception(true);
  page.on('request', (request) => (request.url().startsWith(site) ? request.continue() : request.abort()));
  await page.goto(`${site}#!/?url=${encodeURIComponent(url)}`, { waitUntil: 'load' });
  const loaded = page.waitForFunction(() => window.app?.trace && window.waitForPerfettoIdle, { timeout: 0 });
  await within(LOAD_LIMIT_MS, 'Perfetto to load the trace', loaded);
  await within(
    LOAD_LIMIT_MS,
    'Perfetto to draw',
    page.evaluate(() => window.waitForPerfettoIdle()),
  );
  const query = (sql) => page.evaluate(rowsOf, sql);
  const count = async (table) => Number((await query(`select count(*) as n from ${table}`))[0].n);

  const complaints = await query(
    "select name, value from stats where value > 0 and severity in ('error', 'data_loss')",
  );
  assert.deepEqual(complaints, [], 'Perfetto could not take all of it');
  assert.equal(await count('slice'), expected.nSpans + expected.nInstants, 'slices');
  assert.equal(await count('flow'), expected.nArrows, 'arrows');
  assert.equal(await count('counter'), expected.nCounts, 'values of counters');
  const tracks = await query('select distinct utid, thread.name as name from thread_track join thread using (utid)');
  assert.deepEqual(tracks.map(({ name }) => name).sort(), expected.tracks, 'tracks');
  await checkLengths(query, expected);
  const text = await page.evaluate(() => document.body.textContent);
  for (const name of expected.processes) assert.ok(text.includes(name), `the page does not show ${name}`);
  assert.deepEqual(errors, [], 'errors in the page');
  return `${expected.tracks.length} tracks, ${expected.nSpans} spans, ${expected.nArrows} arrows`;
}

async function checkLengths(query, { lengths }) {
  const seen = await query(
    `select thread.name as name, sum(slice.dur) as length from slice
     join thread_track on slice.track_id = thread_track.id join thread using (utid) group by utid`,
  );
  const bySize = (one, other) => one.name.localeCompare(other.name) || one.length - other.length;
  const found = seen.map(({ name, length }) => ({ name, length: Number(length) })).sort(bySize);
  const wanted = lengths.toSorted(bySize);
  for (const [place, { name, length }] of wanted.entries()) {
    assert.equal(found[place].name, name);
    assert.equal(found[place].length, length, `length of all spans of ${name}, in nanoseconds`);
  }
}
