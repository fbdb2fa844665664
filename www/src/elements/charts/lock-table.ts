//! The lessons' own question: when is the interpreter lock on? Build × setting × extension, worked out from CPython's
//! rule by the session; here it is only laid out. It is its own canonical table, so the table of numbers leaves it out.

import { html, type TemplateResult } from 'lit';
import type { Row } from '#glue';
import type { Words } from '../laboratory.ts';

const VARIANT = /^(default|free-threaded)-(unset|0|1)-(ready|unready)$/;
const SETTINGS = ['unset', '0', '1'] as const;

/** Whether a row is a cell of the lock table. */
export function isLockRow({ variant }: Row): boolean {
  return VARIANT.test(variant ?? '');
}

/** The table; undefined where the result holds no such rows. */
export function lockTable(rows: readonly Row[], words: Words): TemplateResult | undefined {
  const cells = new Map(rows.filter(isLockRow).map((row) => [row.variant ?? '', row]));
  if (cells.size === 0) return undefined;
  const lines = ['default', 'free-threaded'].flatMap((build) =>
    ['ready', 'unready'].map((extension) => ({ build, extension })),
  );
  return html`<figure class="picture lock">
    <figcaption><h4>${words('ui.lock.heading')}</h4><p class="how">${words('ui.lock.how')}</p></figcaption>
    <div class="scroll" tabindex="0" role="group" aria-label=${words('ui.lock.heading')}>
      <table>
        <thead><tr><th scope="col">${words('ui.lock.build')}</th><th scope="col">${words('ui.lock.extension')}</th>
          ${SETTINGS.map((setting) => html`<th scope="col">${breakable(words(`ui.lock.setting.${setting}`))}</th>`)}</tr></thead>
        <tbody>${lines.map(
          ({ build, extension }) => html`<tr><th scope="row">${words(`ui.lock.build.${build}`)}</th>
            <td>${words(`ui.lock.extension.${extension}`)}</td>
            ${SETTINGS.map((setting) => cell(cells.get(`${build}-${setting}-${extension}`), words))}</tr>`,
        )}</tbody>
      </table>
    </div>
  </figure>`;
}

/** A variable's name may break behind its underscore and its sign. */
function breakable(text: string): readonly (string | TemplateResult)[] {
  return text.split(/(?<=[_=])/).map((part, index) => (index === 0 ? part : html`<wbr>${part}`));
}

function cell(row: Row | undefined, words: Words): TemplateResult {
  const value = row?.value;
  const mark = value === 'on' ? ON : value === 'off' ? OFF : FATAL;
  return value === undefined || !row
    ? html`<td>–</td>`
    : html`<td class=${value} data-provenance=${row.provenance}><span class="state">${mark} ${words(`ui.lock.${value}`)}</span></td>`;
}

const ON = icon('M4 8V5.5a4 4 0 0 1 8 0V8M2.5 8h11v6.5h-11z');
const OFF = icon('M4 8V5.5a4 4 0 0 1 7.5-2M2.5 8h11v6.5h-11z');
const FATAL = icon('M4 4l8 8M12 4l-8 8');

function icon(path: string): TemplateResult {
  return html`<svg class="mark" aria-hidden="true" width="16" height="16" viewBox="0 0 16 16"><path d=${path}></path></svg>`;
}
