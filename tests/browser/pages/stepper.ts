// A lab whose schedules are made up here, so that the stepper is tested by itself: small programs of lines that take one
// step each, counted and explained in a hundred lines. Not here: the programs of the site, which the session explains.

import type { Choice, Grade, LabDescription, Position, PositionObject, PositionThread } from '#glue';
import type { Laboratory, LabRun } from '../../../www/src/elements/laboratory.ts';

type Line =
  | { readonly code: string; readonly does: 'read' | 'add' | 'write' }
  | { readonly code: string; readonly does: 'acquire' | 'release'; readonly lock: string };

const READ: Line = { code: 't = counter', does: 'read' };
const ADD: Line = { code: 't = t + 1', does: 'add' };
const WRITE: Line = { code: 'counter = t', does: 'write' };
const acquire = (lock: string): Line => ({ code: `${lock}.acquire()`, does: 'acquire', lock });
const release = (lock: string): Line => ({ code: `${lock}.release()`, does: 'release', lock });

const PLAIN = [READ, ADD, WRITE];
const LOCKED = [acquire('lock'), ...PLAIN, release('lock')];
const ordered = (one: string, other: string): Line[] => [
  acquire(one),
  acquire(other),
  ...PLAIN,
  release(other),
  release(one),
];

function programOf({ params }: LabRun): { lines: readonly Line[][]; locks: readonly string[] } {
  const n = Number(params.threads ?? 2);
  const all = (lines: Line[]) => Array.from({ length: n }, () => lines);
  if (params.program === 'locked') return { lines: all(LOCKED), locks: ['lock'] };
  if (params.program !== 'two-locks') return { lines: all(PLAIN), locks: [] };
  const lines = Array.from({ length: n }, (_, index) => (index % 2 === 0 ? ordered('a', 'b') : ordered('b', 'a')));
  return { lines, locks: ['a', 'b'] };
}

interface Standing {
  readonly next: number[];
  readonly registers: (number | undefined)[];
  readonly owners: Map<string, number>;
  counter: number;
}

const nameOf = (thread: number): string => String.fromCharCode(65 + thread);

/** The locks' holder that a thread waits for; undefined where it can go on or has ended. */
function holderOf(lines: readonly Line[][], standing: Standing, thread: number): number | undefined {
  const line = lines[thread]?.[standing.next[thread] ?? 0];
  return line?.does === 'acquire' ? standing.owners.get(line.lock) : undefined;
}

/** Makes one step; gives what was done, in words. */
function step(lines: readonly Line[][], standing: Standing, thread: number): string {
  const line = lines[thread]?.[standing.next[thread] ?? 0];
  if (!line || holderOf(lines, standing, thread) !== undefined)
    throw new Error(`${nameOf(thread)} cannot go on there.`);
  standing.next[thread] = (standing.next[thread] ?? 0) + 1;
  const name = nameOf(thread);
  const own = standing.registers[thread] ?? 0;
  switch (line.does) {
    case 'read':
      standing.registers[thread] = standing.counter;
      return `${name}: ${line.code} → t = ${standing.counter}`;
    case 'add':
      standing.registers[thread] = own + 1;
      return `${name}: ${line.code} → t = ${own + 1}`;
    case 'write':
      standing.counter = own;
      standing.registers[thread] = undefined;
      return `${name}: ${line.code} → counter = ${own}`;
    case 'acquire':
      standing.owners.set(line.lock, thread);
      return `${name}: ${line.code}`;
    case 'release':
      standing.owners.delete(line.lock);
      return `${name}: ${line.code}`;
  }
}

const PREFIX = 'made-up.';

function decisionsOf(schedule: string): number[] {
  if (!/^(made-up\.[A-H]*)?$/.test(schedule)) throw new Error('This schedule is of another program.');
  return [...schedule.slice(PREFIX.length)].map((letter) => letter.charCodeAt(0) - 65);
}

