// Holds the site to its size budget: what loads before the learner acts, and each wasm file, after gzip.

import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { META_FILE } from './bundle.mjs';

const ROOT = resolve(fileURLToPath(new URL('../..', import.meta.url)));
const KIB = 1024;

/** A script with everything that it imports statically; `import()` loads later and doesn't count. */
function staticClosure(outputs, entry, seen = new Set()) {
  if (seen.has(entry)) return seen;
  seen.add(entry);
  for (const { path, kind } of outputs[entry]?.imports ?? []) {
    if (kind === 'import-statement' && outputs[path]) staticClosure(outputs, path, seen);
  }
  return seen;
}

async function gzipSize(files) {
  const sizes = await Promise.all([...files].map(async (file) => gzipSync(await readFile(join(ROOT, file))).length));
  return sizes.reduce((sum, size) => sum + size, 0);
}

const { outputs } = JSON.parse(await readFile(META_FILE, 'utf8'));
/** The style that both pages have, and what the page of figures has besides. */
const [style, ofFigures] = ['page', 'figures'].map((name) => `dist/styles/${name}.css`);
const budgets = [
  // Of it 16 are the labs' descriptions and the names of their parameters and choices.
  { name: 'page: script and style', files: [...staticClosure(outputs, 'dist/page.js'), style], limitKib: 64 },
  {
    name: 'figures: script and style',
    files: [...staticClosure(outputs, 'dist/figures.js'), style, ofFigures],
    limitKib: 12,
  },
  { name: 'threaded.wasm', files: ['dist/threaded.wasm'], limitKib: 75 },
  { name: 'plain.wasm', files: ['dist/plain.wasm'], limitKib: 175 },
  { name: 'loop.wasm', files: ['dist/loop.wasm'], limitKib: 165 },
  // Fetched by whoever asks for a model, or steps through a schedule.
  { name: 'model.wasm', files: ['dist/model.wasm'], limitKib: 650 },
];

let tooLarge = 0;
for (const { name, files, limitKib } of budgets) {
  const kib = (await gzipSize(files)) / KIB;
  const verdict = kib <= limitKib ? 'ok' : 'TOO LARGE';
  if (kib > limitKib) tooLarge += 1;
  console.log(`size: ${name}: ${kib.toFixed(1)} KiB gzip of ${limitKib}: ${verdict}`);
}
process.exitCode = tooLarge > 0 ? 1 : 0;
