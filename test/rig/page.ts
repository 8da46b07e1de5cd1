/** The page of a real service in a real browser. */
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import type { AxeResults } from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { expect } from 'vitest';
import { callAt } from './service.ts';

export interface OpenedPage {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Errors of scripts, and what the console was told; refusals by the content security policy are there too. */
  readonly wrong: readonly string[];
}

/**
 * Opens the page of a service by a link, as its owner does.
 *
 * @param place `#/apps`
 * @param beside tabs of one browser: what one is let into, the others are
 */
export async function openPage(
  browser: Browser,
  url: string,
  place: string,
  options: Parameters<Browser['newContext']>[0] = {},
  beside: BrowserContext | null = null,
): Promise<OpenedPage> {
  const { text } = await callAt(url, 'POST', '/v2/page-codes');
  const { code } = JSON.parse(text) as { readonly code: string }; // as its schema says
  const context =
    beside ?? (await browser.newContext({ viewport: { width: 1400, height: 900 }, ...options }));
  const page = await context.newPage();
  const wrong: string[] = [];
  page.on('pageerror', (error) => wrong.push(error.message));
  page.on('console', (message) => {
    // A request that is refused, or that nobody answers, is told by the browser itself.
    if (!message.text().startsWith('Failed to load resource')) wrong.push(message.text());
  });
  await page.goto(`${url}/#${code}`);
  await page.locator('nav').waitFor();
  await page.goto(`${url}/${place}`);
  return { context, page, wrong };
}

/** What axe finds, by rule, at the width and in the theme of now. */
async function axeFindings(page: Page, asked: 'all' | 'contrast'): Promise<readonly string[]> {
  const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  // The policy of the page lets no script in; this way there is none.
  await page.evaluate(`if (window.axe === undefined) { ${axe} }`);
  const { violations } = await page.evaluate<AxeResults>(
    asked === 'all' ? 'axe.run()' : 'axe.run({ runOnly: ["color-contrast"] })',
  );
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

/** At 400 and 1,400 px, light and dark: nothing is found, and nothing is wider than the page. */
export async function expectForEverybody(page: Page): Promise<void> {
  // Another theme changes colours alone.
  for (const [width, colorScheme, asked] of [
    [1400, 'light', 'all'],
    [1400, 'dark', 'contrast'],
    [400, 'dark', 'all'],
    [400, 'light', 'contrast'],
  ] as const) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    expect(await axeFindings(page, asked), `${width} ${colorScheme}`).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
  }
  await page.setViewportSize({ width: 1400, height: 900 });
}

/** Pictures of each state are put there, to be looked at. */
const PICTURES = process.env['PAGE_PICTURES'];

/** At the widths and in the themes of `expectForEverybody`, where pictures are asked for. */
export async function pictures(page: Page, name: string): Promise<void> {
  if (PICTURES === undefined) return;
  for (const width of [1400, 400])
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: `${PICTURES}/${name}-${width}-${colorScheme}.png`, fullPage: true });
    }
  await page.setViewportSize({ width: 1400, height: 900 });
  await page.emulateMedia({ colorScheme: 'light' });
}
