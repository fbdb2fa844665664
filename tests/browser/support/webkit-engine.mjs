// WebKitGTK through WebKitWebDriver, under a virtual screen on a display number that is free. Each page is a session,
// and with it a browser, of its own.

import { once } from 'node:events';
import { createServer } from 'node:net';
import { startChild } from './children.mjs';
import { COLLECT } from './in-page.mjs';
import { TooSlow, within } from './limits.mjs';
import { WebDriver } from './webdriver.mjs';

const DRIVER = 'WebKitWebDriver';
const BROWSER = '/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser';
const START_LIMIT_MS = 15_000;
/** A session, and with it a browser, is there within 2 s even on a busy machine. */
const SESSION_LIMIT_MS = 10_000;

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  await once(probe, 'close');
  return port;
}

/** Xvfb picks a free number itself and writes it once it listens. */
async function startScreen() {
  const screen = startChild('Xvfb', ['-displayfd', '3', '-screen', '0', '1600x1400x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  const written = once(screen.child.stdio[3], 'data').then(([text]) => String(text).trim());
  const number = await within(START_LIMIT_MS, 'the virtual screen (Xvfb)', Promise.race([written, screen.failed]));
  return { display: `:${number}`, end: screen.end };
}

/** The driver is ready when its port answers; it prints nothing, so asking is the only signal it has. */
async function untilReady(port, failed) {
  const deadline = performance.now() + START_LIMIT_MS;
  for (;;) {
    const answer = await Promise.race([
      fetch(`http://127.0.0.1:${port}/status`).then(
        (response) => response.ok,
        () => false,
      ),
      failed,
    ]);
    if (answer) return;
    if (performance.now() > deadline) throw new Error(`${DRIVER} does not answer on port ${port}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

class WebKitTab {
  #driver;
  #limitMs;

  constructor(driver, limitMs) {
    this.#driver = driver;
    this.#limitMs = limitMs;
  }

  async goto(url) {
    await this.#driver.goto(url);
    // WebDriver has no console log: what happens from here on is collected in the page (test pages start earlier).
    await this.evaluate(`(async () => { ${COLLECT}; return ''; })()`);
  }

  evaluate(expression) {
    return this.#driver.evaluate(expression, this.#limitMs);
  }

  async setViewport(size) {
    const inner = async () =>
      JSON.parse(await this.evaluate('(async () => JSON.stringify([innerWidth, innerHeight]))()'));
    await this.#driver.setViewport(size, inner);
  }

  screenshot() {
    return this.#driver.screenshot();
  }

  clickAt(x, y) {
    return this.#driver.clickAt(x, y);
  }

  press(key, modifiers) {
    return this.#driver.press(key, modifiers);
  }

  /** What went wrong in the page that is open now. */
  async problems() {
    return JSON.parse(await this.evaluate('(async () => JSON.stringify(window.__problems ?? []))()'));
  }

  close() {
    return this.#driver.end();
  }
}

async function startDriver(display, sharedMemory) {
  const port = await freePort();
  const { JSC_useSharedArrayBuffer: _, ...environment } = process.env;
  const driver = startChild(DRIVER, [`--port=${port}`], {
    stdio: 'ignore',
    env: {
      ...environment,
      DISPLAY: display,
      // No desktop bus and no graphics card in a test machine: neither is worth the seconds of finding that out.
      NO_AT_BRIDGE: '1',
      LIBGL_ALWAYS_SOFTWARE: '1',
      ...(sharedMemory ? { JSC_useSharedArrayBuffer: '1' } : {}),
    },
  });
  await untilReady(port, driver.failed);
  return { port, end: driver.end };
}

/** Starts the engine. `sharedMemory` turns on what WebKitGTK has off by default: SharedArrayBuffer. */
export async function startWebKit({ sharedMemory, evaluateLimitMs }) {
  const screen = await startScreen();
  let driver = await startDriver(screen.display, sharedMemory);

  async function session() {
    const opened = new WebDriver(driver.port);
    const options = { binary: BROWSER, args: ['--automation'] };
    await within(
      SESSION_LIMIT_MS,
      'MiniBrowser to start',
      opened.start({ 'webkitgtk:browserOptions': options }, evaluateLimitMs),
    );
    return new WebKitTab(opened, evaluateLimitMs);
  }

  return {
    async open() {
      try {
        return await session();
      } catch (error) {
        // Once in a hundred starts MiniBrowser and its driver miss each other, and the driver then waits for ever.
        if (!(error instanceof TooSlow)) throw error;
        driver.end();
        driver = await startDriver(screen.display, sharedMemory);
        return session();
      }
    },
    async close() {
      driver.end();
      screen.end();
    },
  };
}
