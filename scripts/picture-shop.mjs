// The target of the documentation's screenshots: a shop on 127.0.0.1, and a browser that takes the pictures.
import { mkdtempSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { chromium } from 'playwright-core';

/** Several scripts load a picture. */
const MAX_BYTES = 150_000;

/**
 * Starts a shop that responds quickly, except for some searches.
 *
 * @param hangs - Start and end of the period without responses, in ms since the first request.
 * @returns The host of the shop, and `directory`: an empty directory whose `public` contains the verification
 * file.
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

/** Requires Chromium: Debian's headless shell, or the path in CHROMIUM. */
export async function openBrowser() {
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell';
  return await chromium.launch({ executablePath, args: ['--no-sandbox'] });
}

export async function takePicture(page, path) {
  await page.screenshot({ path });
  const { size } = statSync(path);
  console.log(`${path}: ${size} bytes`);
  if (size > MAX_BYTES) process.exitCode = 1;
}
