// The labs' descriptions as the build wrote them: the list that the tests walk, so that a new lab is tested without a
// new line here.

import { readFileSync } from 'node:fs';
import { DIST } from './site.mjs';

/** All labs, in teaching order. */
export const LABS = JSON.parse(readFileSync(`${DIST}/labs.json`, 'utf8'));

/** The description of one lab. */
export function labOf(id) {
  const lab = LABS.find((one) => one.id === id);
  if (!lab) throw new Error(`there is no lab ${id} in dist/labs.json`);
  return lab;
}
