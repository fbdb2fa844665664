//! Who worked when: one lane a worker, one box a task, on the clock that all workers share. Boxes above each other at
// one time are work done at once; the share of the time with at least two of them is printed beside it.

import { html, nothing, svg, type TemplateResult } from 'lit';
import type { Row, WorkSpan } from '#glue';
import type { Words } from '../laboratory.ts';
import { formatShare, formatTime, unitFor } from '../numbers.ts';
import { axis, grid, picture, stripWidth } from './frame.ts';
import { fillOf, lookOf } from './look.ts';
import { type Scale, zeroBased } from './scale.ts';

const LANE = { step: 16, height: 12 };
/** A task's number is printed inside its box where it fits. */
const DIGITS_FIT_FROM = 16;

/** The last sample's tasks on their workers, all rows on one time scale; undefined where no row has spans. */
export function lanes(rows: readonly Row[], width: number, words: Words): TemplateResult | undefined {
  const drawn = rows.filter((row) => row.available && row.spans !== undefined && row.spans.length > 0);
  const longest = Math.max(0, ...drawn.flatMap((row) => (row.spans ?? []).map((span) => span.endMs)));
  if (longest === 0) return undefined;
  const unit = unitFor(longest);
  const scale = zeroBased(longest, stripWidth(width));
  return picture({
    heading: words('ui.lanes.heading'),
    how: words('ui.lanes.how'),
    width,
    words,
    strips: drawn.map((row) => {
      const byWorker = workersOf(row.spans ?? []);
      const height = byWorker.length * LANE.step + 2;
      return {
        row,
        height,
        spoken: words('ui.lanes.spoken', {
          label: row.label,
          workers: byWorker.length,
          tasks: row.spans?.length ?? 0,
          overlap: formatShare(row.overlap ?? 0),
        }),
        shapes: [grid(scale, height), byWorker.map((spans, lane) => laneOf(spans, lane, row, scale))],
        figure: html`<b>${words(byWorker.length === 1 ? 'ui.lanes.worker' : 'ui.lanes.workers', { n: byWorker.length })}</b>
          ${
            row.overlap === undefined || byWorker.length === 1
              ? nothing
              : html`<span class="aside">${words('ui.lanes.overlap', { share: formatShare(row.overlap) })}</span>`
          }`,
      };
    }),
    axis: axis(scale, (tick) => formatTime(tick, unit, 0, 2)),
  });
}

function workersOf(spans: readonly WorkSpan[]): readonly (readonly WorkSpan[])[] {
  const numbers = [...new Set(spans.map((span) => span.worker))].sort((a, b) => a - b);
  return numbers.map((worker) => spans.filter((span) => span.worker === worker));
}

function laneOf(spans: readonly WorkSpan[], lane: number, row: Row, scale: Scale): unknown {
  const y = lane * LANE.step + 2;
  const middle = y + LANE.height / 2;
  return [
    svg`<line class="lane" x1="0" x2=${scale.length} y1=${middle} y2=${middle}></line>`,
    spans.map(({ startMs, endMs, task }) => {
      const x = scale.at(startMs);
      const width = Math.max(1.5, scale.at(endMs) - x - 1);
      const box = svg`<rect class="shape" x=${x} y=${y} width=${width} height=${LANE.height} fill=${fillOf(lookOf(row))}></rect>`;
      if (width < DIGITS_FIT_FROM) return box;
      return svg`${box}<text class="inside" x=${x + width / 2} y=${middle + 3.5} text-anchor="middle">${task}</text>`;
    }),
  ];
}
