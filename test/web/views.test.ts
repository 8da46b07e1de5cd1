/** Runs, comparisons, apps and workers of the web UI in a browser. */
// @module-tag load
import type { Browser, Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { withCommas } from '../../src/core/counted.ts';
import { metricText } from '../../src/core/model/metric-text.ts';
import type { RunReport } from '../../src/core/load/run-report.ts';
import { timelineOf } from '../../src/core/report/timeline.ts';
import { readRunRecord } from '../../src/core/run-record/read-record.ts';
import type { RunRecord } from '../../src/core/run-record/run-record.ts';
import type { RegisteredWorker } from '../../src/core/model/worker.ts';
import { problem, ProblemError } from '../../src/core/problem.ts';
import { milliseconds } from '../../src/core/units.ts';
import { createEngine } from '../../src/engine/engine.ts';
import { SKIP_WITHOUT_CHROMIUM, withChromium } from '../support/chromium.ts';
import { createFakeReport, createFakeRunner } from '../support/fake-runner.ts';
import {
  expectFocus,
  expectAccessible,
  expectVisible,
  MAX_TASK_MS,
  measureLongestTask,
  openContext,
  openWebUi,
  tabTo,
} from '../support/web-ui.ts';
import { openTestService, smallTestFields, waitUntil, type TestService } from '../support/test-service.ts';
import { openTestTarget } from '../support/test-target.ts';
import { createTestClock, MINUTE } from '../support/test-clock.ts';
import { EAST_WORKER } from '../support/fake-worker-pool.ts';
import { createTestDirectory } from '../support/temporary-directory.ts';

let browser: Browser;

describe.skipIf(SKIP_WITHOUT_CHROMIUM !== null)('runs, apps and workers of the web UI', () => {
  withChromium((opened) => {
    browser = opened;
  });

  test('the run view shows a live run until its end, and then the exact metrics of its result', async () => {
    const { rig, url } = await loadedShop();
    const { page, errors } = await openWebUi(browser, rig.service.url, '#/');
    const urls = ['/', '/cart'].map((path) => ({ url: `${url}${path}` }));
    const ids = await startRealRun(rig, url, { duration: 8, urls });
    await page.goto(`${rig.service.url}/${routeTo(ids)}`);
    await page.locator('.now').waitFor();
    const chart = page.getByRole('figure', { name: 'Requests per second' });
    await chart.locator('canvas').waitFor();
    // The focused element and the chart are preserved while metrics are updated.
    await chart.getByRole('slider').focus();
    await page.evaluate('window.canvas = document.querySelector("canvas")');
    await heading(page, 'no verdict');
    expect(await page.evaluate('document.querySelector("canvas") === window.canvas')).toBe(true);
    await chart.getByRole('slider').and(page.locator(':focus')).waitFor();
    const record = await recordOf(rig, ids);
    const { requests = 0, error = 0 } = record.metrics;
    await expect.poll(() => tile(page, 'requests')).toBe(withCommas(requests));
    await expect.poll(() => tile(page, 'failed')).toMatch(new RegExp(`^${withCommas(error)}\\s`));
    await expect.poll(() => secondsOf(page)).toEqual(expectedSeconds(record));
    await expect.poll(() => page.locator('.ledger').innerText()).toContain(`${withCommas(requests)} planned`);
    expect(await page.locator('.copied code').first().innerText()).toBe(
      `LOADTESTS_BASE_URL=${rig.service.url} loadtests results id:${ids.test_id}`,
    );
    await expectAccessible(page, 'run-ended');
    await expectUrlCharts(page);
    await expectZoom(page);
    await expectDistinctForcedColors(page);
    expect(errors).toEqual([]);
  });

  test('the run view catches up without gaps after a network outage, and a user can stop the run with the keyboard', async () => {
    const { rig, url } = await loadedShop();
    const ids = await startRealRun(rig, url, { duration: 600 });
    // Only this context is offline.
    const context = await openContext(browser);
    const { page } = await openWebUi(browser, rig.service.url, routeTo(ids), context);
    await page.getByText('Second by second').click();
    await page.getByRole('rowheader', { name: '0:00' }).waitFor();
    const banner = page.getByText('Connection to the service lost. Tests may still be running.');
    // A truncated response counts as an unreachable service.
    await page.route('**/progress*', async (route) => {
      await route.fulfill({ status: 200, contentType: 'application/json', body: '{"in_progress": fal' });
    });
    await banner.waitFor();
    await page.unroute('**/progress*');
    await banner.waitFor({ state: 'detached' });
    await context.setOffline(true);
    await banner.waitFor();
    // The values do not look live.
    await page.getByText(/^Connection lost; values as of 0:\d\d of 10:00$/).waitFor();
    await expect.poll(() => page.title()).toBe('Connection lost · Checkout · loadtests');
    // The banner stays visible at the end of the page.
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    await expect.poll(async () => (await banner.boundingBox())?.y).toBe(0);
    await page.evaluate(() => scrollTo(0, 0));
    await expectAccessible(page, 'run-gone');
    const knownCount = (await secondsOf(page)).length;
    await waitUntil(async () => ((await entryCountOf(rig, ids)) > knownCount + 1 ? true : null));
    await context.setOffline(false);
    await banner.waitFor({ state: 'detached' });
    await waitUntil(async () => ((await secondsOf(page)).length > knownCount + 1 ? true : null));
    const seconds = (await secondsOf(page)).map(([second]) => second);
    expect(seconds).toEqual(seconds.map((_, index) => minutesText(index)));
    // Only the links to the tests and to the test are between the heading and the stop button.
    await page.locator('h1').focus();
    for (let presses = 0; presses < 3; presses++) await page.keyboard.press('Tab');
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
    await expectFocus(page, 'Stop the run');
    await page.keyboard.press('Enter');
    await page.getByText('the run ended early').waitFor();
    const record = await recordOf(rig, ids);
    expect(record).toMatchObject({ abortReason: 'stopped' });
    await expect.poll(() => secondsOf(page)).toEqual(expectedSeconds(record));
    await page.getByText(/ended after \d:\d\d of 10:00/).waitFor();
    await expectVisible(page, 'run-stopped');
  });

  test('the run view shows the stored result of a run that was interrupted by a restart of the service', async () => {
    const dataDirectory = createTestDirectory();
    const { rig, url } = await loadedShop({ dataDirectory });
    const ids = await startRealRun(rig, url, { duration: 600 });
    const { page } = await openWebUi(browser, rig.service.url, routeTo(ids));
    await page.locator('.now').waitFor();
    const { port } = new URL(rig.service.url);
    await rig.service.close();
    await page.getByText('Connection to the service lost. Tests may still be running.').waitFor();
    const restarted = await openTestService({ mode: 'serve', dataDirectory, port: Number(port) });
    // A restart ends all sessions.
    await page.getByText('This session has ended').waitFor();
    await page.getByText(/^Session ended; values as of 0:\d\d of 10:00$/).waitFor();
    const newTab = await openWebUi(browser, restarted.service.url, '#/');
    await page.getByText('the run ended early').waitFor();
    const record = await recordOf(restarted, ids);
    await expect.poll(() => secondsOf(page)).toEqual(expectedSeconds(record));
    await expect.poll(() => tile(page, 'requests')).toBe(withCommas(record.metrics.requests ?? 0));
    expect(newTab.errors).toEqual([]);
  });

  test('with only the keyboard, a user can start a run in the test view, and watch and stop the run on the overview', async () => {
    const { rig, url } = await loadedShop();
    const { test_id: id } = await startRealRun(rig, url, { duration: 1200 });
    await rig.call('PUT', `/v2/tests/${id}/stop`);
    const { page, errors } = await openWebUi(browser, rig.service.url, '#/tests');
    await page.getByRole('group', { name: 'Tests' }).getByText('stopped').waitFor();
    await page.locator('h1').focus();
    await tabTo(page, 'Checkout');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Run', exact: true }).waitFor();
    await page.locator('#title:focus').waitFor();
    await tabTo(page, 'Run');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('cycling 3 → 3 connections, 20m').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.locator('.now').waitFor();
    await tabTo(page, 'Overview', 'Shift+Tab');
    await page.keyboard.press('Enter');
    const running = page.getByRole('group', { name: 'Running now' }).locator('tbody tr');
    // The elapsed time increases.
    const elapsed = async () => /\d:\d\d of 20:00\s+3\s+\d+/.exec(await running.innerText())?.[0] ?? null;
    const first = await waitUntil(elapsed);
    await waitUntil(async () => ((await elapsed()) === first ? null : true));
    await tabTo(page, 'Stop Checkout');
    await page.keyboard.press('Enter');
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await expectFocus(page, 'Stop Checkout');
    await page.keyboard.press('Enter');
    await dialog.waitFor();
    await page.keyboard.press('Tab');
    await expectFocus(page, 'Stop the run');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'No active runs' }).waitFor();
    await page.locator('#title:focus').waitFor();
    const [run] = (await rig.call('GET', `/v2/tests/${id}/results`)).list;
    const ids = { test_id: id, result_id: run?.result_id ?? '' };
    const record = await recordOf(rig, ids);
    expect(record.abortReason).toBe('stopped');
    const cells = async (name: string) =>
      (await page.getByRole('group', { name }).locator('tbody tr').innerText()).split('\t');
    const {
      requests = 0,
      error_rate: errorRate = 0,
      requests_per_second: rate = 0,
      p95 = 0,
    } = record.metrics;
    const metrics = [
      withCommas(requests),
      metricText('error_rate', errorRate),
      metricText('requests_per_second', rate),
      metricText('p95', p95),
    ];
    const outcomeIn = async (name: string) => {
      const [, verdict, , ...values] = await cells(name);
      return [verdict, ...values];
    };
    await expect
      .poll(async () => await outcomeIn('Latest runs'))
      .toEqual([expect.stringContaining('no verdict the run ended early, stopped by'), ...metrics]);
    const json = { verdict: 'fail', reason: null, thresholds: [] };
    await rig.call('PUT', `/v2/tests/${id}/results/${ids.result_id}/verdict`, { json });
    await page.getByRole('heading', { name: '1 test needs attention' }).waitFor();
    await expect
      .poll(async () => await outcomeIn('Needs attention'))
      .toEqual([expect.stringContaining('fail'), ...metrics]);
    expect(errors).toEqual([]);
  });

  test('the run view shows the published verdict of a run, and no verdict before its publication', async () => {
    const rig = await openTestService({ mode: 'serve', allowPrivate: ['127.0.0.1/32'] });
    const ids = await fakeRun(rig, await shopFor(rig));
    rig.runner.latest().end();
    const { page, errors } = await openWebUi(browser, rig.service.url, routeTo(ids));
    await heading(page, 'no verdict');
    const verdict = {
      verdict: 'fail',
      reason: null,
      thresholds: [{ metric: 'error_rate', limit: '< 1%', value: 33.3, verdict: 'fail' }],
    };
    await rig.call('PUT', `/v2/tests/${ids.test_id}/results/${ids.result_id}/verdict`, { json: verdict });
    await heading(page, 'fail');
    await expect
      .poll(() => page.locator('.thresholds').innerText())
      .toContain('error_rate < 1%\t✗ fail\t33.3%');
    await expectAccessible(page, 'run-failed');
    await page.evaluate('navigator.clipboard.writeText = () => Promise.reject(new Error("not allowed"))');
    await page.getByRole('button', { name: 'Copy command' }).click();
    await page.locator('.copied .note').getByText('selected').waitFor();
    expect(await page.evaluate('String(getSelection())')).toBe(
      await page.locator('.copied code').first().innerText(),
    );
    await page.goto(`${rig.service.url}/#/runs/${ids.test_id}/${'f'.repeat(32)}`);
    await page.getByText('The run was not found').waitFor();
    expect(errors).toEqual([]);
  });

  test('the test view shows the abort rules of a test, and the run view shows the rule that ended a run', async () => {
    const rig = await openTestService({ mode: 'serve', allowPrivate: ['127.0.0.1/32'] });
    const ids = await fakeRun(rig, await shopFor(rig), {
      duration: 60,
      abort_rules: [{ metric: 'error', limit: '< 1', after: 2 }],
    });
    const { page, errors } = await openWebUi(browser, rig.service.url, `#/tests/${ids.test_id}`);
    await page.getByText('ends early if a threshold fails: error < 1 after 2s').first().waitFor();
    await page.goto(`${rig.service.url}/${routeTo(ids)}`);
    await heading(page, 'running');
    const run = rig.runner.latest();
    const reportSeconds = (seconds: number): void => {
      const elapsed = milliseconds(seconds * 1000);
      run.count({ ...createFakeReport(run.job, null), elapsed });
      run.reportProgress({ ...PROGRESS, elapsed });
    };
    reportSeconds(1);
    expect(run.stops).toEqual([]);
    reportSeconds(2);
    expect(run.stops).toEqual(['threshold']);
    const reason = '"abort_after" ended the run after 2 seconds: error was 1, threshold < 1';
    await page.getByText(`Failed: ${reason}`).waitFor();
    await heading(page, 'fail');
    await expectAccessible(page, 'run-aborted');
    await page.goto(`${rig.service.url}/#/`);
    await page.getByText(reason).first().waitFor();
    expect(errors).toEqual([]);
  });

  test('with a one-hour run of 1,000 URLs, no update blocks the run view for 100 ms', async () => {
    const fake = createFakeRunner({ report: (report) => withManyUrls(report, URL_COUNT) });
    const rig = await openTestService({ mode: 'serve', allowPrivate: ['127.0.0.1/32'], fake });
    const ids = await fakeRun(rig, await shopFor(rig), { duration: 3600 });
    const run = rig.runner.latest();
    const report = withManyUrls(createFakeReport(run.job, null), URL_COUNT);
    const reportProgress = (seconds: number): void => {
      run.count(withTimeline(report, seconds));
      run.reportProgress({ ...PROGRESS, elapsed: milliseconds(seconds * 1000) });
    };
    reportProgress(3590);
    // The process of other tests has more memory to clean up, which would be part of the measured tasks.
    const context = await openContext(browser);
    const { page, errors } = await openWebUi(browser, rig.service.url, routeTo(ids), context);
    await page.locator('canvas').first().waitFor();
    await page.getByText('Every 8 seconds').click();
    await page.locator('#run-seconds tbody tr').nth(400).waitFor();
    const progressText = page.locator('.progress > span');
    const live = await measureLongestTask(page, async () => {
      for (const elapsed of [3592, 3596, 3600]) {
        reportProgress(elapsed);
        await progressText.getByText(`${clock(elapsed)} of 1:00:00`).waitFor();
      }
    });
    expect(live).toBeLessThan(MAX_TASK_MS);
    await page.getByText('Every 8 seconds').click();
    await expectAccessible(page, 'run-live');
    const end = await measureLongestTask(page, async () => {
      run.end();
      await heading(page, 'no verdict');
    });
    expect(end).toBeLessThan(MAX_TASK_MS);
    await page.reload();
    await page.locator('canvas').first().waitFor();
    process.stdout.write(
      `one-hour run of ${URL_COUNT} URLs: longest task of an update ${Math.round(live)} ms, at the end ${Math.round(end)} ms\n`,
    );
    await page.getByText('1,000 URLs').click();
    const rows = page.getByRole('group', { name: 'URLs' }).locator('tbody tr');
    await rows.nth(URL_COUNT - 1).waitFor();
    expect(await rows.count()).toBe(URL_COUNT);
    // With forced colors, a dashed border marks an edge beyond which the table continues.
    await page.emulateMedia({ forcedColors: 'active' });
    const frame = page.getByRole('group', { name: 'URLs' });
    const border = () => frame.evaluate((element) => getComputedStyle(element).borderBottomStyle);
    await expect.poll(border).toBe('dashed');
    await frame.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await expect.poll(border).toBe('solid');
    await page.emulateMedia({ forcedColors: 'none' });
    // The rows are alike, and each takes time at each width. The table still overflows its frame.
    await rows.evaluateAll((all) => all.slice(50).forEach((row) => row.remove()));
    expect(await frame.evaluate(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight)).toBe(true);
    await expectAccessible(page, 'run-urls');
    expect(errors).toEqual([]);
  });

  test('the view of an active run shows the current values of its thresholds, and selecting a URL limits the charts to that URL', async () => {
    const rig = await openTestService({ mode: 'serve', allowPrivate: ['127.0.0.1/32'] });
    const ids = await fakeRun(rig, await shopFor(rig), { duration: 60 }, ['/', '/cart']);
    const run = rig.runner.latest();
    const threshold = { metric: 'p95', value: null, verdict: 'inconclusive' } as const;
    await rig.call('PUT', `/v2/tests/${ids.test_id}/results/${ids.result_id}/verdict`, {
      json: {
        verdict: 'none',
        in_progress: true,
        url_names: [null, 'add to cart'],
        thresholds: [
          { ...threshold, limit: '< 30ms' },
          { ...threshold, limit: '< 3ms', url: 'add to cart' },
        ],
      },
    });
    const reportSeconds = (seconds: number): void => {
      const report = createFakeReport(run.job, null);
      const [entry] = report.timeline;
      if (entry === undefined) throw new Error('a report without a timeline');
      const values = <T>(value: T) => Array.from({ length: seconds }, () => value);
      run.count({
        ...report,
        timeline: values(entry).map((one, second) => ({ ...one, second, success: 7 })),
        targets: report.targets.map((target, index) => ({
          ...target,
          timeline: {
            ...{ success: values(3 + index), error: values(0), timeoutError: values(0) },
            ...{ networkError: values(0), p50: values(2), p95: values(4), p99: values(5) },
          },
        })),
      });
      run.reportProgress({ ...PROGRESS, elapsed: milliseconds(seconds * 1000) });
    };
    reportSeconds(5);
    const { page, errors } = await openWebUi(browser, rig.service.url, routeTo(ids));
    await expect
      .poll(async () => await page.locator('.so-far li').allInnerTexts())
      .toEqual(['p95 of "add to cart" < 3ms: 4 ms so far, not met', 'p95 < 30ms: 4 ms so far, met']);
    await page.getByRole('heading', { name: '1 of 2 thresholds not met so far' }).waitFor();
    await page.getByRole('button', { name: 'add to cart', exact: true }).click();
    const cursor = page
      .getByRole('figure', { name: 'Requests per second of add to cart' })
      .getByRole('slider');
    await cursor.focus();
    await page.keyboard.press('End');
    const value = async () => await cursor.getAttribute('aria-valuetext');
    await expect.poll(value).toBe('0:04: completed 4/s, failed 0/s');
    // Later entries are appended, and the cursor remains at its time.
    reportSeconds(9);
    await page.locator('.progress > span', { hasText: '0:09 of 1:00' }).waitFor();
    await expect.poll(async () => await cursor.getAttribute('aria-valuemax')).toBe('8');
    await page.keyboard.press('End');
    await expect.poll(value).toBe('0:08: completed 4/s, failed 0/s');
    await expectAccessible(page, 'run-live-url');
    expect(errors).toEqual([]);
  });

  test('the web UI compares two runs of a test, and explains why a run that has a different load is not comparable', async () => {
    const clock = createTestClock();
    const { now, ticker } = clock;
    const rig = await openTestService({ mode: 'serve', allowPrivate: ['127.0.0.1/32'], now, ticker });
    const host = await shopFor(rig);
    const first = await fakeRun(rig, host);
    rig.runner.latest().end();
    clock.advance(MINUTE);
    const second = await runAgain(rig, first.test_id);
    rig.runner.latest().end();
    clock.advance(MINUTE);
    const third = await fakeRun(rig, host, { total: 9 });
    rig.runner.latest().end();
    await waitUntil(async () => ((await recordOf(rig, third)).elapsed === null ? null : true));
    const { page, errors } = await openWebUi(browser, rig.service.url, routeTo(second));
    await page.getByRole('button', { name: 'Compare with others…' }).press('Enter');
    await page.getByText('Choose up to 4 other runs.').waitFor();
    await page.getByRole('checkbox').first().press('Space');
    await expectAccessible(page, 'compare-choose');
    await page.getByRole('button', { name: 'Compare', exact: true }).press('Enter');
    await page.getByRole('heading', { name: 'Changes since A' }).waitFor();
    await page.getByText('Worse: nothing. Better: nothing.').waitFor();
    await page.getByRole('rowheader', { name: 'requests per second' }).first().waitFor();
    await page.locator('.changes tbody tr').first().getByText('0%').first().waitFor();
    await page.getByText(/^Warning: the load generator of run A and run B is unknown: .*\.$/).waitFor();
    await page.locator('canvas').first().waitFor();
    await expectAccessible(page, 'compare');
    // A single entry is a point in the color of its line.
    expect(await page.locator('canvas').evaluateAll(whitePixelsOf)).toBe(0);
    await page.goto(
      `${rig.service.url}/#/compare/${[first, second, third].map(({ test_id: a, result_id: b }) => `${a}:${b}`).join('/')}`,
    );
    await page.getByText('C compared with A: the load differs: total 5 → 9').waitFor();
    expect(await page.locator('canvas').count()).toBe(0);
    await expectAccessible(page, 'compare-hindered');
    await page.getByRole('button', { name: 'Compare anyway' }).click();
    await page.locator('canvas').first().waitFor();
    expect(errors).toEqual([]);
  });

  test('the apps view shows the token to publish, verifies an app, and shows the reason if an app is not verified', async () => {
    const rig = await openTestService({ mode: 'serve', allowPrivate: ['127.0.0.1/32'] });
    const { page, errors } = await openWebUi(browser, rig.service.url, '#/apps');
    await page.getByText('No apps are registered').waitFor();
    await expectAccessible(page, 'apps-empty');
    const target = await openTestTarget((_, response) => {
      response.statusCode = 404;
      response.end();
    });
    const { app_id: id, verification_id: token } = (
      await rig.call('POST', '/v2/apps', { form: { app: target.host } })
    ).json;
    await page.getByText(`http://${target.host}/${token}.txt`).waitFor();
    // An IP address cannot have TXT records.
    expect(await page.getByText(`service=${id}`).count()).toBe(0);
    const namedApp = (await rig.call('POST', '/v2/apps', { form: { app: 'www.example.com' } })).json;
    await page.getByText(`service=${namedApp.app_id}`).waitFor();
    await page.getByRole('button', { name: 'Verify the file' }).first().press('Enter');
    await page.getByText(`Not verified: can't verify domain ${target.host}`).first().waitFor();
    await page.getByText('an IP address does not serve the verification file').first().waitFor();
    await expectAccessible(page, 'apps-refused');
    target.respondWith((request, response) => {
      response.statusCode = request.url === `/${token}.txt` ? 200 : 404;
      response.end(token);
    });
    await page.getByRole('button', { name: 'Verify the file' }).first().press('Enter');
    await page.locator('summary', { hasText: target.host }).getByText('✓ verified').waitFor();
    await expectAccessible(page, 'apps-verified');
    expect(errors).toEqual([]);
  });

  test('the workers view lists the workers, and a user can drain a worker with the keyboard', async () => {
    const drainedIds: string[] = [];
    const createWorker = (id: string, name: string): RegisteredWorker => ({
      ...EAST_WORKER,
      id,
      name,
      runId: null,
      state: 'ready',
    });
    const west = createWorker('f'.repeat(16), 'west-1');
    const connected: readonly RegisteredWorker[] = [
      EAST_WORKER,
      west,
      { ...createWorker('d'.repeat(16), 'north-1'), state: 'draining', runId: 'f'.repeat(32) },
      { ...createWorker('e'.repeat(16), 'south-1'), state: 'draining' },
      {
        ...createWorker('b'.repeat(16), 'lost-1'),
        state: 'lost',
        lostAt: Date.parse('2026-11-27T12:00:00Z'),
      },
      { ...createWorker('c'.repeat(16), 'old-1'), version: '0.9.0', compatible: false, connections: null },
    ];
    const rig = await openTestService({
      mode: 'serve',
      workerPool: {
        list: () => connected,
        drain: (id) => {
          drainedIds.push(id);
          return drainedIds.length > 1
            ? Promise.reject(new ProblemError(problem('LT_CLUSTER_UNREACHABLE', 'Redis did not respond')))
            : Promise.resolve();
        },
      },
    });
    const { page, errors } = await openWebUi(browser, rig.service.url, '#/workers');
    const row = (name: string) => page.getByRole('row', { name });
    expect(await row('east-1').innerText()).toContain('-12.5 ± 0.4 ms');
    expect(await row('old-1').innerText()).toMatch(/^old-1\s+! incompatible version[^]*0\.9\.0/);
    expect(await row('north-1').getByRole('button').count()).toBe(0);
    // The utilization, clock and connection of a lost worker are unknown.
    expect(await row('lost-1').innerText()).toMatch(/lost since .*UTC[^]*–\s+–\s+\S+\s+–\s*$/);
    expect(await row('lost-1').getByRole('button').count()).toBe(0);
    await page.getByText('1 of 5 connected workers free (4 threads, 28,000 connections), 1 lost.').waitFor();
    await expectAccessible(page, 'workers');
    await page.locator('h1').focus();
    // The next focusable elements are the scrollable table and its first buttons.
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
    expect(drainedIds).toEqual([]);
    await page.keyboard.press('Enter');
    await dialog.waitFor();
    await page.keyboard.press('Tab');
    await expectFocus(page, 'Drain the worker');
    await page.keyboard.press('Enter');
    await expect.poll(() => drainedIds).toEqual([west.id]);
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Drain west-1' }).press('Enter');
    await page.getByRole('button', { name: 'Drain the worker' }).press('Enter');
    await page.getByRole('alert').getByText('west-1 was not drained: Redis did not respond').waitFor();
    expect(await page.getByRole('table').getByRole('alert').count()).toBe(0);
    await expectVisible(page, 'not-drained');
    expect(errors).toEqual([]);
  });
});

