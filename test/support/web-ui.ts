/** The web UI of a real service in a real browser. */
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import type { AxeResults } from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { expect } from 'vitest';
import { keepProcess } from './chromium.ts';
import { onScopeEnd } from './shared.ts';
import { callAt } from './test-service.ts';

export interface OpenedWebUi {
  readonly page: Page;
  /** Errors of scripts and messages on the console, including violations of the content security policy. */
  readonly errors: readonly string[];
}

/** Context of each browser, whose tabs share one renderer process. */
const sharedContexts = new WeakMap<Browser, Promise<BrowserContext>>();

async function openSharedContext(browser: Browser): Promise<BrowserContext> {
  const context = await newContext(browser);
  // A site includes all ports of its host.
  await keepProcess(context, 'http://127.0.0.1/');
  return context;
}

async function sharedContextOf(browser: Browser): Promise<BrowserContext> {
  const context = sharedContexts.get(browser) ?? openSharedContext(browser);
  sharedContexts.set(browser, context);
  return await context;
}

/** Opens a context that is closed with the test. */
export async function openContext(browser: Browser): Promise<BrowserContext> {
  const context = await newContext(browser);
  onScopeEnd(() => context.close());
  return context;
}

/** Opens a context with the initial width of the views. */
async function newContext(browser: Browser): Promise<BrowserContext> {
  return await browser.newContext({ viewport: { width: 1400, height: 900 } });
}

/**
 * Opens the web UI of a service with a sign-in link, as its owner does, in a tab that is closed with the test. Tabs
 * share the session of a service only with other tabs of its origin, and each service has its own origin.
 * @param place - for example `#/apps`
 * @param given - context of the tab, for tests that change the context; a context starts a renderer process, so other
 *   tests share one
 */
export async function openWebUi(
  browser: Browser,
  url: string,
  place: string,
  given: BrowserContext | null = null,
): Promise<OpenedWebUi> {
  const { text } = await callAt(url, 'POST', '/v2/sign-in-codes');
  const { code } = JSON.parse(text) as { readonly code: string }; // according to its schema
  const context = given ?? (await sharedContextOf(browser));
  const page = await context.newPage();
  onScopeEnd(() => page.close());
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    // The browser itself reports a refused or unanswered request.
    if (!message.text().startsWith('Failed to load resource')) errors.push(message.text());
  });
  await page.goto(`${url}/#${code}`);
  await page.locator('nav').waitFor();
  await page.goto(`${url}/${place}`);
  return { page, errors };
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Returns the violations that axe finds, by rule, in the current width and theme. */
async function axeFindings(page: Page): Promise<readonly string[]> {
  // The content security policy blocks script elements, so axe is evaluated directly. It is large, so only once for
  // each document.
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(AXE);
  const violations = await page.evaluate<AxeResults['violations']>(AXE_RUN);
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

/**
 * Keeps only the first rows of a long table and the first bars of a long chart, because they are alike and axe takes
 * milliseconds for each.
 */
const AXE_RUN = `(async () => {
  const others = [...document.querySelectorAll('tbody tr:nth-child(n + 7), svg a:nth-of-type(n + 7)')].map((row) => {
    const place = document.createComment('');
    row.replaceWith(place);
    return { row, place };
  });
  try {
    return (await axe.run({ resultTypes: ['violations'] })).violations;
  } finally {
    for (const { row, place } of others) place.replaceWith(row);
  }
})()`;

/**
 * Each width and each theme at least once: locations do not depend on the theme, and colors do not depend on the
 * width. Pages have the first variant already.
 */
const VIEWPORT_VARIANTS = [
  [1400, 'light'],
  [400, 'dark'],
  [768, 'dark'],
] as const;

/** Variants for screenshots only. */
const SCREENSHOT_VARIANTS = [
  [1400, 'dark'],
  [768, 'light'],
  [400, 'light'],
  [1400, 'forced'],
  [768, 'forced'],
  [400, 'forced'],
] as const;

/** Directory for screenshots of each state. */
const SCREENSHOT_DIRECTORY = process.env['PAGE_PICTURES'];

/**
 * Checks a state at 400, 768 and 1,400 px, light and dark: axe finds no violations, and important elements are
 * visible.
 * @param state - name of the screenshots, if they are requested
 */
export async function expectAccessible(page: Page, state: string): Promise<void> {
  await expectVisible(page, state, axeFindings);
}

/** Does the same without axe, for states that change. */
export async function expectVisible(
  page: Page,
  state: string,
  find: typeof axeFindings = () => Promise.resolve([]),
): Promise<void> {
  let theme = 'light';
  for (const [width, colorScheme] of VIEWPORT_VARIANTS) {
    if (page.viewportSize()?.width !== width) await page.setViewportSize({ width, height: 900 });
    if (colorScheme !== theme) await page.emulateMedia({ colorScheme });
    theme = colorScheme;
    // At 768 px, the page has the elements and colors of 1,400 px.
    if (width !== 768) expect(await find(page), `${state} ${width} ${colorScheme}`).toEqual([]);
    // Charts are redrawn when their size has changed.
    await expect
      .poll(async () => await page.evaluate(findOverflows), { message: `${state} ${width}` })
      .toEqual([]);
  }
  for (const [width, colorScheme] of SCREENSHOT_DIRECTORY === undefined
    ? []
    : [...VIEWPORT_VARIANTS, ...SCREENSHOT_VARIANTS]) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({
      colorScheme: colorScheme === 'dark' ? 'dark' : 'light',
      forcedColors: colorScheme === 'forced' ? 'active' : 'none',
    });
    await page.screenshot({
      ...(await pageTextStart(page)),
      path: `${SCREENSHOT_DIRECTORY}/${state}-${width}-${colorScheme}.png`,
    });
  }
  await page.setViewportSize({ width: 1400, height: 900 });
  await page.emulateMedia({ colorScheme: 'light', forcedColors: 'none' });
}

