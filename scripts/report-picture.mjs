// Takes the screenshot of the HTML report in the README, from a real run of the built program. Writes
// docs/pictures/report.png.
import { execFile } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { openBrowser, openShop, takePicture } from './picture-shop.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const viewport = { width: 1400, height: 925 };

const shop = await openShop({ from: 17_000, to: 19_000 });
writeFileSync(
  join(shop.directory, 'loadtests.yaml'),
  `version: 1
project: shop
apps: { shop: "${shop.host}" }
defaults: { timeout: 1s }
tests:
  checkout:
    test_type: cycling
    initial: 1
    stages: [{ for: 12s, to: 40 }, { for: 12s, to: 40 }, { for: 6s, to: 5 }]
    urls:
      - { name: start page, url: 'http://${shop.host}/' }
      - { name: search, url: 'http://${shop.host}/search?q=socks' }
      - { name: add to cart, url: 'http://${shop.host}/cart', request_type: POST }
    thresholds: { error_rate: '< 1%', p50: '< 50ms', p95: '< 100ms', p99.9: '< 500ms' }
`,
);

const browser = await openBrowser();
try {
  await new Promise((resolve) => {
    const args = [join(ROOT, 'dist/cli/main.js'), 'apply', '--yes', '--html', 'report.html'];
    // A threshold may fail: the picture shows it.
    execFile(process.execPath, args, { cwd: shop.directory }, (_, stdout) => {
      process.stdout.write(stdout);
      resolve();
    });
  });
  const page = await browser.newPage({ viewport, colorScheme: 'light' });
  await page.goto(pathToFileURL(join(shop.directory, 'report.html')).href);
  await page.locator('canvas').nth(1).waitFor();
  await takePicture(page, join(ROOT, 'docs/pictures/report.png'));
} finally {
  await browser.close();
  shop.close();
  rmSync(shop.directory, { recursive: true });
}
