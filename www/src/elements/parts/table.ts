//! The rows as a table: the data that every picture above it is drawn from, all of it, readable without seeing.

import { html, nothing, type TemplateResult } from 'lit';
import type { LabResult, Row } from '#glue';
import { outcomesInWords, schedulesInWords } from '../charts/explored.ts';
import { isLockRow } from '../charts/lock-table.ts';
import type { Words } from '../laboratory.ts';
import { formatBytes, formatCount, formatRatio, formatShare, formatTime, type TimeUnit, unitFor } from '../numbers.ts';

interface Column {
  readonly id: string;
  /** A list of numbers, which may wrap. */
  readonly list?: true;
  /** The cell's text; undefined where the row has no such number. */
  cell(row: Row, unit: TimeUnit, words: Words): string | undefined;
}

const COLUMNS: readonly Column[] = [
  { id: 'workers', cell: ({ workers }) => text(workers, formatCount) },
  {
    id: 'median',
    cell: ({ medianMs, lowMs, highMs }, unit) => text(medianMs, (ms) => formatTime(ms, unit, lowMs, highMs)),
  },
  {
    id: 'interval',
    cell: ({ lowMs, highMs }, unit) =>
      lowMs === undefined || highMs === undefined
        ? undefined
        : `${formatTime(lowMs, unit, lowMs, highMs)} – ${formatTime(highMs, unit, lowMs, highMs)}`,
  },
  {
    id: 'speedup',
    cell: ({ speedup, speedupLow, speedupHigh }) =>
      text(speedup, (ratio) => formatRatio(ratio, speedupLow, speedupHigh)),
  },
  { id: 'lost', cell: ({ lost }) => text(lost, formatCount) },
  { id: 'value', cell: ({ value }) => text(value, formatCount) },
  { id: 'expected', cell: ({ expected }) => text(expected, formatCount) },
  { id: 'losses', list: true, cell: ({ losses }) => text(losses, (all) => all.map(formatCount).join(', ')) },
  { id: 'overlap', cell: ({ overlap }) => text(overlap, formatShare) },
  { id: 'releases', cell: ({ releases }) => text(releases, formatCount) },
  { id: 'hand-overs', cell: ({ handOvers }) => text(handOvers, formatCount) },
  { id: 'longest-gap', cell: ({ longestGapMs }, unit) => text(longestGapMs, (ms) => formatTime(ms, unit, 0, 2)) },
  {
    id: 'frame-gap',
    cell: ({ longestFrameGapMs }, unit) => text(longestFrameGapMs, (ms) => formatTime(ms, unit, 0, 2)),
  },
  { id: 'timeout', cell: ({ timeoutAfterMs }, unit) => text(timeoutAfterMs, (ms) => formatTime(ms, unit, 0, 2)) },
  { id: 'answered', cell: ({ answered }) => text(answered, formatCount) },
  {
    id: 'errors',
    list: true,
    cell: ({ errors }, _unit, words) =>
      text(errors?.length ? errors : undefined, (all) =>
        all.map(({ kind, count }) => words(`ui.error.${kind}`, { count: formatCount(count) })).join(', '),
      ),
  },
  { id: 'in-flight', cell: ({ inFlightMax }) => text(inFlightMax, formatCount) },
  { id: 'queue', cell: ({ queueMax }) => text(queueMax, formatCount) },
  { id: 'throughput', cell: ({ throughput }) => text(throughput, (rate) => formatCount(Math.round(rate * 10) / 10)) },
  { id: 'load', cell: ({ load }) => text(load, formatShare) },
  { id: 'p50', cell: ({ p50Ms }, unit) => text(p50Ms, (ms) => formatTime(ms, unit)) },
  { id: 'p95', cell: ({ p95Ms }, unit) => text(p95Ms, (ms) => formatTime(ms, unit)) },
  { id: 'p99', cell: ({ p99Ms }, unit) => text(p99Ms, (ms) => formatTime(ms, unit)) },
  { id: 'client', cell: ({ clientMs }, unit) => text(clientMs, (ms) => formatTime(ms, unit)) },
  {
    id: 'schedules',
    list: true,
    cell: (row, _, words) => text(row.explored, (found) => schedulesInWords(found, words)),
  },
  { id: 'states', cell: (row) => text(row.explored, ({ states }) => formatCount(states)) },
  { id: 'outcomes', list: true, cell: (row, _, words) => text(row.explored, (found) => outcomesInWords(found, words)) },
  { id: 'memory', cell: ({ peakMemoryBytes }) => text(peakMemoryBytes, formatBytes) },
  { id: 'reserved', cell: ({ reservedBytes }) => text(reservedBytes, formatBytes) },
  {
    id: 'log',
    list: true,
    cell: ({ log }, unit) =>
      text(log, (lines) => lines.map((line) => `${formatTime(line.atMs, unit, 0, 2)} ${line.text}`).join(' · ')),
  },
  { id: 'ended', cell: ({ programEndedMs }, unit) => text(programEndedMs, (ms) => formatTime(ms, unit, 0, 2)) },
  {
    id: 'samples',
    list: true,
    cell: ({ samplesMs }, unit) =>
      text(samplesMs.length > 0 ? samplesMs : undefined, (all) => all.map((ms) => formatTime(ms, unit)).join(', ')),
  },
  {
    id: 'warm-up',
    list: true,
    cell: ({ warmUpMs }, unit) =>
      text(warmUpMs.length > 0 ? warmUpMs : undefined, (all) => all.map((ms) => formatTime(ms, unit)).join(', ')),
  },
];

