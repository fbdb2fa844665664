//! Which row of a result a figure is about, and what the row says of it. The same rules as the native side's
//! (`src/labs/figures`), whose tables come with the page.

import type { LabResult, Row } from '#glue';
import type { Content } from './cells.ts';
import { type Figure, say } from './data.ts';

/**
 * The row of the figure's strategy, Python and variant. Where it names no variant, the one that is called after the most
 * of its choices; the first of equals.
 */
export function rowOf(figure: Figure, rows: readonly Row[]): Row | undefined {
  const choices = Object.values(figure.params).filter((value) => typeof value === 'string');
  const named = ({ variant }: Row): number =>
    choices.filter((choice) => `-${variant ?? ''}-`.includes(`-${choice}-`)).length;
  const isMeant = ({ strategy, runtime, variant }: Row): boolean =>
    strategy === figure.strategy &&
    (runtime === undefined || runtime === figure.runtime) &&
    (figure.variant === undefined || variant === undefined || variant === figure.variant);
  let best: Row | undefined;
  for (const row of rows.filter(isMeant)) {
    if (best === undefined || named(row) > named(best)) best = row;
  }
  return best;
}

function asNumber(value: unknown): number | undefined {
  if (typeof value === 'boolean') return value ? 1 : 0;
  const number = typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** What the row says; undefined where it does not. */
export function read({ reading }: Figure, row: Row): number | undefined {
  const fields = new Map<string, unknown>(Object.entries(row));
  const field = (name: string): number | undefined => asNumber(fields.get(name));
  switch (reading.kind) {
    case 'field': {
      const found = reading.fields.map(field).find((number) => number !== undefined);
      return found === undefined ? undefined : found / reading.per;
    }
    case 'share': {
      const [part, all] = [field(reading.field), field(reading.of)];
      return part === undefined || !all ? undefined : part / all;
    }
    case 'over-zero': {
      const list = fields.get(reading.field);
      if (!Array.isArray(list) || list.length !== reading.entries) return undefined;
      return list.filter((entry) => (asNumber(entry) ?? 0) > 0).length;
    }
    case 'several':
      return undefined;
  }
}

const absent = (reason: string): Content => ({ notes: [say('ui.figures.live.none', { reason })] });

/** What a measured run says of a figure: a number with the row it is of, or why there is none. */
export function measuredContent(figure: Figure, result: LabResult): Content {
  if (result.environment.void) return absent(say('ui.figures.live.void'));
  const row = rowOf(figure, result.rows);
  if (!row) return absent(say('ui.figures.live.no-row'));
  if (!row.available) {
    const { notes = [] } = absent(row.reason ?? '');
    return { notes: row.cure ? [...notes, say('ui.figures.live.cure', { cure: row.cure })] : notes };
  }
  const number = read(figure, row);
  if (number === undefined) return absent(say('ui.figures.live.no-number'));
  return {
    number,
    ratio: figure.baseline === undefined ? undefined : row.speedup,
    notes: [say('ui.figures.live.row', { label: row.label }), ...row.notes],
  };
}
