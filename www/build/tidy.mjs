// House rules that no linter knows: file length, pinned versions, files that nobody reads, and the few things that only
// one file may do.

import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, extname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = resolve(fileURLToPath(new URL('../..', import.meta.url)));
const MAX_LINES = 500;
const SOURCES = new Set(['.rs', '.ts', '.mjs', '.css', '.html', '.sh']);
const SKIPPED = new Set(['.git', 'dist', 'dist.new', 'fixtures', 'node_modules', 'pkg', 'target']);

const complaints = [];

function* sourceFiles(directory) {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    if (SKIPPED.has(entry.name)) continue;
    const path = join(directory, entry.name);
    if (entry.isDirectory()) yield* sourceFiles(path);
    else if (SOURCES.has(extname(entry.name))) yield path;
  }
}

function checkSources() {
  const makesWorkers = [];
  for (const path of sourceFiles(ROOT)) {
    const name = relative(ROOT, path);
    const text = readFileSync(path, 'utf8');
    const nLines = text.split('\n').length - 1;
    if (nLines > MAX_LINES) complaints.push(`${name} has ${nLines} lines; ${MAX_LINES} are the most`);
    if (name.startsWith('www/src/') && /\bnew Worker\(/.test(text)) makesWorkers.push(name);
    const isWeb = name === 'src/web.rs' || name.startsWith('src/web/');
    if (name.startsWith('src/') && !isWeb && /^\s*(pub )?use (wasm_bindgen|js_sys|web_sys)\b/m.test(text)) {
      complaints.push(`${name} names the browser; only src/web.rs may`);
    }
  }
  if (makesWorkers.length > 1) complaints.push(`more than one file makes workers: ${makesWorkers.join(', ')}`);
}

/** A Rust file that its parent module does not name is compiled by nobody, and so are its mistakes. */
function checkModules() {
  const texts = new Map();
  for (const path of sourceFiles(join(ROOT, 'src'))) {
    if (extname(path) === '.rs') texts.set(path, readFileSync(path, 'utf8'));
  }
  for (const path of texts.keys()) {
    const name = relative(ROOT, path);
    if (name === 'src/lib.rs' || name.startsWith('src/bin/')) continue;
    const module = basename(path) === 'mod.rs' ? dirname(path) : path;
    const [home, own] = [dirname(module), basename(module, '.rs')];
    const parents = [join(home, 'lib.rs'), join(home, 'mod.rs'), `${home}.rs`];
    const isNamed = parents.some((parent) => new RegExp(`\\bmod (r#)?${own};`).test(texts.get(parent) ?? ''));
    const hasPath = [...texts].some(([by, text]) => dirname(by) === home && text.includes(`path = "${own}.rs"`));
    if (!isNamed && !hasPath) complaints.push(`${name}: no \`mod\` names it`);
  }
}

function checkPins() {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  for (const [name, version] of Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })) {
    if (!/^\d+\.\d+\.\d+$/.test(version)) complaints.push(`package.json: ${name} "${version}" is not an exact version`);
  }
  // An address in the lock file would tie everybody to one registry.
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  for (const [name, entry] of Object.entries(lock.packages)) {
    if (entry.resolved) complaints.push(`package-lock.json: ${name} holds an address ("resolved")`);
  }
}

checkSources();
checkModules();
checkPins();
for (const complaint of complaints) console.error(`tidy: ${complaint}`);
process.exitCode = complaints.length > 0 ? 1 : 0;
