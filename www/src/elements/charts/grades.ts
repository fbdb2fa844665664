//! What an ending is worth, as it looks: a mark of its own shape, a colour and a hatch, so that grades differ in words, in
// shape and in pattern, and never by colour alone.

import { html, svg, type TemplateResult } from 'lit';
import type { Grade } from '#glue';

/** From the best to the worst. */
export const GRADES: readonly Grade[] = ['right', 'lost', 'assertion', 'deadlock'];

const LINES: Record<Grade, string> = {
  right: '',
  lost: 'M-1 9L9 -1M-1 1L1 -1M7 9L9 7',
  assertion: 'M0 2L4 6L8 2',
  deadlock: 'M0 4H8M4 0V8',
};

/** The hatches, once per element, inside an `svg`. */
export function gradeHatches() {
  return svg`<defs>${GRADES.map(
    (
      grade,
    ) => svg`<pattern id="fill-grade-${grade}" class="look grade-${grade}" width="8" height="8" patternUnits="userSpaceOnUse">
      <rect class="ground" width="8" height="8"></rect><path class="lines" d=${LINES[grade]}></path></pattern>`,
  )}</defs>`;
}

/** The `fill` of a shape of this grade. */
export function gradeFill(grade: Grade): string {
  return `url(#fill-grade-${grade})`;
}

const MARKS: Record<Grade, string> = {
  right: 'M8 1.5a6.5 6.5 0 1 1 0 13a6.5 6.5 0 1 1 0-13zM5 8.2l2.2 2.3L11 5.8',
  lost: 'M8 1.5L14.5 8L8 14.5L1.5 8zM5.3 8h5.4',
  assertion: 'M8 1.5L15 14H1zM8 6v3.6M8 11.4v1',
  deadlock: 'M5 1.5h6L14.5 5v6L11 14.5H5L1.5 11V5zM5.4 5.4l5.2 5.2M10.6 5.4l-5.2 5.2',
};

/** A mark: a circle, a diamond, a triangle, an octagon. The word beside it says the same. */
export function gradeMark(grade: Grade): TemplateResult {
  return html`<svg class="mark grade-mark" aria-hidden="true" width="16" height="16" viewBox="0 0 16 16"><path d=${MARKS[grade]}></path></svg>`;
}
