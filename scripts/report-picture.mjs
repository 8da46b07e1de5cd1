// The picture of the report in the README: a real run of the built program, as a browser shows it.
// Writes docs/pictures/report.png. Needs Chromium (/usr/bin/chromium, or CHROMIUM).
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const TARGET = join(ROOT, 'docs/pictures/report.png');
const [WIDTH, HEIGHT] = [1400, 925];
/** A README is loaded by many. */
const MOST_BYTES = 150_000;

/** A shop that answers well, but for some searches, and that hangs for two seconds. */
const HANGS = { from: 17_000, to: 19_000 };
let begun = null;
const server = createServer((request, response) => {
  begun ??= performance.now();
  const now = performance.now() - begun;
  const { pathname } = new URL(request.url ?? '/', 'http://shop');
  const wait = { '/': 3, '/search': 25, '/cart': 9 }[pathname] ?? 1;
  const hang = now > HANGS.from && now < HANGS.to ? HANGS.to - now : 0;
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
const host = `127.0.0.1:${server.address().port}`;

const folder = mkdtempSync(join(tmpdir(), 'report-picture-'));
writeFileSync(
  join(folder, 'loadtests.yaml'),
  `version: 1
project: shop
apps: { shop: "${host}" }
defaults: { timeout: 1s }
tests:
  checkout:
    test_type: cycling
    initial: 1
    stages: [{ for: 12s, to: 40 }, { for: 12s, to: 40 }, { for: 6s, to: 5 }]
    urls:
      - { name: start page, url: 'http://${host}/' }
      - { name: search, url: 'http://${host}/search?q=socks' }
      - { name: add to cart, url: 'http://${host}/cart', request_type: POST }
    thresholds: { error_rate: '< 1%', p50: '< 50ms', p95: '< 100ms', p99.9: '< 500ms' }
`,
);

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
try {
  await new Promise((resolve) => {
    const args = [join(ROOT, 'dist/cli/main.js'), 'apply', '--yes', '--html', 'report.html'];
    // A limit may fail: that is what it shows.
    execFile(process.execPath, args, { cwd: folder }, (_, stdout) => {
      process.stdout.write(stdout);
      resolve();
    });
  });
  const page = await browser.newPage({ viewport: { width: WIDTH, height: HEIGHT }, colorScheme: 'light' });
  await page.goto(pathToFileURL(join(folder, 'report.html')).href);
  await page.locator('canvas').nth(1).waitFor();
  await page.screenshot({ path: TARGET });
  const { size } = statSync(TARGET);
  console.log(`${TARGET}: ${size} bytes`);
  if (size > MOST_BYTES) process.exitCode = 1;
} finally {
  await browser.close();
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
}
