/** Overview and test list of the web UI in a browser. */
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { Browser, Locator, Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { notesWithMarker } from '../../src/core/reconcile/ownership-marker.ts';
import { milliseconds } from '../../src/core/units.ts';
import { openDatabase } from '../../src/server/store/open-database.ts';
import { SKIP_WITHOUT_CHROMIUM, withChromium } from '../support/chromium.ts';
import { HOUR } from '../support/test-clock.ts';
import {
  expectAccessible,
  MAX_TASK_MS,
  measureLongestTask,
  openContext,
  openWebUi,
  tabTo,
} from '../support/web-ui.ts';
import { openTestService, smallTestFields, waitUntil, type TestService } from '../support/test-service.ts';
import { openTestTarget } from '../support/test-target.ts';
import { createTestDirectory } from '../support/temporary-directory.ts';

let browser: Browser;

describe.skipIf(SKIP_WITHOUT_CHROMIUM !== null)('overview and tests of the web UI', () => {
  withChromium((opened) => {
    browser = opened;
  });

  test('an empty overview shows the first commands, and the sign-in page rejects an invalid link', async () => {
    const rig = await openTestService({ mode: 'serve' });
    const { page, errors } = await openWebUi(browser, rig.service.url, '#/');
    await heading(page, 'No runs yet');
    await page.getByRole('button', { name: 'Copy commands' }).waitFor();
    expect(await page.locator('.copied code').innerText()).toContain(
      `LOADTESTS_BASE_URL=${rig.service.url} loadtests apply`,
    );
    await expectAccessible(page, 'nothing-yet');
    // The code is removed from the address and the history.
    expect(page.url()).toBe(`${rig.service.url}/#/`);
    // A second tab receives the token of the first one.
    const secondTab = await page.context().newPage();
    onTestFinished(() => secondTab.close());
    await secondTab.goto(`${rig.service.url}/`);
    await heading(secondTab, 'No runs yet');
    const visitor = await (await browser.newContext()).newPage();
    await visitor.goto(`${rig.service.url}/#${'0'.repeat(32)}`);
    await visitor.getByRole('heading', { name: 'This link is no longer valid' }).waitFor();
    expect(await visitor.locator('.copied code').innerText()).toContain('loadtests open');
    await visitor.getByRole('button', { name: 'Copy command' }).click();
    await visitor.getByText(/copied|selected; press/).waitFor();
    await expectAccessible(visitor, 'expired');
    await visitor.context().close();
    expect(errors).toEqual([]);
  });

  test('the overview lists active, scheduled and latest runs, and a user can stop all runs with the keyboard', async () => {
    const rig = await busyService();
    const { page, errors } = await openWebUi(browser, rig.service.url, '#/');
    await heading(page, '3 tests running, 2 tests need attention');
    const running = page.getByRole('group', { name: 'Running now' });
    expect(await running.locator('tbody tr').allInnerTexts()).toEqual([
      expect.stringMatching(/^checkout shop.*0:20 of 1:00\s+24\s+938\s+12\s+41\.5 ms/s),
      expect.stringContaining('0:20 of 1:00'),
      expect.stringContaining('0:20 of 1:00'),
    ]);
    const attention = page.getByRole('group', { name: 'Needs attention' });
    expect(await attention.locator('tbody tr').allInnerTexts()).toEqual([
      expect.stringMatching(/^search.*fail/s),
      expect.stringMatching(/^start-page.*inconclusive/s),
    ]);
    const scheduled = page.getByRole('group', { name: 'Scheduled' });
    expect(await scheduled.locator('tbody tr').allInnerTexts()).toEqual([
      expect.stringMatching(/^nightly.*(4|5)h/s),
    ]);
    // A direction mark in one text does not affect the other.
    expect(await scheduled.locator('bdi').allInnerTexts()).toEqual(['shop', '\u202eevil']);
    const latest = page.getByRole('group', { name: 'Latest runs' });
    const time = latest.locator('time').first();
    expect(await time.getAttribute('title')).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/);
    await expectAccessible(page, 'overview');

    // The focused heading has an outline only after the user has pressed a key.
    await page.locator('h1').focus();
    const outline = async () =>
      await page.locator('h1').evaluate((element) => getComputedStyle(element).outlineStyle);
    expect(await outline()).toBe('none');
    await page.keyboard.press('Shift');
    expect(await outline()).toBe('solid');

    // The focus is preserved while metrics are updated.
    const stop = running.getByRole('button', { name: 'Stop checkout' });
    await tabTo(page, 'Stop checkout');
    rig.runner.runs.at(-3)?.reportProgress(progressOf(21_000));
    await running.getByText('0:21 of 1:00').waitFor();
    await stop.and(page.locator(':focus-visible')).waitFor();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: /^Stop this run of checkout · .*\?$/ });
    await dialog.waitFor();
    await expectAccessible(page, 'stop');
    await page.keyboard.press('Escape');
    await stop.and(page.locator(':focus')).waitFor();
    expect(rig.runner.runs.every(({ stops }) => stops.length === 0)).toBe(true);

    // When a run ends, its row is removed, including the dialog that has the focus.
    await tabTo(page, 'Stop images');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: /^Stop this run of images/ }).waitFor();
    rig.runner.runs.at(-1)?.end();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expectFocusOnHeading(page);

    await tabTo(page, 'Stop all');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Stop 2 runs?' }).waitFor();
    expect(await page.getByRole('dialog').locator('li').allInnerTexts()).toHaveLength(2);
    await expectAccessible(page, 'stop-all');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await heading(page, '2 tests need attention');
    await expectFocusOnHeading(page);
    expect(rig.runner.runs.slice(-3).map(({ stops }) => stops)).toEqual([['stopped'], ['stopped'], []]);
    expect(errors).toEqual([]);
  });

  test('the overview still shows its data while the service is unreachable, and reconnects automatically', async () => {
    const rig = await busyService();
    // Only this context is offline.
    const context = await openContext(browser);
    const { page } = await openWebUi(browser, rig.service.url, '#/', context);
    await page.getByText('0:20 of 1:00').first().waitFor();
    // From now on, each request is sent a second after the previous response.
    for (let polls = 0; polls < 2; polls++) await page.waitForResponse(/\/v2\/overview\?known=/);
    await context.setOffline(true);
    const banner = page.getByText(
      'Connection to the service lost. Tests may still be running. Values as of today',
    );
    await banner.waitFor();
    const shownAt = Date.now();
    // The time is that of the last response, not of the first request without one.
    const time = await banner.locator('time').getAttribute('datetime');
    expect(shownAt - Date.parse(time ?? '')).toBeGreaterThan(900);
    expect(await page.getByText('0:20 of 1:00').count()).toBe(3);
    await expectAccessible(page, 'gone');
    rig.runner.runs.at(-3)?.reportProgress(progressOf(33_000));
    await context.setOffline(false);
    await page.getByText('0:33 of 1:00').waitFor();
    await banner.waitFor({ state: 'detached' });
    await expectAccessible(page, 'back');
  });

  test('the test list stores its filters in the URL, and the test view lists versions and runs, and describes the load before it starts a run', async () => {
    const rig = await busyService();
    rig.runner.runs.slice(-3).forEach((run) => run.end());
    const { page, errors } = await openWebUi(browser, rig.service.url, '#/tests');
    const tests = page.getByRole('group', { name: 'Tests' });
    await tests.getByRole('link', { name: 'checkout', exact: true }).waitFor();
    const owners = tests.locator('.name bdi:first-child');
    expect(new Set(await owners.allInnerTexts())).toEqual(new Set(['shop']));
    await expectAccessible(page, 'tests');
    // Filters and the order are in the address, and a link with them shows the same rows.
    const names = tests.locator('tbody .name a');
    const all = await names.allInnerTexts();
    await page.getByRole('combobox', { name: 'Project' }).selectOption('shop · \u202eevil');
    await expect.poll(async () => await names.allInnerTexts()).toEqual(['nightly']);
    await page.waitForURL(/#\/tests\?owner=/);
    await page.getByRole('combobox', { name: 'Project' }).selectOption('');
    await expect.poll(async () => await names.allInnerTexts()).toEqual(all);
    await page.getByRole('combobox', { name: 'Last verdict' }).selectOption('fail');
    const failed = await waitUntil(async () => {
      const shown = await names.allInnerTexts();
      return shown.length > 0 && shown.length < all.length ? shown : null;
    });
    await tests.getByRole('button', { name: 'runs' }).click();
    await tests
      .getByRole('columnheader', { name: 'runs' })
      .and(page.locator('[aria-sort=descending]'))
      .waitFor();
    await page.waitForURL(/#\/tests\?verdict=fail&sort=-runs$/);
    await page.reload();
    await expect.poll(async () => await names.allInnerTexts()).toEqual(failed);
    await page.getByRole('link', { name: 'Tests', exact: true }).click();
    await expect.poll(async () => await names.allInnerTexts()).toEqual(all);
    await page.keyboard.press('/');
    await page.keyboard.type('CHECK');
    await expect.poll(async () => await names.allInnerTexts()).toEqual(['checkout']);
    await page.waitForURL(/#\/tests\?search=CHECK$/);
    await tests.getByRole('link', { name: 'checkout', exact: true }).press('Enter');
    await heading(page, 'checkout');
    await page.locator('#title:focus').waitFor();
    await page.getByRole('figure', { name: 'p95' }).waitFor();
    const runs = page.getByRole('group', { name: 'Runs' });
    const bars = page.getByRole('figure', { name: 'p95' }).locator('a rect');
    await expect.poll(async () => await bars.count()).toBe(13);
    await expect.poll(async () => await runs.locator('tbody tr').count()).toBe(13);
    // Each bar leads to its run, oldest first.
    const links = runs.locator('tbody th a');
    const addressesOf = async (elements: Locator) => await elements.evaluateAll(ADDRESSES);
    const addresses = await addressesOf(links);
    const barLinks = page.getByRole('figure', { name: 'p95' }).locator('svg a');
    await expect.poll(async () => await addressesOf(barLinks)).toEqual(addresses.toReversed());
    await runs.getByRole('button', { name: 'started' }).click();
    await expect.poll(async () => await addressesOf(links)).toEqual(addresses.toReversed());
    await runs.getByRole('button', { name: 'started' }).click();
    await expect.poll(async () => await addressesOf(links)).toEqual(addresses);
    expect(await runs.locator('tbody tr').nth(3).innerText()).toMatch(/fail/);
    const load = await page.getByRole('group', { name: 'Versions' }).locator('tbody tr').first().innerText();
    await expectAccessible(page, 'test');
    const before = rig.runner.runs.length;
    await tabTo(page, 'Run');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Run checkout?' });
    await dialog.getByText('the following load:').waitFor();
    const dialogText = await dialog.innerText();
    expect(load).toContain(/the following load: (.*)\./.exec(dialogText)?.[1] ?? 'nothing');
    await expectAccessible(page, 'ask');
    expect(rig.runner.runs).toHaveLength(before);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForURL(/#\/runs\//);
    expect(rig.runner.runs).toHaveLength(before + 1);
    expect(errors).toEqual([]);
  });

  test('with 10,000 tests and with 200 runs of a test, no update blocks the web UI for 100 ms', async () => {
    const rig = await manyTests(10_000, 200);
    // The process of other tests has more memory to clean up, which would be part of the measured tasks.
    const context = await openContext(browser);
    const { page, errors } = await openWebUi(browser, rig.service.url, '#/tests', context);
    await heading(page, '10,000 tests');
    await page.locator('.keys tbody tr').nth(99).waitFor();
    const updates: number[] = [];
    /** Publishes a verdict, and waits until the web UI shows it. */
    const publishVerdict = async (test: number, run: number, cell: Locator): Promise<void> => {
      const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0');
      const path = `/v2/tests/${hex(test, 32)}/results/${hex(test, 16)}${hex(run, 16)}/verdict`;
      const json = { verdict: 'fail', reason: null, thresholds: [] };
      const act = async (): Promise<void> => {
        expect((await rig.call('PUT', path, { json })).status).toBe(200);
        await cell.waitFor();
      };
      updates.push(Math.round(await measureLongestTask(page, act)));
    };
    // A test of the first project, which is at the top of the list.
    await publishVerdict(50, 3, page.locator('.keys .verdict.fail'));
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('101–200 of 10,000').waitFor();
    await page.waitForURL(/#\/tests\?page=2$/);
    await page.reload();
    await page.getByText('101–200 of 10,000').waitFor();
    await expectAccessible(page, 'tests-many');
    await page.getByRole('link', { name: 'Overview' }).click();
    await heading(page, '1 app needs attention');
    // Polling is cheap, because the keys are sent only after a change.
    const polled = await waitUntil(async () => {
      const sizes = await page.evaluate<readonly number[]>(POLLED_BYTES);
      return sizes.length < 4 ? null : sizes.slice(1);
    });
    for (const bytes of polled) expect(bytes).toBeLessThan(10_000);
    // The test with the latest run.
    await publishVerdict(10_000, 3, page.locator('section .verdict.fail'));
    await heading(page, '1 test and 1 app need attention');
    await expectAccessible(page, 'overview-many');
    await page.getByRole('link', { name: 'Tests', exact: true }).click();
    await page.getByRole('searchbox').fill('key-000007');
    await page.locator('.keys tbody tr').nth(1).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'key-000007', exact: true }).click();
    await page.locator('#runs tbody tr').nth(199).waitFor();
    await publishVerdict(7, 2, page.locator('#runs .verdict.fail'));
    // The oldest run is on the left of the chart, and at the end of the table.
    const times = await page.locator('#runs tbody th time').evaluateAll(DATE_TIMES);
    expect(times).toEqual(times.toSorted().toReversed());
    const titles = page.getByRole('figure', { name: 'p95' }).locator('svg a');
    const rows = page.locator('#runs tbody th a');
    expect(await titles.evaluateAll(ADDRESSES)).toEqual((await rows.evaluateAll(ADDRESSES)).toReversed());
    await expectAccessible(page, 'test-200-runs');
    process.stdout.write(`longest tasks of updates ${updates.join(', ')} ms\n`);
    for (const longest of updates) expect(longest).toBeLessThan(MAX_TASK_MS);
    expect(errors).toEqual([]);
  });
});

test('the script and the styles of the web UI are together smaller than 190 kB, and smaller than 70 kB if compressed', () => {
  const files = ['ui.js', 'ui.css'].map((name) =>
    readFileSync(new URL(`../../dist/web/${name}`, import.meta.url)),
  );
  const sum = (sizes: readonly number[]) => sizes.reduce((total, size) => total + size, 0);
  expect(sum(files.map(({ length }) => length))).toBeLessThan(MAX_BYTES);
  expect(sum(files.map((file) => gzipSync(file).length))).toBeLessThan(MAX_GZIPPED_BYTES);
});

const ADDRESSES = (links: readonly Element[]) => links.map((link) => link.getAttribute('href'));
const DATE_TIMES = (times: readonly Element[]) => times.map((time) => time.getAttribute('datetime'));

const MAX_BYTES = 190_000;
const MAX_GZIPPED_BYTES = 70_000;

/** Sizes of the responses with the overview, compressed and with their headers. */
const POLLED_BYTES =
  'performance.getEntriesByType("resource").filter(({ name }) => name.includes("/v2/overview")).map(({ transferSize }) => transferSize)';

async function heading(page: Page, text: string): Promise<void> {
  await page.getByRole('heading', { level: 1, name: text, exact: true }).waitFor();
}

/** Waits until the heading of the view has the focus, because the focused element was removed. */
async function expectFocusOnHeading(page: Page): Promise<void> {
  await page.locator('#title:focus').waitFor();
}

function progressOf(elapsed: number) {
  return {
    elapsed: milliseconds(elapsed),
    warmingUp: false,
    connections: 24,
    success: 18_000,
    error: 12,
    timeoutError: 0,
    networkError: 0,
    requestsPerSecond: 938,
    p95: 41.5,
    targets: [18_012],
  };
}

/** Number of markers. The service creates one test for each marker, apart from its nonce. */
let markers = 0;

function markedNotes(key: string, environment: string | null = null): string {
  const marker = { project: 'shop', environment, key, listed: '9f2c41d07ab3', unlisted: '50.51be0c9e' };
  return notesWithMarker(null, { ...marker, repetition: markers++, nonce: '5tq0mZ8c' });
}

/** Opens a service with a generated history: three active tests and a scheduled one. */
async function busyService(): Promise<TestService> {
  const dataDirectory = createTestDirectory();
  const first = await openTestService({ mode: 'serve', dataDirectory, allowPrivate: ['127.0.0.1/32'] });
  let token = '';
  const target = await openTestTarget((request, response) => {
    const isFile = request.url === `/${token}.txt`;
    response.statusCode = isFile ? 200 : 404;
    response.end(token);
  });
  token = (await first.call('POST', '/v2/apps', { form: { app: target.host } })).json.verification_id;
  await first.verifiedApp(target.host);
  const createTest = async (
    rig: TestService,
    key: string,
    changes: Readonly<Record<string, unknown>> = {},
  ) => {
    const json = smallTestFields(`${target.url}/`, {
      notes: markedNotes(key),
      duration: 60,
      name: key,
      ...changes,
    });
    const response = await rig.call('POST', '/v2/tests', { json });
    expect(response.status, response.text).toBe(200);
    return response.json.test_id;
  };
  const histories = [
    { key: 'home', lastVerdict: 'pass', p95: 30 },
    { key: 'start-page', lastVerdict: 'inconclusive', p95: 22 },
    { key: 'search', lastVerdict: 'fail', p95: 180 },
    { key: 'checkout', lastVerdict: 'pass', p95: 44 },
  ];
  const ids: string[] = [];
  for (const { key } of histories) ids.push(await createTest(first, key));
  first.runner.runs.forEach((run) => run.end());
  await waitUntil(async () => {
    const { list } = await first.call('GET', '/v2/tests');
    return list.every(({ status }) => status === 'complete') ? true : null;
  });
  await first.service.close();
  const database = await openDatabase(dataDirectory);
  const now = Date.now();
  const insert = database.prepare(
    'INSERT INTO results (result_id, test_id, started_at_ms, record, detail, judgement) VALUES (?, ?, ?, ?, ?, ?)',
  );
  database.prepare('UPDATE tests SET created_at_ms = ?').run(now - 13 * HOUR);
  database.prepare('DELETE FROM results').run();
  for (let run = 12; run > 0; run--) {
    histories.forEach(({ key, lastVerdict, p95 }, index) => {
      const trend =
        p95 * (1 + (key === 'search' ? 0.06 : 0) * (12 - run) + 0.15 * Math.sin(run * 2.1 + index));
      const verdict = run === 1 ? lastVerdict : run === 3 && key === 'checkout' ? 'fail' : 'pass';
      const record = {
        status: 'ready',
        requests: 56_000 - run * 211,
        avg_error_rate: verdict === 'fail' ? 1.4 : 0.02,
        requests_per_second: 938 - run * 7 + index * 30,
        latency: { p95: trend },
        elapsed_ms: 60_030,
      };
      const id = String(run * 10 + index).padStart(32, '0');
      const verdictJson = JSON.stringify({ verdict, thresholds: [] });
      const at = now - run * HOUR + index * 60_000;
      insert.run(id, ids[index] ?? '', at, JSON.stringify(record), '{}', verdictJson);
    });
  }
  database.close();
  const rig = await openTestService({ mode: 'serve', dataDirectory, allowPrivate: ['127.0.0.1/32'] });
  await createTest(rig, 'nightly', {
    notes: markedNotes('nightly', '\u202eevil'),
    scheduled_at: new Date(now + 5 * HOUR).toISOString().replace(/\.\d+/, ''),
  });
  await createTest(rig, 'checkout', { test_type: 'cycling', total: 24 });
  await createTest(rig, 'login');
  await createTest(rig, 'images');
  rig.runner.runs.forEach((run) => run.reportProgress(progressOf(20_000)));
  return rig;
}

/** Opens a service with many tests. Test 7 has `runs` runs, and all others have three. */
async function manyTests(count: number, runs: number): Promise<TestService> {
  const dataDirectory = createTestDirectory();
  const first = await openTestService({ mode: 'serve', dataDirectory });
  const { json } = await first.call('POST', '/v2/apps', { form: { app: 'shop.example' } });
  await first.service.close();
  const database = await openDatabase(dataDirectory);
  const numbers = (maximum: number) =>
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${maximum})`;
  const definition = JSON.stringify(smallTestFields('http://shop.example/'));
  database
    .prepare(
      `${numbers(count)} INSERT INTO tests (test_id, app_id, definition, status, due_at_ms, single_pass, created_at_ms)
       SELECT printf('%032x', i), ?, ?, 'complete', NULL, 0, ${Date.now()} FROM n`,
    )
    .run(json.app_id, definition);
  database
    .prepare(
      `INSERT INTO labels (test_id, title, project, environment, test_key)
       SELECT test_id, 'Test ' || sequence, 'project-' || printf('%02d', sequence % 50), '', 'key-' || printf('%06d', sequence) FROM tests`,
    )
    .run();
  const record = JSON.stringify({
    status: 'ready',
    requests: 900,
    requests_per_second: 90,
    latency: { p95: 12 },
    avg_error_rate: 0,
    elapsed_ms: 10_000,
    generator: { version: 'x'.repeat(700) },
  });
  database
    .prepare(
      `${numbers(runs)} INSERT INTO results (result_id, test_id, started_at_ms, record, detail)
       SELECT printf('%016x%016x', sequence, i), test_id, ${Date.now()} - (${runs} - i) * 60000, ?, '{}'
       FROM tests JOIN n ON i <= iif(sequence = 7, ${runs}, 3)`,
    )
    .run(record);
  database.close();
  return await openTestService({ mode: 'serve', dataDirectory });
}
