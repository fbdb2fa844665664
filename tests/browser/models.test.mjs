// The models in every engine: the same trace as natively, to the byte; a trace to draw where there is one row; stops,
// turns, and the machine that is this browser. What a lab's model must show is tested natively.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { LABS, labOf } from './support/lab-list.mjs';
import { openPlayground, runLab, workers } from './support/playground.mjs';
import { checkResult } from './support/result-checks.mjs';
import { ROOT } from './support/site.mjs';
import { ALL, inEngines } from './support/suite.mjs';

/** Runs of models and the hashes of their traces, written by the native tests. */
const NATIVE = JSON.parse(readFileSync(`${ROOT}tests/fixtures/trace-hashes.json`, 'utf8'));
const MODELLED = LABS.filter(({ modes }) => modes.includes('model'));

/** A search of more states than the budget holds: it is in its midst for many seconds. */
const LONG_SEARCH = {
  lab: 'interleavings',
  mode: 'model',
  params: { program: 'counter', threads: 8, increments: 50, grain: 'access' },
};

/** A model that goes on for minutes: threads that ask each other for the lock every microsecond. */
const LONG = {
  lab: 'cpu-bound',
  mode: 'model',
  params: { tasks: 64, workers: 64, size: 20_000_000, switchIntervalUs: 1, cores: 1 },
};
const STOP_LIMIT_MS = 2000;

/** Runs in the page: starts a run and aborts it at its first report of this kind; tells how that went. */
async function stopAt(request, sampling) {
  const controller = new AbortController();
  const seen = { reports: 0, reportsAfterwards: 0 };
  let abortedAt;
  let settled = false;
  const onProgress = (progress) => {
    if (settled) seen.reportsAfterwards += 1;
    if (abortedAt !== undefined || progress.queued > 0 || progress.sampling !== sampling || progress.label === '')
      return;
    seen.reports += 1;
    abortedAt = performance.now();
    controller.abort();
  };
  const how = await window.playground.run(request, { signal: controller.signal, onProgress }).then(
    () => 'it ended by itself',
    (error) => error?.name,
  );
  settled = true;
  const tookMs = performance.now() - abortedAt;
  const left = window.__workers.filter(({ role, ended }) => !ended && role !== 'session').map(({ role }) => role);
  return { how, tookMs, ...seen, left };
}

/** Every list of a struct of columns is equally long. */
function checkColumns(columns, what) {
  const lengths = Object.values(columns).map(({ length }) => length);
  assert.ok(lengths.length > 0 && new Set(lengths).size === 1, `${what}: columns of ${lengths}`);
}

/** A trace can be drawn: its parts name each other, and each lane's states follow each other without gaps. */
function checkTrace({ lanes, spans, states, names, wakes, instants }) {
  for (const [what, columns] of Object.entries({ lanes, spans, wakes, instants })) checkColumns(columns, what);
  assert.ok(lanes.kind.length > 0 && spans.lane.length > 0, 'nothing happened');
  for (const [place, parent] of lanes.parent.entries()) assert.ok(parent <= place, `lane ${place} below ${parent}`);
  const ends = new Map();
  for (const [place, lane] of spans.lane.entries()) {
    const [start, end] = [spans.startNs[place], spans.endNs[place]];
    assert.ok(lane < lanes.kind.length && spans.state[place] < states.length && spans.call[place] < names.length);
    assert.ok(Number.isInteger(start) && start <= end, `span ${place}: ${start} to ${end}`);
    assert.equal(start, ends.get(lane) ?? start, `a gap before span ${place} of lane ${lane}`);
    ends.set(lane, end);
  }
}

