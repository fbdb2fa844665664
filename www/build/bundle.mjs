// Makes the static site in dist/: scripts, workers, styles, wasm files and pages, from www/ and www/pkg/.

import { existsSync } from 'node:fs';
import { copyFile, cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';
import { pageWords } from './page-words.mjs';
import { prerender } from './prerender.mjs';

const ROOT = resolve(fileURLToPath(new URL('../..', import.meta.url)));
const WWW = join(ROOT, 'www');
const PKG = join(WWW, 'pkg');
const DIST = join(ROOT, 'dist');
/** What esbuild says of each bundle, for the size check; beside the site, not in it. */
export const META_FILE = join(ROOT, 'target/bundle-meta.json');

const MODULES = ['playground', 'page', 'run', 'figures'];
const WASM_BUILDS = ['threaded', 'plain', 'loop', 'model'];

const COMMON = {
  absWorkingDir: ROOT,
  bundle: true,
  minify: true,
  target: 'es2022',
  charset: 'utf8',
  legalComments: 'none',
  logLevel: 'warning',
  metafile: true,
};

/** `#glue`, `#loop-glue` and `#pool-glue` are the glue of one wasm build, whatever of it that build holds; wasm-bindgen-rayon's helper, which makes nested workers, gives way to ours. */
function glue(build) {
  return {
    name: 'glue',
    setup({ onResolve }) {
      onResolve({ filter: /^#(pool-|loop-)?glue$/ }, () => ({ path: join(PKG, build, 'playground.js') }));
      onResolve({ filter: /workerHelpers(\.no-bundler)?\.js$/ }, () => ({
        path: join(WWW, 'src/engine/pool-helper.ts'),
      }));
    },
  };
}

/** The page's scripts hold the page's words only; the whole table lies beside them for the session. */
const wordsOfPage = {
  name: 'words-of-page',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]pkg[\\/]text\.\w+\.json$/ }, async ({ path }) => {
      const [table, labs] = await Promise.all(
        [path, join(PKG, 'labs.json')].map(async (file) => JSON.parse(await readFile(file, 'utf8'))),
      );
      return { contents: JSON.stringify(pageWords(table, labs)), loader: 'json' };
    });
  },
};

function bundleModules(outdir) {
  return esbuild.build({
    ...COMMON,
    entryPoints: MODULES.map((name) => join(WWW, `src/${name}.ts`)),
    outdir,
    format: 'esm',
    splitting: true,
    // Chunks lie beside the entries, so that `new URL('./threaded.wasm', import.meta.url)` is right in both.
    chunkNames: '[name]-[hash]',
    plugins: [wordsOfPage],
  });
}

function bundleWorker(build, outdir) {
  return esbuild.build({
    ...COMMON,
    entryPoints: { [`worker-${build}`]: join(WWW, 'src/worker.ts') },
    outdir,
    // A classic script: module workers cannot start from a blob: address on file:// in Chromium.
    format: 'iife',
    define: { 'import.meta.url': 'self.location.href' },
    // No build has all of the worker's parts: what it lacks is undefined there, and the worker asks before it calls.
    logOverride: { 'import-is-undefined': 'silent' },
    plugins: [glue(build)],
  });
}

function bundleServiceWorker(outdir) {
  return esbuild.build({
    ...COMMON,
    entryPoints: [join(WWW, 'src/service-worker.ts')],
    outdir,
    format: 'iife',
  });
}

async function bundleStyles(outdir) {
  const from = join(WWW, 'styles');
  const sheets = existsSync(from) ? (await readdir(from)).filter((name) => name.endsWith('.css')) : [];
  if (sheets.length === 0) return { metafile: { outputs: {}, inputs: {} } };
  return esbuild.build({
    ...COMMON,
    entryPoints: sheets.map((name) => join(from, name)),
    outdir: join(outdir, 'styles'),
    external: ['*.svg', '*.woff2', '*.png'],
  });
}

/** Everything else that pages ask for by name; absent folders are no error, a site without images is a site. */
async function copyAssets(outdir) {
  for (const build of WASM_BUILDS) {
    await copyFile(join(PKG, build, 'playground_bg.wasm'), join(outdir, `${build}.wasm`));
  }
  for (const name of await readdir(PKG)) {
    if (name.endsWith('.json')) await copyFile(join(PKG, name), join(outdir, name));
  }
  const assets = join(WWW, 'assets');
  if (existsSync(assets)) await cp(assets, join(outdir, 'assets'), { recursive: true });
  // Whoever asks the slow API past its service worker finds a file that says so.
  await cp(join(WWW, 'slow'), join(outdir, 'slow'), { recursive: true });
}

/** Bundles the site into a new directory and swaps it in, so that a failed build leaves the old site whole. */
export async function bundleSite() {
  const fresh = `${DIST}.new`;
  await rm(fresh, { recursive: true, force: true });
  await mkdir(fresh, { recursive: true });
  const results = await Promise.all([
    bundleModules(fresh),
    ...WASM_BUILDS.map((build) => bundleWorker(build, fresh)),
    bundleServiceWorker(fresh),
    bundleStyles(fresh),
  ]);
  await copyAssets(fresh);
  await prerender({ from: WWW, pkg: PKG, to: fresh });
  await rm(DIST, { recursive: true, force: true });
  await rename(fresh, DIST);
  const outputs = Object.assign({}, ...results.map(({ metafile }) => metafile.outputs));
  const renamed = JSON.stringify({ outputs }, null, 1).replaceAll('dist.new/', 'dist/');
  await mkdir(join(ROOT, 'target'), { recursive: true });
  await writeFile(META_FILE, renamed);
}

/** An import written as `/x.js` is an address of the site. `external: ['/*']` would take every file's own path for one. */
const servedImports = {
  name: 'served-imports',
  setup({ onResolve }) {
    onResolve({ filter: /^\// }, ({ kind, path }) => (kind === 'entry-point' ? undefined : { path, external: true }));
  },
};

/**
 * Bundles test pages' scripts (tests/browser/pages/*.ts by default) into target/browser-tests/, with their HTML
 * beside them, and returns that directory: mount it with `startServer({ mounts: { '/__tests__/': directory } })`.
 * An import of an absolute path (`/playground.js`) is left for the browser, so a test can load the built site.
 */
export async function bundleTests({ from = join(ROOT, 'tests/browser/pages'), entries } = {}) {
  const outdir = join(ROOT, 'target/browser-tests');
  await rm(outdir, { recursive: true, force: true });
  await mkdir(outdir, { recursive: true });
  const names = existsSync(from) ? await readdir(from) : [];
  const entryPoints = entries ?? names.filter((name) => name.endsWith('.ts')).map((name) => join(from, name));
  await esbuild.build({
    ...COMMON,
    entryPoints,
    outdir,
    format: 'esm',
    minify: false,
    plugins: [servedImports, glue('threaded')],
  });
  for (const name of names.filter((name) => name.endsWith('.html'))) {
    await writeFile(join(outdir, basename(name)), await readFile(join(from, name)));
  }
  return outdir;
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  bundleSite().catch((error) => {
    // esbuild has printed its own errors, with the place; the rest are told here.
    if (!error.errors) console.error(`bundle: ${error.message}`);
    process.exit(1);
  });
}
