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

function checkClaims(claims, description) {
  const names = (list) => list.map(({ id, kind }) => `${id} (${kind})`);
  assert.deepEqual(names(claims), names(description.claims), 'claims are not those described');
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

function checkParams(params, description, asked) {
  for (const { id, default: fallback } of description.parameters) {
    const wanted = asked[id] ?? fallback ?? undefined;
    if (wanted !== undefined) assert.equal(params[id], wanted, `parameter ${id}`);
  }
  const known = description.parameters.map(({ id }) => id);
  for (const id of Object.keys(params)) assert.ok(known.includes(id), `${id} is no parameter of ${description.id}`);
}

/** Checks one measured result against its lab's description and the parameters asked for. */
export function checkResult(result, description, engine, asked = {}) {
  checkEverywhere(result, 'result');
  assert.equal(result.schema, 0);
  assert.equal(result.lab, description.id);
  assert.equal(result.mode, 'measured');
  assert.ok(Number.isInteger(result.seed), `seed ${result.seed}`);
  checkParams(result.params, description, asked);
  checkEnvironment(result.environment, engine);
  assert.ok(result.rows.length > 0, 'no rows');
  const baseline = result.rows.find((row) => row.baseline);
  for (const row of result.rows) checkRow(row, description, baseline);
  for (const figure of result.published) {
    assert.ok(['published', 'derived'].includes(figure.provenance), `figure ${figure.id}: ${figure.provenance}`);
  }
  checkClaims(result.claims, description);
  isText(result.finding.id, 'the finding’s id');
  isSentence(result.finding.text, 'the finding');
}
