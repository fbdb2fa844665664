// Copies of the built site in which one file is missing or broken, each made once below target/.

import { cp, mkdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { DIST, ROOT } from './site.mjs';

const HOME = `${ROOT}target/broken-sites`;
const made = new Map();

/** What is done to a fresh copy. */
const BREAKS = {
  'no-worker-script': (site) => rm(`${site}/worker-plain.js`),
  'bad-worker-script': (site) => writeFile(`${site}/worker-plain.js`, 'this is no script'),
  'silent-worker-script': (site) => writeFile(`${site}/worker-plain.js`, 'self.onmessage = () => {};'),
  'no-wasm': (site) => rm(`${site}/plain.wasm`),
  'truncated-wasm': async (site) => {
    const { length } = await readFile(`${site}/plain.wasm`);
    await truncate(`${site}/plain.wasm`, Math.floor(length / 2));
  },
  'html-for-wasm': (site) => writeFile(`${site}/plain.wasm`, '<!doctype html><title>Not found</title>'),
  'no-threaded-script': (site) => rm(`${site}/worker-threaded.js`),
  'no-threaded-wasm': (site) => rm(`${site}/threaded.wasm`),
  'no-loop-wasm': (site) => rm(`${site}/loop.wasm`),
  'no-model-script': (site) => rm(`${site}/worker-model.js`),
  'no-model-wasm': (site) => rm(`${site}/model.wasm`),
  'no-service-worker': (site) => rm(`${site}/service-worker.js`),
};

async function make(breaks) {
  const site = `${HOME}/${breaks}`;
  await rm(site, { recursive: true, force: true });
  await mkdir(HOME, { recursive: true });
  await cp(DIST, site, { recursive: true });
  await BREAKS[breaks](site);
  return site;
}

/** The directory of a copy that is broken in this way. */
export function brokenSite(breaks) {
  if (!made.has(breaks)) made.set(breaks, make(breaks));
  return made.get(breaks);
}
