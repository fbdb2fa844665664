// The machine's loop loads on Node's own loop: `node loops.mjs SIZES` prints milliseconds of processor time, the
// fastest of three runs, as JSON.

const PENDING = 100_000;
const MASK = (1n << 64n) - 1n;

const sleep = (ms) => new Promise((wake) => setTimeout(wake, ms));

async function nothing() {
  return undefined;
}

/** Promises settle in one turn, so each task is one that gives way once, as a task does that is only scheduled. */
async function tasks(size) {
  const task = async () => {
    await undefined;
    return nothing();
  };
  await Promise.all(Array.from({ length: size }, task));
}

function timers(size) {
  let pending = PENDING;
  return new Promise((allFired) => {
    const again = (before, left) => {
      if (left === 0) {
        pending -= 1;
        if (pending === 0) allFired();
        return;
      }
      const word = (before * 6364136223846793005n + 1n) & MASK;
      setTimeout(again, Number(1n + (word >> 40n)) / 1e6, word, left - 1);
    };
    for (let number = 0n; number < PENDING; number += 1n) {
      again(((number * 0x9e3779b97f4a7c15n) & MASK) | 1n, size / PENDING);
    }
  });
}

async function sleeps(size) {
  const sleeper = async (_, number) => {
    let word = ((BigInt(number) * 0x9e3779b97f4a7c15n) & MASK) | 1n;
    for (let turn = 0; turn < size / PENDING; turn += 1) {
      word = (word * 6364136223846793005n + 1n) & MASK;
      await sleep(Number(1n + (word >> 40n)) / 1e6);
    }
  };
  await Promise.all(Array.from({ length: PENDING }, sleeper));
}

async function fanOut(size) {
  await Promise.all(Array.from({ length: size }, () => sleep(200)));
}

async function fastest(load, size, repeats) {
  const samples = [];
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    const start = process.cpuUsage();
    await load(size);
    const { user, system } = process.cpuUsage(start);
    samples.push((user + system) / 1000);
  }
  return Math.min(...samples);
}

const sizes = JSON.parse(process.argv[2]);
const found = {
  tasks: await fastest(tasks, sizes.tasks, 3),
  timers: await fastest(timers, sizes.timers, 1),
  sleeps: await fastest(sleeps, sizes.sleeps, 1),
  'fan-out': await fastest(fanOut, sizes['fan-out'], 3),
};
console.log(JSON.stringify(found));
