// One worker of the comparison: a CPython in WebAssembly and the Rust half, each asked for the same programs. It answers
// what differs. Not here: which programs, and what is told of them (run.mjs).

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { loadPyodide } from 'pyodide';

const MODULES = ['virtual_loop', 'words'];
/** What ended programs leave behind is collected by hand: nothing is, while one runs. */
const COLLECT_EVERY = 50;

/** The unmodified asyncio of CPython. */
class Python {
  #run;
  #collect;
  #ran = 0;

  static async start() {
    const python = await loadPyodide();
    for (const name of MODULES) {
      const source = readFileSync(new URL(`${name}.py`, import.meta.url), 'utf8');
      python.FS.writeFile(`/home/pyodide/${name}.py`, source);
    }
    const started = new Python();
    started.version = python.runPython('import sys; sys.version.split()[0]');
    started.#run = python.runPython('import words; words.run');
    started.#collect = python.runPython('import gc; gc.collect');
    return started;
  }

  run(source) {
    const log = this.#run(source);
    this.#ran += 1;
    if (this.#ran % COLLECT_EVERY === 0) this.#collect();
    return log;
  }
}

/** The program that draws and runs on the machine's own loop. */
class Machine {
  #child;
  #lines;

  constructor(path, fault) {
    this.#child = spawn(path, fault ? [fault] : [], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  /** The programs asked for, one by one. */
  async *ask(what) {
    this.#child.stdin.write(`${JSON.stringify(what)}\n`);
    for (;;) {
      const { value, done } = await this.#lines.next();
      if (done) throw new Error(`the Rust half ended while it was asked for ${JSON.stringify(what).slice(0, 200)}`);
      if (value === '') return;
      yield JSON.parse(value);
    }
  }
}

const python = await Python.start();
const [programs, fault] = process.argv.slice(2);
const machine = new Machine(programs, fault);

/** Runs what is asked for on both sides. */
async function compare(what) {
  const result = { programs: 0, lines: [], sizes: [], constructs: {}, shows: [], different: [] };
  for await (const program of machine.ask(what)) {
    const theirs = python.run(program.python);
    result.programs += 1;
    result.lines.push(theirs.split('\n').length);
    result.sizes.push(program.size);
    for (const name of program.constructs) result.constructs[name] = (result.constructs[name] ?? 0) + 1;
    if (program.log !== theirs) result.different.push({ ...program, theirs });
    else if (program.shows.length > 0) result.shows.push({ seed: Number(program.name), faults: program.shows });
  }
  return result;
}

/** The smallest program, one thing less at a time, on which both still differ. */
async function shrink(program) {
  let smallest = program;
  let tried = 0;
  for (;;) {
    let found;
    for await (const smaller of machine.ask({ smaller: smallest.script })) {
      // All answers are read, or the next question would get them; but only the first that differs is run for.
      if (found) continue;
      tried += 1;
      const theirs = python.run(smaller.python);
      if (theirs !== smaller.log) found = { ...smaller, name: program.name, theirs };
    }
    if (!found) break;
    smallest = found;
  }
  let listing;
  for await (const answer of machine.ask({ listing: smallest.script })) listing = answer.log;
  return { ...smallest, listing, tried };
}

process.on('message', async ({ compare: what, shrink: program }) => {
  try {
    process.send(what ? await compare(what) : await shrink(program));
  } catch (error) {
    process.send({ error: error.stack });
  }
});
process.on('disconnect', () => process.exit(0));
process.send({ ready: python.version });
