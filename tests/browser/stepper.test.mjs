// The learner as the scheduler, by keys alone and by clicks, with programs made up in the test's own page: what each step
// shows and says, what is kept and dropped, and that nothing moves or gets lost on the way.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { tooWide, violations } from './support/for-everybody.mjs';
import { WORDS } from './support/lab-page.mjs';
import {
  focused,
  focusIn,
  inStepper,
  MADE_UP,
  openMadeUp,
  openStepper,
  seen,
  untilAt,
} from './support/stepper-page.mjs';
import { inEngines, ONE_EACH } from './support/suite.mjs';

/** Keys pressed one after another, and the step that they lead to. */
async function press(page, keys, at, all = at) {
  for (const key of keys) await page.press(key);
  await untilAt(page, at, all);
}

async function begin(page, params) {
  await openMadeUp(page, params);
  await openStepper(page);
  await focusIn(page, 'button.go');
}

inEngines('stepper', ONE_EACH, ({ test }) => {
  test('keys alone: from the page to a lost update, each step said once, in the words of the transcript', async (page) => {
    await openMadeUp(page);
    await page.call(() => window.scrollTo(0, 0));
    for (let presses = 0; !/button\.step$/.test(await focused(page)); presses += 1) {
      assert.ok(presses < 60, 'the stepper cannot be reached with Tab');
      await page.press('Tab');
    }
    await page.press('Enter');
    await page.untilThere(inStepper('button.go'));
    for (let presses = 0; !/schedule-stepper.*button/.test(await focused(page)); presses += 1) {
      assert.ok(presses < 5, 'the opened stepper does not follow its button');
      await page.press('Tab');
    }
    const said = [];
    for (const [index, key] of [...'ABABAB'].entries()) {
      await press(page, key, index + 1);
      said.push((await seen(page)).said);
    }
    const { transcript, ending, grade, reached, cells, happened } = await seen(page);
    assert.equal(transcript.length, 7, 'the start and six steps');
    said.forEach((line, index) => {
      const step = transcript[index + 1].replace(/^\d+/, '').replace(WORDS['ui.steps.preempts'], '').trim();
      assert.ok(line.startsWith(`Step ${index + 1}: ${step}`), `said "${line}", shown "${step}"`);
    });
    assert.match(said[0], /A can go on; B can go on\.$/);
    assert.match(ending, /^Lost: counter = 1$/);
    assert.match(grade, /grade-lost/);
    assert.ok(said[5].includes(ending), said[5]);
    assert.ok(said[5].includes('Goal reached'), said[5]);
    assert.match(happened, /^Step 6: B: counter = t → counter = 1/);
    assert.deepEqual(cells, ['counter 1'], 'written again with the same value, it has not changed');
    assert.equal(reached.length, 1);
    assert.equal(transcript.filter((line) => line.includes(WORDS['ui.steps.preempts'])).length, 4);
  });

  test('who is blocked says why, with the holder; pressing it changes nothing and keeps the focus', async (page) => {
    await begin(page, { program: 'two-locks' });
    await press(page, 'AB', 2);
    const stuck = await seen(page);
    assert.deepEqual(stuck.blocked, [true, true]);
    assert.deepEqual(stuck.reasons, ['Blocked: b is held by B', 'Blocked: a is held by A']);
    assert.match(stuck.ending, /^Deadlock: nobody can go on/);
    assert.match(stuck.objects[0], /Lock a.*held by A.*waiting: B.*counter/, 'the lock is not drawn with its data');
    assert.deepEqual(stuck.nextLines, ['b.acquire()', 'a.acquire()']);
    const before = await focused(page);
    await page.press('B');
    await page.press('Enter');
    const after = await seen(page);
    assert.equal(await focused(page), before, 'the focus went away');
    assert.equal(after.said, 'A: Blocked: b is held by B');
    assert.deepEqual(after.transcript, stuck.transcript);
    await press(page, ['Backspace'], 1, 2);
    assert.match((await seen(page)).said, /^Back at step 1: A: a\.acquire\(\)\. A can go on; B can go on\.$/);
  });

  test('back, on, both ends, by keys, buttons, list and slider; the rest of the schedule stays', async (page) => {
    await begin(page);
    await press(page, '121212', 6);
    await press(page, ['ArrowLeft', 'ArrowLeft'], 4, 6);
    assert.equal((await seen(page)).transcript.length, 7, 'the steps ahead are gone');
    await press(page, ['ArrowRight'], 5, 6);
    await press(page, ['Home'], 0, 6);
    assert.deepEqual((await seen(page)).able, ['play', 'icon forward', 'icon to-end', 'finish', 'draw', 'restart']);
    await press(page, ['End'], 6, 6);
    await page.click(inStepper('button.to-start'));
    await untilAt(page, 0, 6);
    await page.click(inStepper('button.forward'));
    await untilAt(page, 1, 6);
    await page.click(inStepper('.transcript li:nth-child(4) button'));
    await untilAt(page, 3, 6);
    assert.match((await seen(page)).current[0], /^3/);
    await press(page, ['ArrowDown'], 4, 6);
    assert.match(await focused(page), /schedule-stepper.*button/);
    await focusIn(page, 'input[type=range]');
    await press(page, ['ArrowLeft'], 3, 6);
    await press(page, ['Home'], 0, 6);
  });

  test('another choice at an earlier step drops the rest, says so, and the way back leads back', async (page) => {
    await begin(page);
    await press(page, 'ABABAB', 6);
    await press(page, ['Home', 'A'], 1, 6);
    assert.ok(!(await seen(page)).able.includes('return'), 'the step that was known is no other way');
    assert.match((await seen(page)).next, /In this schedule B goes on, step 2 of 6/);
    await press(page, 'A', 2);
    const { said, transcript, able } = await seen(page);
    assert.equal(transcript.length, 3);
    assert.ok(said.includes(WORDS['ui.steps.said.dropped']), said);
    assert.ok(able.includes('return'));
    await page.click(inStepper('button.finish'));
    await untilAt(page, 6, 6);
    assert.match((await seen(page)).ending, /^Right/);
    await page.click(inStepper('button.return'));
    await untilAt(page, 1, 6);
    assert.deepEqual((await seen(page)).transcript.length, 7);
    await press(page, ['End'], 6, 6);
    assert.match((await seen(page)).ending, /^Lost/);
    assert.equal((await seen(page)).reached.length, 2, 'goals that were reached stay ticked');
    await page.click(inStepper('button.restart'));
    await untilAt(page, 0, 0);
    assert.equal((await seen(page)).reached.length, 2);
    await press(page, 'B', 1);
    assert.match((await seen(page)).happened, /^Step 1: B/);
  });

  test('the rest is drawn at random on request: the steps before stay, and it is said how it was drawn', async (page) => {
    await begin(page);
    await press(page, 'A', 1);
    await page.click(inStepper('button.draw'));
    await untilAt(page, 6, 6);
    const { transcript, said, drawn, able } = await seen(page);
    assert.equal(transcript.length, 7);
    assert.match(transcript[1], /A: /);
    assert.match(drawn, /^Drawn by the made-up session/);
    assert.ok(said.includes(drawn), said);
    assert.ok(!able.includes('draw'), 'nothing is left to draw');
    await press(page, ['ArrowLeft'], 5, 6);
    assert.equal((await seen(page)).drawn, '', 'it stands there for the draw alone');
    await page.click(inStepper('button.draw'));
    await untilAt(page, 6, 6);
    const choices = await page.call(() => window.__asked.map(({ choice }) => choice));
    assert.equal(choices.filter((choice) => choice === 'draw').length, 2);
  });

  test('the current step is in view in the list of a long schedule, at its end, at its start and in its middle', async (page) => {
    await openMadeUp(page, { threads: '8' });
    await openStepper(page);
    await page.click(inStepper('button.finish'));
    await untilAt(page, 24, 24);
    for (const [key, at] of [
      ['End', 24],
      ['Home', 0],
      ['End', 24],
      ['ArrowLeft', 23],
    ]) {
      await focusIn(page, 'button.go');
      await page.press(key);
      await untilAt(page, at, 24);
      const isInView = await page.call((selector) => {
        const list = window.__browserTest.find(selector);
        const box = list.getBoundingClientRect();
        const line = list.querySelector('[aria-current]').getBoundingClientRect();
        return list.scrollHeight > box.height && line.top >= box.top - 1 && line.bottom <= box.bottom + 1;
      }, inStepper('.transcript ol'));
      assert.ok(isInView, `step ${at} is out of view`);
    }
  });

  test('what is pressed while a played step is on its way is done at once, not with the next press', async (page) => {
    await begin(page);
    await press(page, 'AABB', 4);
    await press(page, ['Home'], 0, 4);
    await page.call(() => {
      const held = new Promise((resolve) => {
        window.__release = resolve;
      });
      window.__isAsked = new Promise((resolve) => {
        const hold = () => {
          resolve(true);
          return held;
        };
        Object.defineProperty(window, '__hold', { get: hold, configurable: true });
      });
    });
    await page.click(inStepper('button.play'));
    await page.callWithin(10_000, 'the played step', () => window.__isAsked);
    await page.click(inStepper('button.finish'));
    await page.call(() => window.__release());
    await untilAt(page, 6, 6);
  });

  test('keys that come faster than the answers are all followed', async (page) => {
    await begin(page);
    await page.call(() => {
      const held = Promise.withResolvers?.() ?? {};
      window.__hold = held.promise ?? new Promise((resolve) => Object.assign(held, { resolve }));
      window.__release = held.resolve;
    });
    for (const key of 'AABBAB') await page.press(key);
    assert.equal((await page.call(() => window.__asked.length)) - 1, 1, 'asked before the answer came');
    await page.call(() => window.__release());
    await untilAt(page, 6, 6);
  });

  test('an answer to a question of the program before comes too late', async (page) => {
    await begin(page);
    await page.call((at) => {
      window.__hold = new Promise((resolve) => {
        window.__release = resolve;
      });
      window.__late = window.__browserTest.find(at);
    }, MADE_UP);
    await page.press('A');
    await page.call(async () => {
      window.__late.params = { program: 'locked' };
      await window.__late.updateComplete;
      window.__release();
    });
    await untilAt(page, 0, 0);
    const { transcript, objects } = await seen(page);
    assert.deepEqual([transcript.length, objects.length], [1, 1]);
  });

  test('a schedule of another program is refused in its place, in words, and one can start again', async (page) => {
    await openMadeUp(page);
    await page.call((at) => {
      Object.assign(window.__browserTest.find(at), { schedule: 'made-up.AZ', at: 1 });
    }, MADE_UP);
    await page.untilThere(inStepper('.trouble'));
    const { trouble, said } = await seen(page);
    assert.match(trouble, /another program/);
    assert.match(said, /another program/);
    await page.click(inStepper('.trouble button'));
    await untilAt(page, 0, 0);
    assert.equal((await seen(page)).trouble, '');
  });

  test('attributes open a schedule at its step with one question, and follow the steps', async (page) => {
    await openMadeUp(page);
    const asked = await page.callWithin(
      20_000,
      'the schedule',
      async (at) => {
        const lab = window.__browserTest.find(at).cloneNode();
        lab.setAttribute('schedule', 'made-up.ABAB');
        lab.setAttribute('at', '2');
        window.__browserTest.find(at).replaceWith(lab);
        await window.__browserTest.changed(
          () => lab.shadowRoot?.querySelector('schedule-stepper')?.shadowRoot?.querySelector('.place'),
          15_000,
          'a step',
        );
        return window.__asked;
      },
      MADE_UP,
    );
    assert.deepEqual(asked, [{ schedule: 'made-up.ABAB', at: 2, choice: 'look' }]);
    await untilAt(page, 2, 4);
    await focusIn(page, 'button.go');
    await press(page, 'B', 3);
    const stands = await page.call((at) => {
      const { schedule, at: step, stepped, state } = window.__browserTest.find(at);
      return { schedule, step, params: stepped.params, state };
    }, MADE_UP);
    assert.deepEqual([stands.schedule, stands.step, stands.state], ['made-up.ABB', 3, 'idle']);
    assert.equal(stands.params.program, 'counter');
  });

  test('playing goes on by itself to the end, and a key stops it', async (page) => {
    await begin(page);
    await press(page, 'ABABAB', 6);
    await press(page, ['Home'], 0, 6);
    await page.click(inStepper('button.play'));
    await untilAt(page, 1, 6);
    await page.press('ArrowLeft');
    await untilAt(page, 0, 6);
    assert.match(await page.text(inStepper('button.play')), new RegExp(WORDS['ui.steps.play']));
    await press(page, ['End', 'ArrowLeft'], 5, 6);
    await page.click(inStepper('button.play'));
    await untilAt(page, 6, 6);
    assert.match(
      await page.text(inStepper('button.play')),
      new RegExp(WORDS['ui.steps.play']),
      'it still plays at the end',
    );
  });

  test('closed and opened again it stands where it stood', async (page) => {
    await begin(page);
    await press(page, 'AB', 2);
    await page.click(`${MADE_UP} >>> button.step`);
    assert.equal(
      await page.call((at) => window.__browserTest.find(at).checkVisibility(), `${MADE_UP} >>> schedule-stepper`),
      false,
    );
    await page.click(`${MADE_UP} >>> button.step`);
    await untilAt(page, 2, 2);
  });

  for (const width of [360, 1280]) {
    test(`at ${width} px nothing below moves from step to step, however long the words are`, async (page) => {
      await page.setViewport({ width, height: 800 });
      await begin(page, { program: 'two-locks' });
      const places = () =>
        page.call(
          (...selectors) =>
            selectors.map((one) => {
              const { top, height } = window.__browserTest.find(one).getBoundingClientRect();
              return [Math.round(top + scrollY), Math.round(height)];
            }),
          inStepper('.cards'),
          inStepper('.keys'),
        );
      // The transcript grows with the schedule; beside the cards it does not move them.
      const [first] = await places();
      for (const [keys, at] of [
        ['A', 1],
        ['B', 2],
      ]) {
        await press(page, keys, at);
        assert.deepEqual((await places())[0], first, `after ${keys}`);
      }
      const stuck = await places();
      await press(page, ['Backspace'], 1, 2);
      assert.deepEqual(await places(), stuck, 'after one step back');
      await press(page, ['Home'], 0, 2);
      assert.deepEqual(await places(), stuck, 'at the start');
    });
  }
});