inEngines('models', ALL, ({ name, sharedMemory, reports, test }) => {
  const engine = { name, sharedMemory, reports };

  for (const { id } of MODELLED) {
    const cases = NATIVE.filter(({ lab }) => lab === id);

    test(
      `${id}: every trace is the one that is made natively, and the same again`,
      async (page) => {
        assert.ok(
          cases.some(({ params, seed }) => seed === 1 && Object.keys(params).length === 0),
          'the defaults are not among the native runs',
        );
        await openPlayground(page);
        const hashes = await page.callWithin(
          80_000,
          'all runs',
          async (asked) => {
            const all = [];
            for (const { lab, params, seed } of [...asked, asked[0]]) {
              all.push((await window.playground.run({ lab, mode: 'model', params, seed })).traceHash);
            }
            return all;
          },
          cases,
        );
        assert.equal(hashes.pop(), hashes[0], 'the same run once more');
        const told = (hash, place) => ({ ...cases[place], traceHash: hash });
        assert.deepEqual(hashes.map(told), cases);
      },
      { limitMs: 90_000 },
    );
  }

  test('a run of one row has a trace that can be drawn', async (page) => {
    await openPlayground(page);
    for (const [lab, params] of [
      ['event-loop', { scene: 'cancel-and-clean-up' }],
      ['fan-out', { variant: 'limited' }],
      ['stall', { variant: 'handlers-blocking', runtime: 'gil' }],
      ['lost-updates', { variant: 'wide', runtime: 'gil' }],
    ]) {
      const result = await runLab(page, lab, params, { mode: 'model' });
      checkResult(result, labOf(lab), engine, params, 'model');
      assert.equal(result.rows.length, 1, lab);
      checkTrace(result.trace);
    }
  });

  test('stop in the middle of a long model: at once, as an AbortError, and the next run is the same as ever', async (page) => {
    await openPlayground(page);
    const {
      how,
      tookMs,
      reports: stops,
      reportsAfterwards,
    } = await page.callWithin(40_000, 'the stop', stopAt, LONG, true);
    assert.deepEqual([how, stops, reportsAfterwards], ['AbortError', 1, 0]);
    assert.ok(tookMs < STOP_LIMIT_MS, `took ${tookMs} ms`);
    const next = NATIVE.find(({ lab }) => lab === 'stall');
    const { traceHash } = await runLab(page, next.lab, next.params, { mode: 'model', seed: next.seed });
    assert.equal(traceHash, next.traceHash);
  });

  test('stop in the middle of a long search: at once, as an AbortError, and the next search is the same as ever', async (page) => {
    await openPlayground(page);
    const { how, tookMs, reportsAfterwards } = await page.callWithin(40_000, 'the stop', stopAt, LONG_SEARCH, true);
    assert.deepEqual([how, reportsAfterwards], ['AbortError', 0]);
    assert.ok(tookMs < STOP_LIMIT_MS, `took ${tookMs} ms`);
    const next = NATIVE.find(({ lab }) => lab === 'interleavings');
    const { traceHash } = await runLab(page, next.lab, next.params, { mode: 'model', seed: next.seed });
    assert.equal(traceHash, next.traceHash);
  });

  test('a model and a measured run side by side: neither waits for the other; two models take turns', async (page) => {
    await openPlayground(page);
    const seen = await page.callWithin(
      50_000,
      'all runs',
      async (long) => {
        const order = [];
        const queued = {};
        const start = (what, request, signal) => {
          const onProgress = (progress) => {
            queued[what] = Math.max(queued[what] ?? 0, progress.queued);
          };
          return window.playground.run(request, { signal, onProgress }).then(
            () => order.push(what),
            ({ name }) => order.push(`${what}: ${name}`),
          );
        };
        const stop = new AbortController();
        // The model would go on for minutes: whatever ends meanwhile has not waited for it.
        const model = start('long model', long, stop.signal);
        const behind = start('model behind it', { lab: 'stall', mode: 'model' });
        await start('measured', { lab: 'capabilities', mode: 'measured' });
        stop.abort();
        await Promise.all([model, behind]);
        const params = { variant: 'blocking', where: 'worker', callMs: 3000 };
        const measured = start('measured, of 3 s', { lab: 'stall', mode: 'measured', params });
        await Promise.all([measured, start('model beside it', { lab: 'event-loop', mode: 'model' })]);
        return { order, queued };
      },
      LONG,
    );
    assert.deepEqual(seen.order, [
      'measured',
      'long model: AbortError',
      'model behind it',
      'model beside it',
      'measured, of 3 s',
    ]);
    assert.equal(seen.queued['model behind it'], 1);
    assert.equal(seen.queued.measured, 0);
    assert.equal(seen.queued['model beside it'], 0);
  });

  test('the machine `here`: probes of this browser first, then the model of what they found', async (page) => {
    await openPlayground(page);
    const params = { preset: 'here' };
    const { result, kinds } = await page.callWithin(
      50_000,
      'the model of this browser',
      async (asked) => {
        const heard = [];
        const onProgress = ({ sampling, label }) => heard.push(label === '' ? 'nothing yet' : sampling);
        const modelled = await window.playground.run(
          { lab: 'cpu-bound', mode: 'model', params: asked },
          { onProgress },
        );
        return { result: modelled, kinds: heard.filter((kind, place) => kind !== heard[place - 1]) };
      },
      params,
    );
    checkResult(result, labOf('cpu-bound'), engine, params, 'model');
    assert.deepEqual(kinds, ['nothing yet', false, true], 'probes, then the model');
    const { found } = result.environment;
    for (const probed of ['names_ps', 'squares_ps', 'modulo_ps', 'addition_ps', 'process_start', 'interpreter_start']) {
      assert.ok(found[probed] > 0, `${probed} is ${found[probed]}`);
    }
    assert.equal(found.cores, result.params.cores);
  });

  test('stop during the probes: at once, nothing is left, and the next run works', async (page) => {
    await openPlayground(page);
    const request = { lab: 'stall', mode: 'model', params: { preset: 'here' } };
    const {
      how,
      tookMs,
      reports: stops,
      reportsAfterwards,
      left,
    } = await page.callWithin(40_000, 'the stop', stopAt, request, false);
    assert.deepEqual([how, stops, reportsAfterwards, left], ['AbortError', 1, 0, []]);
    assert.ok(tookMs < STOP_LIMIT_MS, `took ${tookMs} ms`);
    const again = await runLab(page, 'stall', { preset: 'here' }, { mode: 'model' });
    checkResult(again, labOf('stall'), engine, { preset: 'here' }, 'model');
    const measured = await runLab(page, 'capabilities');
    assert.equal(measured.mode, 'measured');
  });

  test('a model starts its own session and nothing else', async (page) => {
    await openPlayground(page);
    await runLab(page, 'fan-out', { variant: 'tasks' }, { mode: 'model' });
    assert.deepEqual(
      (await workers(page)).map(({ role }) => role),
      ['session'],
    );
    const loaded = page.served.filter((path) => /\.wasm|worker-/.test(path));
    assert.deepEqual([...new Set(loaded.map((path) => path.replace(/^.*\//, '')))].sort(), [
      'model.wasm',
      'worker-model.js',
    ]);
  });
});
