// The benchmarks: `node tests/bench/run.mjs [--rounds N]`.
// Every row is a ratio of two things measured in turn in this one run, by their fastest samples: noise only adds.
// Prints a table and writes target/bench.json. It judges nothing: a slow machine is no failure.

import { execFileSync } from 'node:child_process';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bundleTests } from '../../www/build/bundle.mjs';
import { startEngine } from '../browser/support/engines.mjs';
import { Page } from '../browser/support/page.mjs';
import { closeSites, ROOT, siteUrl } from '../browser/support/site.mjs';

const BROWSERS = ['chromium', 'firefox'];
const NAMES = 150_000;
const STEPS = 3_000_000;
const BUFFER_KIB = 32 * 1024;
/** The machine's loads as in src/loads.rs. */
const LOADS = {
  effects: 3_000_000,
  'effects-traced': 3_000_000,
  'effects-on-four': 3_000_000,
  timers: 1_000_000,
  sleeps: 1_000_000,
  tasks: 100_000,
  'fan-out': 10_000,
};
/** Counters whose schedules are all searched, as in src/loads.rs, and how long each may take in Chromium. */
const COUNTERS = [
  { threads: 2, increments: 5 },
  { threads: 2, increments: 10, aimMs: 3 },
  { threads: 2, increments: 20, aimMs: 60 },
  { threads: 3, increments: 3, aimMs: 5 },
  { threads: 3, increments: 5 },
  { threads: 4, increments: 5, aimMs: 1000 },
];
const LONG_RUN = 10_000_000;
/** So many that what the module takes by itself is little beside them. */
const MANY_TASKS = 900_000;
/** A browser is busy with itself for its first seconds; samples taken then are twice as long. */
const SETTLE_MS = 4000;

const { values: wanted } = parseArgs({ options: { rounds: { type: 'string', default: '5' } } });
const ROUNDS = Number(wanted.rounds);
if (!Number.isInteger(ROUNDS) || ROUNDS < 1 || ROUNDS > 100) throw new Error('--rounds takes a number from 1 to 100');

/** The native half, built twice: with the processor's SHA instructions, and without, as WebAssembly has none. */
function buildNative() {
  const cargo = process.env.CARGO ?? 'cargo';
  const build = (target, flags) => {
    const env = { ...process.env, CARGO_TARGET_DIR: join(ROOT, target), RUSTFLAGS: flags };
    const which = ['--profile', 'native', '--features', 'bench', '--bin', 'native_bench'];
    execFileSync(cargo, ['build', '--locked', '--quiet', ...which], { cwd: ROOT, env, stdio: 'inherit' });
    return join(ROOT, target, 'native/native_bench');
  };
  return {
    usual: build('target/bench', ''),
    soft: build('target/bench-soft', '--cfg sha2_backend="soft"'),
  };
}

function native(program, what, repeats) {
  const lines = execFileSync(program, [what, String(repeats)], { encoding: 'utf8' })
    .trim()
    .split('\n');
  return lines.map((line) => JSON.parse(line));
}

/** The fastest of all samples taken of one thing. */
class Fastest {
  #samples = new Map();

  add(name, samples) {
    const all = this.#samples.get(name) ?? [];
    all.push(...samples);
    this.#samples.set(name, all);
  }

  of(name) {
    const all = this.#samples.get(name);
    return all ? Math.min(...all) : Number.NaN;
  }

