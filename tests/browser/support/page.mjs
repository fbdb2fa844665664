// One page in any engine, with the same few verbs everywhere, and the rule that whatever goes wrong in it fails the
// test unless the test said that it expects it.

import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { callSource, readAnswer } from './in-page.mjs';
import { within } from './limits.mjs';

const DEFAULT_LIMIT_MS = 30_000;
/** How often one call is repeated at most. A driver may tell twice of one document that it went away. */
const MOST_REPEATS = 3;
/** What the drivers say of a call whose document went away before it answered. */
const LOST = /context|navigat|destroyed|detached|unload|discarded|no such (window|frame)/i;

export class Page {
  #tab;
  #expected = [];
  #mayReload = false;
  #answered = [];
  #onServed = new Set();

  constructor(tab, engine) {
    this.#tab = tab;
    /** The engine's name and facts. */
    this.engine = engine;
    subscribe('http.server.response.finish', this.#onAnswer);
  }

  // The drivers do not tell of every request (workers, WebKit): our own server, in this process, does.
  #onAnswer = ({ request, response }) => {
    this.#answered.push({ path: request.url, status: response.statusCode });
    for (const look of this.#onServed) look();
  };

  /**
   * Opens an address. `mayReload`: the page may load itself anew at any time, so a call that is lost with its document is
   * repeated in the next one; without it a page that goes away fails the test.
   */
  goto(url, { mayReload = false } = {}) {
    this.#mayReload = mayReload;
    return this.#tab.goto(String(url));
  }

  /** Goes back in the tab's history. Drivers tell nothing of a page that the browser had kept, so it is asked. */
  async back() {
    const address = () => this.call(() => location.href);
    const left = await address();
    this.#mayReload = true;
    await this.call(() => void setTimeout(() => history.back()));
    const deadline = performance.now() + DEFAULT_LIMIT_MS;
    while ((await address()) === left) {
      if (performance.now() > deadline) throw new Error('the tab does not go back');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** Calls a function in the page with JSON arguments; its promise is awaited and its value comes back as JSON. */
  async call(what, ...args) {
    return readAnswer(await this.#evaluate(callSource(what, args)));
  }

  async #evaluate(source) {
    for (let repeats = 0; ; repeats += 1) {
      try {
        return await this.#tab.evaluate(source);
      } catch (error) {
        if (!this.#mayReload || repeats === MOST_REPEATS || !LOST.test(error.message)) throw error;
      }
    }
  }

  /** As `call`, with a time limit and words for what is waited for. */
  callWithin(ms, what, fn, ...args) {
    return within(ms, what, this.call(fn, ...args));
  }

  /** Waits until an element (searched through shadow roots) has an attribute of one of these values; gives it. */
  untilAttribute(selector, attribute, values, ms = DEFAULT_LIMIT_MS) {
    const what = `${selector} to have ${attribute} = ${values.join(' or ')}`;
    const look = (at, name, wanted, limit, words) => {
      const { changed, find } = window.__browserTest;
      const value = () => find(at)?.getAttribute(name);
      const test = () => (wanted.includes(value()) ? { value: value() } : undefined);
      return changed(test, limit, words).catch((error) => {
        throw new Error(`${error.message}; it is ${value()}`);
      });
    };
    return within(ms + 5000, what, this.call(look, selector, attribute, values, ms, what)).then(({ value }) => value);
  }

  /**
   * Waits until our own server has answered so many requests for paths like this. For pages that load themselves anew:
   * a script that waits in such a page may be lost with its process, and WebKit's driver then never answers.
   */
  async untilServed(pattern, times = 1, ms = DEFAULT_LIMIT_MS) {
    let look;
    const served = new Promise((resolve) => {
      look = () => {
        if (this.served.filter((path) => pattern.test(path)).length >= times) resolve();
      };
      this.#onServed.add(look);
      look();
    });
    try {
      await within(ms, `${pattern} to be asked of the server ${times} time(s)`, served);
    } finally {
      this.#onServed.delete(look);
    }
  }

  /** Waits until an element is there. */
  untilThere(selector, ms = DEFAULT_LIMIT_MS) {
    const what = `an element ${selector}`;
    const look = (at, limit, words) => {
      const { changed, find } = window.__browserTest;
      return changed(() => find(at) !== null, limit, words);
    };
    return within(ms + 5000, what, this.call(look, selector, ms, what));
  }

  text(selector) {
    return this.call((at) => window.__browserTest.find(at)?.textContent.trim().replace(/\s+/g, ' '), selector);
  }

  /** A real click of the mouse on the middle of the element, once it stands still: pages scroll smoothly. */
  async click(selector) {
    const at = await this.callWithin(
      DEFAULT_LIMIT_MS,
      `${selector} to stand still`,
      async (wanted) => {
        const element = window.__browserTest.find(wanted);
        if (!element) throw new Error(`nothing to click: ${wanted}`);
        const still = { frames: 0, left: Number.NaN, top: Number.NaN };
        while (still.frames < 3) {
          element.scrollIntoView({ block: 'center', behavior: 'instant' });
          await new Promise(requestAnimationFrame);
          const { left, top } = element.getBoundingClientRect();
          const moved = left !== still.left || top !== still.top;
          Object.assign(still, { frames: moved ? 0 : still.frames + 1, left, top });
        }
        const { width, height } = element.getBoundingClientRect();
        if (width === 0 || height === 0) throw new Error(`cannot be clicked, it has no size: ${wanted}`);
        return { x: still.left + width / 2, y: still.top + height / 2 };
      },
      selector,
    );
    await this.#tab.clickAt(at.x, at.y);
  }

  focus(selector) {
    return this.call((at) => window.__browserTest.find(at).focus(), selector);
  }

  press(key, modifiers) {
    return this.#tab.press(key, modifiers);
  }

  /** Replaces what a text field holds by typing. */
  async fill(selector, text) {
    await this.focus(selector);
    await this.call((at) => window.__browserTest.find(at).select(), selector);
    await this.type(text);
  }

  async type(text) {
    for (const character of text) await this.press(character);
  }

  /** Resolves when the page has been drawn for the new size: elements draw their pictures in the frame after it. */
  async setViewport(size) {
    await this.#tab.setViewport(size);
    await this.call(async () => {
      for (const _ of [1, 2, 3]) await new Promise(requestAnimationFrame);
    });
  }

  emulate(features) {
    return this.#tab.emulate(features);
  }

  withoutJavaScript() {
    return this.#tab.withoutJavaScript();
  }

  async screenshot(path, { width, height, ...options } = {}) {
    if (width && height) await this.setViewport({ width, height });
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, await this.#tab.screenshot(options));
  }

  /** Paths that our own server has answered for this page and its workers, in every engine. */
  get served() {
    return this.#answered.map(({ path }) => path);
  }

  /** Addresses requested so far (Chromium: the page's; workers' as far as told). */
  get requests() {
    return this.#tab.requests;
  }

  /** The puppeteer page behind it, for what Chromium alone can do. */
  get puppeteer() {
    return this.#tab.puppeteer;
  }

  /** This test makes such problems happen on purpose. */
  expectProblems(...patterns) {
    this.#expected.push(...patterns);
  }

  async problems() {
    const bad = this.#answered.filter(({ status }) => status >= 400);
    const all = [...(await this.#tab.problems()), ...bad.map(({ path, status }) => `server: ${path} → ${status}`)];
    return all.filter((problem) => !this.#expected.some((pattern) => pattern.test(problem)));
  }

  async close() {
    unsubscribe('http.server.response.finish', this.#onAnswer);
    await within(DEFAULT_LIMIT_MS, 'the page to close', this.#tab.close());
  }
}

/** Opens a page, hands it to `fn`, and closes it. Fails when anything unexpected went wrong in the page. */
export async function withPage(engine, fn) {
  const page = new Page(await within(DEFAULT_LIMIT_MS, `a page of ${engine.name}`, engine.open()), engine);
  try {
    const value = await fn(page).catch(async (error) => {
      // What the page said about it is often the cause; a page that no longer answers has nothing to add.
      const problems = await within(2000, 'problems', page.problems()).catch(() => []);
      if (problems.length > 0) error.message += `\nin the page:\n  ${problems.join('\n  ')}`;
      if (error.pageStack) error.message += `\n${error.pageStack}`;
      throw error;
    });
    const problems = await page.problems();
    assert.deepEqual(problems, [], `the page met problems that the test does not expect:\n  ${problems.join('\n  ')}`);
    return value;
  } finally {
    await page.close();
  }
}
