// Requests that nobody would make by accident: each is refused with a code, and with the parameter at fault, and starts
// no worker that could run a lab.

import assert from 'node:assert/strict';
import { LABS } from './support/lab-list.mjs';
import { openPlayground, workers } from './support/playground.mjs';
import { siteUrl } from './support/site.mjs';
import { inEngines, ONE_EACH } from './support/suite.mjs';

/** `request` is source text, because much of it has no JSON. */
const REQUESTS = [
  { what: 'nothing', request: 'undefined', code: 'wrong-type', parameter: 'lab' },
  { what: 'null', request: 'null', code: 'wrong-type', parameter: 'lab' },
  { what: 'a number', request: '42', code: 'wrong-type', parameter: 'lab' },
  { what: 'a symbol', request: 'Symbol("x")', code: 'wrong-type', parameter: 'lab' },
  { what: 'a function', request: '() => 1', code: 'wrong-type', parameter: 'lab' },
  {
    what: 'a getter that throws for lab',
    request: '({ get lab() { throw new Error("no") } })',
    code: 'wrong-type',
    parameter: 'lab',
  },
  { what: 'a lab that is an object', request: '({ lab: {}, mode: "measured" })', code: 'wrong-type', parameter: 'lab' },
  ...['stal', '', '__proto__', 'constructor', 'toString', 'ALL', 'stall ', '../stall', '\\u0000', '💥'].map((lab) => ({
    what: `the lab "${lab}"`,
    request: `({ lab: "${lab}", mode: "measured" })`,
    code: 'unknown-lab',
    parameter: 'lab',
  })),
  {
    what: 'a lab of 10 MB',
    request: '({ lab: "x".repeat(1e7), mode: "measured" })',
    code: 'unknown-lab',
    parameter: 'lab',
  },
  { what: 'no such mode', request: '({ lab: "stall", mode: "guessed" })', code: 'mode-not-offered', parameter: 'mode' },
  { what: 'a mode that is a number', request: '({ lab: "stall", mode: 1 })', code: 'wrong-type', parameter: 'mode' },
  {
    what: 'a key that no request has',
    request: '({ lab: "stall", mode: "measured", parms: {} })',
    code: 'unknown-parameter',
    parameter: 'parms',
  },
  {
    what: 'parameters that are a text',
    request: '({ lab: "stall", mode: "measured", params: "callMs=3" })',
    code: 'unknown-parameter',
    parameter: 'params',
  },
  {
    what: 'parameters that are a list',
    request: '({ lab: "stall", mode: "measured", params: [1] })',
    code: 'unknown-parameter',
    parameter: 'params',
  },
  ...[
    ['-1', 'out-of-range'],
    ['0.5', 'wrong-type'],
    ['NaN', 'wrong-type'],
    ['"1"', 'wrong-type'],
    ['{}', 'wrong-type'],
    ['4294967296', 'out-of-range'],
  ].map(([seed, code]) => ({
    what: `the seed ${seed}`,
    request: `({ lab: "stall", mode: "measured", seed: ${seed} })`,
    code,
    parameter: 'seed',
  })),
  ...[
    ['NaN', 'wrong-type'],
    ['Infinity', 'out-of-range'],
    ['-1', 'out-of-range'],
    ['-0.5', 'wrong-type'],
    ['1e308', 'out-of-range'],
    ['0.5', 'wrong-type'],
    ['"4"', 'wrong-type'],
    ['null', 'wrong-type'],
    ['true', 'wrong-type'],
    ['({})', 'wrong-type'],
    ['[4]', 'wrong-type'],
    ['() => 4', 'wrong-type'],
    ['Symbol("4")', 'wrong-type'],
    ['4n', 'wrong-type'],
    ['new Number(4)', 'wrong-type'],
    ['"x".repeat(1e7)', 'wrong-type'],
    ['0', 'out-of-range'],
    ['1000', 'out-of-range', /1\D+64/],
  ].map(([value, code, words]) => ({
    what: `workers ${value}`,
    request: `({ lab: "cpu-bound", mode: "measured", params: { workers: ${value} } })`,
    code,
    parameter: 'workers',
    words,
  })),
  {
    what: 'a getter that throws',
    request: '({ lab: "cpu-bound", mode: "measured", params: { get workers() { throw new Error("no") } } })',
    code: 'wrong-type',
    parameter: 'workers',
  },
  {
    what: 'no such choice',
    request: '({ lab: "cpu-bound", mode: "measured", params: { workload: "digits" } })',
    code: 'out-of-range',
    parameter: 'workload',
  },
  {
    what: 'a flag that is a number',
    request: '({ lab: "cpu-bound", mode: "measured", params: { curve: 1 } })',
    code: 'wrong-type',
    parameter: 'curve',
  },
  ...['__proto__', 'constructor', 'hasOwnProperty', 'Workers', ''].map((name) => ({
    what: `the parameter "${name}"`,
    request: `({ lab: "cpu-bound", mode: "measured", params: { ["${name}"]: 4 } })`,
    code: 'unknown-parameter',
    parameter: name,
  })),
  {
    what: '1,000 parameters',
    request:
      '({ lab: "cpu-bound", mode: "measured", params: Object.fromEntries(Array.from({ length: 1000 }, (_, i) => ["p" + i, i])) })',
    code: 'unknown-parameter',
    parameter: 'p0',
  },
  {
    what: 'a proxy that throws',
    request: 'new Proxy({}, { ownKeys() { throw new Error("no") }, get() { throw new Error("no") } })',
    code: 'wrong-type',
    parameter: 'lab',
  },
];

