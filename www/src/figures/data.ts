//! What the page of figures holds for its script: the figures, and the words to speak of them with. Not here: any number
//! that is shown; published and modelled ones stand in the page already.

import type { Plain, Row } from '#glue';
import type english from '../../pkg/text.en.json';

/** How a number is read from a row. Fields are named as in the row. */
export type Reading =
  | { kind: 'field'; fields: readonly string[]; per: number }
  | { kind: 'share'; field: string; of: string }
  | { kind: 'over-zero'; field: string; entries: number }
  | { kind: 'several' };

/** One figure, as far as the script needs it. */
export interface Figure {
  readonly id: string;
  readonly lab: string;
  readonly strategy: Row['strategy'];
  readonly runtime: NonNullable<Row['runtime']>;
  readonly variant?: string;
  readonly params: Readonly<Record<string, Plain>>;
  readonly reading: Reading;
  /** The parameters of the measured run that has it; none where it cannot be measured. */
  readonly measured?: Readonly<Record<string, Plain>>;
  /** The lowest number that agrees. */
  readonly low: number;
  /** The highest; none for a lower bound. */
  readonly high?: number;
  /** Whether a number of another machine can be held to it. */
  readonly compares: boolean;
  /** The figure of the same work done one part after another. */
  readonly baseline?: string;
}

/** An id of this script's own texts. */
export type LiveId = Extract<keyof typeof english, `ui.figures.live.${string}`>;

interface Data {
  readonly figures: readonly Figure[];
  readonly words: Readonly<Record<string, string>>;
}

function read(): Data {
  const held = document.querySelector<HTMLTemplateElement>('#figures-data');
  // Written by the build in this shape; JSON carries no types.
  return JSON.parse(held?.content.textContent ?? '{"figures":[],"words":{}}') as Data;
}

const data = read();

/** All figures by their ids, in the page's order. */
export const figures: ReadonlyMap<string, Figure> = new Map(data.figures.map((figure) => [figure.id, figure]));

/** The text of an id, its places filled in. */
export function say(id: LiveId, args: Readonly<Record<string, string | number>> = {}): string {
  const text = data.words[id] ?? id;
  return text.replace(/\{(\w+)\}/g, (place, name: string) => (Object.hasOwn(args, name) ? String(args[name]) : place));
}
