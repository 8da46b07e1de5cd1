/** A real browser without network access, except to the given addresses. */
import { existsSync } from 'node:fs';
import { chromium, type Browser, type BrowserContext } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { WAIT_MS } from './wait.ts';

/**
 * The headless shell is preferred, because it opens a page in a third of the CPU time with the same engine.
 */
const CHROMIUM_PROGRAMS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];

const CHROMIUM_PATH =
  process.env['CHROMIUM'] ?? CHROMIUM_PROGRAMS.find((path) => existsSync(path)) ?? '/usr/bin/chromium';

/** Set in CI, so that tests fail without Chromium. */
const IS_REQUIRED = process.env['NEED_CHROMIUM'] === '1';

/** Reason for skipping the tests that need Chromium; null if it is installed. */
export const SKIP_WITHOUT_CHROMIUM: string | null =
  IS_REQUIRED || existsSync(CHROMIUM_PATH) ? null : `skipped: Chromium not found at ${CHROMIUM_PATH}`;

if (SKIP_WITHOUT_CHROMIUM !== null) process.stdout.write(`${SKIP_WITHOUT_CHROMIUM}\n`);

/**
 * Starts Chromium.
 * @param flags - command-line flags in addition to the defaults
 */
export async function startChromium(flags: readonly string[] = []): Promise<Browser> {
  // The sandbox does not support root, and CI runs in containers as root. The pages of a context share a
  // process, because starting a process takes most of the CPU time of a page.
  const args = ['--no-sandbox', '--disable-dev-shm-usage', '--renderer-process-limit=1', ...flags];
  const browser = await chromium.launch({ executablePath: CHROMIUM_PATH, args, timeout: WAIT_MS });
  browser.on('context', (context) => context.setDefaultTimeout(WAIT_MS));
  return browser;
}

/**
 * Opens an empty page that remains open until its context is closed. A renderer process ends with its last page, so
 * later pages of the same site use this process.
 * @param site - URL that the browser does not request
 */
export async function keepProcess(context: BrowserContext, site: string): Promise<void> {
  const page = await context.newPage();
  await page.route('**', async (route) => {
    await route.fulfill({ contentType: 'text/html', body: '' });
  });
  await page.goto(site);
}

/** Starts one browser for the tests of a group, and closes it after them. */
export function withChromium(use: (browser: Browser) => void, flags: readonly string[] = []): void {
  let browser: Browser | null = null;
  beforeAll(async () => {
    browser = await startChromium(flags);
    use(browser);
  });
  afterAll(() => browser?.close());
}
