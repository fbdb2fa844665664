//! Every way a program can end: for each row that was searched a strip that shares out its schedules by what they are
//! worth, and below it one bar an outcome, the right ones first, with exact count, share, fewest preemptions and a button
//! that opens such a schedule. What can go on for ever stands below.

import { html, nothing, svg, type TemplateResult } from 'lit';
import type { Explored, ExploredEndless, ExploredOutcome, Grade, Row } from '#glue';
import type { Words } from '../laboratory.ts';
import { formatCount, formatPart, shortCount } from '../numbers.ts';
import { axis, grid, missingLine, stripWidth, WIDE } from './frame.ts';
import { GRADES, gradeFill, gradeHatches, gradeMark } from './grades.ts';
import { round, type Scale, zeroTo } from './scale.ts';

/** Opens a schedule that a row tells of. */
export type ShowSchedule = (row: Row, schedule: string) => void;

const SUMMARY = 28;
const BAR = { height: 18, bar: 14 };
/** A bar of what is possible is never thinner than this, however unlikely it is; its number says how unlikely. */
const THINNEST = 2;
/** So many outcomes are shown at once; the others are folded away. */
const MOST_SHOWN = 8;

/** Whether a row was searched and compares nothing else: how long its one run of a few steps takes is no comparison. */
export function isSearched({ explored: found, lost, speedup, baseline }: Row): boolean {
  return found !== undefined && lost === undefined && speedup === undefined && !baseline;
}

/** The picture; undefined where no row was searched. */
export function explored(
  rows: readonly Row[],
  width: number,
  words: Words,
  show?: ShowSchedule,
): TemplateResult | undefined {
  const drawn = rows.filter((row) => row.explored !== undefined);
  if (drawn.length === 0) return undefined;
  const scale = zeroTo(100, stripWidth(width));
  // What could not be searched here stands among the others, with its reason.
  const lines = rows.filter((row) => row.explored !== undefined || (!row.available && row.provenance === 'modelled'));
  return html`<figure class="picture explored ${width >= WIDE ? 'wide' : ''}">
    <svg class="hatches" aria-hidden="true" width="0" height="0">${gradeHatches()}</svg>
    <figcaption><h4>${words('ui.explored.heading')}</h4><p class="how">${words('ui.explored.how')}</p>${key(drawn, words)}</figcaption>
    ${lines.map((row) => (row.explored ? group(row, row.explored, scale, words, show) : html`<div class="strips">${missingLine(row, words)}</div>`))}
  </figure>`;
}

/** What the hatches mean, those that occur. */
function key(rows: readonly Row[], words: Words): TemplateResult {
  const occur = GRADES.filter((grade) => rows.some((row) => row.explored?.outcomes.some((one) => one.grade === grade)));
  return html`<ul class="key grades">${occur.map(
    (
      grade,
    ) => html`<li><svg aria-hidden="true" width="20" height="12" viewBox="0 0 20 12"><rect class="shape" x="0.5" y="0.5" width="19" height="11" fill=${gradeFill(grade)}></rect></svg>
      ${gradeMark(grade)} ${words(`ui.grade.${grade}`)}</li>`,
  )}</ul>`;
}

function group(row: Row, found: Explored, scale: Scale, words: Words, show: ShowSchedule | undefined): TemplateResult {
  const { outcomes, endless } = found;
  const first = shownFirst(outcomes);
  const rest = outcomes.filter((one) => !first.includes(one));
  const bars = (some: readonly ExploredOutcome[]) =>
    html`<div class="outcomes">${some.map((one) => outcome(row, one, scale, words, show))}</div>`;
  return html`<div class="strips">
    ${summary(row, found, scale, words)}
    ${bars(first)}
    ${rest.length > 0 ? html`<details><summary>${words('ui.explored.more', { n: formatCount(rest.length) })}</summary>${bars(rest)}</details>` : nothing}
    ${
      outcomes.some(({ share }) => share !== undefined)
        ? html`<div class="line axis"><div class="strip">${axis(scale, (tick) => `${tick} %`)}</div></div>`
        : nothing
    }
    ${
      endless.length > 0
        ? html`<p class="ways">${words('ui.explored.endless.heading')}</p>
          <ul class="endless">${endless.map((one) => way(row, one, words, show))}</ul>`
        : nothing
    }
  </div>`;
}

