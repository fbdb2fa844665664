// A small WebDriver client over HTTP: only the commands that the tests need. Not here: starting browsers.

import { within } from './limits.mjs';

/** WebDriver's code points for keys that have no character. */
const KEYS = {
  Backspace: '\uE003',
  Tab: '\uE004',
  Enter: '\uE007',
  Shift: '\uE008',
  Escape: '\uE00C',
  Space: ' ',
  ArrowLeft: '\uE012',
  ArrowUp: '\uE013',
  ArrowRight: '\uE014',
  ArrowDown: '\uE015',
  Home: '\uE011',
  End: '\uE010',
};

const SHORT_MS = 30_000;

export class WebDriver {
  #address;
  #session;

  constructor(port) {
    this.#address = `http://127.0.0.1:${port}`;
  }

  async #command(method, path, body, limitMs = SHORT_MS) {
    const asked = fetch(this.#address + path, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      // Node gives up on an answer after five minutes by itself; the limit here is shorter and says what it was.
      signal: AbortSignal.timeout(limitMs + 1000),
    }).then((response) => response.json());
    const { value } = await within(limitMs, `WebDriver ${method} ${path}`, asked);
    if (value?.error) throw new Error(`WebDriver ${method} ${path}: ${value.error}: ${value.message}`);
    return value;
  }

  async start(capabilities, scriptLimitMs) {
    const { sessionId } = await this.#command('POST', '/session', { capabilities: { alwaysMatch: capabilities } });
    this.#session = `/session/${sessionId}`;
    await this.#command('POST', `${this.#session}/timeouts`, { script: scriptLimitMs, pageLoad: SHORT_MS });
  }

  end() {
    return this.#command('DELETE', this.#session);
  }

  goto(url) {
    return this.#command('POST', `${this.#session}/url`, { url }, SHORT_MS + 5000);
  }

  /** Runs an expression that gives a promise of text. */
  evaluate(expression, limitMs) {
    const script = `const done = arguments[0]; ${expression}.then(done, (error) => done('!' + error));`;
    return this.#command('POST', `${this.#session}/execute/async`, { script, args: [] }, limitMs);
  }

  async setViewport({ width, height }, inner) {
    await this.#command('POST', `${this.#session}/window/rect`, { width, height });
    const [innerWidth, innerHeight] = await inner();
    // The rectangle is the window's, with its bars; a second call makes the page itself as large as asked.
    const rect = { width: width + (width - innerWidth), height: height + (height - innerHeight) };
    if (rect.width !== width || rect.height !== height) {
      await this.#command('POST', `${this.#session}/window/rect`, rect);
    }
  }

  async screenshot() {
    return Buffer.from(await this.#command('GET', `${this.#session}/screenshot`), 'base64');
  }

  #perform(actions) {
    return this.#command('POST', `${this.#session}/actions`, { actions });
  }

  clickAt(x, y) {
    const at = { x: Math.round(x), y: Math.round(y), duration: 0 };
    const actions = [
      { type: 'pointerMove', ...at },
      { type: 'pointerDown', button: 0 },
      { type: 'pointerUp', button: 0 },
    ];
    return this.#perform([{ type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' }, actions }]);
  }

  press(key, { shift = false } = {}) {
    const value = KEYS[key] ?? key;
    const stroke = [
      { type: 'keyDown', value },
      { type: 'keyUp', value },
    ];
    const actions = shift
      ? [{ type: 'keyDown', value: KEYS.Shift }, ...stroke, { type: 'keyUp', value: KEYS.Shift }]
      : stroke;
    return this.#perform([{ type: 'key', id: 'keyboard', actions }]);
  }
}
