//! What a counter reached of what it should have reached: the full length is the right value, the hatched rest is lost,
// every sample a dot where it ended.

import { html, svg, type TemplateResult } from 'lit';
import type { Row } from '#glue';
import type { Words } from '../laboratory.ts';
import { formatCount, formatShare } from '../numbers.ts';
import { axis, grid, picture, stripWidth } from './frame.ts';
import { fillOf, lookOf } from './look.ts';
import { round, type Scale, zeroTo } from './scale.ts';

const HEIGHT = 40;
const BAR = { top: 16, height: 18 };
const DOT = { y: 8, radius: 3 };

/** Each row's counter, all on one scale in percent of the right value; undefined where nothing was counted. */
export function losses(rows: readonly Row[], width: number, words: Words): TemplateResult | undefined {
  if (!rows.some((row) => row.lost !== undefined)) return undefined;
  const scale = zeroTo(100, stripWidth(width));
  return picture({
    heading: words('ui.losses.heading'),
    how: words('ui.losses.how'),
    width,
    words,
    strips: rows.map((row) => {
      const expected = Number(row.expected);
      if (!row.available || row.lost === undefined || !(expected > 0)) return row;
      const share = row.lost / expected;
      return {
        row,
        height: HEIGHT,
        remarks: row.notes,
        spoken: words('ui.losses.spoken', {
          label: row.label,
          reached: formatCount(expected - row.lost),
          expected: formatCount(expected),
          share: formatShare(share),
          samples: row.losses?.length ?? 0,
        }),
        shapes: [grid(scale, HEIGHT), counter(row, expected, share, scale)],
        figure: figure(row, expected, share, words),
      };
    }),
    axis: axis(scale, (tick) => `${tick} %`),
  });
}

function counter(row: Row, expected: number, share: number, scale: Scale): unknown {
  const reached = scale.at((1 - share) * 100);
  const lost = round(scale.length - reached);
  return [
    svg`<rect class="shape" x="0" y=${BAR.top} width=${reached} height=${BAR.height} fill=${fillOf(lookOf(row))}></rect>`,
    lost > 0
      ? svg`<rect class="shape lost" x=${reached} y=${BAR.top} width=${lost} height=${BAR.height} fill="url(#fill-missing)"></rect>`
      : '',
    (row.losses ?? []).map((loss) => {
      // Dots at the very end would be cut in half.
      const x = Math.min(scale.length - DOT.radius - 1, scale.at((1 - loss / expected) * 100));
      return svg`<circle class="dot" cx=${x} cy=${DOT.y} r=${DOT.radius}></circle>`;
    }),
    svg`<line class="zero" x1="0.5" x2="0.5" y1="0" y2=${HEIGHT}></line>`,
  ];
}

function figure(row: Row, expected: number, share: number, words: Words): TemplateResult {
  if (row.lost === 0)
    return html`<b>${words('ui.losses.none')}</b> <span class="aside">${ofSamples(row, words)}</span>`;
  return html`<b>${words('ui.losses.lost', { share: formatShare(share) })}</b>
    <span class="aside">${words('ui.losses.remain', { reached: formatCount(expected - (row.lost ?? 0)), expected: formatCount(expected) })}</span>`;
}

function ofSamples(row: Row, words: Words): string {
  const losing = (row.losses ?? []).filter((loss) => loss > 0).length;
  return words('ui.losses.samples', { losing, samples: row.losses?.length ?? 0 });
}