/** Returns the number of opaque white pixels of charts. */
const whitePixelsOf = (charts: readonly (HTMLElement | SVGElement)[]): number =>
  charts
    .flatMap((chart) => (chart instanceof HTMLCanvasElement ? [chart] : []))
    .flatMap((canvas) => {
      const data = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height).data ?? [];
      return Array.from({ length: data.length / 4 }, (_, at) => [...data.slice(4 * at, 4 * at + 4)]);
    })
    .filter((pixel) => pixel.every((part) => part === 255)).length;

/** Progress of a run, except its time. */
const PROGRESS = {
  warmingUp: false,
  connections: 200,
  success: 1,
  error: 0,
  timeoutError: 0,
  networkError: 0,
  requestsPerSecond: 1,
  p95: 2,
  targets: [1],
} as const;

interface Ids {
  readonly test_id: string;
  readonly result_id: string;
}

function routeTo({ test_id: test, result_id: result }: Ids): string {
  return `#/runs/${test}/${result}`;
}

/**
 * Opens a service with the real engine, and a verified host that responds to one request in ten with status
 * 404.
 */
async function loadedShop(
  options: Parameters<typeof openTestService>[0] = {},
): Promise<{ readonly rig: TestService; readonly url: string }> {
  const rig = await openTestService({
    mode: 'serve',
    allowPrivate: ['127.0.0.1/32'],
    runner: createEngine({
      threadUrl: new URL('../../dist/engine/thread.js', import.meta.url),
      version: '0.0.0-test',
    }),
    ...options,
  });
  return { rig, url: await shopFor(rig) };
}

