// A trace in speedscope: its own export tells what it has read.

import assert from 'node:assert/strict';
import { within } from '../browser/support/limits.mjs';

const LOAD_LIMIT_MS = 30_000;
/** What it says where begins and ends do not fit together. */
const COMPLAINT = /Tried to end|still open/;

/** Before the page's own scripts: keeps what is offered as a download. */
function keepDownloads() {
  window.downloads = [];
  const make = URL.createObjectURL.bind(URL);
  URL.createObjectURL = (blob) => {
    window.downloads.push(blob.text());
    return make(blob);
  };
}

/** In the page: presses the button with this text. */
function press(text) {
  const all = [...document.querySelectorAll('*')];
  const button = all.findLast((element) => element.textContent.trim().endsWith(text) && element.children.length < 2);
  button.dispatchEvent(new MouseEvent('click', { bubbles: true }));
}

/** Opens the trace at `url` in the page at `site` and compares. */
export async function checkInSpeedscope(page, site, url, expected) {
  const problems = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('dialog', (dialog) => {
    problems.push(dialog.message());
    dialog.dismiss();
  });
  page.on('console', (message) => {
    if (message.type() === 'error' || COMPLAINT.test(message.text())) problems.push(message.text());
  });
  await page.evaluateOnNewDocument(keepDownloads);
  await page.goto(`${site}index.html#profileURL=${encodeURIComponent(url)}`, { waitUntil: 'load' });
  const nTracks = expected.lengths.length;
  const isThere = (title) => document.body.textContent.includes(title);
  const title = nTracks > 1 ? `(1/${nTracks})` : '(tid ';
  const loaded = page.waitForFunction(isThere, { timeout: 0 }, title);
  await within(LOAD_LIMIT_MS, `speedscope to show ${title}`, loaded);
  await page.evaluate(press, 'Export');
  const saved = page.waitForFunction(() => window.downloads[0], { timeout: 0 });
  const text = await (await within(LOAD_LIMIT_MS, 'speedscope to export', saved)).jsonValue();
  checkProfiles(JSON.parse(text).profiles, expected);
  assert.deepEqual(problems.slice(0, 5), [], 'complaints of the page');
  return `${nTracks} profiles, ${expected.nFrames} frames`;
}

function checkProfiles(profiles, { lengths, nFrames }) {
  const nOpened = profiles.flatMap(({ events }) => events).filter(({ type }) => type === 'O').length;
  assert.equal(nOpened, nFrames, 'frames');
  // A profile is called "process (pid 3), task (tid 7)".
  const nameOf = (profile) => profile.name.match(/\), (.*) \(tid \d+\)$/)[1];
  assert.deepEqual(profiles.map(nameOf).sort(), lengths.map(({ name }) => name).sort(), 'profiles');
}
