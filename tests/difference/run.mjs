// Random programs on the machine's event loop and on CPython's own asyncio, compared line by line:
// `node tests/difference/run.mjs [--programs N] [--seed N] [--faults] [--fault NAME] [--coverage] [--workers N]`.
// The first that differs is made as small as it gets and printed, as Python and as code, with both logs.

import { execFileSync, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BATCH = 50;
/** A long run tells where it is. */
const TELL_EVERY = 2000;
/** Every fault of the loop shows in so many programs. */
const ENOUGH_FOR_FAULTS = 500;
/** A batch takes a second; one that takes so long hangs. */
const BATCH_LIMIT_MS = 120_000;

const HELP = `node tests/difference/run.mjs [--programs N] [--seed N] [--faults] [--coverage] [--workers N]
  --programs N   how many programs (300)
  --seed N       the first one's seed (1); each has the next
  --faults       run each with every fault of the loop, too, and tell which program shows it first
  --fault NAME   run all on a loop that has this fault: they ought not to agree
  --coverage     print the share of programs that each construct is in
  --workers N    processes beside each other (2)`;

function readArguments() {
  const { values } = parseArgs({
    options: {
      programs: { type: 'string', default: '300' },
      seed: { type: 'string', default: '1' },
      workers: { type: 'string', default: '2' },
      faults: { type: 'boolean', default: false },
      fault: { type: 'string', default: '' },
      coverage: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const number = (name, least, most) => {
    const value = Number(values[name]);
    if (!Number.isInteger(value) || value < least || value > most) {
      throw new Error(`--${name} takes a number from ${least} to ${most}`);
    }
    return value;
  };
  return {
    ...values,
    programs: number('programs', 1, 10_000_000),
    seed: number('seed', 0, 4_000_000_000),
    workers: number('workers', 1, 64),
  };
}

/** Builds the Rust half, and says where it is. */
function build() {
  const cargo = process.env.CARGO ?? 'cargo';
  const messages = execFileSync(
    cargo,
    ['build', '--locked', '--quiet', '--example', 'programs', '--message-format=json'],
    { cwd: ROOT, encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const lines = messages
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  return lines.find(({ target, executable }) => executable && target.name === 'programs').executable;
}

/** A worker process, asked one thing at a time. */
class Worker {
  #process;

  async start(programs, fault) {
    this.#process = fork(new URL('oracle.mjs', import.meta.url), [programs, fault]);
    const { ready } = await this.#answer();
    return ready;
  }

  ask(question) {
    this.#process.send(question);
    return this.#answer();
  }

  stop() {
    this.#process.disconnect();
  }

  #answer() {
    return new Promise((resolve, reject) => {
      const settle = (outcome) => {
        clearTimeout(timer);
        this.#process.off('exit', onExit);
        this.#process.off('message', onMessage);
        outcome();
      };
      const onExit = (code) => settle(() => reject(new Error(`a worker ended with code ${code}`)));
      const onMessage = (message) =>
        settle(() => (message.error ? reject(new Error(message.error)) : resolve(message)));
      const timer = setTimeout(() => {
        this.#process.kill('SIGKILL');
        settle(() => reject(new Error(`a worker gave no answer for ${BATCH_LIMIT_MS / 1000} s`)));
      }, BATCH_LIMIT_MS);
      this.#process.once('exit', onExit);
      this.#process.once('message', onMessage);
    });
  }
}

/** What came of all programs so far. */
class Totals {
  programs = 0;
  lines = [];
  sizes = [];
  constructs = new Map();
  faults = new Map();
  different = [];

  add(result) {
    this.programs += result.programs;
    this.lines.push(...result.lines);
    this.sizes.push(...result.sizes);
    for (const [name, count] of Object.entries(result.constructs)) {
      this.constructs.set(name, (this.constructs.get(name) ?? 0) + count);
    }
    for (const { seed, faults } of result.shows) {
      for (const fault of faults) this.faults.set(fault, Math.min(this.faults.get(fault) ?? Infinity, seed));
    }
    this.different.push(...result.different);
  }
}

function median(numbers) {
  return [...numbers].sort((one, other) => one - other)[numbers.length >> 1];
}

/** Asks for everything in batches, whichever worker is free. */
async function compareAll(workers, { programs, seed, faults }) {
  const totals = new Totals();
  const questions = [];
  for (let from = seed; from < seed + programs; from += BATCH) {
    const to = Math.min(from + BATCH, seed + programs) - 1;
    questions.push({ generate: { from, to, withFaults: faults } });
  }
  const rows = await workers[0].ask({ compare: 'rows' });
  totals.different.push(...rows.different);
  await Promise.all(
    workers.map(async (worker) => {
      for (let next = questions.shift(); next; next = questions.shift()) {
        totals.add(await worker.ask({ compare: next }));
        if (totals.programs % TELL_EVERY === 0) {
          console.log(`${totals.programs} programs, ${totals.different.length} different`);
        }
      }
    }),
  );
  totals.rows = rows.programs;
  return totals;
}

function indented(text) {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n');
}

/** Both logs beside each other, up to a few lines behind the first that differs. */
function bothLogs(ours, theirs) {
  const [one, other] = [ours.split('\n'), theirs.split('\n')];
  let first = 0;
  while (one[first] === other[first]) first += 1;
  const lines = [];
  for (let at = 0; at < Math.min(Math.max(one.length, other.length), first + 6); at += 1) {
    const mark = one[at] === other[at] ? ' ' : '≠';
    lines.push(`${mark} ${(other[at] ?? '').padEnd(60)} │ ${one[at] ?? ''}`);
  }
  return `  ${'CPython'.padEnd(60)} │ here\n${lines.join('\n')}`;
}

function printCoverage(totals) {
  const shares = [...totals.constructs].sort((one, other) => one[1] - other[1]);
  console.log('share of programs with each construct, in %:');
  for (const [name, count] of shares)
    console.log(`  ${((count * 100) / totals.programs).toFixed(1).padStart(5)} ${name}`);
}

/** Each fault with the number of programs that it took to see it; whether all were seen soon enough. */
function printFaults(totals, programs, { seed }) {
  const all = execFileSync(programs, ['faults'], { encoding: 'utf8' }).trim().split('\n');
  const first = (fault) => (totals.faults.get(fault) ?? Infinity) - seed + 1;
  console.log('fault, and how many programs it took to see it:');
  for (const fault of all) console.log(`  ${fault.padEnd(28)} ${first(fault)}`);
  return all.every((fault) => first(fault) <= ENOUGH_FOR_FAULTS);
}

async function main() {
  const wanted = readArguments();
  if (wanted.help) return console.log(HELP);
  const started = performance.now();
  const programs = build();
  const workers = Array.from({ length: wanted.workers }, () => new Worker());
  const [version] = await Promise.all(workers.map((worker) => worker.start(programs, wanted.fault)));
  const ready = performance.now();
  const totals = await compareAll(workers, wanted);
  const seconds = (performance.now() - ready) / 1000;

  if (wanted.coverage) printCoverage(totals);
  const [rarest, count] = [...totals.constructs].sort((one, other) => one[1] - other[1])[0];
  const share = (count * 100) / totals.programs;
  console.log(
    `${totals.constructs.size} constructs, the rarest (${rarest}) in ${share.toFixed(1)} % of the programs; ` +
      `median ${median(totals.sizes)} steps written, ${median(totals.lines)} lines of log`,
  );
  if (wanted.faults && !printFaults(totals, programs, wanted)) process.exitCode = 1;
  const total = totals.programs + totals.rows;
  const agree = total - totals.different.length;
  console.log(
    `${agree} of ${total} programs agree with CPython ${version} ` +
      `(${Math.round(totals.programs / seconds)} a second; ${((performance.now() - started) / 1000).toFixed(0)} s in all)`,
  );
  if (totals.different.length > 0) {
    const seeds = totals.different.map(({ name }) => name);
    console.log(`different: ${seeds.slice(0, 20).join(', ')}${seeds.length > 20 ? ', …' : ''}`);
    const first = totals.different.sort((one, other) => one.size - other.size)[0];
    const smallest = await workers[0].ask({ shrink: first });
    console.log(`\n${first.name}, made smaller in ${smallest.tried} tries:\n`);
    console.log(
      `${indented(smallest.python)}\n\n${bothLogs(smallest.log, smallest.theirs)}\n\n${indented(smallest.listing)}`,
    );
    process.exitCode = 1;
  }
  for (const worker of workers) worker.stop();
}

main().catch((error) => {
  console.error(`difference: ${error.message}`);
  process.exit(1);
});
