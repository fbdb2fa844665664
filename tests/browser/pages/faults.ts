// A page with the engine itself on it, for what no request can ask for: faults put into a pool's threads, pools started
// by hand, and files that are broken. Tests call what it puts on `window.faults`.

import type { Action, Fault, LabResult } from '#glue';
import { Engine } from '../../../www/src/engine/engine.ts';
import { PlaygroundError } from '../../../www/src/engine/playground-error.ts';
import { Lab } from '../../../www/src/engine/pool.ts';
import { SiteFiles } from '../../../www/src/engine/site-files.ts';
import { livingWorkers } from '../../../www/src/engine/workers.ts';

const SITE = new URL('/', location.href);
const FETCH_MS = 10_000;
const START_MS = 10_000;

/** How a run ended. */
interface Ending {
  /** `done`, or the error's name. */
  how: string;
  code: string | undefined;
  message: string;
  tookMs: number;
  /** The engine's state afterwards. */
  state: string;
  /** The result's rows, where there is one: whether they were available and why not. */
  rows: { label: string; available: boolean; reason: string | undefined }[];
}

/** A short run that needs the pool. */
const WITH_POOL = {
  lab: 'cpu-bound',
  mode: 'measured',
  params: { workload: 'modulo', tasks: 2, size: 1000, workers: 2, repeats: 1, budgetMs: 100 },
};

async function ending(engine: Engine, run: () => Promise<LabResult>): Promise<Ending> {
  const start = performance.now();
  const seen = { how: 'done', code: undefined as string | undefined, message: '', rows: [] as Ending['rows'] };
  try {
    const { rows } = await run();
    seen.rows = rows.map(({ label, available, reason }) => ({ label, available, reason }));
  } catch (error) {
    seen.how = error instanceof Error ? error.name : String(error);
    seen.message = error instanceof Error ? error.message : '';
    seen.code = error instanceof PlaygroundError ? error.code : undefined;
  }
  return { ...seen, tookMs: performance.now() - start, state: engine.state };
}

/** A run whose first job for the pool is replaced by a fault; then the same run without it, on the same engine. */
async function faultThenRun(fault: Fault, limitMs: number): Promise<{ faulty: Ending; next: Ending }> {
  let armed = true;
  const intercept = (action: Action): Action => {
    if (!armed || action.type !== 'on-lab' || action.threads === 0) return action;
    armed = false;
    return { ...action, job: { type: 'fault', fault }, callers: 0, limitMs };
  };
  const engine = new Engine({ base: SITE, intercept });
  const faulty = await ending(engine, () => engine.run(WITH_POOL));
  const next = await ending(engine, () => engine.run(WITH_POOL));
  engine.dispose();
  return { faulty, next };
}

/** Starts, asks and ends pools of these sizes in turn; gives the cycles that went wrong, and the workers left over. */
async function cyclePools(cycles: number, sizes: readonly number[]): Promise<{ wrong: string[]; left: number }> {
  const files = new SiteFiles(SITE, FETCH_MS);
  const wrong: string[] = [];
  for (let cycle = 0; cycle < cycles; cycle += 1) {
    const threads = sizes[cycle % sizes.length] ?? 1;
    try {
      const lost = (failure: Error): void => void wrong.push(`cycle ${cycle}: lost: ${failure.message}`);
      const { signal } = new AbortController();
      const lab = await Lab.start({ build: 'threaded', files, threads, limitMs: START_MS, signal, lost });
      const answer = await lab.job({ type: 'ping' }, 0, () => {});
      if (answer.type !== 'pinged' || answer.threads !== threads) {
        wrong.push(`cycle ${cycle}: asked ${threads}: ${JSON.stringify(answer)}`);
      }
      lab.end(new DOMException('', 'AbortError'));
    } catch (error) {
      wrong.push(`cycle ${cycle} with ${threads}: ${String(error)}`);
    }
  }
  return { wrong, left: livingWorkers() };
}

/** A run from a site whose files may be broken, then one that needs none of those. */
async function runFromSite(request: unknown, other: unknown): Promise<{ broken: Ending; whole: Ending; left: number }> {
  const engine = new Engine({ base: SITE, limits: { startMs: 5_000, fetchMs: 5_000, replyMs: 5_000 } });
  const broken = await ending(engine, () => engine.run(request ?? WITH_POOL));
  const whole = other ? await ending(engine, () => engine.run(other)) : broken;
  engine.dispose();
  return { broken, whole, left: livingWorkers() };
}

Object.assign(window, { faults: { faultThenRun, cyclePools, runFromSite } });
document.documentElement.dataset.ready = 'yes';
