// What the pictures of the documents show under load: a shop on this machine, and a browser that looks at the result.
import { mkdtempSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { chromium } from 'playwright-core';

/** A picture is loaded by many. */
const MOST_BYTES = 150_000;

/**
 * A shop that answers well, but for some searches.
 *
 * @param hangs from when to when it answers nothing, in ms since its first request
 * @returns its host, and `directory`, an empty one whose `public` holds what it proves its owner with
 */
export async function openShop(hangs = { from: 0, to: 0 }) {
  const directory = mkdtempSync(join(tmpdir(), 'picture-'));
  let begun = null;
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://shop');
    const wait = { '/': 3, '/search': 25, '/cart': 9 }[pathname];
    if (wait === undefined) {
      proveOwner(join(directory, 'public', basename(pathname)), response);
      return;
    }
    begun ??= performance.now();
    const now = performance.now() - begun;
    const hang = now > hangs.from && now < hangs.to ? hangs.to - now : 0;
    const failed = pathname === '/search' && Math.random() < 0.004;
    setTimeout(
      () => {
        response.writeHead(failed ? 503 : 200, { 'content-type': 'text/plain' });
        response.end('x'.repeat(2000));
      },
      hang + wait * (0.7 - Math.log(1 - Math.random()) / 2),
    );
  });
  server.keepAliveTimeout = 60_000;
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    directory,
    host: `127.0.0.1:${server.address().port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function proveOwner(file, response) {
  try {
    response.end(readFileSync(file));
  } catch {
    response.writeHead(404).end();
  }
}

/** Needs Chromium (/usr/bin/chromium, or CHROMIUM). */
export async function openBrowser() {
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
  return await chromium.launch({ executablePath, args: ['--no-sandbox'] });
}

export async function takePicture(page, path) {
  await page.screenshot({ path });
  const { size } = statSync(path);
  console.log(`${path}: ${size} bytes`);
  if (size > MOST_BYTES) process.exitCode = 1;
}