/** Where the program stands, as the session would say it. */
export function look(run: LabRun, at: number | undefined, choice: Choice): Position {
  const { lines, locks } = programOf(run);
  let decisions = decisionsOf(run.schedule ?? '');
  const shown = Math.min(at ?? decisions.length, decisions.length);
  const fresh = (): Standing => ({
    next: lines.map(() => 0),
    registers: lines.map(() => undefined),
    owners: new Map(),
    counter: 0,
  });
  const canGo = (standing: Standing, thread: number) =>
    (standing.next[thread] ?? 0) < (lines[thread]?.length ?? 0) && holderOf(lines, standing, thread) === undefined;
  let place = shown;
  if (choice.type !== 'look') {
    decisions = decisions.slice(0, shown);
    const standing = fresh();
    for (const thread of decisions) step(lines, standing, thread);
    if (choice.type === 'thread') decisions.push(choice.thread);
    else {
      let last = decisions.at(-1) ?? 0;
      for (;;) {
        const able = lines.flatMap((_, thread) => (canGo(standing, thread) ? [thread] : []));
        const drawn = choice.type === 'draw' ? able[(choice.seed + decisions.length) % able.length] : undefined;
        const next = drawn ?? (able.includes(last) ? last : able[0]);
        if (next === undefined) break;
        step(lines, standing, next);
        decisions.push(next);
        last = next;
      }
    }
    place = choice.type === 'thread' ? shown + 1 : decisions.length;
  }

  const standing = fresh();
  let before = fresh();
  let seen = fresh();
  const steps: Position['steps'] = [];
  decisions.forEach((thread, index) => {
    const last = decisions[index - 1];
    const preempts = last !== undefined && last !== thread && canGo(standing, last);
    if (index === place - 1) before = structuredClone(standing);
    steps.push({ thread, text: step(lines, standing, thread), preempts });
    if (index === place - 1) seen = structuredClone(standing);
  });

  const lastThread = decisions[place - 1];
  const threads = lines.map((code, thread): PositionThread => {
    const next = seen.next[thread] ?? 0;
    const holder = holderOf(lines, seen, thread);
    const line = code[next];
    const state = line === undefined ? 'done' : holder === undefined ? 'ready' : 'blocked';
    const lock = line && 'lock' in line ? line.lock : '';
    const says = {
      done: 'Has ended',
      ready: `Can go on with ${line?.code ?? ''}`,
      blocked: `Blocked: ${lock} is held by ${nameOf(holder ?? 0)}`,
    }[state];
    const register = seen.registers[thread];
    return {
      name: nameOf(thread),
      state,
      says,
      lines: code.map(({ code: text }) => ({ code: text, maySwitch: true })),
      ...(line ? { next } : {}),
      stepLines: line ? 1 : 0,
      registers:
        register === undefined
          ? []
          : [{ name: 't', value: String(register), changed: register !== before.registers[thread] }],
      wasLast: thread === lastThread,
    };
  });
  const objects = locks.map((name, index): PositionObject => {
    const owner = seen.owners.get(name);
    const waiters = threads.flatMap(({ state }, thread) => {
      const line = lines[thread]?.[seen.next[thread] ?? 0];
      return state === 'blocked' && line && 'lock' in line && line.lock === name ? [thread] : [];
    });
    return {
      kind: 'lock',
      name,
      says: owner === undefined ? 'free' : `held by ${nameOf(owner)}`,
      holders: owner === undefined ? [] : [owner],
      waiters,
      protects: index === 0 ? ['counter'] : [],
    };
  });
  const isOver = threads.every(({ state }) => state !== 'ready');
  const grade: Grade = threads.some(({ state }) => state === 'blocked')
    ? 'deadlock'
    : seen.counter === lines.length
      ? 'right'
      : 'lost';
  const stuck = threads.flatMap(({ state, name, lines: code, next = 0 }) =>
    state === 'blocked' ? [`${name} waits in ${code[next]?.code ?? ''}`] : [],
  );
  const text = grade === 'deadlock' ? `nobody can go on: ${stuck.join('; ')}` : `counter = ${seen.counter}`;
  return {
    schedule: PREFIX + decisions.map(nameOf).join(''),
    at: place,
    steps,
    threads,
    cells: [{ name: 'counter', value: String(seen.counter), changed: seen.counter !== before.counter }],
    objects,
    preemptions: steps.slice(0, place).filter(({ preempts }) => preempts).length,
    ...(isOver ? { ending: { grade, text } } : {}),
    ...(choice.type === 'draw' ? { drawn: 'Drawn by the made-up session.' } : {}),
    goals: [
      { id: 'right', text: 'End with the right value.', reached: isOver && grade === 'right' },
      { id: 'lose', text: 'Make it lose an update.', reached: isOver && grade === 'lost' },
      ...(locks.length > 1
        ? [{ id: 'deadlock', text: 'Make it deadlock.', reached: isOver && grade === 'deadlock' }]
        : []),
    ],
  };
}

export const LAB: LabDescription = {
  id: 'made-up',
  title: 'Made-up programs',
  summary: 'For tests.',
  modes: ['model'],
  parameters: [
    {
      id: 'program',
      takes: { type: 'choice', choices: ['counter', 'locked', 'two-locks'] },
      unit: '',
      default: 'counter',
      mode: undefined,
    },
    { id: 'threads', takes: { type: 'unsigned', min: 2, max: 8 }, unit: '', default: 2, mode: undefined },
  ],
  strategies: ['threads'],
  variants: [],
  claims: [],
  opening: {},
  steps: true,
  minutes: 1,
  sections: [],
};

interface LabClass {
  laboratory: Laboratory;
}

/** Every question that was asked, with the answers held back while `hold` is set. */
declare global {
  interface Window {
    __asked: { schedule: string; at: number | undefined; choice: Choice['type'] }[];
    __hold: Promise<void> | undefined;
  }
}
window.__asked = [];

await customElements.whenDefined('concurrency-lab');
const element = customElements.get('concurrency-lab') as unknown as LabClass;
element.laboratory = {
  labs: [...element.laboratory.labs, LAB],
  run: element.laboratory.run,
  look: async (run, at, choice) => {
    window.__asked.push({ schedule: run.schedule ?? '', at, choice: choice.type });
    await window.__hold;
    return look(run, at, choice);
  },
};
const lab = document.createElement('concurrency-lab');
lab.setAttribute('lab', 'made-up');
lab.setAttribute('mode', 'model');
document.querySelector('main')?.append(lab);