/** Returns the first part of the text of a long page. */
async function pageTextStart(page: Page) {
  const height = await page.evaluate<number>('Math.min(2500, document.documentElement.scrollHeight)');
  return { clip: { x: 0, y: 0, width: page.viewportSize()?.width ?? 0, height }, fullPage: true };
}

/**
 * Returns elements that overflow to the side and are not tables or charts, important table cells that are visible
 * only after scrolling, and cells that a sticky cell covers. Runs in the page.
 */
function findOverflows(): readonly string[] {
  const all = [...document.querySelectorAll('body, body *:not(.frame, .frame *, .plot *, svg *, .heard)')];
  const scrolled = all.filter(({ scrollWidth, clientWidth }) => clientWidth > 0 && scrollWidth > clientWidth);
  const hidden = [...document.querySelectorAll('.frame')].flatMap((frame) => {
    const { right } = frame.getBoundingClientRect();
    const found = [...frame.querySelectorAll('.verdict, .reason, button')].slice(0, 20);
    return found.filter((one) => one.getBoundingClientRect().right > right + 1);
  });
  const covered = [...document.querySelectorAll('td:last-child')].slice(0, 20).flatMap((last) => {
    const before = last.previousElementSibling;
    if (before === null || getComputedStyle(last).position !== 'sticky') return [];
    return before.getBoundingClientRect().right > last.getBoundingClientRect().left + 1 ? [before] : [];
  });
  return [...scrolled, ...hidden, ...covered].map(({ outerHTML }) => outerHTML.slice(0, 200));
}

/**
 * Waits until the focus has returned after a redraw.
 * @param name - a label, or otherwise the text
 */
export async function expectFocus(page: Page, name: string): Promise<void> {
  await expect.poll(() => page.evaluate<string>(FOCUSED_ELEMENT)).toBe(name);
}

const FOCUSED_ELEMENT =
  'document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent';

/** Moves the focus with the keyboard. */
export async function tabTo(page: Page, name: string, key = 'Tab'): Promise<void> {
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press(key);
    if ((await page.evaluate<string>(FOCUSED_ELEMENT)) === name) return;
  }
  throw new Error(`the keyboard does not reach ${name}`);
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly args?: { readonly name?: string };
  /** CPU time in µs. */
  readonly tdur?: number;
}

/**
 * Maximum CPU time of a task that updates a page, in ms. A task takes about 10 ms; the limit allows slow machines.
 */
export const MAX_TASK_MS = 100;

/**
 * Returns the longest task of the page during an action, in ms of CPU time, which does not depend on other
 * processes. One frame of a page is a task with scripts, layout and painting.
 */
export async function measureLongestTask(page: Page, action: () => Promise<void>): Promise<number> {
  const browser = page.context().browser();
  if (browser === null) throw new Error('the page has no browser');
  await browser.startTracing(page, { categories: ['toplevel'] });
  const trace = await action().then(
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
  const mainThreads = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(threadOf),
  );
  const tasks = traceEvents.filter(
    (event) => event.name.endsWith('RunTask') && mainThreads.has(threadOf(event)),
  );
  expect(tasks.length).toBeGreaterThan(0);
  return Math.max(...tasks.map(({ tdur }) => tdur ?? 0)) / 1000;
}
