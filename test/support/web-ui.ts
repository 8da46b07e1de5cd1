/** The page of a real service in a real browser. */
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import type { AxeResults } from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { expect } from 'vitest';
import { callAt } from './test-service.ts';

export interface OpenedWebUi {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Errors of scripts, and what the console was told; refusals by the content security policy are there too. */
  readonly errors: readonly string[];
}

/**
 * Opens the page of a service by a link, as its owner does.
 *
 * @param place `#/apps`
 * @param beside tabs of one browser: what one is let into, the others are
 */
export async function openWebUi(
  browser: Browser,
  url: string,
  place: string,
  options: Parameters<Browser['newContext']>[0] = {},
  beside: BrowserContext | null = null,
): Promise<OpenedWebUi> {
  const { text } = await callAt(url, 'POST', '/v2/sign-in-codes');
  const { code } = JSON.parse(text) as { readonly code: string }; // as its schema says
  const context =
    beside ?? (await browser.newContext({ viewport: { width: 1400, height: 900 }, ...options }));
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    // A request that is refused, or that nobody answers, is told by the browser itself.
    if (!message.text().startsWith('Failed to load resource')) errors.push(message.text());
  });
  await page.goto(`${url}/#${code}`);
  await page.locator('nav').waitFor();
  await page.goto(`${url}/${place}`);
  return { context, page, errors };
}

/** What axe finds, by rule, at the width and in the theme of now. */
async function axeFindings(page: Page): Promise<readonly string[]> {
  const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  // The policy of the page lets no script in; this way there is none.
  await page.evaluate(`if (window.axe === undefined) { ${axe} }`);
  const { violations } = await page.evaluate<AxeResults>(AXE_RUN);
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

/** Without all but the first rows of a long table: others are made as those, and axe takes milliseconds for each. */
const AXE_RUN = `(async () => {
  const others = [...document.querySelectorAll('tbody tr:nth-child(n + 21)')].map((row) => {
    const place = document.createComment('');
    row.replaceWith(place);
    return { row, place };
  });
  try {
    return await axe.run();
  } finally {
    for (const { row, place } of others) place.replaceWith(row);
  }
})()`;

/** Both widths and both themes: places do not depend on the theme, nor colours on the width. */
const VIEWPORT_VARIANTS = [
  [1400, 'light'],
  [400, 'dark'],
] as const;

/** What is looked at by people only. */
const SCREENSHOT_VARIANTS = [
  [1400, 'dark'],
  [400, 'light'],
] as const;

/** Pictures of each state are put there, to be looked at. */
const SCREENSHOT_DIRECTORY = process.env['PAGE_PICTURES'];

/**
 * At 400 and 1,400 px, light and dark: axe finds nothing, and what people look for is in sight.
 *
 * @param state what it is called on its pictures, which are taken where they are asked for
 */
export async function expectAccessible(page: Page, state: string): Promise<void> {
  await expectVisible(page, state, axeFindings);
}

/** The same without axe: of what goes on meanwhile. */
export async function expectVisible(
  page: Page,
  state: string,
  find: typeof axeFindings = () => Promise.resolve([]),
): Promise<void> {
  for (const [width, colorScheme] of VIEWPORT_VARIANTS) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    expect(await find(page), `${state} ${width} ${colorScheme}`).toEqual([]);
    // Charts are drawn anew when their place has changed.
    await expect
      .poll(async () => await page.evaluate(findOverflows), { message: `${state} ${width}`, timeout: 20_000 })
      .toEqual([]);
  }
  for (const [width, colorScheme] of SCREENSHOT_DIRECTORY === undefined
    ? []
    : [...VIEWPORT_VARIANTS, ...SCREENSHOT_VARIANTS]) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    await page.screenshot({
      ...(await pageTextStart(page)),
      path: `${SCREENSHOT_DIRECTORY}/${state}-${width}-${colorScheme}.png`,
    });
  }
  await page.setViewportSize({ width: 1400, height: 900 });
  await page.emulateMedia({ colorScheme: 'light' });
}

/** Of a long page. */
async function pageTextStart(page: Page) {
  const height = await page.evaluate<number>('Math.min(2500, document.documentElement.scrollHeight)');
  return { clip: { x: 0, y: 0, width: page.viewportSize()?.width ?? 0, height }, fullPage: true };
}

/**
 * What has to be scrolled to the side and is no table or chart, and what people look for in a table that only shows when
 * that is scrolled. Runs in the page.
 */
function findOverflows(): readonly string[] {
  const all = [...document.querySelectorAll('body, body *:not(.frame, .frame *, .plot *, svg *, .heard)')];
  const scrolled = all.filter(({ scrollWidth, clientWidth }) => clientWidth > 0 && scrollWidth > clientWidth);
  const hidden = [...document.querySelectorAll('.frame')].flatMap((frame) => {
    const { right } = frame.getBoundingClientRect();
    const found = [...frame.querySelectorAll('.verdict, .reason, button')].slice(0, 20);
    return found.filter((one) => one.getBoundingClientRect().right > right + 1);
  });
  return [...scrolled, ...hidden].map(({ outerHTML }) => outerHTML.slice(0, 200));
}

/** The focus comes back when the page is drawn anew. @param name a label, or else the text */
export async function expectFocus(page: Page, name: string): Promise<void> {
  await expect.poll(() => page.evaluate<string>(FOCUSED_ELEMENT)).toBe(name);
}

const FOCUSED_ELEMENT =
  'document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent';

/** By keyboard, as somebody goes who has no mouse. */
export async function tabTo(page: Page, name: string, key = 'Tab'): Promise<void> {
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press(key);
    if ((await page.evaluate<string>(FOCUSED_ELEMENT)) === name) return;
  }
  throw new Error(`the keyboard does not come to ${name}`);
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly args?: { readonly name?: string };
  /** In µs of CPU time. */
  readonly tdur?: number;
}

/**
 * The longest task of the page meanwhile, in ms of CPU time: a machine that is busy with other things makes it begin and
 * end later, and no longer. A frame of the page takes one, with scripts, layout and painting.
 */
export async function measureLongestTask(page: Page, act: () => Promise<void>): Promise<number> {
  const browser = page.context().browser();
  if (browser === null) throw new Error('a page without a browser');
  await browser.startTracing(page, { categories: ['toplevel'] });
  const trace = await act().then(
    async () => await browser.stopTracing(),
    async (error: unknown) => {
      await browser.stopTracing();
      throw error;
    },
  );
  const { traceEvents } = JSON.parse(String(trace)) as {
    readonly traceEvents: readonly TraceEvent[]; // as Chromium writes them
  };
  const threadOf = ({ pid, tid }: TraceEvent): string => `${pid}:${tid}`;
  const mains = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(threadOf),
  );
  const tasks = traceEvents.filter((event) => event.name.endsWith('RunTask') && mains.has(threadOf(event)));
  expect(tasks.length).toBeGreaterThan(0);
  return Math.max(...tasks.map(({ tdur }) => tdur ?? 0)) / 1000;
}
