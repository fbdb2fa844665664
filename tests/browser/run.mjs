// The browser tests: `node tests/browser/run.mjs [--engine NAME]… [--only PATTERN] [--list]`.
// Makes the test pages, runs each theme (one file) in a process of its own, one after another so that two browsers
// never compete for the cores, and ends with the totals. The site itself must have been built before.

import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { run } from 'node:test';
import { spec as SpecReporter } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bundleTests } from '../../www/build/bundle.mjs';
import { ENGINES } from './support/engines.mjs';
import { DIST } from './support/site.mjs';

const HERE = fileURLToPath(new URL('.', import.meta.url));
/** No theme may take longer than this, in all its engines together. */
const THEME_LIMIT_MS = 900_000;
/** More failures than this are no accident. */
const MOST_SECOND_TRIES = 6;

const HELP = `node tests/browser/run.mjs [--engine NAME]… [--only PATTERN] [--list]
  --engine NAME   only in this engine; may be given again: ${Object.keys(ENGINES).join(', ')}
  --only PATTERN  only tests whose "theme in engine: title" matches this regular expression
  --list          print the tests and run none`;

function readArguments() {
  const { values } = parseArgs({
    options: {
      engine: { type: 'string', multiple: true },
      only: { type: 'string' },
      list: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  const unknown = (values.engine ?? []).find((name) => !Object.hasOwn(ENGINES, name));
  if (unknown) throw new Error(`there is no engine "${unknown}"; there are: ${Object.keys(ENGINES).join(', ')}`);
  return values;
}

function tellThemes({ engine, only, list }) {
  if (engine) process.env.BROWSER_TESTS_ENGINES = engine.join(',');
  if (only) process.env.BROWSER_TESTS_ONLY = only;
  if (list) process.env.BROWSER_TESTS_LIST = '1';
}

async function themes() {
  const names = await readdir(HERE);
  return names
    .filter((name) => name.endsWith('.test.mjs'))
    .sort()
    .map((name) => HERE + name);
}

/** Runs all themes and counts. A theme's own process is reported too when it ends badly, for example by its limit. */
function runThemes(files) {
  const totals = { passed: 0, failed: [] };
  return new Promise((resolve, reject) => {
    const events = run({ files, concurrency: 1, timeout: THEME_LIMIT_MS });
    // A theme of which no test was chosen is reported as one that passed.
    events.on('test:pass', ({ name, details }) => {
      if (details.type !== 'suite' && !files.includes(name)) totals.passed += 1;
    });
    events.on('test:fail', ({ name, details }) => {
      if (details.type !== 'suite' && !files.includes(name)) totals.failed.push(name);
      else if (files.includes(name) && details.error?.failureType !== 'subtestsFailed') totals.failed.push(name);
    });
    // Printed as it comes; the totals follow once the last line of the report is out.
    pipeline(events, new SpecReporter(), async (report) => {
      for await (const text of report) process.stdout.write(text);
    }).then(() => resolve(totals), reject);
  });
}

/**
 * Real browsers on a machine shared with others miss a time limit now and then. A test that fails runs once more, alone
 * and said aloud; one that is wrong fails again.
 */
async function secondTry(files, passed, failed) {
  console.log(`\nonce more, alone: ${failed.join('; ')}`);
  const literal = failed.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  process.env.BROWSER_TESTS_ONLY = `: (${literal.join('|')})$`;
  const again = await runThemes(files);
  // The same title may stand for several engines: all of them run again, and those that had passed count once.
  const recovered = again.failed.length === 0 && again.passed >= failed.length;
  if (recovered) console.log(`passed at the second try: ${failed.join('; ')}`);
  return recovered ? { passed: passed + failed.length, failed: [] } : { passed, failed };
}

async function main() {
  const wanted = readArguments();
  if (wanted.help) return console.log(HELP);
  tellThemes(wanted);
  if (!existsSync(`${DIST}/index.html`)) throw new Error('there is no built site; first run: ./build.sh build');
  const files = await themes();
  if (wanted.list) {
    for (const file of files) await import(file);
    return;
  }
  await bundleTests();
  const started = performance.now();
  let { passed, failed } = await runThemes(files);
  if (failed.length > 0 && failed.length <= MOST_SECOND_TRIES) {
    ({ passed, failed } = await secondTry(files, passed, failed));
  }
  const seconds = Math.round((performance.now() - started) / 1000);
  if (passed + failed.length === 0) throw new Error('no test matches');
  const outcome = failed.length === 0 ? `all ${passed} passed` : `${failed.length} FAILED, ${passed} passed`;
  console.log(`browser tests: ${outcome} in ${Math.floor(seconds / 60)} min ${seconds % 60} s`);
  process.exitCode = failed.length === 0 ? 0 : 1;
}

main().catch((error) => {
  console.error(`browser tests: ${error.message}`);
  process.exit(1);
});
