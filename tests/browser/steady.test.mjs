// The page stands still while it loads: whoever has started to read or to aim at a button is not moved away from it.
// Chromium alone measures that.

import assert from 'node:assert/strict';
import { siteUrl } from './support/site.mjs';
import { inEngines } from './support/suite.mjs';

const WIDTHS = [360, 768, 1280];
/** Share of the window that moved, times how far. One line of text more or less above the labs is twice this. */
const MOST = 0.005;

inEngines('steady', ['chromium'], ({ test }) => {
  for (const width of WIDTHS) {
    for (const headers of [true, false]) {
      const host = headers ? 'a host with headers' : 'a host without headers';
      test(`at ${width} px, from ${host}: nothing moves while the page loads`, async (page) => {
        await page.setViewport({ width, height: 800 });
        await page.puppeteer.evaluateOnNewDocument(() => {
          window.__shifts = [];
          const note = (list) => window.__shifts.push(...list.getEntries());
          window.__shiftObserver = new PerformanceObserver(note);
          window.__shiftObserver.observe({ type: 'layout-shift', buffered: true });
        });
        await page.goto(await siteUrl('index.html', { headers }), { mayReload: true });
        // The strip on top gets its words last.
        await page.untilThere('#capabilities-strip[data-threads]');
        const shifts = await page.call(async () => {
          // Painted, and with it measured, at the latest when the second frame comes.
          for (const _ of [1, 2]) await new Promise(requestAnimationFrame);
          const all = [...window.__shifts, ...window.__shiftObserver.takeRecords()];
          return all.map(({ value, sources }) => ({
            value,
            moved: sources.map(({ node }) => node?.id || node?.className || node?.nodeName),
          }));
        });
        const total = shifts.reduce((sum, { value }) => sum + value, 0);
        assert.ok(total < MOST, `moved by ${total.toFixed(3)}: ${JSON.stringify(shifts)}`);
      });
    }
  }
});
