//! How speed grows with workers: one line a strategy with its intervals, the ideal line dashed, both axes from zero.

import { html, nothing, svg, type TemplateResult } from 'lit';
import type { Row } from '#glue';
import type { Words } from '../laboratory.ts';
import { formatRatio, formatShare } from '../numbers.ts';
import { whoRuns } from '../parts/names.ts';
import { WIDE } from './frame.ts';
import { type Look, lookOf } from './look.ts';
import { round, type Scale, zeroTo } from './scale.ts';

const MARGIN = { left: 44, right: 14, top: 14, bottom: 40 };
const HEIGHT = 260;

interface Point {
  readonly workers: number;
  readonly speedup: number;
  readonly row: Row;
}

interface Series {
  readonly label: string;
  readonly look: Look;
  readonly points: readonly Point[];
}

/** Speed-up over workers; undefined where no strategy ran with several numbers of workers. */
export function curve(rows: readonly Row[], width: number, words: Words): TemplateResult | undefined {
  const all = seriesOf(rows, words);
  const points = all.flatMap((series) => series.points);
  if (points.length === 0) return undefined;
  const mostWorkers = Math.max(...points.map((point) => point.workers));
  const outer = Math.min(width, WIDE);
  const x = zeroTo(mostWorkers, outer - MARGIN.left - MARGIN.right);
  const y = zeroTo(
    Math.max(mostWorkers, ...points.map((p) => p.row.speedupHigh ?? p.speedup)),
    HEIGHT - MARGIN.top - MARGIN.bottom,
  );
  return html`<figure class="picture curve">
    <figcaption><h4>${words('ui.curve.heading')}</h4><p class="how">${words('ui.curve.how')}</p></figcaption>
    <svg role="img" aria-label=${spoken(all, words)} width=${outer} height=${HEIGHT} viewBox="0 0 ${outer} ${HEIGHT}">
      <g transform="translate(${MARGIN.left} ${MARGIN.top})">${axes(x, y, words)}${ideal(x, y)}${all.map((s) => lineOf(s, x, y))}</g>
    </svg>
    <ul class="key">
      ${all.map((series) => html`<li>${mark(series.look)} ${series.label}: ${ends(series, words)}</li>`)}
      <li><svg aria-hidden="true" width="26" height="12"><line class="ideal" x1="0" x2="26" y1="6" y2="6"></line></svg>
        ${words('ui.curve.ideal')}</li>
    </ul>
  </figure>`;
}

/** Whether a row is a point of a scaling curve: the variant of such a row is its number of workers. */
export function isCurvePoint({ variant }: Row): boolean {
  return variant !== undefined && /^\d+$/.test(variant);
}

/** The points of each strategy and runtime; one point alone is no curve. */
function seriesOf(rows: readonly Row[], words: Words): readonly Series[] {
  const groups = new Map<string, Row[]>();
  for (const row of rows.filter(isCurvePoint)) {
    const key = `${row.strategy} ${row.runtime ?? ''}`;
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return [...groups.values()].flatMap((group) => {
    const points = group.flatMap(pointOf).sort((one, other) => one.workers - other.workers);
    const [first] = group;
    if (!first || points.length < 2) return [];
    return [
      { label: whoRuns('', { strategy: first.strategy, runtime: first.runtime }, words), look: lookOf(first), points },
    ];
  });
}

function pointOf(row: Row): readonly Point[] {
  const { workers, speedup } = row;
  return workers === undefined || speedup === undefined ? [] : [{ workers, speedup, row }];
}

function axes(x: Scale, y: Scale, words: Words): unknown {
  return [
    y.ticks.map((tick) => {
      const at = y.length - y.at(tick);
      return svg`<line class="grid" x1="0" x2=${x.length} y1=${at} y2=${at}></line>
        <text class="tick" x="-8" y=${at + 4} text-anchor="end">${tick}×</text>`;
    }),
    x.ticks.filter(Number.isInteger).map(
      (tick) => svg`<line class="rule" x1=${x.at(tick)} x2=${x.at(tick)} y1=${y.length} y2=${y.length + 5}></line>
        <text class="tick" x=${x.at(tick)} y=${y.length + 18} text-anchor="middle">${tick}</text>`,
    ),
    svg`<path class="zero" d="M0 0V${y.length}H${x.length}"></path>
      <text class="tick" x=${x.length} y=${y.length + 34} text-anchor="end">${words('ui.curve.workers')}</text>`,
  ];
}

function ideal(x: Scale, y: Scale): unknown {
  const end = Math.min(x.most, y.most);
  return svg`<line class="ideal" x1="0" y1=${y.length} x2=${x.at(end)} y2=${y.length - y.at(end)}></line>`;
}

function lineOf({ look, points }: Series, x: Scale, y: Scale): unknown {
  const at = (point: Point) => ({ left: x.at(point.workers), top: round(y.length - y.at(point.speedup)) });
  const path = points.map((point, index) => `${index === 0 ? 'M' : 'L'}${at(point).left} ${at(point).top}`).join('');
  return [
    svg`<path class="series ${look}" d=${path}></path>`,
    points.map((point) => {
      const { left, top } = at(point);
      const { speedupLow: low, speedupHigh: high } = point.row;
      const range =
        low === undefined || high === undefined
          ? nothing
          : `M${left} ${round(y.length - y.at(low))}V${round(y.length - y.at(high))}`;
      return svg`${range === nothing ? nothing : svg`<path class="whisker" d=${range}></path>`}
        <circle class="point ${look}" cx=${left} cy=${top} r="4.5"></circle>`;
    }),
  ];
}

function mark(look: Look): TemplateResult {
  return html`<svg aria-hidden="true" width="26" height="12"><line class="series ${look}" x1="0" x2="26" y1="6" y2="6"></line><circle
    class="point ${look}" cx="13" cy="6" r="4.5"></circle></svg>`;
}

/** The last point in words, with how much of each worker was used. */
function ends({ points }: Series, words: Words): unknown {
  const last = points.at(-1);
  if (!last) return nothing;
  const { speedupLow: low, speedupHigh: high, provenance } = last.row;
  return html`<span data-provenance=${provenance}>${words('ui.curve.end', {
    ratio: formatRatio(last.speedup, low, high),
    workers: last.workers,
    efficiency: formatShare(last.row.efficiency ?? last.speedup / last.workers),
  })}</span>`;
}

function spoken(all: readonly Series[], words: Words): string {
  return all
    .flatMap(({ label, points }) =>
      points.map((p) => words('ui.curve.spoken', { label, workers: p.workers, ratio: formatRatio(p.speedup) })),
    )
    .join('; ');
}