/** Those that are shown at once, in the order given: all that are right or of another kind, then the likeliest. */
function shownFirst(outcomes: readonly ExploredOutcome[]): readonly ExploredOutcome[] {
  if (outcomes.length <= MOST_SHOWN + 1) return outcomes;
  const rank = ({ grade, share }: ExploredOutcome) => (grade === 'lost' ? (share ?? 0) : 2);
  const chosen = [...outcomes].sort((one, other) => rank(other) - rank(one)).slice(0, MOST_SHOWN);
  return outcomes.filter((one) => chosen.includes(one));
}

/** All schedules of a row on one strip, shared out by grade. */
function summary(row: Row, found: Explored, scale: Scale, words: Words): TemplateResult {
  const parts = GRADES.map((grade) => ({ grade, share: sharesOf(found, grade) })).filter(({ share }) => share > 0);
  const { length } = scale;
  let x = 0;
  const boxes = parts.map(({ grade, share }) => {
    const width = Math.max(THINNEST, scale.at(share * 100));
    const box = svg`<rect class="shape" x=${round(Math.min(x, length - THINNEST))} y="4" width=${round(Math.min(width, length))} height="20" fill=${gradeFill(grade)}></rect>`;
    x += width;
    return box;
  });
  const empty = svg`<rect class="shape lost" x="0.5" y="4" width=${length - 1} height="20" fill="url(#fill-missing)"></rect>`;
  const spoken = parts.map(({ grade, share }) => `${words(`ui.grade.${grade}`)} ${part(share, words)}`).join(', ');
  return html`<div class="line whole">
    <div class="name">${row.label}</div>
    <div class="strip"><svg role="img" aria-label=${words('ui.explored.spoken', { label: row.label, outcomes: spoken || found.coverage })} width=${length} height=${SUMMARY}
      viewBox="0 0 ${length} ${SUMMARY}">${parts.length > 0 ? boxes : empty}</svg></div>
    <div class="figure" data-provenance=${row.provenance}><b>${total(found, words)}</b>
      <span class="aside">${words('ui.explored.states', { n: formatCount(found.states) })}</span></div>
    <p class="remarks" data-provenance=${row.provenance}>${[found.program, found.coverage, ...(isSearched(row) ? row.notes : [])].join(' ')}</p>
  </div>`;
}

function sharesOf({ outcomes }: Explored, grade: Grade): number {
  // A share too small for a number of the machine is 0, and yet possible.
  const shares = outcomes.filter((one) => one.grade === grade && one.share !== undefined);
  return shares.reduce((sum, { share }) => sum + Math.max(share ?? 0, Number.MIN_VALUE), 0);
}

function total({ schedules, complete }: Explored, words: Words): unknown {
  if (schedules === undefined) return words(complete ? 'ui.explored.no-end' : 'ui.explored.not-counted');
  return schedules === '1' ? words('ui.explored.schedule') : counted(schedules, words);
}

/** "17,153,136 schedules"; one that is too long to read by its first digits, with all of them to unfold. */
function counted(schedules: string, words: Words): unknown {
  const short = shortCount(schedules);
  if (!short)
    return words(schedules === '1' ? 'ui.explored.schedule' : 'ui.explored.schedules', { n: formatCount(schedules) });
  const { digits, power } = short;
  // Where the number stands in the sentence is the language's business.
  const [before = '', after = ''] = words('ui.explored.schedules', { n: '\u0000' }).split('\u0000');
  return html`<details class="exact"><summary>${before}${digits}…&nbsp;×&nbsp;10<sup>${power}</sup>${after}</summary>
    <p>${words('ui.explored.exact', { n: formatCount(schedules) })}</p></details>`;
}

