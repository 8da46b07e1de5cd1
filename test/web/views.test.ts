/** Runs, comparing, apps and workers on the page of a real service: what people see, and what they can do. */
import type { Browser, Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { withCommas } from '../../src/core/counted.ts';
import { metricText } from '../../src/core/metric-text.ts';
import type { RunReport } from '../../src/core/load/run-report.ts';
import { timelineOf } from '../../src/core/report/timeline.ts';
import { objectOf, type ResultRecord } from '../../src/core/report/record.ts';
import type { RegisteredWorker } from '../../src/core/model/worker.ts';
import { milliseconds } from '../../src/core/units.ts';
import { createEngine } from '../../src/engine/engine.ts';
import { SKIP_WITHOUT_CHROMIUM, withChromium } from '../support/chromium.ts';
import { createFakeReport, createFakeRunner } from '../support/fake-runner.ts';
import {
  expectFocus,
  expectAccessible,
  expectVisible,
  measureLongestTask,
  openWebUi,
  tabTo,
} from '../support/web-ui.ts';
import {
  openTestService,
  smallTestFields,
  createTemporaryDirectory,
  waitUntil,
  type TestService,
} from '../support/test-service.ts';
import { openTestTarget } from '../support/test-target.ts';
import { EAST_WORKER } from '../support/fake-worker-pool.ts';

let browser: Browser;

describe.skipIf(SKIP_WITHOUT_CHROMIUM !== null)('the page', () => {
  withChromium((opened) => {
    browser = opened;
  });

  test('shows a run live to its end, with the figures of its result to the integer', async () => {
    const { rig, url } = await loadedShop();
    const { page, errors, context } = await openWebUi(browser, rig.service.url, '#/');
    const ids = await started(rig, url, { duration: 8 });
    await page.goto(`${rig.service.url}/${placeOf(ids)}`);
    await page.locator('.now').waitFor();
    const chart = page.getByRole('figure', { name: 'Requests per second' });
    await chart.locator('canvas').waitFor();
    // What has the focus keeps it while figures come, and the chart is not made anew.
    await chart.getByRole('slider').focus();
    await page.evaluate('window.canvas = document.querySelector("canvas")');
    await heading(page, 'no verdict');
    expect(await page.evaluate('document.querySelector("canvas") === window.canvas')).toBe(true);
    expect(await chart.getByRole('slider').evaluate((one) => one.matches(':focus'))).toBe(true);
    const record = await recordOf(rig, ids);
    const { requests, error } = record as { readonly requests: number; readonly error: number };
    expect(await tile(page, 'requests')).toBe(withCommas(requests));
    expect(await tile(page, 'failed')).toMatch(new RegExp(`^${withCommas(error)}\\s`));
    expect(await secondsOf(page)).toEqual(expectedSeconds(record));
    expect(await page.locator('.ledger').innerText()).toContain(`${withCommas(requests)} planned`);
    expect(await page.locator('.copied code').innerText()).toBe(
      `LOADTESTS_BASE_URL=${rig.service.url} loadtests results id:${ids.test_id}`,
    );
    await expectAccessible(page, 'run-ended');
    expect(errors).toEqual([]);
    await context.close();
  });

  test('catches up without a gap when the network was cut, and stops a run by keyboard alone', async () => {
    const { rig, url } = await loadedShop();
    const ids = await started(rig, url, { duration: 60 });
    const { page, context } = await openWebUi(browser, rig.service.url, placeOf(ids));
    await page.getByText('Second by second').click();
    await page.getByRole('rowheader', { name: '0:00' }).waitFor();
    const banner = page.getByText('The service does not answer');
    // An answer that is cut off says nothing.
    await page.route('**/progress*', async (route) => {
      await route.fulfill({ status: 200, contentType: 'application/json', body: '{"in_progress": fal' });
    });
    await banner.waitFor();
    await page.unroute('**/progress*');
    await banner.waitFor({ state: 'detached' });
    await context.setOffline(true);
    await banner.waitFor();
    await expectAccessible(page, 'run-gone');
    const known = (await secondsOf(page)).length;
    await waitUntil(async () => ((await progressOf(rig, ids)) > known + 1 ? true : null), 20_000);
    await context.setOffline(false);
    await banner.waitFor({ state: 'detached' });
    await waitUntil(async () => ((await secondsOf(page)).length > known + 1 ? true : null), 20_000);
    const seconds = (await secondsOf(page)).map(([second]) => second);
    expect(seconds).toEqual(seconds.map((_, index) => `0:${String(index).padStart(2, '0')}`));
    // From the heading, as somebody comes who has no mouse.
    await page.locator('h1').focus();
    await page.keyboard.press('Tab');
    await expectFocus(page, 'Stop Checkout');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await expectVisible(page, 'run-stop');
    await page.keyboard.press('Escape');
    await expectFocus(page, 'Stop Checkout');
    expect(rig.log.some(({ event }) => event === 'run-ended')).toBe(false);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Tab');
    await expectFocus(page, 'Stop the test');
    await page.keyboard.press('Enter');
    await page.getByText('the run ended early').waitFor();
    const record = await recordOf(rig, ids);
    expect(record).toMatchObject({ abort_reason: 'stopped' });
    expect(await secondsOf(page)).toEqual(expectedSeconds(record));
    await expectVisible(page, 'run-stopped');
    await context.close();
  });

  test('shows what the service says of a run that was cut off by a restart', async () => {
    const dataDirectory = createTemporaryDirectory();
    const { rig, url } = await loadedShop({ dataDirectory });
    const ids = await started(rig, url, { duration: 60 });
    const { page, context } = await openWebUi(browser, rig.service.url, placeOf(ids));
    await page.locator('.now').waitFor();
    const { port } = new URL(rig.service.url);
    await rig.service.close();
    await page.getByText('The service does not answer').waitFor();
    const again = await openTestService({ mode: 'serve', dataDirectory, port: Number(port) });
    // It forgets who was let in.
    await page.getByText('This session has ended').waitFor({ timeout: 20_000 });
    const other = await openWebUi(browser, again.service.url, '#/', {}, context);
    await page.getByText('the run ended early').waitFor({ timeout: 20_000 });
    const record = await recordOf(again, ids);
    expect(await secondsOf(page)).toEqual(expectedSeconds(record));
    expect(await tile(page, 'requests')).toBe(withCommas(Number(record['requests'])));
    expect(other.errors).toEqual([]);
    await context.close();
  });

  test('starts a run, is watched on the overview, and stops it there, all by keyboard', async () => {
    const { rig, url } = await loadedShop();
    const { test_id: id } = await started(rig, url, { duration: 120 });
    await rig.call('PUT', `/v2/tests/${id}/stop`);
    const { page, errors, context } = await openWebUi(browser, rig.service.url, '#/tests');
    await page.getByRole('group', { name: 'Tests' }).getByText('stopped').waitFor();
    await page.locator('h1').focus();
    await tabTo(page, 'Checkout');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Run' }).waitFor();
    await page.locator('#title:focus').waitFor();
    await tabTo(page, 'Run');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    expect(await dialog.innerText()).toContain('cycling 3 → 3 connections, 2m');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.locator('.now').waitFor();
    await tabTo(page, 'Overview', 'Shift+Tab');
    await page.keyboard.press('Enter');
    const running = page.getByRole('group', { name: 'Running now' }).locator('tbody tr');
    // It is seen to go on.
    const elapsed = async () => /\d:\d\d of 2:00\s+3\s+\d+/.exec(await running.innerText())?.[0] ?? null;
    const first = await waitUntil(elapsed, 20_000);
    await waitUntil(async () => ((await elapsed()) === first ? null : true), 20_000);
    await tabTo(page, 'Stop Checkout');
    await page.keyboard.press('Enter');
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await expectFocus(page, 'Stop Checkout');
    await page.keyboard.press('Enter');
    await dialog.waitFor();
    await page.keyboard.press('Tab');
    await expectFocus(page, 'Stop the test');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Nothing runs now' }).waitFor();
    await page.locator('#title:focus').waitFor();
    const [run] = (await rig.call('GET', `/v2/tests/${id}/results`)).list;
    const ids = { test_id: id, result_id: run?.result_id ?? '' };
    const record = await recordOf(rig, ids);
    expect(record['abort_reason']).toBe('stopped');
    const cells = async (name: string) =>
      (await page.getByRole('group', { name }).locator('tbody tr').innerText()).split('\t');
    const number = (value: unknown) => Number(value); // of a record
    const metrics = [
      withCommas(number(record['requests'])),
      metricText('error_rate', number(record['avg_error_rate'])),
      metricText('requests_per_second', number(record['requests_per_second'])),
      metricText('p95', number(objectOf(record['latency'])['p95'])),
    ];
    const [, verdict, , ...shown] = await cells('Last runs');
    expect([verdict, ...shown]).toEqual([expect.stringContaining('no verdict stopped'), ...metrics]);
    const json = { verdict: 'fail', reason: null, thresholds: [] };
    await rig.call('PUT', `/v2/tests/${id}/results/${ids.result_id}/verdict`, { json });
    await page.getByRole('heading', { name: '1 test needs attention' }).waitFor();
    const [, judged, , ...same] = await cells('Needs attention');
    expect([judged, ...same]).toEqual([expect.stringContaining('fail'), ...metrics]);
    expect(errors).toEqual([]);
    await context.close();
  });

  test('shows the verdict that was told, and none before', async () => {
    const rig = await openTestService({ mode: 'serve', allowPrivate: ['127.0.0.1/32'] });
    const ids = await fakeRun(rig, await shopFor(rig));
    rig.runner.latest().end();
    const { page, context, errors } = await openWebUi(browser, rig.service.url, placeOf(ids));
    await heading(page, 'no verdict');
    const verdict = {
      ...{ verdict: 'fail', reason: null },
      thresholds: [{ metric: 'error_rate', limit: '< 1%', value: 33.3, verdict: 'fail' }],
    };
    await rig.call('PUT', `/v2/tests/${ids.test_id}/results/${ids.result_id}/verdict`, { json: verdict });
    await heading(page, 'fail');
    expect(await page.locator('.limits').innerText()).toContain('error_rate < 1%\t✗ fail\t33.3%');
    await expectAccessible(page, 'run-failed');
    await page.evaluate('navigator.clipboard.writeText = () => Promise.reject(new Error("not allowed"))');
    await page.getByRole('button', { name: 'Copy command' }).click();
    await page.locator('.copied .note').getByText('selected').waitFor();
    expect(await page.evaluate('String(getSelection())')).toBe(
      await page.locator('.copied code').innerText(),
    );
    await page.goto(`${rig.service.url}/#/runs/${ids.test_id}/${'f'.repeat(32)}`);
    await page.getByText('The service has no such run').waitFor();
    expect(errors).toEqual([]);
    await context.close();
  });

  test('stays quick with an hour of 1,000 URLs', async () => {
    const fake = createFakeRunner({ report: (report) => ofManyUrls(report, URLS) });
    const rig = await openTestService({ mode: 'serve', allowPrivate: ['127.0.0.1/32'], fake });
    const ids = await fakeRun(rig, await shopFor(rig), { duration: 3600 });
    const run = rig.runner.latest();
    const report = ofManyUrls(createFakeReport(run.job, null), URLS);
    const tell = (seconds: number): void => {
      run.count(hourOf(report, seconds));
      run.reportProgress({
        ...{
          elapsed: milliseconds(seconds * 1000),
          warmingUp: false,
          connections: 200,
          success: 1,
          error: 0,
        },
        ...{ timeoutError: 0, networkError: 0, requestsPerSecond: 1, p95: 2, targets: [1] },
      });
    };
    tell(3590);
    const { page, context, errors } = await openWebUi(browser, rig.service.url, placeOf(ids));
    await page.locator('canvas').first().waitFor();
    await page.getByText('Every 8 seconds').click();
    await page.locator('#run-seconds tbody tr').nth(400).waitFor();
    const seconds = page.locator('.progress > span');
    const live = await measureLongestTask(page, async () => {
      for (const elapsed of [3592, 3594, 3596, 3598, 3600]) {
        tell(elapsed);
        await seconds.getByText(`${clock(elapsed)} of 1:00:00`).waitFor();
      }
    });
    expect(live).toBeLessThan(50);
    await page.getByText('Every 8 seconds').click();
    await expectAccessible(page, 'run-live');
    const end = await measureLongestTask(page, async () => {
      run.end();
      await heading(page, 'no verdict');
    });
    expect(end).toBeLessThan(50);
    await page.reload();
    await page.locator('canvas').first().waitFor();
    const paint = await page.evaluate<number>(
      'performance.getEntriesByName("first-contentful-paint")[0].startTime',
    );
    expect(paint).toBeLessThan(5000);
    process.stdout.write(
      `an hour of ${URLS} URLs: longest task of an update ${Math.round(live)} ms, at the end ${Math.round(end)} ms; first paint ${Math.round(paint)} ms\n`,
    );
    await page.getByText('1,000 URLs').click();
    const rows = page.getByRole('group', { name: 'URLs' }).locator('tbody tr');
    await rows.nth(URLS - 1).waitFor();
    expect(await rows.count()).toBe(URLS);
    await expectAccessible(page, 'run-urls');
    expect(errors).toEqual([]);
    await context.close();
  });

  test('compares runs by the rules of the command line', async () => {
    const rig = await openTestService({ mode: 'serve', allowPrivate: ['127.0.0.1/32'] });
    const host = await shopFor(rig);
    const first = await fakeRun(rig, host);
    rig.runner.latest().end();
    const second = await runAgain(rig, first.test_id);
    rig.runner.latest().end();
    const other = await fakeRun(rig, host, { total: 9 });
    rig.runner.latest().end();
    await waitUntil(async () => ((await recordOf(rig, other))['status'] === 'ready' ? true : null));
    const { page, context, errors } = await openWebUi(browser, rig.service.url, placeOf(second));
    await page.getByRole('button', { name: 'Compare with…' }).press('Enter');
    await page.getByRole('checkbox').first().press('Space');
    await expectAccessible(page, 'compare-choose');
    await page.getByRole('button', { name: 'Compare', exact: true }).press('Enter');
    await page.getByRole('heading', { name: 'Changes since A' }).waitFor();
    expect(await page.locator('.changes tbody tr').first().innerText()).toContain('0%');
    await page.locator('canvas').first().waitFor();
    await expectAccessible(page, 'compare');
    await page.goto(
      `${rig.service.url}/#/compare/${[first, second, other].map(({ test_id: a, result_id: b }) => `${a}:${b}`).join('/')}`,
    );
    await page.getByText('C with A: the load is another one: /total 5 → 9').waitFor();
    expect(await page.locator('canvas').count()).toBe(0);
    await expectAccessible(page, 'compare-hindered');
    await page.getByRole('button', { name: 'Show the figures anyway' }).click();
    await page.locator('canvas').first().waitFor();
    expect(errors).toEqual([]);
    await context.close();
  });

  test('tells what to publish for an app, verifies it, and why it is not verified', async () => {
    const rig = await openTestService({ mode: 'serve', allowPrivate: ['127.0.0.1/32'] });
    const { page, context, errors } = await openWebUi(browser, rig.service.url, '#/apps');
    await page.getByText('No app is registered').waitFor();
    await expectAccessible(page, 'apps-empty');
    const target = await openTestTarget((_, response) => {
      response.statusCode = 404;
      response.end();
    });
    const { app_id: id, verification_id: token } = (
      await rig.call('POST', '/v2/apps', { form: { app: target.host } })
    ).json;
    await page.getByText(`http://${target.host}/${token}.txt`).waitFor();
    // An address has no records.
    expect(await page.getByText(`service=${id}`).count()).toBe(0);
    const named = (await rig.call('POST', '/v2/apps', { form: { app: 'www.example.com' } })).json;
    await page.getByText(`service=${named.app_id}`).waitFor();
    await page.getByRole('button', { name: 'Verify by the file' }).first().press('Enter');
    await page.getByText(`Not verified: can't verify domain ${target.host}`).first().waitFor();
    await page.getByText(`not every address of ${target.host} answers with the file`).waitFor();
    await expectAccessible(page, 'apps-refused');
    target.respondWith((request, response) => {
      response.statusCode = request.url === `/${token}.txt` ? 200 : 404;
      response.end(token);
    });
    await page.getByRole('button', { name: 'Verify by the file' }).first().press('Enter');
    await page.locator('summary', { hasText: target.host }).getByText('✓ verified').waitFor();
    await expectAccessible(page, 'apps-verified');
    expect(errors).toEqual([]);
    await context.close();
  });

  test('shows workers, and drains one by keyboard alone', async () => {
    const drained: string[] = [];
    const named = (id: string, name: string): RegisteredWorker => ({
      ...EAST_WORKER,
      id,
      name,
      runId: null,
      state: 'ready',
    });
    const west = named('f'.repeat(16), 'west-1');
    const present: readonly RegisteredWorker[] = [
      ...[EAST_WORKER, west],
      ...[
        { ...named('d'.repeat(16), 'north-1'), state: 'draining', runId: 'f'.repeat(32) } as const,
        { ...named('e'.repeat(16), 'south-1'), state: 'draining' } as const,
        { ...named('c'.repeat(16), 'old-1'), version: '0.9.0', compatible: false, connections: null },
      ],
    ];
    const rig = await openTestService({
      mode: 'serve',
      workerPool: {
        list: () => present,
        drain: (id) => {
          drained.push(id);
          return drained.length > 1 ? Promise.reject(new Error('Redis is gone')) : Promise.resolve();
        },
      },
    });
    const { page, context, errors } = await openWebUi(browser, rig.service.url, '#/workers');
    const row = (name: string) => page.getByRole('row', { name });
    expect(await row('east-1').innerText()).toContain('-12.5 ± 0.4 ms');
    expect(await row('old-1').innerText()).toMatch(/gets nothing[^]*0\.9\.0/);
    expect(await row('north-1').getByRole('button').count()).toBe(0);
    await expectAccessible(page, 'workers');
    await page.locator('h1').focus();
    // The table, which can be scrolled, and its first button.
    for (const name of ['Workers', 'Drain east-1', 'Drain west-1']) {
      await page.keyboard.press('Tab');
      await expectFocus(page, name);
    }
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Drain west-1?' });
    await dialog.waitFor();
    await expectAccessible(page, 'drain');
    await page.keyboard.press('Escape');
    await expectFocus(page, 'Drain west-1');
    expect(drained).toEqual([]);
    await page.keyboard.press('Enter');
    await dialog.waitFor();
    await page.keyboard.press('Tab');
    await expectFocus(page, 'Drain the worker');
    await page.keyboard.press('Enter');
    await expect.poll(() => drained).toEqual([west.id]);
    await row('west-1').waitFor();
    await page.getByRole('button', { name: 'Drain west-1' }).press('Enter');
    await page.getByRole('button', { name: 'Drain the worker' }).press('Enter');
    await page.getByRole('alert').getByText('Not drained: the workers cannot be reached').waitFor();
    await expectVisible(page, 'not-drained');
    expect(errors).toEqual([]);
    await context.close();
  });
});

interface Ids {
  readonly test_id: string;
  readonly result_id: string;
}

function placeOf({ test_id: test, result_id: result }: Ids): string {
  return `#/runs/${test}/${result}`;
}

/** A verified host whose answers are 404 now and then, and a service whose load is real. */
async function loadedShop(
  options: Parameters<typeof openTestService>[0] = {},
): Promise<{ readonly rig: TestService; readonly url: string }> {
  const rig = await openTestService({
    ...{ mode: 'serve', allowPrivate: ['127.0.0.1/32'] },
    runner: createEngine({
      threadUrl: new URL('../../dist/engine/thread.js', import.meta.url),
      version: '0.0.0-test',
    }),
    ...options,
  });
  return { rig, url: await shopFor(rig) };
}

/** @returns where the pages of a verified host begin */
async function shopFor(rig: TestService): Promise<string> {
  let turn = 0;
  let token = '';
  const target = await openTestTarget((request, response) => {
    const [isFile, isOther] = [
      request.url === `/${token}.txt`,
      request.url?.startsWith('/service-') === true,
    ];
    response.statusCode = isFile ? 200 : isOther || turn++ % 10 === 0 ? 404 : 200;
    // Not as fast as can be: a browser runs beside it.
    setTimeout(() => response.end(isFile ? token : 'hello'), isFile || isOther ? 0 : 20);
  });
  const app = (await rig.call('POST', '/v2/apps', { form: { app: target.host } })).json;
  token = app.verification_id;
  const { status, text } = await rig.call('POST', `/v2/apps/${app.app_id}/verify`, {
    form: { method: 'http' },
  });
  expect(status, text).toBe(200);
  return target.url;
}

/** A test of the real engine that is running. */
async function started(
  rig: TestService,
  url: string,
  changes: Readonly<Record<string, unknown>>,
): Promise<Ids> {
  return await created(
    rig,
    smallTestFields(`${url}/`, { ...{ test_type: 'cycling', initial: 3, total: 3 }, ...changes }),
  );
}

/** A run whose load nobody makes. */
async function fakeRun(
  rig: TestService,
  url: string,
  changes: Readonly<Record<string, unknown>> = {},
  paths: readonly string[] = ['/'],
): Promise<Ids> {
  return await created(
    rig,
    smallTestFields(`${url}/`, { urls: paths.map((path) => ({ url: url + path })), ...changes }),
  );
}

async function created(rig: TestService, json: Readonly<Record<string, unknown>>): Promise<Ids> {
  const response = await rig.call('POST', '/v2/tests', {
    json: { name: 'Checkout', error_threshold: 100, ...json },
  });
  expect(response.status, response.text).toBe(200);
  return response.json;
}

async function runAgain(rig: TestService, id: string): Promise<Ids> {
  await waitUntil(async () =>
    (await rig.call('GET', `/v2/tests/${id}`)).json.status === 'complete' ? true : null,
  );
  const response = await rig.call('PUT', `/v2/tests/${id}/run`);
  expect(response.status, response.text).toBe(200);
  return { test_id: id, result_id: response.json.result_id };
}

/** More than a test of this service may have: others let theirs have more. */
const URLS = 1000;

function ofManyUrls(report: RunReport, count: number): RunReport {
  const [target] = report.targets;
  if (target === undefined) throw new Error('a report without a URL');
  return {
    ...report,
    targets: Array.from({ length: count }, (_, index) => ({ ...target, url: `${target.url}page/${index}` })),
  };
}

function hourOf(report: RunReport, seconds: number): RunReport {
  const [entry] = report.timeline;
  if (entry === undefined) throw new Error('a report without a timeline');
  const span = 8;
  return {
    ...report,
    timeline: Array.from({ length: Math.ceil(seconds / span) }, (_, index) => ({
      ...{ ...entry, second: index * span, span, started: 800 + (index % 7) * 20 },
      ...{
        success: 800 + (index % 7) * 20,
        connections: 200,
        p50: 3 + (index % 5),
        p95: 20,
        p99: 40 + (index % 9),
      },
    })),
  };
}

function clock(seconds: number): string {
  return seconds === 3600 ? '1:00:00' : `59:${String(seconds - 3540).padStart(2, '0')}`;
}

async function recordOf(
  rig: TestService,
  { test_id: test, result_id: result }: Ids,
): Promise<NonNullable<ResultRecord>> {
  const { text } = await rig.call('GET', `/v2/tests/${test}/results/${result}`);
  return JSON.parse(text) as NonNullable<ResultRecord>; // a record
}

/** How many seconds of a run the service tells. */
async function progressOf(rig: TestService, { test_id: test, result_id: result }: Ids): Promise<number> {
  const { text } = await rig.call('GET', `/v2/tests/${test}/results/${result}/progress`);
  return (JSON.parse(text) as { readonly timeline: readonly unknown[] }).timeline.length; // as its schema says
}

/** What the second by second table shows: time, offered, completed, failed, connections. */
async function secondsOf(page: Page): Promise<readonly string[][]> {
  const table = page.locator('#run-seconds');
  if ((await table.getAttribute('open')) === null) await table.locator('summary').click();
  await table.locator('tbody').waitFor();
  const rows = await table.locator('tbody tr').allInnerTexts();
  return rows.map((row) => row.split('\t').slice(0, 5));
}

function expectedSeconds(record: ResultRecord): readonly string[][] {
  return timelineOf(record).map(({ second, started: offered, completed, failed, connections }) => [
    `0:${String(second).padStart(2, '0')}`,
    ...[offered, completed, failed, connections ?? 0].map(withCommas),
  ]);
}

async function tile(page: Page, name: string): Promise<string> {
  const shown: Locator = page
    .locator('.tiles > div')
    .filter({ has: page.locator('dt', { hasText: new RegExp(`^${name}$`) }) });
  return await shown.locator('dd').innerText();
}

async function heading(page: Page, verdict: string): Promise<void> {
  await page.locator('section.run h2', { hasText: verdict }).waitFor({ timeout: 30_000 });
}
