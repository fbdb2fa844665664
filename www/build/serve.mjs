// A static server for development and for the browser tests: one site, 127.0.0.1 only, no dependency.
// It sends the headers of www/_headers, so a page behaves here as it does on a host that honours that file.

import { createReadStream, readFileSync, realpathSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = resolve(fileURLToPath(new URL('../..', import.meta.url)));
const FIRST_PORT = 8000;
const PORTS_TO_TRY = 20;

const MIME_TYPES = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.py': 'text/x-python; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};

/** The `Name: value` pairs of a Netlify-style headers file; paths are not looked at, the file has one section. */
function readHeaders(file) {
  const pairs = readFileSync(file, 'utf8').matchAll(/^\s+([\w-]+):\s*(.+?)\s*$/gm);
  return Object.fromEntries(Array.from(pairs, ([, name, value]) => [name, value]));
}

/** The file that a request path names, or undefined when it would leave every served directory. */
function locate(path, root, mounts) {
  const mount = Object.keys(mounts).find((prefix) => path.startsWith(prefix));
  const base = resolve(mount === undefined ? root : mounts[mount]);
  const rest = mount === undefined ? path : path.slice(mount.length);
  const file = join(base, rest.endsWith('/') || rest === '' ? `${rest}/index.html` : rest);
  return file.startsWith(base + sep) ? { base, file } : undefined;
}

function refuse(response, code, text) {
  response.writeHead(code, { 'Content-Type': 'text/plain; charset=utf-8' }).end(`${text}\n`);
}

async function answer(request, response, { root, mounts }) {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('Allow', 'GET, HEAD');
    return refuse(response, 405, 'Only GET and HEAD are answered here.');
  }
  let path;
  try {
    path = decodeURIComponent(new URL(request.url, 'http://localhost').pathname);
  } catch {
    return refuse(response, 400, 'This address cannot be decoded.');
  }
  const place = path.includes('\0') ? undefined : locate(path, root, mounts);
  if (!place) return refuse(response, 403, 'This address leaves the site.');
  let size;
  try {
    // A link inside the site may point out of it; the real path decides.
    if (!realpathSync(place.file).startsWith(realpathSync(place.base) + sep)) throw new Error('outside');
    const found = await stat(place.file);
    if (!found.isFile()) throw new Error('no file');
    size = found.size;
  } catch {
    return refuse(response, 404, `There is no ${path} here.`);
  }
  response.writeHead(200, {
    'Content-Type': MIME_TYPES[extname(place.file)] ?? 'application/octet-stream',
    'Content-Length': size,
  });
  if (request.method === 'HEAD') return response.end();
  createReadStream(place.file)
    .on('error', () => response.destroy())
    .pipe(response);
}

/**
 * Serves `root` until `close()` is called. Port 0 takes any free one. `headers: false` is a host that sets none.
 * `mounts` adds directories outside the site: `{ '/__tests__/': directory }`.
 */
export function startServer({ root = join(ROOT, 'dist'), port = 0, headers = true, mounts = {} } = {}) {
  const siteHeaders = headers ? readHeaders(join(ROOT, 'www/_headers')) : {};
  const server = createServer((request, response) => {
    // The browser must ask each time, or a rebuilt worker script runs beside an old page.
    response.setHeader('Cache-Control', 'no-cache');
    for (const [name, value] of Object.entries(siteHeaders)) response.setHeader(name, value);
    answer(request, response, { root, mounts }).catch(() => response.destroy());
  });
  return new Promise((started, failed) => {
    server.once('error', failed);
    server.listen(port, '127.0.0.1', () => {
      const taken = server.address().port;
      const close = () =>
        new Promise((closed) => {
          server.close(closed);
          // Browsers keep connections open; without this, closing waits for their time limit.
          server.closeAllConnections();
        });
      started({ port: taken, url: `http://127.0.0.1:${taken}/`, close });
    });
  });
}

async function startOnFreePort(first, options) {
  for (let port = first; port < first + PORTS_TO_TRY; port += 1) {
    try {
      return await startServer({ ...options, port });
    } catch (error) {
      if (error.code !== 'EADDRINUSE') throw error;
      console.log(`port ${port} is busy, trying ${port + 1}`);
    }
  }
  throw new Error(`ports ${first} to ${first + PORTS_TO_TRY - 1} are all busy; give another with --port`);
}

async function main(argv) {
  const headers = !argv.includes('--no-headers');
  const at = argv.indexOf('--port');
  const port = at < 0 ? FIRST_PORT : Number(argv[at + 1]);
  if (!Number.isInteger(port) || port < 1 || port > 65535 - PORTS_TO_TRY) {
    throw new Error('--port takes a number from 1 to 65515');
  }
  const server = await startOnFreePort(port, { headers });
  console.log(`Concurrency Playground: ${server.url}  (Ctrl-C ends it)`);
  const stop = () => server.close().then(() => process.exit(0));
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  main(process.argv.slice(2)).catch((error) => {
    console.error(`serve: ${error.message}`);
    process.exit(1);
  });
}
