/** The HTML report of a real run in a real browser without a network. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AxeResults } from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { withCommas } from '../../src/core/counted.ts';
import type { ApplyDocument, Comparison } from '../../src/core/report/generated/documents.ts';
import { metricText } from '../../src/core/model/metric-text.ts';
import { createReport, type BodyOf } from '../../src/core/report/command-report.ts';
import { clockText, timelineOf, type TimelineEntry } from '../../src/core/report/timeline.ts';
import { toHtml } from '../../src/report/html-report.ts';
import { keepProcess, startChromium, SKIP_WITHOUT_CHROMIUM } from '../support/chromium.ts';
import { runCli } from '../support/cli.ts';
import { readRunRecord } from '../../src/core/run-record/read-record.ts';
import { createResultRecord, createRunResult } from '../support/result-records.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';

const temporary = createTemporaryDirectory();
const report = join(temporary.path, 'report.html');
let browser: Browser;
/** Context without a network. */
let offline: BrowserContext;
let applied: ApplyDocument;
/** Number of requests to targets after the run, which must remain 0. */
let requestCount = 0;

const server = createServer((request, response) => {
  requestCount++;
  response.statusCode = request.url === '/flaky' ? 503 : 200;
  response.end('ok');
});

describe.skipIf(SKIP_WITHOUT_CHROMIUM !== null)('the HTML report', () => {
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo; // it listens on TCP
    const url = `http://127.0.0.1:${port}`;
    // A busy machine delays the iterations of these clients, but skips none of them.
    writeFileSync(
      join(temporary.path, 'loadtests.yaml'),
      `version: 1
project: shop
apps: { shop: "127.0.0.1:${port}" }
tests:
  home:
    test_type: cycling
    initial: 20
    total: 20
    iterations_per_client: 3
    duration: 60s
    error_threshold: 100
    urls: [{ url: '${url}/', name: start, delay: 500ms }, { url: '${url}/flaky', delay: 500ms }]
    thresholds: { error_rate: '< 1%', p75: '< 10s' }
  quick: { test_type: non-cycling, total: 3, duration: 1s, urls: ['${url}/'] }
`,
    );
    const [started, ran] = await Promise.all([
      startChromium(),
      runCli(['apply', '--yes', '--html', 'report.html', '--json-into', 'report.json'], {
        directory: temporary.path,
      }),
    ]);
    browser = started;
    offline = await newContext();
    await offline.setOffline(true);
    await keepProcess(offline, pathToFileURL(join(temporary.path, 'empty.html')).href);
    expect(ran.exit, ran.stderr).toBe(10);
    applied = JSON.parse(readFileSync(join(temporary.path, 'report.json'), 'utf8')) as ApplyDocument; // of this program
    requestCount = 0;
  });
  afterAll(async () => {
    await browser.close();
    server.closeAllConnections();
    server.close();
    temporary.remove();
  });

  async function newContext(options: Parameters<Browser['newContext']>[0] = {}): Promise<BrowserContext> {
    return await browser.newContext({ viewport: { width: 1400, height: 900 }, ...options });
  }

  /**
   * Opens a page and records its errors and its requests for other files. The page is closed with the test.
   * @param given - context of the page; otherwise one without a network, which starts only one renderer process
   */
  async function open(
    file: string,
    given: BrowserContext = offline,
  ): Promise<{ readonly page: Page; readonly problems: string[] }> {
    const page = await given.newPage();
    onTestFinished(() => page.close());
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (message) => problems.push(message.text()));
    page.on('dialog', (dialog) => {
      problems.push(dialog.message());
      void dialog.dismiss();
    });
    page.on('request', (request) => {
      if (request.url() !== pathToFileURL(file).href) problems.push(request.url());
    });
    await page.goto(pathToFileURL(file).href);
    return { page, problems };
  }

  async function drawn(page: Page): Promise<void> {
    const charts = await page.locator('figure').all();
    for (const chart of charts) {
      await chart.scrollIntoViewIfNeeded();
      await chart.locator('canvas').waitFor();
    }
  }

  /** Counts the pixels of the first chart that have the color of a custom property. */
  async function countPixels(page: Page, color: string): Promise<number> {
    return await page.evaluate<number>(`(() => {
      const probe = document.createElement('canvas').getContext('2d');
      probe.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('${color}').trim();
      probe.fillRect(0, 0, 1, 1);
      const [red, green, blue] = probe.getImageData(0, 0, 1, 1).data;
      const canvas = document.querySelector('canvas');
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      let count = 0;
      for (let at = 0; at < data.length; at += 4)
        if (data[at] === red && data[at + 1] === green && data[at + 2] === blue) count++;
      return count;
    })()`);
  }

  async function openTables(page: Page): Promise<void> {
    await page.evaluate('document.querySelectorAll("details").forEach((one) => { one.open = true })');
  }

  function home() {
    const found = applied.runs.find(({ address }) => address === 'test.home');
    if (found === undefined) throw new Error('home did not run');
    return found;
  }

  function rowOf({ second, started, completed, failed, connections, ...times }: TimelineEntry): string[] {
    const texts = [times.p50, times.p95, times.p99].map((time) =>
      time === null ? '–' : metricText('p99', time),
    );
    return [clockText(second), ...[started, completed, failed, connections ?? 0].map(withCommas), ...texts];
  }

  test('the HTML report contains the thresholds, timeline, ledger and failures of the run record', async () => {
    const { page, problems } = await open(report);
    await openTables(page);
    const { metrics, result } = home();
    const section = page.locator('section.run').first();
    expect(await page.locator('h1').innerText()).toBe('1 of 2 tests failed');
    expect(await section.locator('h2').innerText()).toContain('home ✗ fail');
    expect(await section.locator('.thresholds tbody tr').allInnerTexts()).toEqual([
      expect.stringContaining('error_rate < 1%\t✗ fail\t50%'),
      expect.stringContaining('p75 < 10s\t✓ pass\t'),
    ]);
    const tiles = await section.locator('.tiles').innerText();
    expect(tiles).toContain(withCommas(metrics?.requests ?? -1));
    const rows = await section.locator('details').first().locator('tbody tr').allInnerTexts();
    expect(rows.map((row) => row.split('\t'))).toEqual(timelineOf(readRunRecord(result)).map(rowOf));
    expect(rows.reduce((sum, row) => sum + Number(row.split('\t')[2]), 0)).toBe(metrics?.requests);
    const ledger = result?.['ledger'] as { readonly planned: number } | undefined; // our own record
    expect(await section.locator('.ledger').innerText()).toContain(`${String(ledger?.planned)} planned`);
    expect(await section.getByRole('group', { name: 'Failed requests' }).innerText()).toContain(
      `status 503\t${metrics?.error ?? -1}`,
    );
    await drawn(page);
    expect(await page.locator('section.run').first().locator('canvas').count()).toBe(5);
    expect([problems, requestCount]).toEqual([[], 0]);
  });

  test('the HTML report passes the accessibility checks at two widths, in the light and in the dark theme', async () => {
    const { page } = await open(report);
    await openTables(page);
    await drawn(page);
    // The policy of the page blocks scripts; this option disables the policy.
    const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
    await page.evaluate(readFileSync(axe, 'utf8'));
    const picture = async () => await page.evaluate<string>('document.querySelector("canvas").toDataURL()');
    for (const [width, colorScheme, rules] of [
      [1400, 'light', '"color-contrast"'],
      [1400, 'dark', ''],
      [400, 'dark', '"color-contrast"'],
      [400, 'light', ''],
    ] as const) {
      const before = await picture();
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      // Charts are drawn again in the colors of the theme.
      if (rules === '') await expect.poll(picture).not.toBe(before);
      const requestCount = rules === '' ? '' : `{ runOnly: [${rules}] }`;
      const { violations, passes } = await page.evaluate<AxeResults>(`axe.run(${requestCount})`);
      const details = violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`);
      expect(details, `${width} ${colorScheme}`).toEqual([]);
      expect(passes.length).toBeGreaterThan(rules === '' ? 10 : 0);
      // Only tables may be wider than the page, in frames that scroll.
      await expect.poll(async () => await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    }
  });

  test('in the HTML report, arrow keys move the cursor of a chart and announce values, and the Enter key in the legend hides a line and shows it again', async () => {
    const { page } = await open(report);
    await drawn(page);
    const chart = page.getByRole('figure', { name: 'Requests per second' }).first();
    const cursor = chart.getByRole('slider');
    await cursor.focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowRight');
    const [, entry] = timelineOf(readRunRecord(home().result));
    const { started = 0, completed = 0, failed = 0 } = entry ?? {};
    const said = `0:01: offered ${started}/s, completed ${completed}/s, failed ${failed}/s`;
    expect(await cursor.getAttribute('aria-valuetext')).toBe(said);
    expect(await chart.locator('.legend').innerText()).toContain(`${completed}/s`);
    // Other charts of the run show the same time.
    const times = page.getByRole('figure', { name: 'Response time', exact: true }).first();
    expect(await times.locator('.legend .position').innerText()).toBe('0:01');
    const button = chart.getByRole('button', { name: 'failed' });
    const isDrawn = async (line: string) => (await countPixels(page, `--line-${line}`)) > 0;
    const areDrawn = async () => [await isDrawn('completed'), await isDrawn('failed')];
    expect(await areDrawn()).toEqual([true, true]);
    await button.focus();
    for (const isShown of [false, true]) {
      await page.keyboard.press('Enter');
      expect(await button.getAttribute('aria-pressed')).toBe(String(isShown));
      await expect.poll(areDrawn).toEqual([true, isShown]);
    }
    // The table that a chart refers to exists.
    const table = await chart.getAttribute('aria-details');
    expect(await page.locator(`details#${table ?? ''} table`).count()).toBe(1);
  });

  test('choosing a URL in the HTML report limits the charts of its run to this URL', async () => {
    const { page, problems } = await open(report);
    const section = page.locator('section.run').first();
    const titles = async () => await section.locator('figcaption:visible').allInnerTexts();
    const all = await titles();
    const { urls } = readRunRecord(home().result);
    const sum = (values: readonly number[] = []) => values.reduce((total, value) => total + value, 0);
    for (const [index, name] of ['start', 'GET /flaky'].entries()) {
      const choice = section.getByRole('button', { name, exact: true });
      await choice.click();
      await expect.poll(titles).toContain(`Requests per second of ${name}`);
      expect(await section.locator('.chosen').innerText()).toContain(`The charts show only ${name}.`);
      expect(await choice.getAttribute('aria-pressed')).toBe('true');
      const chart = section.getByRole('figure', { name: `Requests per second of ${name}` });
      await chart.getByRole('slider').focus();
      await page.keyboard.press('Home');
      const { success = [], error = [] } = urls?.[index]?.timeline ?? {};
      await expect
        .poll(async () => await chart.getByRole('slider').getAttribute('aria-valuetext'))
        .toBe(`0:00: completed ${(success[0] ?? 0) + (error[0] ?? 0)}/s, failed ${error[0] ?? 0}/s`);
      expect(sum(success) + sum(error)).toBe(urls?.[index]?.metrics.requests);
    }
    await section.getByRole('button', { name: 'Show all URLs' }).click();
    await expect.poll(titles).toEqual(all);
    expect(await section.locator('.chosen').isVisible()).toBe(false);
    expect(problems).toEqual([]);
  });

  test('in the printed HTML report, the font of captions and labels is not larger than the font of table cells', async () => {
    const { page } = await open(report);
    await page.emulateMedia({ media: 'print' });
    const sizeOf = async (selector: string): Promise<number> =>
      await page
        .locator(selector)
        .first()
        .evaluate((element) => Number.parseFloat(getComputedStyle(element).fontSize));
    const [table, figure] = [await sizeOf('td'), await sizeOf('figcaption')];
    for (const small of ['.about', '.legend', 'summary', '.tiles dt', 'thead th'])
      expect(await sizeOf(small), small).toBeLessThanOrEqual(table);
    expect(figure).toBeLessThanOrEqual(table);
    expect(await sizeOf('.tiles dd')).toBeGreaterThan(await sizeOf('.tiles dt'));
    expect(await sizeOf('h2')).toBeGreaterThan(await sizeOf('h3'));
  });

  test('while the HTML report is printed, all of its tables are open, all of its charts are drawn, and its theme is light', async () => {
    const { page } = await open(report);
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.evaluate(
      `addEventListener('beforeprint', () => { window.printed = [
        document.querySelectorAll('details:not([open])').length,
        document.querySelectorAll('figure').length - document.querySelectorAll('canvas').length,
        getComputedStyle(document.documentElement).colorScheme] })`,
    );
    const pdf = await page.pdf({ format: 'A4' });
    expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
    expect(await page.evaluate('window.printed')).toEqual([0, 0, 'light']);
    await expect.poll(async () => await page.locator('html.printing').count()).toBe(0);
    expect(await page.locator('details[open]').count()).toBe(0);
  });

  test('the HTML report contains the thresholds, the ledger and the timeline even without JavaScript', async () => {
    const withoutScripts = await newContext({ javaScriptEnabled: false, offline: true });
    onTestFinished(() => withoutScripts.close());
    const { page } = await open(report, withoutScripts);
    const text = await page.locator('main').innerText();
    for (const said of ['1 of 2 tests failed', 'error_rate < 1%', '50%', 'planned', 'Second by second'])
      expect(text).toContain(said);
    expect(await page.locator('.charts').first().isVisible()).toBe(false);
  });

  test('the HTML report blocks injected scripts and requests', async () => {
    const online = await newContext();
    onTestFinished(() => online.close());
    const { page } = await open(report, online);
    const { port } = server.address() as AddressInfo; // it listens on TCP
    const hit = await page.evaluate(
      `(async () => {
        const add = (name, members) => document.body.append(Object.assign(document.createElement(name), members));
        add('script', { textContent: 'window.hit = 1' });
        document.body.insertAdjacentHTML('beforeend', '<img src=x onerror="window.hit = 2"><b onclick="window.hit = 3">x</b>');
        document.body.lastElementChild.click();
        add('img', { src: 'http://127.0.0.1:${port}/' });
        const sent = await fetch('http://127.0.0.1:${port}/').then(() => 'sent', () => 'refused');
        return [window.hit ?? null, sent];
      })()`,
    );
    expect([hit, requestCount]).toEqual([[null, 'refused'], 0]);
  });

  test('the HTML report displays untrusted text without executing it', async () => {
    const text = '</script><img src=x onerror=alert(1)><script>alert(2)</script>\u202e" onclick="alert(3)';
    const record = createResultRecord({ seconds: 3, urls: 2 });
    const samples = [{ url: text, error: text, count: 1 }];
    const page = await openReport('hostile', {
      address: `test.${text}`,
      reason: text,
      url_names: [text, text],
      result: { ...record, error_samples: samples },
      metrics: { requests: 30 },
    });
    expect(page.problems).toEqual([]);
    expect(await page.page.locator('h2').first().innerText()).toContain(
      '</script><img src=x onerror=alert(1)>',
    );
  });

  test('the HTML report of a one-hour run with 50 URLs contains every chart and a sortable table', async () => {
    const { page, problems } = await openReport('hour', {
      result: createResultRecord({ seconds: 3600, urls: 50 }),
    });
    await drawn(page);
    const table = page.getByRole('group', { name: 'URLs' });
    const shown = async () => await table.getByRole('rowheader').allInnerTexts();
    const names = await shown();
    await table.getByRole('button', { name: 'URL', exact: true }).click();
    expect(await shown()).toEqual([...names].sort());
    await table.getByRole('button', { name: 'URL', exact: true }).click();
    expect(await shown()).toEqual([...names].sort().reverse());
    expect(
      await table.locator('[aria-sort]').evaluateAll((all) => all.map(({ ariaSort }) => ariaSort)),
    ).toEqual(['descending']);
    expect(problems).toEqual([]);
  });

  test('the HTML report draws compared runs in the same charts', async () => {
    const results = [20, 25].map((seconds) => ({
      ...createRunResult({ result: createResultRecord({ seconds }) }),
      result_id: `r${seconds}`,
    }));
    const comparison: Comparison = {
      with: 'run',
      result_id: 'r25',
      started_at: '2026-03-01T09:00:00.000Z',
      runs: 1,
      verdict: null,
      metrics: [{ metric: 'p95', before: 40, after: 50, change: 25 }],
      notes: [],
    };
    const body: BodyOf<'results'> = {
      command: 'results',
      project: 'shop',
      environment: null,
      service: 'https://api.example',
      tests: [{ address: 'test.home', test_id: 't1', results }],
      comparison,
    };
    const file = join(temporary.path, 'compared.html');
    writeFileSync(file, toHtml(createReport('results', { exitCode: 0, problems: [], body })));
    const { page, problems } = await open(file);
    await drawn(page);
    const chart = page.getByRole('figure', { name: 'Requests per second' });
    await chart.getByRole('slider').focus();
    await page.keyboard.press('End');
    const legend = await chart.locator('.legend').innerText();
    expect(legend.replaceAll(/\s/g, '')).toContain('completednow–failednow–completedbefore10/s');
    expect(problems).toEqual([]);
  });

  async function openReport(name: string, run: Parameters<typeof createRunResult>[0]) {
    const file = join(temporary.path, name, 'report.html');
    mkdirSync(join(temporary.path, name));
    writeFileSync(file, toHtml({ ...applied, runs: [createRunResult(run)] }));
    return await open(file);
  }
});
