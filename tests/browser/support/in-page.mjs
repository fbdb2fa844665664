// Source text that runs inside the page, the same for every engine: calls with JSON in and out, the search through
// open shadow roots, and waiting for the page's own signals. Not here: anything that drives a browser.

/** Adds `window.__browserTest` once a document. Written as a function so that editors and linters read it. */
function install() {
  if (window.__browserTest) return;

  /** The first match through open shadow roots. `a >>> b` is a `b` inside (or in the shadow root of) the first `a`. */
  const find = (selector, root = document) => {
    const [outer, ...inner] = selector.split(' >>> ');
    const first = findAll(outer, root)[0] ?? null;
    if (inner.length === 0 || first === null) return first;
    return (first.shadowRoot && find(inner.join(' >>> '), first.shadowRoot)) ?? find(inner.join(' >>> '), first);
  };

  const findAll = (selector, root = document) => {
    const found = [...root.querySelectorAll(selector)];
    for (const element of root.querySelectorAll('*')) {
      if (element.shadowRoot) found.push(...findAll(selector, element.shadowRoot));
    }
    return found;
  };

  /** Settles as soon as `test()` is truthy; looks again after every change of the document or of a shadow root. */
  const changed = (test, ms, what) =>
    new Promise((resolve, reject) => {
      const watched = new WeakSet();
      const observer = new MutationObserver(look);
      const watch = (root) => {
        if (!watched.has(root)) {
          watched.add(root);
          observer.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
        }
        for (const element of root.querySelectorAll('*')) if (element.shadowRoot) watch(element.shadowRoot);
      };
      const timer = setTimeout(() => finish(() => reject(new Error(`${what}: nothing after ${ms} ms`))), ms);
      function finish(settle) {
        observer.disconnect();
        clearTimeout(timer);
        settle();
      }
      function look() {
        watch(document);
        let value;
        try {
          value = test();
        } catch (error) {
          finish(() => reject(error));
          return;
        }
        if (value) finish(() => resolve(value));
      }
      look();
    });

  window.__browserTest = { find, findAll, changed };
}

/** Collects what goes wrong in a document, for engines whose driver does not tell. */
function collect() {
  if (window.__problems) return;
  window.__problems = [];
  const note = (text) => window.__problems.push(String(text));
  addEventListener('error', (event) => note(`page error: ${event.message ?? 'a resource failed to load'}`), true);
  addEventListener('unhandledrejection', ({ reason }) => note(`unhandled rejection: ${reason?.message ?? reason}`));
  const original = console.error;
  console.error = (...words) => {
    note(`console error: ${words.map(String).join(' ')}`);
    original.apply(console, words);
  };
}

export const INSTALL = `(${install})()`;
export const COLLECT = `(${collect})()`;

/**
 * An expression that calls `what` (a function, or the source of an expression that is one) with JSON arguments and
 * gives a promise of JSON text: `{value}` or `{thrown}`.
 */
export function callSource(what, args) {
  return `(async () => {
    ${INSTALL};
    try {
      const value = await (${what})(...${JSON.stringify(args)});
      return JSON.stringify({ value: value === undefined ? null : value });
    } catch (error) {
      const { name, message, code, parameter, stack } = error ?? {};
      return JSON.stringify({ thrown: { name, message: message ?? String(error), code, parameter, stack } });
    }
  })()`;
}

/** What a function threw in the page; `code` and `parameter` are those of a PlaygroundError. */
export class ThrownInPage extends Error {
  constructor({ name, message, code, parameter, stack }) {
    super(`${name ?? 'thrown'}: ${message}`);
    this.name = 'ThrownInPage';
    // Only what was thrown says; the stack of a page is long and is printed once, by `withPage`.
    Object.assign(this, { thrownName: name, words: message, code, parameter });
    Object.defineProperty(this, 'pageStack', { value: stack, enumerable: false });
  }
}

/** Reads what `callSource` gave. */
export function readAnswer(text) {
  const { value, thrown } = JSON.parse(text);
  if (thrown) throw new ThrownInPage(thrown);
  return value;
}
