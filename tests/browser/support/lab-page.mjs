// The learner's page: one lab element on it, driven as a learner does. Not here: the bare page of playground.mjs.

import { readFileSync } from 'node:fs';
import { DIST, siteUrl } from './site.mjs';

/** The English words, by id. */
export const WORDS = JSON.parse(readFileSync(`${DIST}/text.en.json`, 'utf8'));

/** The selector of a lab's element; with `inner`, of something in it. */
export function labElement(id, inner) {
  const element = `concurrency-lab[lab="${id}"]`;
  return inner ? `${element} >>> ${inner}` : element;
}

/** Opens the page (with a link's hash) and waits until the lab's element is ready and nothing moves any more. */
export async function openLabPage(page, id, { hash = '', headers = true } = {}) {
  await page.goto(await siteUrl(`index.html${hash}`, { headers }));
  await page.untilThere(labElement(id, 'button.run'));
  // The strip on top gets its words last; what lies below it moves then, also from under a mouse.
  await page.untilThere('#capabilities-strip[data-threads]');
}

/** From now on, in the page: every state of the element and every event it sends, in order. */
export function watchLab(page, id) {
  return page.call((selector) => {
    const element = window.__browserTest.find(selector);
    const seen = { states: [element.getAttribute('state')], events: [], words: [] };
    window.__watched = seen;
    const note = () => seen.words.push(window.__browserTest.find(`${selector} >>> .status .word`)?.textContent);
    new MutationObserver(() => {
      seen.states.push(element.getAttribute('state'));
      note();
    }).observe(element, { attributes: true, attributeFilter: ['state'] });
    for (const type of ['lab-progress', 'lab-result', 'lab-error']) {
      element.addEventListener(type, () => seen.events.push(type));
    }
  }, labElement(id));
}

/** What `watchLab` has seen so far. */
export function watched(page) {
  return page.call(() => window.__watched);
}

/** Waits for the element's state. */
export function untilState(page, id, states, ms) {
  return page.untilAttribute(labElement(id), 'state', states, ms);
}

/** The state in words, as the element shows it. */
export function stateInWords(page, id) {
  return page.text(labElement(id, '.status .word'));
}
