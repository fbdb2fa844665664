//! A loop's heartbeat on a time line: one tick a beat, the call as a bar above it, the longest gap marked and named,
// the timeout where it fired or should have fired.

import { html, nothing, svg, type TemplateResult } from 'lit';
import type { Named, Row } from '#glue';
import type { Words } from '../laboratory.ts';
import { formatTime, unitFor } from '../numbers.ts';
import { axis, grid, picture, stripWidth } from './frame.ts';
import { fillOf, lookOf } from './look.ts';
import { round, type Scale, zeroBased } from './scale.ts';

const HEIGHT = 78;
const CALL = { top: 4, height: 16 };
const PULSE = { top: 26, height: 26 };
const WORDS_Y = 70;
const LEAST_GAP_FOR_WORDS = 120;
/** From so many intervals on, a gap is worth a frame. */
const NOTABLE_GAP = 1.5;

/** The rows' heartbeats on one time scale; undefined where none was recorded. */
export function heartbeat(
  rows: readonly Row[],
  params: Named,
  width: number,
  words: Words,
): TemplateResult | undefined {
  if (!rows.some((row) => row.beatsMs !== undefined)) return undefined;
  const longest = Math.max(...rows.map(endOf));
  const unit = unitFor(longest);
  const scale = zeroBased(longest, stripWidth(width));
  return picture({
    heading: words('ui.heartbeat.heading'),
    how: words('ui.heartbeat.how'),
    width,
    words,
    strips: rows.map((row) => {
      if (!row.available || row.beatsMs === undefined) return row;
      return {
        row,
        height: HEIGHT,
        remarks: [...(row.culprit === undefined ? [] : [row.culprit]), ...row.notes],
        spoken: spoken(row, words),
        shapes: [
          grid(scale, HEIGHT - 16),
          gapOf(row, params, scale, words),
          call(row, scale),
          pulse(row, scale),
          timeout(row, params, scale),
        ],
        figure: figure(row, words),
      };
    }),
    axis: axis(scale, (tick) => formatTime(tick, unit, 0, 2)),
  });
}

function endOf(row: Row): number {
  return Math.max(row.programEndedMs ?? 0, row.callEndedMs ?? 0, row.beatsMs?.at(-1) ?? 0);
}

function call(row: Row, scale: Scale): unknown {
  const { callStartedMs: from, callEndedMs: to } = row;
  if (from === undefined || to === undefined) return nothing;
  const width = Math.max(2, round(scale.at(to) - scale.at(from)));
  return svg`<rect class="shape" x=${scale.at(from)} y=${CALL.top} width=${width} height=${CALL.height} fill=${fillOf(lookOf(row))}></rect>`;
}

function pulse(row: Row, scale: Scale): unknown {
  const { top, height } = PULSE;
  const base = top + height;
  const beats = (row.beatsMs ?? []).map((ms) => `M${round(scale.at(ms))} ${top}V${base}`).join('');
  const end = scale.at(endOf(row));
  return svg`<path class="lane" d="M0 ${base}H${end}"></path><path class="beat" d=${beats}></path>
    <path class="end" d="M${end} ${base - 5}v10"></path>`;
}

/** The longest time between two beats. */
function longestGap(row: Row): { from: number; to: number } | undefined {
  const beats = row.beatsMs ?? [];
  let longest: { from: number; to: number } | undefined;
  for (const [index, to] of beats.entries()) {
    const from = beats[index - 1];
    if (from !== undefined && (!longest || to - from > longest.to - longest.from)) longest = { from, to };
  }
  return longest;
}

function gapOf(row: Row, params: Named, scale: Scale, words: Words): unknown {
  const gap = longestGap(row);
  const interval = params.heartbeatMs;
  // A gap as long as the heartbeat's own interval is no finding; framing it would raise a false alarm.
  if (!gap || (typeof interval === 'number' && gap.to - gap.from < NOTABLE_GAP * interval)) return nothing;
  const x = scale.at(gap.from);
  const width = round(scale.at(gap.to) - x);
  const box = svg`<rect class="gap" x=${x} y=${PULSE.top} width=${width} height=${PULSE.height}></rect>`;
  if (width < LEAST_GAP_FOR_WORDS) return box;
  const label = words('ui.heartbeat.gap', { gap: formatTime(row.longestGapMs ?? gap.to - gap.from, 'ms', 0, 2) });
  return svg`${box}<text class="gap-words" data-provenance=${row.provenance} x=${round(x + width / 2)} y=${WORDS_Y} text-anchor="middle">${label}</text>`;
}

function timeout(row: Row, params: Named, scale: Scale): unknown {
  const start = row.callStartedMs;
  const due = params.timeoutMs;
  if (start === undefined || row.timeoutFired === undefined || typeof due !== 'number') return nothing;
  const x = scale.at(start + (row.timeoutFired ? (row.timeoutAfterMs ?? due) : due));
  const line = `M${x} ${CALL.top - 4}V${PULSE.top + PULSE.height}`;
  if (!row.timeoutFired) return svg`<path class="not-fired" d=${line}></path>`;
  return svg`<path class="fired" d=${line}></path><path class="fired-head" d="M${round(x - 6)} ${CALL.top - 4}h12l-6 8z"></path>`;
}

function figure(row: Row, words: Words): TemplateResult {
  return html`<b>${words('ui.heartbeat.longest', { gap: formatTime(row.longestGapMs ?? 0, 'ms', 0, 2) })}</b>
    ${timeoutWords(row, words).map((text) => html`<span class="aside">${text}</span>`)}
    ${row.longestFrameGapMs === undefined ? nothing : html`<span class="aside">${words('ui.heartbeat.frame', { gap: formatTime(row.longestFrameGapMs, 'ms', 0, 2) })}</span>`}
    ${row.programEndedMs === undefined ? nothing : html`<span class="aside">${words('ui.heartbeat.ended', { at: formatTime(row.programEndedMs, 'ms', 0, 2) })}</span>`}`;
}

function timeoutWords(row: Row, words: Words): readonly string[] {
  if (row.timeoutFired === undefined) return [];
  if (!row.timeoutFired) return [words('ui.heartbeat.never')];
  return [words('ui.heartbeat.fired', { after: formatTime(row.timeoutAfterMs ?? 0, 'ms', 0, 2) })];
}

function spoken(row: Row, words: Words): string {
  return [
    words('ui.heartbeat.spoken', {
      label: row.label,
      beats: row.beatsMs?.length ?? 0,
      gap: formatTime(row.longestGapMs ?? 0, 'ms', 0, 2),
    }),
    ...timeoutWords(row, words),
    row.culprit ?? '',
  ].join(' ');
}
