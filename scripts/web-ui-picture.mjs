// Takes the screenshots of the web UI: a service with several finished runs and an active one. Writes
// docs/pictures/page.png and docs/pictures/page-run.png.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { openBrowser, openShop, takePicture } from './picture-shop.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PROGRAM = join(ROOT, 'dist/cli/main.js');
const viewport = { width: 1400, height: 925 };

const shop = await openShop();
const env = { ...process.env, LOADTESTS_API_KEY: 'the API key of the screenshot service' };
const args = [PROGRAM, 'serve', '--json', '--port', '0', '--data', 'data'];
const service = spawn(process.execPath, args, {
  cwd: shop.directory,
  env,
  stdio: ['ignore', 'pipe', 'inherit'],
});
const browser = await openBrowser();
try {
  const [line] = await once(createInterface({ input: service.stdout }), 'line');
  const { url, web_ui: link } = JSON.parse(line);
  writeFileSync(
    join(shop.directory, 'loadtests.yaml'),
    `version: 1
project: shop
service: { base_url: "${url}" }
apps: { shop: { app: "${shop.host}", verification: { method: http, directory: public } } }
defaults: { timeout: 1s, duration: 4s }
tests:
  home:
    { test_type: per-second, total: 60, urls: ['http://${shop.host}/'], thresholds: { p95: '< 50ms' } }
  search:
    { test_type: per-second, total: 60, urls: ['http://${shop.host}/search?q=socks'], thresholds: { p95: '< 60ms' } }
  checkout:
    test_type: cycling
    initial: 1
    stages: [{ for: 15s, to: 30 }, { for: 25s, to: 30 }]
    urls:
      - { name: start page, url: 'http://${shop.host}/' }
      - { name: add to cart, url: 'http://${shop.host}/cart', request_type: POST }
    thresholds: { p95: '< 50ms' }
`,
  );
  const loadtests = async (...words) =>
    await new Promise((resolve) => {
      // A threshold may fail: the picture shows it.
      execFile(process.execPath, [PROGRAM, ...words], { cwd: shop.directory, env }, (_, stdout) => {
        process.stdout.write(stdout);
        resolve();
      });
    });
  await loadtests('apply', '--yes', '--no-run');
  for (let round = 0; round < 4; round++) await loadtests('run', '--yes', 'home', 'search');
  await loadtests('run', '--yes', '--no-wait', 'checkout');
  const page = await browser.newPage({ viewport, colorScheme: 'light' });
  await page.goto(link);
  const running = page.getByRole('link', { name: 'checkout' }).first();
  await running.waitFor();
  // Waits until the metrics have values.
  await page.waitForTimeout(20_000);
  await takePicture(page, join(ROOT, 'docs/pictures/page.png'));
  await running.click();
  await page.locator('canvas').nth(1).waitFor();
  await page.waitForTimeout(2000);
  await takePicture(page, join(ROOT, 'docs/pictures/page-run.png'));
} finally {
  await browser.close();
  service.kill('SIGTERM');
  await once(service, 'exit');
  shop.close();
  rmSync(shop.directory, { recursive: true });
}
