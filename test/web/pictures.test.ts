/** Screenshots of states that no other test of the web UI shows. They are taken only on request. */
import type { Browser, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { Histogram } from '../../src/core/load/histogram.ts';
import type { RunReport, TimelineSecond } from '../../src/core/load/run-report.ts';
import { latencySummary } from '../../src/core/load/run-summary.ts';
import { milliseconds } from '../../src/core/units.ts';
import { SKIP_WITHOUT_CHROMIUM, withChromium } from '../support/chromium.ts';
import { createFakeReport, createFakeRunner } from '../support/fake-runner.ts';
import { publishVerdict, type PublishedThreshold } from '../support/published-verdict.ts';
import { openShop } from '../support/shop.ts';
import { smallTestFields, waitUntil } from '../support/test-service.ts';
import { expectAccessible, openWebUi } from '../support/web-ui.ts';

let browser: Browser;

const IS_SKIPPED = SKIP_WITHOUT_CHROMIUM !== null || process.env['PAGE_PICTURES'] === undefined;

describe.skipIf(IS_SKIPPED)('screenshots of the web UI', () => {
  withChromium((opened) => {
    browser = opened;
  });

  test('the web UI is accessible for runs with an outage, a warm-up, a lost worker, and each of three verdicts', async () => {
    let change = (report: RunReport): RunReport => report;
    const fake = createFakeRunner({ report: (report) => change(report) });
    const { service, target } = await openShop({ fake });
    const urls = ['/', '/cart'].map((path) => ({ url: target.url + path }));
    const fields = smallTestFields(target.url, {
      ...{ name: 'Ramp', test_type: 'cycling', initial: 2, duration: 16, total: 30 },
      ...{
        warmup: 2,
        urls,
        stages: [5, 5, 6].map((length, index) => ({ for: length, to: 10 * index + 10 })),
      },
    });
    const created = await service.call('POST', '/v2/tests', { json: fields });
    expect(created.status, created.text).toBe(200);
    const { test_id: id, result_id: first } = created.json;
    const startAgain = async () => (await service.call('PUT', `/v2/tests/${id}/run`)).json.result_id;
    const { page, errors } = await openWebUi(browser, service.service.url, `#/runs/${id}/${first}`);
    const show = async (state: string, route: string, text: string): Promise<void> => {
      await go(page, route);
      await page.getByText(text).first().waitFor();
      await expectAccessible(page, state);
    };
    const finish = async (
      state: string,
      result: string,
      { verdict, thresholds, reason }: Published,
      text: string,
    ): Promise<void> => {
      service.runner.latest().end(reason === undefined ? undefined : 'partial');
      const path = `/v2/tests/${id}/results/${result}`;
      await waitUntil(async () => ((await service.call('GET', path)).json.status === 'ready' ? true : null));
      await publishVerdict(service, { test_id: id, result_id: result }, verdict, thresholds, reason);
      await show(state, `#/runs/${id}/${result}`, text);
    };
    const threshold = { metric: 'p90', limit: '< 100ms' } as const;
    const passed = { metric: 'success', limit: '> 9000' } as const;
    const undecided = {
      ...({ metric: 'p99', limit: '< 20ms' } as const),
      bounds: { low: 18, high: 30 },
      reason: 'between 18 and 30 ms: the load generator stalled for up to 40 ms',
    };

    const run = service.runner.latest();
    await service.call('PUT', `/v2/tests/${id}/results/${first}/verdict`, {
      json: {
        verdict: 'none',
        in_progress: true,
        thresholds: [{ ...threshold, value: null, verdict: 'inconclusive' }],
      },
    });
    const reportSeconds = (seconds: number): void => {
      run.count(withOutage(createFakeReport(run.job, null), seconds));
      run.reportProgress({
        ...PROGRESS,
        elapsed: milliseconds(1000 * seconds),
        connections: connectionsAt(seconds - 1),
        warmingUp: seconds < 2,
      });
    };
    reportSeconds(1);
    await page.getByText('0:01 of 0:16').waitFor();
    await page.getByText('The measurement starts at 0:02.').waitFor();
    await expectAccessible(page, 'run-warmup');
    reportSeconds(12);
    await page.getByText('0:12 of 0:16').waitFor();
    await expectAccessible(page, 'run-outage-live');
    change = withOutage;
    await finish('run-outage', first, { verdict: 'fail', thresholds: [threshold, passed] }, 'no responses');

    change = (report) => withTimeline(report, timelineOf(16).map(withoutOutage));
    const second = await startAgain();
    await finish('run-passed', second, { verdict: 'pass', thresholds: [passed] }, 'Passed');
    const third = await startAgain();
    await finish(
      'run-inconclusive',
      third,
      { verdict: 'inconclusive', thresholds: [undecided] },
      'For a verdict, reduce the load',
    );
    change = (report) => ({
      ...withTimeline(report, timelineOf(16).map(withoutOutage)),
      workers: ['east', 'west'].map((name) => ({
        ...{ name, threads: 2, started: 3, finished: 3, lagP99: 1, startSkew: 1, clockUncertainty: 1 },
        lossReason: name === 'west' ? 'the worker stopped responding' : null,
      })),
    });
    const fourth = await startAgain();
    const reason = 'worker west was lost: the worker stopped responding';
    await finish('run-lost-worker', fourth, { verdict: 'inconclusive', reason, thresholds: [] }, reason);

    await show('test-verdicts', `#/tests/${id}`, 'Versions');
    await show('compare-changes', `#/compare/${id}:${second}/${id}:${first}`, 'Changes since A');
    const scheduled = await service.call('POST', '/v2/tests', {
      json: { ...fields, name: 'Nightly', scheduled_at: '2026-12-24T01:00:00Z' },
    });
    await show('test-scheduled', `#/tests/${scheduled.json.test_id}`, 'Nightly');
    await page.getByRole('button', { name: 'Cancel scheduled run' }).click();
    await page.getByRole('dialog', { name: /^Cancel the scheduled run of Nightly/ }).waitFor();
    await page.getByText(/The run at .*2026-12-24 .* will not start/).waitFor();
    await expectAccessible(page, 'test-cancel');
    await page.keyboard.press('Escape');
    await show('overview-verdicts', '#/', 'Needs attention');
    await show('tests-no-match', '#/tests?search=nothing', 'No test matches');

    await page.route('**/v2/**', () => undefined);
    await show('overview-loading', '#/', 'Loading…');
    await page.unroute('**/v2/**');
    await page.context().setOffline(true);
    await show('workers-gone', '#/workers', 'Connection to the service lost');
    expect(errors).toEqual([]);
  });
});

interface Published {
  readonly verdict: string;
  readonly thresholds: readonly PublishedThreshold[];
  /** Reason of a run that lost a worker. */
  readonly reason?: string;
}

const PROGRESS = {
  ...{ success: 1, error: 0, timeoutError: 21, networkError: 0 },
  ...{ requestsPerSecond: 900, p95: 28, targets: [1, 1] },
} as const;

function connectionsAt(second: number): number {
  return Math.min(30, 2 + 3 * second);
}

/** Returns the timeline of a run with a warm-up of two seconds and no responses from second 7 to 9. */
function timelineOf(seconds: number): readonly TimelineSecond[] {
  return Array.from({ length: seconds }, (_, second) => {
    const isOutage = second === 7 || second === 8;
    const started = isOutage ? 0 : 100 * Math.min(10, second + 1);
    return {
      ...{ second, span: 1, warmup: second < 2, started, success: started, error: 0, networkError: 0 },
      ...{ timeoutError: isOutage ? 15 : 0, connections: connectionsAt(second) },
      ...{ bytesSent: 300, bytesReceived: 600 },
      ...(isOutage ? { p50: null, p95: 2000, p99: 2800 } : { p50: 18, p95: 27, p99: 28 + (second % 3) * 9 }),
    };
  });
}

function withoutOutage(entry: TimelineSecond): TimelineSecond {
  const started = 100 * Math.min(10, entry.second + 1);
  return { ...entry, started, success: started, timeoutError: 0, p50: 18, p95: 27, p99: 30 };
}

function withOutage(report: RunReport, seconds = 16): RunReport {
  const timeline = timelineOf(seconds);
  if (seconds < 10) return withTimeline(report, timeline);
  return {
    ...withTimeline(report, timeline, 2400),
    outage: { spans: 1, seconds: 2.4, periods: [{ from: 6.8, to: 9.2 }] },
  };
}

/** Returns a report whose totals are those of a timeline. Each of its two URLs has half of the requests. */
function withTimeline(report: RunReport, timeline: RunReport['timeline'], omitted = 0): RunReport {
  const { ledger } = report.total;
  const ledgerOf = (success: number, timeouts: number) => ({
    ...ledger,
    ...{ planned: success + timeouts, started: success + timeouts, success, httpError: {} },
    timeout: { connect: 0, tls: 0, response: timeouts },
  });
  const metricsOf = (share: number, missed: number): RunReport['total'] => {
    const histogram = Histogram.createTotal();
    const entries = timeline.filter(({ warmup }) => !warmup);
    const sum = (key: 'success' | 'timeoutError') =>
      entries.reduce((all, entry) => all + entry[key] * share, 0);
    for (const { success, timeoutError, p50, p95, p99 } of entries) {
      for (const [part, time] of [
        [0.6, p50],
        [0.36, p95],
        [0.04, p99],
      ] as const)
        if (time !== null) histogram.recordMany(success * share * part, time * 1000);
      histogram.recordMany(timeoutError * share, 2_800_000);
    }
    histogram.recordEvenly(missed, 2_400_000, 0);
    const [latency, latencyHistogram] = [latencySummary(histogram), histogram.toStored()];
    return {
      ...report.total,
      ledger: ledgerOf(sum('success'), sum('timeoutError')),
      ...{ statusCodes: { '200': sum('success') }, omitted, latency, latencyHistogram },
      ...{ serviceTime: latency, serviceTimeHistogram: latencyHistogram },
    };
  };
  const total = metricsOf(1, omitted);
  const warmedUp = timeline.reduce((sum, { warmup, success }) => sum + (warmup ? success : 0), 0);
  return {
    ...report,
    total,
    targets: report.targets.map((target) => ({ ...target, ...metricsOf(0.5, 0), omitted: 0 })),
    requestsPerSecond: total.ledger.started / Math.max(1, timeline.length - 2),
    warmup: { seconds: 2, complete: timeline.length > 2, ledger: ledgerOf(warmedUp, 0) },
    delivery: { model: 'closed', heldShare: 1 },
    errorSamples: [],
    timeline,
  };
}

async function go(page: Page, route: string): Promise<void> {
  await page.evaluate((fragment) => {
    location.hash = fragment;
  }, route);
}
