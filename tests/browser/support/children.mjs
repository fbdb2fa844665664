// Programs that the tests start: each in a process group of its own, so that its own children end with it, also when
// the tests are interrupted. Not here: browsers that puppeteer starts; it ends those itself.

import { spawn } from 'node:child_process';

const alive = new Set();

function kill(child) {
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch (error) {
    // ESRCH: the whole group has ended by itself, which is what was wanted.
    if (error.code !== 'ESRCH') throw error;
  }
}

/** Starts a program; `end()` kills it with everything that it started. */
export function startChild(command, args, options = {}) {
  const child = spawn(command, args, { ...options, detached: true });
  alive.add(child);
  child.once('exit', () => alive.delete(child));
  const end = () => {
    kill(child);
    alive.delete(child);
  };
  const failed = new Promise((_, reject) => {
    child.once('error', (error) => reject(new Error(`${command} did not start: ${error.message}`)));
    child.once('exit', (code, signal) => reject(new Error(`${command} ended early (${signal ?? code})`)));
  });
  failed.catch(() => {});
  return { child, end, failed };
}

process.once('exit', () => {
  for (const child of alive) kill(child);
});

// Without these, a signal ends the process at once and the handler above never runs.
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
]) {
  process.once(signal, () => process.exit(code));
}