const LINKS = [
  'lab=nope&mode=measured',
  'lab=__proto__&mode=measured',
  'lab=constructor&mode=measured',
  'lab=cpu-bound&mode=guessed',
  'lab=cpu-bound&mode=measured&p.workers=1000',
  'lab=cpu-bound&mode=measured&p.workers=NaN',
  'lab=cpu-bound&mode=measured&p.workers=-1',
  'lab=cpu-bound&mode=measured&p.workers=1e308',
  'lab=cpu-bound&mode=measured&p.workers=0.5',
  'lab=cpu-bound&mode=measured&p.__proto__=1',
  'lab=cpu-bound&mode=measured&p.nope=1',
  'lab=cpu-bound&mode=measured&seed=-1',
  'lab=cpu-bound&mode=measured&seed=abc',
  'lab=cpu-bound&mode=measured&v=99',
  'lab=%E0%A4%A&mode=measured',
  `lab=${'x'.repeat(100_000)}&mode=measured`,
];

inEngines('hostile requests', ONE_EACH, ({ test }) => {
  test('each is refused with code and parameter, and nothing runs', async (page) => {
    await openPlayground(page);
    const answers = await page.callWithin(
      50_000,
      'all refusals',
      async (requests) => {
        const seen = [];
        for (const source of requests) {
          try {
            // biome-ignore lint/security/noGlobalEval: the table holds values that have no JSON.
            await window.playground.run(globalThis.eval(`(${source})`));
            seen.push({ code: 'RAN' });
          } catch (error) {
            const { name, code, parameter, message } = error;
            seen.push({ name, code, parameter, message });
          }
        }
        return seen;
      },
      REQUESTS.map(({ request }) => request),
    );
    const wrong = REQUESTS.flatMap(({ what, code, parameter, words = /\S \S/ }, index) => {
      const { name, message = '', ...answer } = answers[index];
      const right = name === 'PlaygroundError' && answer.code === code && answer.parameter === parameter;
      if (right && words.test(message) && message.length < 2000) return [];
      return [
        `${what}: wanted ${code} of ${parameter}, got ${name} ${answer.code} of ${answer.parameter}: ${message.slice(0, 200)}`,
      ];
    });
    assert.deepEqual(wrong, [], wrong.join('\n'));
    const others = (await workers(page)).filter(({ role }) => role !== 'session');
    assert.deepEqual(others, [], 'a refused request started workers');
  });
});

inEngines('hostile request for all labs', ['chromium'], ({ test }) => {
  test('is answered with a refusal for each lab, and nothing runs', async (page) => {
    await openPlayground(page);
    const answer = await page.call(() =>
      window.playground.run({
        lab: 'all',
        get mode() {
          throw new Error('no');
        },
      }),
    );
    assert.deepEqual(answer.results, []);
    assert.deepEqual(
      answer.failed.map(({ lab, code, parameter }) => ({ lab, code, parameter })),
      LABS.map(({ id }) => ({ lab: id, code: 'wrong-type', parameter: 'mode' })),
    );
    assert.deepEqual(
      (await workers(page)).filter(({ role }) => role !== 'session'),
      [],
    );
  });
});

inEngines('hostile links', ONE_EACH, ({ test }) => {
  test('run.html refuses each in words and starts nothing', async (page) => {
    for (const link of LINKS) {
      // A new query, not only a new hash: each link is opened as if it came from outside.
      await page.goto(await siteUrl(`run.html?${LINKS.indexOf(link)}#${link}`));
      const state = await page.untilAttribute('html', 'data-state', ['unavailable', 'failed', 'done', 'stopped']);
      assert.equal(state, 'unavailable', link.slice(0, 100));
      const { error } = JSON.parse(await page.text('#result'));
      assert.ok(error.code && /\S \S/.test(error.message), `${link.slice(0, 100)}: ${error.code} ${error.message}`);
      assert.ok(!page.served.some((path) => /worker-threaded/.test(path)), `${link.slice(0, 100)} started threads`);
    }
  });
});