function outcome(
  row: Row,
  one: ExploredOutcome,
  scale: Scale,
  words: Words,
  show: ShowSchedule | undefined,
): TemplateResult {
  const { grade, text, share, schedules, witness } = one;
  const { length } = scale;
  const bar = svg`<rect class="shape" x="0.5" y="2" width=${share === undefined ? 0 : Math.max(THINNEST, scale.at(share * 100) - 1)} height=${BAR.bar} fill=${gradeFill(grade)}></rect>`;
  return html`<div class="line outcome grade-${grade}">
    <div class="name"><span class="grade">${gradeMark(grade)} ${words(`ui.grade.${grade}`)}</span> <span class="what">${text}</span></div>
    ${
      share === undefined
        ? nothing
        : html`<div class="strip"><svg aria-hidden="true" width=${length} height=${BAR.height} viewBox="0 0 ${length} ${BAR.height}">${grid(scale, BAR.height)}${bar}</svg></div>`
    }
    <div class="figure" data-provenance=${row.provenance}><b>${share === undefined ? words('ui.explored.possible') : part(share, words)}</b>
      ${schedules === undefined ? nothing : html`<span class="aside">${counted(schedules, words)}</span>`}</div>
    <div class="remarks" data-provenance=${row.provenance}>${preemptions(one.preemptions, words)}
      ${button(`ui.explored.show.${grade}`, text, () => show?.(row, witness), show, words)}</div>
  </div>`;
}

/** A share in words: possible is never "0 %", and not certain never "100 %". */
function part(share: number, words: Words): string {
  return formatPart(share) ?? words(share < 0.5 ? 'ui.explored.tiny' : 'ui.explored.nearly');
}

function way(row: Row, one: ExploredEndless, words: Words, show: ShowSchedule | undefined): TemplateResult {
  const { kind, text, certain, witness } = one;
  return html`<li data-provenance=${row.provenance}><b class="grade">${ROUND} ${words(`ui.explored.endless.${kind}`)}</b>
    <span class="what">${text} (${words(`ui.explored.endless.${certain ? 'certain' : 'escapable'}`)})</span>
    <span class="remarks">${preemptions(one.preemptions, words)}
      ${button('ui.explored.show.endless', text, () => show?.(row, witness), show, words)}</span></li>`;
}

function preemptions(n: number, words: Words): string {
  return words(`ui.explored.preemptions.${n > 1 ? 'n' : n}`, { n: formatCount(n) });
}

function button(
  id: string,
  text: string,
  press: () => void,
  show: ShowSchedule | undefined,
  words: Words,
): TemplateResult | typeof nothing {
  if (!show) return nothing;
  return html`<button type="button" class="show" aria-label="${words(id)}: ${text}" @click=${press}>${words(id)}</button>`;
}

const ROUND = html`<svg class="mark" aria-hidden="true" width="16" height="16" viewBox="0 0 16 16"><path d="M13.5 8a5.5 5.5 0 1 1-2-4.2M12 1v3.2H8.8"></path></svg>`;

/** The outcomes as a line of a table. */
export function outcomesInWords({ outcomes }: Explored, words: Words): string {
  const one = ({ grade, text, schedules, share }: ExploredOutcome) =>
    [
      `${words(`ui.grade.${grade}`)}: ${text}`,
      schedules === undefined ? undefined : formatCount(schedules),
      share === undefined ? undefined : part(share, words),
    ]
      .filter((piece) => piece !== undefined)
      .join(', ');
  return outcomes.map(one).join(' · ');
}

/** How many schedules, exactly. */
export function schedulesInWords({ schedules, complete }: Explored, words: Words): string {
  return schedules === undefined
    ? words(complete ? 'ui.explored.no-end' : 'ui.explored.not-counted')
    : formatCount(schedules);
}