/**
 * Opens a verified host.
 * @returns Its URL.
 */
async function shopFor(rig: TestService): Promise<string> {
  let requestCount = 0;
  let token = '';
  const target = await openTestTarget((request, response) => {
    const isFile = request.url === `/${token}.txt`;
    const isProbe = request.url?.startsWith('/service-') === true;
    response.statusCode = isFile ? 200 : isProbe || requestCount++ % 10 === 0 ? 404 : 200;
    // Responses are delayed to limit the load, because the browser runs on the same machine.
    setTimeout(() => response.end(isFile ? token : 'hello'), isFile || isProbe ? 0 : 60);
  });
  const app = (await rig.call('POST', '/v2/apps', { form: { app: target.host } })).json;
  token = app.verification_id;
  const { status, text } = await rig.call('POST', `/v2/apps/${app.app_id}/verify`, {
    form: { method: 'http' },
  });
  expect(status, text).toBe(200);
  return target.url;
}

/** Chooses a URL in the table, which limits the charts to it, and sorts the table. */
async function expectUrlCharts(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'p95', exact: true }).last().click();
  await page
    .getByRole('columnheader', { name: 'p95', exact: true })
    .and(page.locator('[aria-sort=descending]'))
    .waitFor();
  await page.getByRole('button', { name: 'GET /cart', exact: true }).click();
  const chart = page.getByRole('figure', { name: 'Requests per second of GET /cart' });
  await chart.locator('canvas').waitFor();
  await page.reload();
  await chart.locator('canvas').waitFor();
  await page.waitForURL(/\?sort=-p95&url=GET/);
  await expectAccessible(page, 'run-url');
  await page.getByRole('button', { name: 'Show all URLs' }).click();
  await chart.waitFor({ state: 'detached' });
}

