//! The browser's half of `./build.sh bench`: single jobs on the workers that the labs use, timed. The other half asks
//! for them in turn with the native ones, so that both meet the same machine.

import type { Hands, Job, JobOutcome, Workload } from '#glue';
import { Engine } from '../../../www/src/engine/engine.ts';
import { Lab } from '../../../www/src/engine/pool.ts';
import { SiteFiles } from '../../../www/src/engine/site-files.ts';
import { names } from './names.ts';

const SITE = new URL('/', location.href);
const LIMIT_MS = 20_000;
const ENDED = new DOMException('', 'AbortError');

const files = new SiteFiles(SITE, LIMIT_MS);
const labs = new Map<number, Lab>();

function startLab(threads: number): Promise<Lab> {
  const signal = new AbortController().signal;
  return Lab.start({
    build: threads > 0 ? 'threaded' : 'plain',
    files,
    threads,
    limitMs: LIMIT_MS,
    signal,
    lost: (failure) => reportError(failure),
  });
}

/** The lab worker with so many threads, kept for the next question; with 0 it is the plain build. */
async function labWith(threads: number): Promise<Lab> {
  const lab = labs.get(threads) ?? (await startLab(threads));
  labs.set(threads, lab);
  return lab;
}

async function answer<T extends JobOutcome['type']>(
  threads: number,
  job: Job,
  type: T,
): Promise<Extract<JobOutcome, { type: T }>> {
  const outcome = await (await labWith(threads)).job(job, 0, () => {});
  if (outcome.type !== type) throw new Error(`asked for ${type}, answered ${outcome.type}`);
  return outcome as Extract<JobOutcome, { type: T }>;
}

interface ComputeQuestion {
  workload: Workload;
  size: number;
  tasks: number;
  /** Threads of the pool; 0 is the plain build. */
  pool: number;
  hands: Hands;
  repeats: number;
}

/** Milliseconds of each repeat, for all tasks together, and the first task's result. */
async function compute({ workload, size, tasks, pool, hands, repeats }: ComputeQuestion) {
  const numbers = Array.from({ length: tasks }, (_, task) => task + 1);
  const job: Job = { type: 'compute', workload, tasks: numbers, size, hands, sabotage: undefined };
  const elapsedMs: number[] = [];
  let total = '';
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    const outcome = await answer(pool, job, 'computed');
    elapsedMs.push(outcome.elapsedMs);
    total = outcome.totals[0] ?? '';
  }
  return { elapsedMs, total };
}

/** SHA-256 of a buffer; small ones first, or Chromium keeps the first long call in its baseline compiler. */
async function digest(kibibytes: number, repeats: number, pool: number) {
  await answer(pool, { type: 'digest', kibibytes: 64, repeats: 32 }, 'digested');
  return answer(pool, { type: 'digest', kibibytes, repeats }, 'digested');
}

async function webCrypto(kibibytes: number, repeats: number) {
  const buffer = new Uint8Array(kibibytes * 1024);
  const elapsedMs: number[] = [];
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    const start = performance.now();
    await crypto.subtle.digest('SHA-256', buffer);
    elapsedMs.push(performance.now() - start);
  }
  return { elapsedMs };
}

function javaScript(size: number, repeats: number) {
  const elapsedMs: number[] = [];
  let total = 0;
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    const start = performance.now();
    total = names(1, size);
    elapsedMs.push(performance.now() - start);
  }
  return { elapsedMs, total: String(total) };
}

/** Milliseconds from nothing to a pool that has answered, each time with new workers and a new memory. */
async function poolStarts(threads: number, cycles: number) {
  const elapsedMs: number[] = [];
  for (let cycle = 0; cycle < cycles; cycle += 1) {
    const start = performance.now();
    const lab = await startLab(threads);
    elapsedMs.push(performance.now() - start);
    lab.end(ENDED);
  }
  return { elapsedMs };
}

/** Milliseconds from the abort to the rejection, in the middle of a measured run. */
async function stops(times: number) {
  const engine = new Engine({ base: SITE });
  const elapsedMs: number[] = [];
  for (let time = 0; time < times; time += 1) {
    const abort = new AbortController();
    let stoppedAt = 0;
    const wanted = time % 7;
    let heard = 0;
    const onProgress = (): void => {
      heard += 1;
      if (heard <= wanted || stoppedAt > 0) return;
      stoppedAt = performance.now();
      abort.abort();
    };
    const params = { workload: 'names', tasks: 4, size: 150_000, workers: 2, repeats: 3 };
    try {
      await engine.run({ lab: 'cpu-bound', mode: 'measured', params }, { signal: abort.signal, onProgress });
    } catch (error) {
      if (error !== abort.signal.reason) throw error;
      elapsedMs.push(performance.now() - stoppedAt);
    }
  }
  engine.dispose();
  return { elapsedMs };
}

interface MachineGlue {
  default(from: { module_or_path: URL }): Promise<{ memory: WebAssembly.Memory }>;
  machineLoad(name: string, size: number): Float64Array;
  machineJumps(effects: number): Float64Array;
  exploreLoad(threads: number, increments: number): Float64Array;
}

let machineGlue: Promise<MachineGlue> | undefined;

/** The benchmarks' own build of the machine, on the page itself: one thread is all it needs. */
function machine(): Promise<MachineGlue> {
  machineGlue ??= newMachine('').then(({ glue }) => glue);
  return machineGlue;
}

async function newMachine(query: string): Promise<{ glue: MachineGlue; memory: WebAssembly.Memory }> {
  // A file that only the benchmarks lay beside this page; no bundler knows it.
  const address = new URL(`machine/playground.js${query}`, location.href).href;
  const glue = (await import(address)) as MachineGlue;
  const { memory } = await glue.default({ module_or_path: new URL('machine/playground_bg.wasm', location.href) });
  return { glue, memory };
}

/** The memory of a machine that has had so many tasks at once, in bytes a task. */
async function machineMemory(tasks: number) {
  const { glue, memory } = await newMachine('?memory');
  glue.machineLoad('tasks', tasks);
  return { bytes: memory.buffer.byteLength / tasks };
}

/** Milliseconds of each repeat of a load, after one to warm up. */
async function machineLoad(name: string, size: number, repeats: number) {
  const glue = await machine();
  glue.machineLoad(name, size);
  const elapsedMs = Array.from({ length: repeats }, () => glue.machineLoad(name, size)[0] ?? Number.NaN);
  return { elapsedMs };
}

/** Milliseconds of each of many jumps in a long run. */
async function machineJumps(effects: number) {
  return { elapsedMs: [...(await machine()).machineJumps(effects)] };
}

/** Milliseconds to count every schedule of a counter, and with all witnesses; and merged states. After one to warm up. */
async function explore(threads: number, increments: number, repeats: number) {
  const glue = await machine();
  glue.exploreLoad(threads, increments);
  const done = Array.from({ length: repeats }, () => [...glue.exploreLoad(threads, increments)]);
  const column = (at: number) => done.map((one) => one[at] ?? Number.NaN);
  return { countingMs: column(0), allMs: column(1), states: done[0]?.[2] ?? 0 };
}

/** Ends the pools, so that nothing of them disturbs what comes next. */
function rest(): void {
  for (const lab of labs.values()) lab.end(ENDED);
  labs.clear();
}

Object.assign(window, {
  bench: {
    compute,
    digest,
    webCrypto,
    javaScript,
    poolStarts,
    stops,
    rest,
    machineLoad,
    machineJumps,
    machineMemory,
    explore,
  },
});
document.documentElement.dataset.ready = 'yes';