const EXPLORED = JSON.parse(readFileSync(new URL('fixtures/results/explored.json', import.meta.url), 'utf8'));

/** A deadlock in the stepper, and a result with every kind of ending below it. */
async function showAll(page) {
  await begin(page, { program: 'two-locks', threads: '3' });
  await press(page, 'AB', 2);
  await page.call(
    async (at, result) => {
      const lab = window.__browserTest.find(at);
      lab.result = result;
      await lab.updateComplete;
      for (const details of lab.shadowRoot.querySelectorAll('details')) details.open = true;
    },
    MADE_UP,
    EXPLORED,
  );
  await page.untilThere(`${MADE_UP} >>> figure.explored`);
}

inEngines('stepper for everybody', ['chromium'], ({ test }) => {
  for (const colorScheme of ['light', 'dark']) {
    test(`${colorScheme}: axe finds nothing in the stepper nor in the picture of endings`, async (page) => {
      await page.emulate({ colorScheme, reducedMotion: 'reduce' });
      await showAll(page);
      const found = {};
      for (const width of [360, 1280]) {
        await page.setViewport({ width, height: 800 });
        found[width] = await violations(page);
      }
      assert.deepEqual(found, { 360: [], 1280: [] });
    });
  }

  test('under a finger every button is 44 pixels high and wide', async (page) => {
    await page.setViewport({ width: 360, height: 800, hasTouch: true, isMobile: true });
    await showAll(page);
    const small = await page.call(() => {
      const { findAll } = window.__browserTest;
      const buttons = findAll('button').filter(
        (one) => one.checkVisibility() && one.closest('.steps, .stepper, .explored'),
      );
      const sizes = buttons.map((one) => ({ text: one.textContent.trim(), ...one.getBoundingClientRect().toJSON() }));
      return [
        sizes.length,
        ...sizes
          .filter(({ width, height }) => width < 44 || height < 44)
          .map(({ text, width, height }) => `${text}: ${width} × ${height}`),
      ];
    });
    assert.ok(small[0] > 20, `only ${small[0]} buttons`);
    assert.deepEqual(small.slice(1), []);
  });

  for (const [how, size] of [
    ['plain', ''],
    ['with text twice as large', '200%'],
  ]) {
    test(`nothing is wider than the window, ${how}`, async (page) => {
      await showAll(page);
      await page.call((fontSize) => {
        document.documentElement.style.fontSize = fontSize;
      }, size);
      const wide = {};
      for (const width of [320, 360, 768, 1280]) {
        await page.setViewport({ width, height: 800 });
        const found = await tooWide(page);
        if (found.length > 0) wide[width] = found;
      }
      assert.deepEqual(wide, {});
    });
  }
});