/** Starts a run with the real engine. */
async function startRealRun(
  rig: TestService,
  url: string,
  changes: Readonly<Record<string, unknown>>,
): Promise<Ids> {
  return await createTest(
    rig,
    smallTestFields(`${url}/`, { test_type: 'cycling', initial: 3, total: 3, ...changes }),
  );
}

/** Starts a run without load. */
async function fakeRun(
  rig: TestService,
  url: string,
  changes: Readonly<Record<string, unknown>> = {},
  paths: readonly string[] = ['/'],
): Promise<Ids> {
  return await createTest(
    rig,
    smallTestFields(`${url}/`, { urls: paths.map((path) => ({ url: url + path })), ...changes }),
  );
}

async function createTest(rig: TestService, json: Readonly<Record<string, unknown>>): Promise<Ids> {
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

/** More URLs than this service allows. Third-party services may allow them. */
const URL_COUNT = 1000;

function withManyUrls(report: RunReport, count: number): RunReport {
  const [target] = report.targets;
  if (target === undefined) throw new Error('a report without a URL');
  return {
    ...report,
    targets: Array.from({ length: count }, (_, index) => ({ ...target, url: `${target.url}page/${index}` })),
  };
}

function withTimeline(report: RunReport, seconds: number): RunReport {
  const [entry] = report.timeline;
  if (entry === undefined) throw new Error('a report without a timeline');
  const span = 8;
  return {
    ...report,
    timeline: Array.from({ length: Math.ceil(seconds / span) }, (_, index) => ({
      ...entry,
      second: index * span,
      span,
      started: 800 + (index % 7) * 20,
      success: 800 + (index % 7) * 20,
      connections: 200,
      p50: 3 + (index % 5),
      p95: 20,
      p99: 40 + (index % 9),
    })),
  };
}

function clock(seconds: number): string {
  return seconds === 3600 ? '1:00:00' : `59:${String(seconds - 3540).padStart(2, '0')}`;
}

/** Checks that a selection in one chart zooms in all charts over time, and is part of the address. */
async function expectZoom(page: Page): Promise<void> {
  const charts = ['Requests per second', 'Response time'].map((name) =>
    page.getByRole('figure', { name, exact: true }),
  );
  const [first] = charts;
  const plot = first?.locator('.u-over');
  // After a change of the selected URL, the drawing is replaced in the next frame.
  const box = await waitUntil(async () => {
    await plot?.evaluate((element) => element.scrollIntoView({ block: 'center' }));
    return (await plot?.boundingBox()) ?? null;
  });
  await page.mouse.move(box.x + box.width / 4, box.y + 50);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2, box.y + 60, { steps: 4 });
  await page.mouse.up();
  const resets = charts.map((chart) => chart.getByRole('button', { name: 'Reset zoom' }));
  for (const reset of resets) await reset.waitFor();
  await page.waitForURL(/[?&]zoom=\d+\.\d-\d+\.\d$/);
  await page.reload();
  for (const reset of resets) await reset.waitFor();
  await resets[1]?.click();
  for (const reset of resets) await reset.waitFor({ state: 'hidden' });
  await page.waitForURL((url) => !url.href.includes('zoom'));
  const slider = first?.getByRole('slider');
  await slider?.focus();
  await slider?.press('+');
  for (const reset of resets) await reset.waitFor();
  await slider?.press('-');
  for (const reset of resets) await reset.waitFor({ state: 'hidden' });
}

