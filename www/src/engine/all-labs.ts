//! All labs, one after another: what `lab: "all"` gives.

import type { ErrorCode, LabDescription, LabResult } from '#glue';
import { PlaygroundError } from './playground-error.ts';

/** What `lab: "all"` gives. Plain JSON. */
export interface AllResults {
  /** The same number as in each result. */
  schema: number;
  /** One for each lab that ran, in teaching order. */
  results: LabResult[];
  /** One for each lab that did not. */
  failed: { lab: string; code: ErrorCode; message: string; parameter?: string }[];
}

/** Runs each lab that has this mode with `one`. A lab that is refused or fails stops nothing; an abort stops everything. */
export async function runEach(
  labs: readonly LabDescription[],
  mode: unknown,
  one: (lab: string) => Promise<LabResult>,
): Promise<AllResults> {
  const all: AllResults = { schema: 0, results: [], failed: [] };
  const offering = labs.filter(({ modes }) => modes.some((offered) => offered === mode));
  // A mode that there is not is refused by each, in words.
  for (const { id: lab } of offering.length > 0 ? offering : labs) {
    try {
      const result = await one(lab);
      all.schema = result.schema;
      all.results.push(result);
    } catch (error) {
      if (!(error instanceof PlaygroundError)) throw error;
      const { code, message, parameter } = error;
      all.failed.push(parameter === undefined ? { lab, code, message } : { lab, code, message, parameter });
    }
  }
  return all;
}
