// What every result must be, whatever the lab: shape, finite numbers, sources, claims as described, statistics that
// follow from the samples. Not here: what one lab promises beyond that.

import assert from 'node:assert/strict';

const PROVENANCES = ['measured', 'modelled', 'published', 'derived', 'reported'];
const RUNTIMES = ['gil-legacy', 'gil', 'free-threaded'];
const HOLDS = [true, false, 'not-applicable'];
/** Room for the last digits of a division done twice. */
const RELATIVE_ERROR = 1e-9;

function isText(value, what) {
  assert.equal(typeof value, 'string', what);
  assert.notEqual(value.trim(), '', `${what} is empty`);
}

/** No placeholder is left open, and no id stands where words should. */
function isSentence(value, what) {
  isText(value, what);
  assert.doesNotMatch(value, /\{[\w.]*\}/, `${what} has a placeholder left: ${value}`);
  assert.match(value, /\s/, `${what} is not in words: ${value}`);
}

function isClose(actual, expected, what) {
  const room = RELATIVE_ERROR * Math.max(1, Math.abs(expected));
  assert.ok(Math.abs(actual - expected) <= room, `${what}: ${actual} is not ${expected}`);
}

export function median(samples) {
  const sorted = [...samples].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return sorted.length % 2 === 1 ? sorted[Math.floor(middle)] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Null is how JSON writes NaN and infinities, so a null anywhere is a number that was none. */
function checkEverywhere(value, path) {
  assert.notEqual(value, null, `${path} is null: not a finite number`);
  if (typeof value === 'number') assert.ok(Number.isFinite(value), path);
  if (typeof value !== 'object') return;
  for (const [key, inner] of Object.entries(value)) checkEverywhere(inner, `${path}.${key}`);
}

function checkUnavailable(row, what) {
  isSentence(row.reason, `${what}: reason`);
  isSentence(row.cure, `${what}: cure`);
  assert.deepEqual(row.samplesMs, [], `${what} could not run and yet has samples`);
  for (const key of ['medianMs', 'speedup', 'totals', 'value', 'lost', 'overlap', 'longestGapMs']) {
    assert.ok(!(key in row), `${what} could not run and yet has ${key}`);
  }
}

function checkStatistics(row, baseline, what) {
  for (const sample of row.samplesMs) assert.ok(sample >= 0, `${what}: sample ${sample}`);
  if (row.samplesMs.length === 0) {
    assert.ok(!('medianMs' in row), `${what}: a median without samples`);
    return;
  }
  isClose(row.medianMs, median(row.samplesMs), `${what}: median`);
  // A model is exact: whatever it repeats has no interval.
  if (row.provenance === 'modelled') {
    for (const key of ['lowMs', 'highMs', 'speedupLow', 'speedupHigh']) assert.ok(!(key in row), `${what}: ${key}`);
    if ('speedup' in row && baseline) assert.ok(row.speedup > 0, `${what}: speed-up ${row.speedup}`);
    return;
  }
  const { min, max } = Math;
  const inside = (low, value, high, words) =>
    assert.ok(low <= value && value <= high, `${what}: ${words}: ${low}, ${value}, ${high}`);
  if (row.samplesMs.length >= 2) {
    inside(row.lowMs, row.medianMs, row.highMs, 'median in its interval');
    inside(min(...row.samplesMs), row.lowMs, row.highMs, 'interval above the least sample');
    inside(row.lowMs, row.highMs, max(...row.samplesMs), 'interval below the greatest sample');
  }
  if (!('speedup' in row)) return;
  assert.ok(baseline, `${what}: a speed-up without a baseline`);
  isClose(row.speedup, baseline.medianMs / row.medianMs, `${what}: speed-up`);
  inside(row.speedupLow, row.speedup, row.speedupHigh, 'speed-up in its interval');
  const slowest = min(...baseline.samplesMs) / max(...row.samplesMs);
  const fastest = max(...baseline.samplesMs) / min(...row.samplesMs);
  inside(slowest * (1 - RELATIVE_ERROR), row.speedupLow, row.speedupHigh, 'speed-up above what any samples give');
  inside(row.speedupLow, row.speedupHigh, fastest * (1 + RELATIVE_ERROR), 'speed-up below what any samples give');
}

function checkRow(row, description, baseline) {
  const what = `row "${row.label}"`;
  isText(row.label, 'a row’s label');
  assert.ok(description.strategies.includes(row.strategy), `${what}: strategy ${row.strategy}`);
  // The points of a curve are called by their number of workers.
  const ofCurve = row.variant === String(row.workers);
  if ('variant' in row && !ofCurve)
    assert.ok(description.variants.includes(row.variant), `${what}: variant ${row.variant}`);
  if ('runtime' in row) assert.ok(RUNTIMES.includes(row.runtime), `${what}: runtime ${row.runtime}`);
  assert.ok(PROVENANCES.includes(row.provenance), `${what}: provenance ${row.provenance}`);
  if ('overlap' in row) assert.ok(row.overlap >= 0 && row.overlap <= 1, `${what}: overlap ${row.overlap}`);
  for (const note of row.notes) isSentence(note, `${what}: note`);
  if (row.available) checkStatistics(row, baseline, what);
  else checkUnavailable(row, what);
}

function checkClaims(claims, description, mode) {
  const names = (list) => list.map(({ id, kind }) => `${id} (${kind})`);
  const described = description.claims.filter(({ modes }) => modes.includes(mode));
  // Described in the order of the measured half; a model has an order of its own.
  const inOrder = (list) => (mode === 'measured' ? names(list) : names(list).sort());
  assert.deepEqual(inOrder(claims), inOrder(described), 'claims are not those described');
  for (const { id, kind, holds, why, text } of claims) {
    assert.ok(HOLDS.includes(holds), `claim ${id} holds ${holds}`);
    isSentence(why, `claim ${id}: why`);
    isSentence(text, `claim ${id}: text`);
    if (kind === 'invariant') assert.notEqual(holds, false, `the invariant "${text}" does not hold: ${why}`);
  }
}

function checkEnvironment({ page, warnings, ...rest }, engine) {
  assert.equal(page.engine, engine.reports);
  isText(page.engineVersion, 'the engine’s version');
  assert.equal(
    page.sharedMemory === 'works',
    page.isolated && engine.sharedMemory,
    `shared memory ${page.sharedMemory}`,
  );
  assert.equal(rest.void, false, 'the page counts as hidden');
  for (const { id, text } of warnings) {
    isText(id, 'a warning’s id');
    isSentence(text, `warning ${id}`);
  }
  if ('threadsStarted' in rest) assert.ok(rest.threadsStarted <= rest.threadsAsked, 'more threads than asked for');
}

function checkParams(params, description, asked, mode) {
  const ofMode = description.parameters.filter((parameter) => (parameter.mode ?? mode) === mode);
  for (const { id, default: fallback } of ofMode) {
    const wanted = asked[id] ?? fallback ?? undefined;
    if (wanted !== undefined) assert.equal(params[id], wanted, `parameter ${id}`);
  }
  const known = ofMode.map(({ id }) => id);
  for (const id of Object.keys(params)) {
    assert.ok(known.includes(id), `${id} is no parameter of a ${mode} run of ${description.id}`);
  }
}

/** What a model's numbers are beyond those of any row: exact, and nobody's but the model's. */
function checkModelled(result) {
  assert.match(result.traceHash, /^[0-9a-f]{16}$/, 'the hash of the trace');
  assert.equal(result.rows.length === 1, 'trace' in result, 'a run of one row has a trace, and no other');
  for (const { label, available, provenance, samplesMs, warmUpMs } of result.rows) {
    assert.equal(provenance, 'modelled', label);
    assert.equal(samplesMs.length > 0, available, `${label}: ${samplesMs.length} samples`);
    assert.deepEqual(warmUpMs, [], `${label}: a model needs no warm-up`);
  }
}

/** Checks one result, in the mode asked for, against its lab's description and the parameters asked for. */
export function checkResult(result, description, engine, asked = {}, mode = 'measured') {
  checkEverywhere(result, 'result');
  assert.equal(result.schema, 0);
  assert.equal(result.lab, description.id);
  assert.equal(result.mode, mode);
  assert.ok(Number.isInteger(result.seed), `seed ${result.seed}`);
  checkParams(result.params, description, asked, mode);
  checkEnvironment(result.environment, engine);
  assert.ok(result.rows.length > 0, 'no rows');
  let baseline = result.rows.find((row) => row.baseline);
  for (const row of result.rows) {
    // A row is compared with the nearest baseline above it.
    if (row.baseline) baseline = row;
    checkRow(row, description, baseline);
  }
  if (mode === 'model') checkModelled(result);
  else assert.ok(!('trace' in result) && !('traceHash' in result), 'a measured run has no trace');
  for (const figure of result.published) {
    assert.ok(['published', 'derived'].includes(figure.provenance), `figure ${figure.id}: ${figure.provenance}`);
  }
  checkClaims(result.claims, description, mode);
  isText(result.finding.id, 'the finding’s id');
  isSentence(result.finding.text, 'the finding');
}