/** All rows of a result, with the columns that this lab has numbers for. */
export function table({ lab, rows: all }: LabResult, words: Words): TemplateResult {
  const rows = all.filter((row) => !isLockRow(row));
  const unit = unitFor(Math.max(0, ...rows.flatMap((row) => row.samplesMs)));
  const columns = COLUMNS.filter(({ cell }) => rows.some((row) => cell(row, unit, words) !== undefined));
  const notes = rows.some(({ notes: some, culprit }) => some.length > 0 || culprit !== undefined);
  return html`<details class="data"><summary>${words('ui.table.heading')}</summary>
    <div class="scroll" tabindex="0" role="group" aria-label=${words('ui.table.heading')}>
      <table>
        <thead><tr><th scope="col">${words('ui.table.row')}</th>
          ${columns.map(({ id, list }) => html`<th scope="col" class=${list ? 'list' : 'number'}>${heading(lab, id, words)}</th>`)}
          <th scope="col">${words('ui.table.source')}</th>${notes ? html`<th scope="col">${words('ui.table.notes')}</th>` : nothing}</tr></thead>
        <tbody>${rows.map((row) => line(row, columns, unit, notes, words))}</tbody>
      </table>
    </div>
  </details>`;
}

/** What a column is called; a lab may call it in its own way. */
function heading(lab: string, id: string, words: Words): string {
  const own = `ui.table.${lab}.${id}`;
  const found = words(own);
  return found === own ? words(`ui.table.${id}`) : found;
}

function line(row: Row, columns: readonly Column[], unit: TimeUnit, notes: boolean, words: Words): TemplateResult {
  const { label, provenance, available, reason, cure, culprit } = row;
  const cells = available
    ? columns.map(
        ({ cell, list }) =>
          html`<td class=${list ? 'list' : 'number'} data-provenance=${provenance}>${cell(row, unit, words) ?? '–'}</td>`,
      )
    : html`<td colspan=${Math.max(1, columns.length)}>${words('ui.row.unavailable')} ${reason} ${cure ? words('ui.row.cure', { cure }) : nothing}</td>`;
  return html`<tr>
    <th scope="row">${label}</th>${cells}
    <td>${available ? words(`ui.provenance.${provenance}`) : '–'}</td>
    ${notes ? html`<td class="notes">${[...row.notes, culprit].filter(Boolean).join(' ')}</td>` : nothing}
  </tr>`;
}

function text<Value>(value: Value | undefined, format: (value: Value) => string): string | undefined {
  return value === undefined ? undefined : format(value);
}
