//! The shape that all pictures of rows share: a name in words, a strip drawn to scale, the number in words. Words are
// HTML, so they wrap, zoom and are read aloud; only the strip is SVG.

import { html, nothing, svg, type TemplateResult } from 'lit';
import type { Row } from '#glue';
import type { Words } from '../laboratory.ts';
import { round, type Scale } from './scale.ts';

/** From this width on, names stand left of the strips and numbers right of them. The style sheet knows the columns. */
export const WIDE = 700;
const COLUMNS = 190 + 160 + 2 * 20;

/** How wide a strip may be, in a lab so many pixels wide. */
export function stripWidth(labWidth: number): number {
  return Math.max(160, Math.floor(labWidth >= WIDE ? labWidth - COLUMNS : labWidth));
}

/** One line of a picture. */
export interface Strip {
  readonly row: Row;
  /** What the strip shows, in one sentence, for those who do not see it. */
  readonly spoken: string;
  /** The strip's shapes. */
  readonly shapes: unknown;
  readonly height: number;
  /** The number that the strip stands for. */
  readonly figure: unknown;
  /** What to know about this row: a scaled size, one sample only, who held the loop. */
  readonly remarks?: readonly string[];
}

/** The lines of a picture under a heading, with a scale below and a sentence on how to read it. */
export function picture(options: {
  heading: string;
  how: string;
  width: number;
  strips: readonly (Strip | Row)[];
  axis?: TemplateResult | undefined;
  words: Words;
}): TemplateResult {
  const { heading, how, width, strips, axis, words } = options;
  return html`<figure class="picture ${width >= WIDE ? 'wide' : ''}">
    <figcaption><h4>${heading}</h4><p class="how">${how}</p></figcaption>
    <div class="strips">
      ${strips.map((strip) => ('shapes' in strip ? line(strip, stripWidth(width)) : missingLine(strip, words)))}
      ${axis ? html`<div class="line axis"><div class="strip">${axis}</div></div>` : nothing}
    </div>
  </figure>`;
}

function line({ row, spoken, shapes, height, figure, remarks = [] }: Strip, width: number): TemplateResult {
  return html`<div class="line">
    <div class="name">${row.label}</div>
    <div class="strip">
      <svg role="img" aria-label=${spoken} width=${width} height=${height} viewBox="0 0 ${width} ${height}">${shapes}</svg>
    </div>
    <div class="figure" data-provenance=${row.provenance}>${figure}</div>
    ${remarks.length > 0 ? html`<p class="remarks" data-provenance=${row.provenance}>${remarks.join(' ')}</p>` : nothing}
  </div>`;
}

/** What cannot run here: said, with reason and cure, in the place where the number would stand. Never a number. */
export function missingLine(row: Row, words: Words): TemplateResult {
  return html`<div class="line missing">
    <div class="name">${row.label}</div>
    <div class="strip why">
      <strong>${words('ui.row.unavailable')}</strong> ${row.reason ?? nothing}
      ${row.cure ? html`<span class="cure">${words('ui.row.cure', { cure: row.cure })}</span>` : nothing}
    </div>
  </div>`;
}

/** A horizontal scale with its marks and their words. */
export function axis(scale: Scale, label: (tick: number) => string): TemplateResult {
  const last = scale.ticks.length - 1;
  return html`<svg aria-hidden="true" width=${scale.length} height="22" viewBox="0 0 ${scale.length} 22">
    <line class="rule" x1="0" x2=${scale.length} y1="0.5" y2="0.5"></line>
    ${scale.ticks.map((tick, index) => {
      const x = scale.at(tick);
      // The outermost words would be cut off if they stood centred under their marks.
      const anchor = index === 0 ? 'start' : index === last && x > scale.length - 30 ? 'end' : 'middle';
      return svg`<line class="rule" x1=${x} x2=${x} y1="0" y2="5"></line>
        <text class="tick" x=${x} y="18" text-anchor=${anchor}>${label(tick)}</text>`;
    })}
  </svg>`;
}

/** Thin lines behind a strip, in line with the axis. */
export function grid(scale: Scale, height: number): unknown {
  return scale.ticks.map((tick) => {
    const x = round(scale.at(tick));
    return svg`<line class="grid" x1=${x} x2=${x} y1="0" y2=${height}></line>`;
  });
}