/** Checks that the legend has the colors of the lines with forced colors, and that the current view is marked. */
async function expectDistinctForcedColors(page: Page): Promise<void> {
  await page.emulateMedia({ forcedColors: 'active' });
  const legend = page.getByRole('figure', { name: 'Response time', exact: true }).locator('.swatch');
  const colors = await legend.evaluateAll((swatches) =>
    swatches.map((swatch) => getComputedStyle(swatch).borderTopColor),
  );
  expect(colors).toHaveLength(3);
  expect(new Set(colors).size).toBe(3);
  const borders = await page
    .locator('.bar nav a')
    .evaluateAll((links) =>
      links.map((link) => [link.textContent, getComputedStyle(link).borderBottomColor] as const),
    );
  // The view of a run belongs to the tests.
  const [marked] = borders.filter(([name]) => name === 'Tests');
  const others = borders.filter((border) => border !== marked);
  expect(new Set(others.map(([, color]) => color)).size).toBe(1);
  expect(others.map(([, color]) => color)).not.toContain(marked?.[1]);
  await page.getByRole('link', { name: 'Overview', exact: true }).click();
  const current = page.getByRole('link', { name: 'Overview', exact: true });
  await current.and(page.locator('[aria-current]')).waitFor();
  expect(await current.evaluate((link) => getComputedStyle(link).borderBottomColor)).not.toBe(others[0]?.[1]);
  await page.emulateMedia({ forcedColors: 'none' });
}

