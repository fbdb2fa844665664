// The built site on two hosts: one that sends the isolation headers, and one that sends none. Test pages lie below
// /__tests__/ on both. Not here: building; run.mjs does that once.

import { fileURLToPath } from 'node:url';
import { startServer } from '../../../www/build/serve.mjs';

export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
export const DIST = `${ROOT}dist`;
export const TEST_PAGES = `${ROOT}target/browser-tests`;
export const TESTS_PATH = '/__tests__/';

const servers = new Map();

/** A host of the site; started on first use, ended with the process. Gives an absolute URL of one of its pages. */
export async function siteUrl(path = '', { headers = true, root = DIST } = {}) {
  const key = JSON.stringify([headers, root]);
  if (!servers.has(key)) servers.set(key, startServer({ root, headers, mounts: { [TESTS_PATH]: TEST_PAGES } }));
  const { url } = await servers.get(key);
  return new URL(path, url).href;
}

/** Ends all hosts, or the process would not end. */
export async function closeSites() {
  for (const server of servers.values()) await (await server).close();
  servers.clear();
}
