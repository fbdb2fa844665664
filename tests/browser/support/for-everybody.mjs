// What keeps some people out, found on any page: what axe knows, and what sticks out of the window.

import { readFileSync } from 'node:fs';
import { ROOT } from './site.mjs';

const AXE = readFileSync(`${ROOT}node_modules/axe-core/axe.min.js`, 'utf8');

/** What axe finds on the page as it is. Chromium only. */
export async function violations(page) {
  // Evaluated by the driver, not by the page: the page's own policy forbids scripts from text.
  await page.puppeteer.evaluate(AXE);
  return page.callWithin(40_000, 'axe', async () => {
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
    const found = await window.axe.run(document, { runOnly: { type: 'tag', values: tags } });
    return found.violations.map(
      ({ id, help, nodes }) =>
        `${id}: ${help}: ${nodes
          .map(({ target }) => target.flat().join(' '))
          .slice(0, 4)
          .join(' | ')}`,
    );
  });
}

/** Elements that stick out of the window, unless they scroll in a box of their own. */
export function tooWide(page) {
  return page.call(() => {
    const root = document.scrollingElement;
    if (root.scrollWidth <= innerWidth) return [];
    const sticking = window.__browserTest
      .findAll('*')
      .filter((element) => element.getBoundingClientRect().right > innerWidth + 1);
    return [
      `the page is ${root.scrollWidth} wide`,
      ...sticking.slice(0, 8).map(({ localName, className, id }) => `${localName}#${id}.${className}`),
    ];
  });
}
