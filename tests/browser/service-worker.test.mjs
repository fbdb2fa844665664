// The service worker's slow API, asked by `fetch` and by blocking requests from workers: it waits as long as asked,
// serves as many at once as asked, lets as many more wait, and refuses the rest and whatever makes no sense.

import assert from 'node:assert/strict';
import { siteUrl, TESTS_PATH } from './support/site.mjs';
import { inEngines, ONE_EACH } from './support/suite.mjs';

/** Two clocks, the page's and the service worker's, each coarse by up to 1 ms. */
const CLOCK_ROOM_MS = 3;
/** Requests sent at once arrive one after another; the wait of one begins at its own arrival. */
const ARRIVAL_ROOM_MS = 60;

/** A page under the service worker's control; faults.html registers none by itself. */
async function openControlled(page) {
  await page.goto(await siteUrl(`${TESTS_PATH}faults.html`, { headers: true }));
  await page.callWithin(15_000, 'the service worker to take the page over', async () => {
    const workers = navigator.serviceWorker;
    const controlled = new Promise((resolve) => {
      if (workers.controller) resolve();
      workers.addEventListener('controllerchange', resolve);
    });
    await workers.register('/service-worker.js');
    await controlled;
  });
}

/** Runs in the page: asks all at once; what each got, and how long it took. */
function askAll(queries) {
  return Promise.all(
    queries.map(async (query) => {
      const start = performance.now();
      const response = await fetch(`/slow/test?${query}`);
      const text = await response.text();
      const tookMs = performance.now() - start;
      return { status: response.status, tookMs, body: text === '' ? null : JSON.parse(text) };
    }),
  );
}

/** Runs in the page: as `askAll`, each by a blocking request in a worker of its own. */
function askBlocking(queries) {
  return Promise.all(
    queries.map(
      (query) =>
        new Promise((resolve, reject) => {
          const worker = new Worker('/__tests__/blocking-caller.worker.js');
          worker.onmessage = ({ data }) => {
            worker.terminate();
            resolve({ ...data, body: JSON.parse(data.body) });
          };
          worker.onerror = (event) => reject(new Error(event.message));
          worker.postMessage(`${location.origin}/slow/test?${query}`);
        }),
    ),
  );
}

inEngines('slow API', ONE_EACH, ({ name, test }) => {
  test('fetch: waits as long as asked, with the status asked', async (page) => {
    page.expectProblems(/418/);
    await openControlled(page);
    const [slow, teapot, empty] = await page.call(askAll, ['delay=300', 'delay=0&status=418', 'delay=0&status=204']);
    assert.equal(slow.status, 200);
    assert.ok(slow.tookMs >= 300 - CLOCK_ROOM_MS, `took ${slow.tookMs}`);
    assert.ok(slow.body.tookMs >= 300 - CLOCK_ROOM_MS, `said ${slow.body.tookMs}`);
    assert.equal(slow.body.name, 'test');
    assert.equal(teapot.status, 418);
    assert.deepEqual([empty.status, empty.body], [204, null]);
  });

  // WebKit sends blocking requests past the service worker, straight to the host.
  const blocking = name === 'webkit' ? () => {} : test;
  blocking('blocking requests from workers: wait as long as asked, side by side', async (page) => {
    await openControlled(page);
    const answers = await page.callWithin(
      20_000,
      'four blocking requests',
      askBlocking,
      Array(4).fill('delay=300&group=xhr'),
    );
    for (const { status, tookMs, body } of answers) {
      assert.equal(status, 200);
      assert.ok(tookMs >= 300 - CLOCK_ROOM_MS, `took ${tookMs}`);
      assert.ok(body.waitedMs < 300, 'it had to wait for another although nothing limits it');
    }
  });

  test('capacity: never more at once than asked, all are answered', async (page) => {
    await openControlled(page);
    const answers = await page.call(askAll, Array(6).fill('delay=100&capacity=2&group=two'));
    assert.ok(answers.every(({ status }) => status === 200));
    assert.ok(
      answers.every(({ body }) => body.serving <= 2),
      'more than two were served at once',
    );
    const waited = answers.map(({ body }) => body.waitedMs).sort((a, b) => a - b);
    assert.ok(waited[2] >= 100 - ARRIVAL_ROOM_MS, `the third waited ${waited[2]} ms`);
    assert.ok(waited[4] >= 200 - ARRIVAL_ROOM_MS, `the fifth waited ${waited[4]} ms`);
  });

  test('backlog: the one too many is refused at once with 503', async (page) => {
    page.expectProblems(/503/);
    await openControlled(page);
    const answers = await page.call(askAll, Array(4).fill('delay=200&capacity=1&backlog=1&group=full'));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 200, 503, 503]);
    for (const { body } of answers.filter(({ status }) => status === 503)) assert.equal(body.error, 'full');
    const [later] = await page.call(askAll, ['delay=0&capacity=1&backlog=0&group=full']);
    assert.equal(later.status, 200, 'the group does not empty');
  });

  test('what makes no sense is refused with 400 and the parameter', async (page) => {
    page.expectProblems(/400/);
    await openControlled(page);
    const wrong = {
      delay: ['-1', 'abc', '1e3', '10001', '', 'NaN', '0.5'],
      status: ['99', '600', '-200', 'ok'],
      capacity: ['-1', '999999', 'many'],
      backlog: ['-1', 'x'],
      group: ['g'.repeat(65)],
    };
    const cases = Object.entries(wrong).flatMap(([name, values]) => values.map((value) => ({ name, value })));
    const answers = await page.call(
      askAll,
      cases.map(({ name, value }) => `${name}=${value}`),
    );
    for (const [index, { name, value }] of cases.entries()) {
      const { status, body, tookMs } = answers[index];
      assert.deepEqual([status, body.parameter], [400, name], `${name}=${value}`);
      assert.match(body.message, /\d/, `${name}=${value}: ${body.message}`);
      assert.ok(tookMs < 5000);
    }
  });
});