  quantile(name, share) {
    const all = [...(this.#samples.get(name) ?? [])].sort((a, b) => a - b);
    return all[Math.min(all.length - 1, Math.floor(all.length * share))] ?? Number.NaN;
  }

  all() {
    return Object.fromEntries(this.#samples);
  }
}

async function openBrowser(name) {
  const engine = await startEngine(name);
  const page = new Page(await engine.open(), engine);
  await page.goto(await siteUrl('__tests__/bench.html'));
  await page.untilAttribute('html', 'data-ready', ['yes']);
  const ask = (what, ...args) => page.call((method, ...rest) => window.bench[method](...rest), what, ...args);
  return { name, ask, close: () => engine.close() };
}

const alone = { type: 'alone' };
const threads = (workers, runtime) => ({ type: 'threads', workers, runtime, switchIntervalUs: 5000 });

/** Single-threaded work, native and in both builds. */
async function measureOneThread(fastest, programs, browsers) {
  for (const [workload, size] of [
    ['names', NAMES],
    ['modulo', STEPS],
    ['squares', STEPS],
  ]) {
    fastest.add(`${workload} native`, native(programs.usual, workload, 8)[0].samples);
    for (const { name, ask } of browsers) {
      for (const [build, pool] of [
        ['threaded', 2],
        ['plain', 0],
      ]) {
        const { elapsedMs } = await ask('compute', { workload, size, tasks: 1, pool, hands: alone, repeats: 8 });
        fastest.add(`${workload} ${name} ${build}`, elapsedMs);
      }
    }
  }
  for (const { name, ask } of browsers) {
    fastest.add(`names ${name} javascript`, (await ask('javaScript', NAMES, 2)).elapsedMs);
  }
  const [python] = execFileSync('python3', [join(ROOT, 'tests/bench/names.py'), String(NAMES)], {
    encoding: 'utf8',
  }).split(' ');
  fastest.add('names cpython', [Number(python)]);
}

async function measureDigest(fastest, programs, browsers) {
  fastest.add('sha256 native software', native(programs.soft, 'sha256', 3)[0].samples);
  fastest.add('sha256 native', native(programs.usual, 'sha256', 3)[0].samples);
  for (const { name, ask } of browsers) {
    fastest.add(`sha256 ${name}`, (await ask('digest', BUFFER_KIB, 3, 2)).elapsedMs);
    fastest.add(`sha256 ${name} webcrypto`, (await ask('webCrypto', BUFFER_KIB, 3)).elapsedMs);
  }
}

/** Serial and parallel in turn, the same job: 8 tasks on one worker, then on two threads; under the lock on four. */
async function measureParallel(fastest, programs, browsers) {
  const [serialNative, twoNative] = native(programs.usual, 'parallel', 2);
  fastest.add('parallel native serial', serialNative.samples);
  fastest.add('parallel native two', twoNative.samples);
  for (const { name, ask } of browsers) {
    const job = { workload: 'names', size: NAMES, tasks: 8, pool: 4 };
    for (let pair = 0; pair < 2; pair += 1) {
      const serial = await ask('compute', { ...job, hands: alone, repeats: 1 });
      fastest.add(`parallel ${name} serial`, serial.elapsedMs);
      const two = await ask('compute', { ...job, hands: threads(2, 'free-threaded'), repeats: 1 });
      fastest.add(`parallel ${name} two`, two.elapsedMs);
      const lock = await ask('compute', { ...job, hands: threads(4, 'gil'), repeats: 1 });
      fastest.add(`parallel ${name} lock`, lock.elapsedMs);
    }
  }
}

async function measureStarts(fastest, browsers) {
  for (const { name, ask } of browsers) {
    await ask('rest');
    fastest.add(`pool ${name} rebuild`, (await ask('poolStarts', 2, 5)).elapsedMs);
    fastest.add(`stop ${name}`, (await ask('stops', 20)).elapsedMs);
  }
}

/** The very first start in a fresh browser: compiling and all. */
async function measureFirstStart(fastest, browser) {
  fastest.add(`pool ${browser.name} first`, (await browser.ask('poolStarts', 2, 1)).elapsedMs);
}

/** The machine: natively, in WebAssembly on the page, and beside other loops on the same work. */
async function measureMachine(fastest, programs, browsers) {
  for (const { measurement, samples } of native(programs.usual, 'machine', 3)) {
    fastest.add(`${measurement} native`, samples);
  }
  for (const { name, ask } of browsers) {
    for (const [load, size] of Object.entries(LOADS)) {
      fastest.add(`machine-${load} ${name}`, (await ask('machineLoad', load, size, 3)).elapsedMs);
    }
    fastest.add(`machine-jumps ${name}`, (await ask('machineJumps', LONG_RUN)).elapsedMs);
    fastest.add(`machine-memory ${name}`, [(await ask('machineMemory', MANY_TASKS)).bytes]);
  }
}

/** The search through all schedules, natively and in WebAssembly on the page. */
async function measureExplorer(fastest, programs, browsers) {
  for (const { measurement, samples, about } of native(programs.usual, 'explore', 3)) {
    fastest.add(`${measurement} native`, samples);
    fastest.add(`${measurement} states`, [about.states]);
  }
  for (const { name, ask } of browsers) {
    for (const { threads, increments } of COUNTERS) {
      const { countingMs, allMs } = await ask('explore', threads, increments, 3);
      fastest.add(`explore-${threads}x${increments} ${name}`, countingMs);
      fastest.add(`explore-${threads}x${increments}-with-witnesses ${name}`, allMs);
    }
  }
}

/** Other explorers on the same counters, natively: time, and what they got done in it. */
function otherExplorers(programs) {
  return native(programs.usual, 'other-explorers', 1).map(({ samples, about }) => ({ ms: samples[0], ...about }));
}

function explorerRows(fastest, others, row) {
  for (const { threads, increments, aimMs } of COUNTERS) {
    const name = `explore-${threads}x${increments}`;
    const states = fastest.of(`${name} states`);
    for (const where of ['native', ...BROWSERS]) {
      const ms = fastest.of(`${name} ${where}`);
      const whole = fastest.of(`${name}-with-witnesses ${where}`);
      const speed = `${(states / ms / 1000).toFixed(1)} M states/s`;
      const aim = where === 'chromium' && aimMs ? `≤ ${aimMs}` : '';
      row(
        `schedules, ${threads} × ${increments}, ${where}`,
        `${ms.toFixed(2)} ms, ${speed}, ${whole.toFixed(2)} ms with witnesses`,
        aim,
      );
    }
    for (const other of others.filter((one) => one.threads === threads && one.increments === increments)) {
      const rate = `${Math.round(other.executions / (other.ms / 1000)).toLocaleString('en')} executions/s`;
      const value = other.done ? `${other.ms.toFixed(1)} ms` : `not done in ${(other.ms / 1000).toFixed(0)} s`;
      row(`schedules, ${threads} × ${increments}, ${other.explorer}, native`, `${value}, ${rate}`);
    }
  }
}

/** Processor time of other loops: CPython's, Node's and tokio's. */
function measureOtherLoops(fastest, programs) {
  const sizes = JSON.stringify(LOADS);
  const run = (program, ...args) => JSON.parse(execFileSync(program, [...args, sizes], { encoding: 'utf8' }));
  const all = {
    cpython: run('python3', join(ROOT, 'tests/bench/loops.py')),
    node: run(process.execPath, join(ROOT, 'tests/bench/loops.mjs')),
    tokio: run(programs.usual, 'tokio'),
  };
  for (const [other, loads] of Object.entries(all)) {
    for (const [load, ms] of Object.entries(loads)) fastest.add(`machine-${load} ${other}`, [ms]);
  }
}

function machineRows(fastest, row) {
  const ms = (name) => `${fastest.of(name).toFixed(1)} ms`;
  const millions = (load, count, where) => `${(count / fastest.of(`machine-${load} ${where}`) / 1000).toFixed(1)} M/s`;
  for (const where of ['native', ...BROWSERS]) {
    const aim = (text) => (where === 'chromium' ? text : '');
    row(`machine, effects, ${where}`, millions('effects', LOADS.effects, where), aim('≥ 10 M/s'));
    row(
      `machine, effects traced, ${where}`,
      millions('effects-traced', LOADS['effects-traced'], where),
      aim('≥ 5 M/s'),
    );
    row(`machine, effects of four threads, ${where}`, millions('effects-on-four', LOADS['effects-on-four'], where));
    row(`machine, timers, 100,000 pending, ${where}`, millions('timers', LOADS.timers, where), aim('≥ 2 M/s'));
    row(`machine, sleeps of 100,000 tasks, ${where}`, millions('sleeps', LOADS.sleeps, where));
    row(`machine, 100,000 tasks, ${where}`, ms(`machine-tasks ${where}`), aim('≤ 50'));
    row(`machine, 10,000 requests, ${where}`, ms(`machine-fan-out ${where}`), aim('≤ 50'));
    const jump = fastest.quantile(`machine-jumps ${where}`, 1);
    row(`machine, any event of 10 M effects, ${where}`, `${jump.toFixed(2)} ms`, aim('≤ 100'));
  }
  row('machine, memory of a task', `${fastest.of('machine-memory chromium').toFixed(0)} B`, '≤ 300 B');
  for (const other of ['cpython', 'node', 'tokio']) {
    for (const load of ['tasks', 'timers', 'sleeps', 'fan-out']) {
      // tokio has no timers without a task.
      if (other === 'tokio' && load === 'timers') continue;
      const ratio = fastest.of(`machine-${load} ${other}`) / fastest.of(`machine-${load} chromium`);
      row(`machine, ${load}, ${other} / chromium`, `${ratio.toFixed(2)} ×`);
    }
  }
}

function report(fastest, others) {
  const rows = [];
  const row = (what, value, aim = '') => rows.push({ what, value, aim });
  const ratio = (a, b) => `${(fastest.of(a) / fastest.of(b)).toFixed(2)} ×`;
  const ms = (name) => `${fastest.of(name).toFixed(1)} ms`;
  row('names, native, one task', ms('names native'));
  for (const browser of BROWSERS) {
    const names = `names ${browser} threaded`;
    row(`names, ${browser} / native`, ratio(names, 'names native'), '≤ 1.3');
    row(`names, CPython / ${browser}`, ratio('names cpython', names), '≥ 20');
    row(`names, JavaScript in ${browser} / wasm`, ratio(`names ${browser} javascript`, names));
    row(`names, ${browser} plain / threaded build`, ratio(`names ${browser} plain`, names));
    row(`modulo, ${browser} / native`, ratio(`modulo ${browser} threaded`, 'modulo native'), '≤ 1.1');
    row(`squares, ${browser} / native`, ratio(`squares ${browser} threaded`, 'squares native'));
    row(`SHA-256, ${browser} / native software`, ratio(`sha256 ${browser}`, 'sha256 native software'), '≤ 1.05');
    row(`SHA-256, ${browser} / native SHA instructions`, ratio(`sha256 ${browser}`, 'sha256 native'));
    row(`SHA-256, ${browser} / WebCrypto`, ratio(`sha256 ${browser}`, `sha256 ${browser} webcrypto`));
    const own = fastest.of(`parallel ${browser} serial`) / fastest.of(`parallel ${browser} two`);
    const rayon = fastest.of('parallel native serial') / fastest.of('parallel native two');
    row(`two workers, ${browser} speed-up`, `${own.toFixed(2)} ×`);
    row(`two workers, ${browser} / native rayon`, `${(own / rayon).toFixed(2)} × of ${rayon.toFixed(2)}`, '≥ 0.95');
    row(`four under the lock, ${browser} / serial`, ratio(`parallel ${browser} lock`, `parallel ${browser} serial`));
    row(`pool of two, ${browser}, first start`, ms(`pool ${browser} first`), '≤ 70');
    row(`pool of two, ${browser}, rebuild`, ms(`pool ${browser} rebuild`), '≤ 40');
    row(`stop, ${browser}, 95th percentile`, `${fastest.quantile(`stop ${browser}`, 0.95).toFixed(1)} ms`, '≤ 200');
  }
  machineRows(fastest, row);
  explorerRows(fastest, others, row);
  const width = Math.max(...rows.map(({ what }) => what.length));
  const wide = Math.max(...rows.map(({ value }) => value.length));
  for (const { what, value, aim } of rows) {
    console.log(`${what.padEnd(width)}  ${value.padStart(wide)}  ${aim && `aim ${aim}`}`.trimEnd());
  }
  return rows;
}

async function main() {
  const programs = buildNative();
  const pages = await bundleTests({
    from: join(ROOT, 'tests/bench/pages'),
    entries: [join(ROOT, 'tests/bench/pages/bench.ts')],
  });
  await cp(join(ROOT, 'target/bench-pkg'), join(pages, 'machine'), { recursive: true });
  const fastest = new Fastest();
  // First starts are counted in browsers of their own, each fresh.
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const name of BROWSERS) {
      const browser = await openBrowser(name);
      await new Promise((settled) => setTimeout(settled, SETTLE_MS / 2));
      await measureFirstStart(fastest, browser);
      await browser.close();
    }
  }
  const others = otherExplorers(programs);
  const browsers = [];
  for (const name of BROWSERS) browsers.push(await openBrowser(name));
  await new Promise((settled) => setTimeout(settled, SETTLE_MS));
  for (let round = 1; round <= ROUNDS; round += 1) {
    console.log(`round ${round} of ${ROUNDS}`);
    await measureOneThread(fastest, programs, browsers);
    await measureDigest(fastest, programs, browsers);
    await measureParallel(fastest, programs, browsers);
    await measureStarts(fastest, browsers);
    await measureMachine(fastest, programs, browsers);
    await measureExplorer(fastest, programs, browsers);
  }
  for (const browser of browsers) await browser.close();
  await closeSites();
  measureOtherLoops(fastest, programs);
  const rows = report(fastest, others);
  await mkdir(join(ROOT, 'target'), { recursive: true });
  await writeFile(
    join(ROOT, 'target/bench.json'),
    JSON.stringify({ rounds: ROUNDS, rows, samplesMs: fastest.all() }, null, 1),
  );
  console.log('bench: written to target/bench.json');
}

main().catch((error) => {
  console.error(`bench: ${error.message}`);
  process.exit(1);
});
