// The stepper on a page, driven as a learner does: keys, clicks, and what is shown and said. Not here: what is right.

import { siteUrl, TESTS_PATH } from './site.mjs';

export const MADE_UP = 'concurrency-lab[lab="made-up"]';

/** The selector of something inside a lab's stepper. */
export function inStepper(inner, lab = MADE_UP) {
  return `${lab} >>> schedule-stepper >>> ${inner}`;
}

/** Opens the page with the made-up programs. */
export async function openMadeUp(page, params = {}) {
  await page.goto(await siteUrl(`${TESTS_PATH}stepper.html`));
  await page.untilThere(`${MADE_UP} >>> button.step`);
  await page.call(
    (at, values) => {
      window.__browserTest.find(at).params = values;
    },
    MADE_UP,
    params,
  );
}

/** Opens the stepper by its button. */
export async function openStepper(page, lab = MADE_UP) {
  await page.click(`${lab} >>> button.step`);
  await page.untilThere(inStepper('button.go', lab));
}

/** Waits until the stepper stands at a step of a schedule of so many, or of any number. */
export function untilAt(page, at, all, lab = MADE_UP) {
  return page.callWithin(
    20_000,
    `step ${at} of ${all}`,
    async (selector, ...wanted) => {
      const { changed, find } = window.__browserTest;
      const shown = () => find(selector)?.textContent.match(/\d+/g)?.slice(0, 2).map(Number);
      const test = () => wanted.every((number, index) => number === null || shown()?.[index] === number);
      await changed(test, 15_000, `step ${wanted}`).catch((error) => {
        throw new Error(`${error.message}; it is ${shown()}`);
      });
    },
    inStepper('.place', lab),
    at,
    all ?? null,
  );
}

/** What a learner sees of it, and what is said of the last step. */
export function seen(page, lab = MADE_UP) {
  return page.call((selector) => {
    const { find } = window.__browserTest;
    const root = find(selector)?.shadowRoot;
    if (!root) return null;
    const text = (element) => element?.textContent.trim().replace(/\s+/g, ' ') ?? '';
    const all = (inner) => [...root.querySelectorAll(inner)];
    return {
      happened: text(root.querySelector('.happened')),
      next: text(root.querySelector('.next')),
      ending: text(root.querySelector('.ending')),
      drawn: text(root.querySelector('.drawn')),
      grade: root.querySelector('.ending')?.className ?? '',
      said: text(root.querySelector('.spoken')),
      trouble: text(root.querySelector('.trouble')),
      transcript: all('.transcript li').map(text),
      current: all('.transcript li[aria-current]').map(text),
      cells: all('.board .values > div').map(text),
      objects: all('.object').map(text),
      blocked: all('button.go').map((button) => button.getAttribute('aria-disabled') === 'true'),
      reasons: all('.card .says').map(text),
      nextLines: all('.code').map((code) => text(code.querySelector('[aria-current] code'))),
      reached: all('.goals .reached').map(text),
      able: all('.tools button')
        .filter((button) => button.getAttribute('aria-disabled') !== 'true')
        .map(({ className }) => className),
    };
  }, `${lab} >>> schedule-stepper`);
}

/** Where the focus is, through shadow roots. */
export function focused(page) {
  return page.call(() => {
    let element = document.activeElement;
    const path = [];
    while (element) {
      path.push(element.localName + (element.className ? `.${element.className}` : ''));
      element = element.shadowRoot?.activeElement;
    }
    return path.join(' ');
  });
}

/** Puts the focus on something in the stepper. */
export function focusIn(page, inner, lab = MADE_UP) {
  return page.focus(inStepper(inner, lab));
}

/** Waits until the focus is in the stepper of the element at `at`: whoever opened a schedule is brought there. */
export function untilFocused(page, at) {
  return page.callWithin(
    10_000,
    'the focus',
    (selector) => {
      const { changed, find } = window.__browserTest;
      return changed(() => find(selector).shadowRoot?.activeElement !== null, 9000, 'the focus in the stepper');
    },
    `${at} >>> schedule-stepper`,
  );
}
