//! A result as a learner reads it: the finding first, then the picture that fits the lab, the claims, the figures
//! beside it, the whole table, and where it was taken.

import { html, nothing, type TemplateResult } from 'lit';
import type { LabResult, Provenance } from '#glue';
import { bars } from '../charts/bars.ts';
import { cards } from '../charts/cards.ts';
import { curve, isCurvePoint } from '../charts/curve.ts';
import { explored, isSearched, type ShowSchedule } from '../charts/explored.ts';
import { heartbeat } from '../charts/heartbeat.ts';
import { lanes } from '../charts/lanes.ts';
import { isLockRow, lockTable } from '../charts/lock-table.ts';
import { losses } from '../charts/losses.ts';
import type { Words } from '../laboratory.ts';
import { claims } from './claims.ts';
import { environment, warnings } from './environment.ts';
import { figures } from './figures.ts';
import { table } from './table.ts';

/** The parts of a lab that a host may choose with `show`. */
export type Panel = 'controls' | 'steps' | 'chart' | 'table' | 'claims' | 'figures' | 'environment';

const PANELS: readonly Panel[] = ['controls', 'steps', 'chart', 'table', 'claims', 'figures', 'environment'];

/** The panels that a `show` attribute names, comma or space between; all where it names none that exist. */
export function panelsOf(show: string | undefined): ReadonlySet<Panel> {
  const asked = new Set((show ?? '').split(/[\s,]+/));
  const chosen = PANELS.filter((panel) => asked.has(panel));
  return new Set(chosen.length > 0 ? chosen : PANELS);
}

/** The result; `earlier` while the next run is under way. */
export function results(options: {
  result: LabResult;
  panels: ReadonlySet<Panel>;
  width: number;
  earlier: boolean;
  words: Words;
  /** Opens a schedule that a row tells of; none where the lab has no stepper. */
  show?: ShowSchedule | undefined;
}): TemplateResult {
  const { result, panels, width, earlier, words, show } = options;
  const provenance: Provenance = result.mode === 'model' ? 'modelled' : 'measured';
  return html`<div class="results ${earlier ? 'earlier' : ''}">
    ${earlier ? html`<p class="note">${words('ui.results.earlier')}</p>` : nothing}
    <div>
      <p class="finding" data-provenance=${provenance}>${result.finding.text}</p>
      <p class="legend">${sourceOf(provenance, words)}</p>
    </div>
    ${warnings(result, words)}
    ${panels.has('chart') ? pictures(result, width, words, show) : nothing}
    ${panels.has('table') ? table(result, words) : nothing}
    ${panels.has('claims') && result.claims.length > 0 ? claims(result.claims, provenance, words) : nothing}
    ${panels.has('figures') ? figures(result.lab, result.published, words) : nothing}
    ${panels.has('environment') ? environment(result, words) : nothing}
  </div>`;
}

function sourceOf(provenance: Provenance, words: Words): TemplateResult {
  return html`<span class="source ${provenance}" aria-hidden="true"></span> ${words(`ui.legend.${provenance}`)}`;
}

/** The pictures that these rows can fill. A row carries what its lab measured, so no list of labs is needed here. */
function pictures(
  { lab, rows, params }: LabResult,
  width: number,
  words: Words,
  show: ShowSchedule | undefined,
): readonly TemplateResult[] {
  if (lab === 'capabilities') {
    return [
      cards(
        rows.filter((row) => !isLockRow(row)),
        words,
      ),
      lockTable(rows, words),
    ].filter(isThere);
  }
  const ways = explored(rows, width, words, show);
  // Rows that were searched and not timed have nothing for the other pictures.
  const plain = rows.filter((row) => !isCurvePoint(row) && !isSearched(row));
  if (ways && plain.length === 0) return [ways];
  // Rows with a baseline ask how long it takes, whatever else they count.
  const isTimed = plain.some(({ baseline }) => baseline);
  const main = heartbeat(plain, params, width, words) ?? (isTimed ? undefined : losses(plain, width, words));
  const chosen = main
    ? [main]
    : [bars(plain, width, words), curve(rows, width, words), lanes(plain, width, words)].filter(isThere);
  // A run in which nothing could be done here still names its rows, each with reason and cure.
  const all = ways ? [ways, ...chosen] : chosen;
  return all.length > 0 ? all : [cards(rows, words)].filter(isThere);
}

function isThere<Value>(value: Value | undefined): value is Value {
  return value !== undefined;
}