async function recordOf(rig: TestService, { test_id: test, result_id: result }: Ids): Promise<RunRecord> {
  const { text } = await rig.call('GET', `/v2/tests/${test}/results/${result}`);
  return readRunRecord(JSON.parse(text));
}

/** Returns the number of timeline entries that the service has of a run. */
async function entryCountOf(rig: TestService, { test_id: test, result_id: result }: Ids): Promise<number> {
  const { text } = await rig.call('GET', `/v2/tests/${test}/results/${result}/progress`);
  return (JSON.parse(text) as { readonly timeline: readonly unknown[] }).timeline.length; // as in its schema
}

/** Returns the rows of the table of seconds: time, offered, completed, failed, connections. */
async function secondsOf(page: Page): Promise<readonly string[][]> {
  const table = page.locator('#run-seconds');
  if ((await table.getAttribute('open')) === null) await table.locator('summary').click();
  await table.locator('tbody').waitFor();
  const rows = await table.locator('tbody tr').allInnerTexts();
  return rows.map((row) => row.split('\t').slice(0, 5));
}

function expectedSeconds(record: RunRecord): readonly string[][] {
  return timelineOf(record).map(({ second, started: offered, completed, failed, connections }) => [
    minutesText(second),
    ...[offered, completed, failed, connections ?? 0].map(withCommas),
  ]);
}

function minutesText(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

async function tile(page: Page, name: string): Promise<string> {
  const metricTile: Locator = page
    .locator('.tiles > div')
    .filter({ has: page.locator('dt', { hasText: new RegExp(`^${name}$`) }) });
  return await metricTile.locator('dd').innerText();
}

async function heading(page: Page, verdict: string): Promise<void> {
  await page.locator('section.run h2', { hasText: verdict }).waitFor();
}
