//! Times compared: the median as a bar from zero, its interval as a whisker, every sample a dot. What a model gives is
//! exact: a bar alone. No axis is cut.

import { html, nothing, svg, type TemplateResult } from 'lit';
import type { Row } from '#glue';
import type { Words } from '../laboratory.ts';
import { formatRatio, formatTime, type TimeUnit, unitFor } from '../numbers.ts';
import { axis, grid, picture, stripWidth } from './frame.ts';
import { fillOf, lookOf } from './look.ts';
import { round, type Scale, zeroBased } from './scale.ts';

const HEIGHT = 44;
const BAR = { top: 18, height: 18 };
const DOT = { y: 9, radius: 3 };

/** The rows' times; undefined where no row was timed. */
export function bars(rows: readonly Row[], width: number, words: Words): TemplateResult | undefined {
  const longest = Math.max(0, ...rows.flatMap((row) => [...row.samplesMs, row.highMs ?? 0, row.medianMs ?? 0]));
  if (longest === 0) return undefined;
  const unit = unitFor(longest);
  const scale = zeroBased(longest, stripWidth(width));
  return picture({
    heading: words('ui.bars.heading'),
    how: words(rows.every(isExact) ? 'ui.bars.how-exact' : 'ui.bars.how'),
    width,
    words,
    strips: rows.map((row) => {
      const { medianMs } = row;
      if (!row.available || medianMs === undefined) return row;
      return {
        row,
        height: HEIGHT,
        remarks: row.notes,
        spoken: spoken(row, medianMs, unit, words),
        shapes: [grid(scale, HEIGHT), bar(row, medianMs, scale)],
        figure: html`<b>${formatTime(medianMs, unit, row.lowMs, row.highMs)}</b> ${speedup(row, words)}`,
      };
    }),
    axis: axis(scale, (tick) => formatTime(tick, unit, 0, unit === 's' ? 200 : 2)),
  });
}

/** A modelled time that was taken once: the same run takes as long again. */
function isExact({ provenance, samplesMs }: Row): boolean {
  return provenance === 'modelled' && samplesMs.length <= 1;
}

function bar(row: Row, medianMs: number, scale: Scale): unknown {
  const { top, height } = BAR;
  const middle = top + height / 2;
  return [
    svg`<rect class="shape" x="0" y=${top} width=${scale.at(medianMs)} height=${height} fill=${fillOf(lookOf(row))}></rect>`,
    row.lowMs === undefined || row.highMs === undefined
      ? nothing
      : whisker(scale.at(row.lowMs), scale.at(row.highMs), middle),
    isExact(row)
      ? nothing
      : row.samplesMs.map((ms) => svg`<circle class="dot" cx=${scale.at(ms)} cy=${DOT.y} r=${DOT.radius}></circle>`),
    svg`<line class="zero" x1="0.5" x2="0.5" y1="0" y2=${HEIGHT}></line>`,
  ];
}

function whisker(from: number, to: number, y: number): unknown {
  const path = `M${from} ${y}H${round(to)}M${from} ${y - 5}v10M${round(to)} ${y - 5}v10`;
  // The halo keeps the whisker visible on any hatch.
  return svg`<path class="halo" d=${path}></path><path class="whisker" d=${path}></path>`;
}

/** The speed-up in words: "baseline", "1.93× as fast", or that no difference could be measured. */
export function speedup(row: Row, words: Words): unknown {
  if (row.baseline) return html`<span class="aside">${words('ui.speedup.baseline')}</span>`;
  const { speedup: ratio, speedupLow: low, speedupHigh: high } = row;
  if (ratio === undefined) return nothing;
  const same = low !== undefined && high !== undefined && low <= 1 && high >= 1;
  const id = same ? 'ui.speedup.same' : ratio >= 1 ? 'ui.speedup.faster' : 'ui.speedup.slower';
  return html`<span class="aside">${words(id, { ratio: formatRatio(ratio, low, high) })}</span>`;
}

function spoken(row: Row, medianMs: number, unit: TimeUnit, words: Words): string {
  const { lowMs: low, highMs: high } = row;
  const alone = isExact(row) ? 'ui.bars.spoken-exact' : 'ui.bars.spoken-alone';
  return words(low === undefined || high === undefined ? alone : 'ui.bars.spoken', {
    label: row.label,
    median: formatTime(medianMs, unit, low, high),
    low: formatTime(low ?? medianMs, unit, low, high),
    high: formatTime(high ?? medianMs, unit, low, high),
    samples: row.samplesMs.length,
  });
}
