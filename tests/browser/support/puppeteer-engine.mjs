// Chromium and Firefox through puppeteer-core. Each page lives in a browser context of its own: no storage and no
// service worker is left from the test before.

import puppeteer from 'puppeteer-core';

const START = {
  chromium: {
    browser: 'chrome',
    executablePath: '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  },
  firefox: { browser: 'firefox', executablePath: '/usr/bin/firefox-esr', args: [] },
};

class PuppeteerTab {
  #context;
  #page;
  #problems = [];
  /** Addresses of all requests of the page and its workers, as far as the engine tells. */
  requests = [];

  constructor(context, page) {
    this.#context = context;
    this.#page = page;
    page.on('console', (message) => {
      if (message.type() === 'error') this.#problems.push(`console error: ${message.text()}`);
    });
    page.on('pageerror', (error) => this.#problems.push(`page error: ${error?.message ?? error}`));
    page.on('request', (request) => this.requests.push(request.url()));
    page.on('requestfailed', (request) => {
      // A lab that cancels its slow requests has them aborted, as it should.
      if (/\/slow\//.test(request.url()) && /ABORTED|ABORT/.test(request.failure()?.errorText ?? '')) return;
      this.#problems.push(`request failed: ${request.url()} (${request.failure()?.errorText})`);
    });
    page.on('response', (response) => {
      if (response.status() >= 400) this.#problems.push(`response ${response.status()}: ${response.url()}`);
    });
    page.on('error', (error) => this.#problems.push(`the page crashed: ${error.message}`));
  }

  /** The puppeteer page, for what one engine alone can do. */
  get puppeteer() {
    return this.#page;
  }

  async goto(url) {
    await this.#page.goto(url, { waitUntil: 'load', timeout: 30_000 });
  }

  evaluate(expression) {
    return this.#page.evaluate(expression);
  }

  setViewport(size) {
    return this.#page.setViewport(size);
  }

  /** Chromium only: colour scheme and reduced motion as the learner's system would say them. */
  emulate({ colorScheme, reducedMotion }) {
    const features = [];
    if (colorScheme) features.push({ name: 'prefers-color-scheme', value: colorScheme });
    if (reducedMotion) features.push({ name: 'prefers-reduced-motion', value: reducedMotion });
    return this.#page.emulateMediaFeatures(features);
  }

  /** Chromium only. */
  withoutJavaScript() {
    return this.#page.setJavaScriptEnabled(false);
  }

  async screenshot(options) {
    return Buffer.from(await this.#page.screenshot(options));
  }

  clickAt(x, y) {
    return this.#page.mouse.click(x, y);
  }

  async press(key, { shift = false } = {}) {
    if (shift) await this.#page.keyboard.down('Shift');
    await this.#page.keyboard.press(key);
    if (shift) await this.#page.keyboard.up('Shift');
  }

  async problems() {
    return [...this.#problems];
  }

  close() {
    return this.#context.close();
  }
}

/** Starts Chromium or Firefox. */
export async function startPuppeteer(name, { evaluateLimitMs }) {
  const browser = await puppeteer.launch({ ...START[name], headless: true, protocolTimeout: evaluateLimitMs });
  return {
    async open() {
      const context = await browser.createBrowserContext();
      return new PuppeteerTab(context, await context.newPage());
    },
    close: () => browser.close(),
  };
}
