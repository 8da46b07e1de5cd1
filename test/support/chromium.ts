/** A real browser, without a network but for what it is given. */
import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';

/** The first has no windows of its own, so that a page opens in a third of the CPU time; what judges pages is the same. */
const CHROMIUM_PROGRAMS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];

const CHROMIUM_PATH =
  process.env['CHROMIUM'] ?? CHROMIUM_PROGRAMS.find((path) => existsSync(path)) ?? '/usr/bin/chromium';

/** CI asks for it: there, tests without it fail. */
const IS_REQUIRED = process.env['NEED_CHROMIUM'] === '1';

/** Why tests that need it are left out; null where they are not. */
export const SKIP_WITHOUT_CHROMIUM: string | null =
  IS_REQUIRED || existsSync(CHROMIUM_PATH) ? null : `left out: there is no Chromium at ${CHROMIUM_PATH}`;

if (SKIP_WITHOUT_CHROMIUM !== null) process.stdout.write(`${SKIP_WITHOUT_CHROMIUM}\n`);

/** @param flags of its command line, beside those that it always gets */
export async function startChromium(flags: readonly string[] = []): Promise<Browser> {
  // Root has no sandbox, and CI runs in containers as root.
  const args = ['--no-sandbox', '--disable-dev-shm-usage', ...flags];
  return await chromium.launch({ executablePath: CHROMIUM_PATH, args });
}

/** One browser for the tests of a group, which is handed over before them, and closed behind them. */
export function withChromium(use: (browser: Browser) => void, flags: readonly string[] = []): void {
  let browser: Browser | null = null;
  beforeAll(async () => {
    browser = await startChromium(flags);
    use(browser);
  });
  afterAll(async () => {
    await browser?.close();
  });
}
