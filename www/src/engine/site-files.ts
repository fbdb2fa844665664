//! The site's scripts and wasm files: where they lie, and each wasm module compiled once on the page.

import { failureWords, words } from '../words.ts';
import { within } from './limits.ts';

/**
 * The wasm builds: `threaded` does jobs with threads over one shared memory, `plain` without; `loop` does those of the
 * event loop. The session is in `plain`, and with the models in `model`.
 */
export type Build = 'threaded' | 'plain' | 'loop' | 'model';

const MAGIC = [0x00, 0x61, 0x73, 0x6d] as const;

/** The files below one address. */
export class SiteFiles {
  readonly #base: URL;
  readonly #fetchMs: number;
  readonly #modules = new Map<Build, Promise<WebAssembly.Module>>();
  readonly #scripts = new Map<Build, Promise<URL>>();
  readonly #tables = new Map<string, Promise<string>>();

  constructor(base: URL, fetchMs: number) {
    this.#base = base;
    this.#fetchMs = fetchMs;
  }

  /** The worker script that belongs to a build. */
  script(build: Build): Promise<URL> {
    return this.#keep(this.#scripts, build, () => this.#ownScript(new URL(`worker-${build}.js`, this.#base)));
  }

  /** Where a build's wasm lies. */
  wasm(build: Build): URL {
    return new URL(`${build}.wasm`, this.#base);
  }

  /** An address of the service worker's slow API. */
  slow(name: string, query: Record<string, string>): URL {
    return new URL(`slow/${name}?${new URLSearchParams(query)}`, this.#base);
  }

  /** The compiled module. A failure is not kept: the next one who asks tries again. */
  module(build: Build): Promise<WebAssembly.Module> {
    return this.#keep(this.#modules, build, () => this.#limited(this.wasm(build), compileFrom));
  }

  /** All words of a language, as JSON text: what the session says them with. */
  table(language: string): Promise<string> {
    const file = new URL(`text.${language}.json`, this.#base);
    return this.#keep(this.#tables, language, () =>
      this.#limited(file, async (from, signal) => (await get(from, signal)).text()),
    );
  }

  /** Forgets every file. */
  drop(): void {
    this.#modules.clear();
    this.#scripts.clear();
    this.#tables.clear();
  }

  #keep<K, T>(kept: Map<K, Promise<T>>, key: K, make: () => Promise<T>): Promise<T> {
    const known = kept.get(key);
    if (known) return known;
    const made = make();
    kept.set(key, made);
    made.catch(() => kept.delete(key));
    return made;
  }

  /** Browsers start no worker from another origin; a copy of the script is of the page's own. */
  async #ownScript(script: URL): Promise<URL> {
    // Not the location's: a sandboxed frame has an origin of its own whatever its address is.
    if (script.origin === window.origin) return script;
    return this.#limited(script, async (file, signal) => {
      const response = await get(file, signal);
      return new URL(URL.createObjectURL(new Blob([await response.text()], { type: 'text/javascript' })));
    });
  }

  #limited<T>(file: URL, load: (file: URL, signal: AbortSignal) => Promise<T>): Promise<T> {
    const giveUp = new AbortController();
    const silent = (): Error => {
      giveUp.abort();
      return new Error(words('engine.detail.silent', { what: file.pathname, seconds: this.#fetchMs / 1000 }));
    };
    return within(load(file, giveUp.signal), this.#fetchMs, silent);
  }
}

/** The answer for a file, or an error in words. */
async function get(file: URL, signal: AbortSignal): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(file, { signal });
  } catch (error) {
    throw new Error(words('engine.detail.unreachable', { file: file.pathname, detail: failureWords(error) }));
  }
  if (response.ok) return response;
  throw new Error(words('engine.detail.status', { file: file.pathname, status: response.status }));
}

async function compileFrom(file: URL, signal: AbortSignal): Promise<WebAssembly.Module> {
  const response = await get(file, signal);
  try {
    const type = response.headers.get('Content-Type') ?? '';
    if (/^application\/wasm\b/i.test(type)) return await WebAssembly.compileStreaming(response);
    // Some hosts call wasm by another type, which streaming refuses; others answer every address with a page.
    const bytes = await response.arrayBuffer();
    const start = new Uint8Array(bytes.slice(0, MAGIC.length));
    if (!MAGIC.every((byte, index) => start[index] === byte))
      throw new Error(words('engine.detail.not-wasm', { type }));
    return await WebAssembly.compile(bytes);
  } catch (error) {
    throw new Error(words('engine.detail.compile', { file: file.pathname, detail: failureWords(error) }));
  }
}
