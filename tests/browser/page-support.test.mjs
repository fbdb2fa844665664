// The one rule of support/page.mjs that no ordinary test shows: which calls into a page are repeated. No browser is
// needed: the tab is made up.

import assert from 'node:assert/strict';
import { Page } from './support/page.mjs';
import { inNode } from './support/suite.mjs';

/** A page whose tab loses the first so many calls, as Chromium does when the document goes away. */
async function pageThatLoses(losses, { mayReload, message = 'Execution context was destroyed.' }) {
  const seen = { calls: 0 };
  const tab = {
    goto: async () => {},
    problems: async () => [],
    close: async () => {},
    evaluate: async () => {
      seen.calls += 1;
      if (seen.calls <= losses) throw new Error(message);
      return JSON.stringify({ value: 'answered' });
    },
  };
  const page = new Page(tab, { name: 'made up' });
  await page.goto('about:blank', { mayReload });
  return { page, seen };
}

inNode('calls into a page', ({ test }) => {
  test('that may load itself anew: a lost call is repeated in the next document', async () => {
    const { page, seen } = await pageThatLoses(2, { mayReload: true });
    assert.equal(await page.call('() => 1'), 'answered');
    assert.equal(seen.calls, 3);
    await page.close();
  });

  test('that never stays: the loss is reported in the end', async () => {
    const { page } = await pageThatLoses(Number.POSITIVE_INFINITY, { mayReload: true });
    await assert.rejects(page.call('() => 1'), /destroyed/);
    await page.close();
  });

  test('that must stay: a lost call fails at once', async () => {
    const { page, seen } = await pageThatLoses(1, { mayReload: false });
    await assert.rejects(page.call('() => 1'), /destroyed/);
    assert.equal(seen.calls, 1);
    await page.close();
  });

  test('that failed by themselves are never repeated', async () => {
    const { page, seen } = await pageThatLoses(1, { mayReload: true, message: 'x is not a function' });
    await assert.rejects(page.call('() => 1'), /not a function/);
    assert.equal(seen.calls, 1);
    await page.close();
  });
});
