import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { groupSampleOf, mergeSamples } from '../../../../src/core/compare/merged-sample.ts';
import { evaluateRun } from '../../../../src/core/compare/run-evaluation.ts';
import { Histogram } from '../../../../src/core/load/histogram.ts';
import { latencySummary } from '../../../../src/core/load/run-summary.ts';
import { parseThreshold } from '../../../../src/core/model/threshold.ts';
import { groupRows } from '../../../../src/core/report/result-text.ts';
import type { UrlRecord } from '../../../../src/core/run-record/run-record.ts';
import { thresholdsOf } from '../../../support/declared-state.ts';
import { createResult, createUrl } from '../../../support/past-run.ts';

/** A URL whose requests took these times in ms, of which `delay` may be delay of the load generator. */
function urlOf(times: readonly number[], { failed = 0, delay = 0 } = {}): UrlRecord {
  const [measured, minimum] = [Histogram.createTotal(), Histogram.createTotal()];
  for (const ms of times) {
    measured.record(1000 * ms);
    minimum.record(1000 * Math.max(0, ms - delay));
  }
  const [stored, low, summary] = [measured.toStored(), minimum.toStored(), latencySummary(measured)];
  const lows = latencySummary(minimum);
  const count = times.length;
  const rate = (100 * failed) / count;
  return createUrl({
    metrics: {
      requests: count,
      success: count - failed,
      error: failed,
      timeout_error: 0,
      network_error: 0,
      requests_per_second: count / 10,
      data_received: 100 * count,
      error_rate: rate,
      success_rate: 100 - rate,
      http_error_rate: rate / 2,
      p50: summary?.p50 ?? 0,
      p95: summary?.p95 ?? 0,
      max: summary?.max ?? 0,
    },
    bounds: {
      requests: { low: count, high: count + 2 },
      error_rate: { low: rate / 2, high: rate },
      http_error_rate: { low: rate / 4, high: rate / 2 },
      p95: { low: lows?.p95 ?? 0, high: summary?.p95 ?? 0 },
      max: { low: lows?.max ?? 0, high: summary?.max ?? 0 },
      avg_response_time: { low: lows?.mean ?? 0, high: summary?.mean ?? 0 },
    },
    // Half of the failed responses have an expected status.
    statusCodes: { 200: count - failed / 2, 404: failed / 2 },
    times: stored && { measured: stored, minimum: low },
  });
}

const timesOf = (count: number, ms: number): number[] => Array<number>(count).fill(ms);

describe('merged samples', () => {
  test('the metrics of a group equal the metrics of one URL that has all requests of the group', () => {
    const times = fc.array(fc.integer({ min: 1, max: 5000 }), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(
        fc.array(times, { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 0, max: 50 }),
        (urls, delay) => {
          const merged = mergeSamples(urls.map((one) => urlOf(one, { delay })));
          const single = urlOf(urls.flat(), { delay });
          expect(merged.times).toEqual(single.times);
          for (const metric of [
            'requests',
            'success',
            'p50',
            'p95',
            'max',
            'data_received',
            'error_rate',
            'http_error_rate',
          ] as const)
            expect(merged.metrics[metric]).toBeCloseTo(single.metrics[metric] ?? Number.NaN, 6);
          for (const end of ['low', 'high'] as const)
            expect(merged.bounds?.p95?.[end]).toBeCloseTo(single.bounds?.p95?.[end] ?? 0, 2);
          for (const end of ['low', 'high'] as const)
            expect(merged.bounds?.max?.[end]).toBeCloseTo(single.bounds?.max?.[end] ?? 0, 2);
          expect(merged.bounds?.avg_response_time?.low).toBeCloseTo(
            single.bounds?.avg_response_time?.low ?? 0,
            1,
          );
        },
      ),
    );
  });

  test('in a group of URLs, counts are added, and error rates are weighted by the number of requests', () => {
    const merged = mergeSamples([urlOf(timesOf(90, 10)), urlOf(timesOf(10, 20), { failed: 5 })]);
    expect(merged.metrics).toMatchObject({
      ...{ requests: 100, error: 5, error_rate: 5, http_error_rate: 2.5 },
      requests_per_second: 10,
    });
    expect(merged.bounds).toMatchObject({
      requests: { low: 100, high: 104 },
      error_rate: { low: 2.5, high: 5 },
      http_error_rate: { low: 1.25, high: 2.5 },
    });
  });

  test('the sample of a group contains all metrics and bounds of its URLs', () => {
    const [fast, slow] = [
      { ...urlOf(timesOf(90, 10)), omitted: 50 },
      urlOf(timesOf(10, 2000), { failed: 5, delay: 1000 }),
    ];
    const { metrics, bounds, times } = mergeSamples([fast, slow]);
    const merged = times && Histogram.fromStored(times.measured);
    const single = merged && latencySummary(merged);
    expect(metrics).toEqual({
      ...{ requests: 100, success: 95, error: 5, timeout_error: 0, network_error: 0 },
      ...{ requests_per_second: 10, data_received: 10_000 },
      ...{
        error_rate: (100 * 55) / 150,
        success_rate: (100 * 95) / 150,
        http_error_rate: 35,
      },
      ...{ avg_response_time: 209, min: single?.min, max: single?.max, p50: single?.p50, p75: single?.p75 },
      ...{ p90: single?.p90, p95: single?.p95, p99: single?.p99, 'p99.9': single?.['p99.9'] },
    });
    const between = (low: number, high: number) => ({
      low: expect.closeTo(low, 9) as number,
      high: expect.closeTo(high, 9) as number,
    });
    expect(bounds).toEqual({
      requests: between(100, 104),
      error_rate: between(25 / 15, 50 / 15),
      http_error_rate: between(12.5 / 15, 25 / 15),
      ...{ avg_response_time: between(109, 209), p95: between(1000, 2000), max: between(1000, 2000) },
    });
  });

  test('a URL without requests does not change the metrics of its group', () => {
    const idle = createUrl({
      metrics: { requests: 0, success: 0, error: 0, timeout_error: 0, network_error: 0 },
    });
    const merged = mergeSamples([urlOf(timesOf(10, 10)), { ...idle, bounds: {}, times: null }]);
    expect(merged.metrics).toMatchObject({ requests: 10, p95: 10 });
    expect(merged.bounds?.p95).toMatchObject({ high: 10 });
  });

  test('if a URL has no bounds and no histograms, its group has no bounds, no histograms and no p95', () => {
    const merged = mergeSamples([urlOf([10]), { ...urlOf([20]), bounds: null, times: null }]);
    expect(merged).toMatchObject({ bounds: null, times: null, metrics: { requests: 2 } });
    expect(merged.metrics.p95).toBeUndefined();
  });

  test('the bounds of a group of URLs are sums for counts, weighted means for rates, and extremes for min and max', () => {
    const between = (low: number, high: number | null) => ({ low, high });
    const [times] = [urlOf([20]).times];
    const [many, few] = [
      createUrl({
        ...{ times, omitted: 30, metrics: { requests: 10, success: 10, p50: 20 } },
        bounds: {
          ...{ requests: between(10, null), success: between(1, 5), error_rate: between(100, null) },
          ...{ min: between(3, 4), max: between(8, null), success_rate: between(1, 1) },
        },
      }),
      createUrl({
        ...{ times, metrics: { requests: 60, success: 60, p50: 20 } },
        bounds: {
          ...{ requests: between(60, 70), success: between(2, 7), error_rate: between(0, 10) },
          ...{ min: between(5, 6), max: between(2, 9), p95: between(1, 2) },
        },
      }),
    ];
    expect(mergeSamples([many, few]).bounds).toEqual({
      requests: between(70, null),
      success: between(3, 12),
      error_rate: between(40, 46),
      min: between(3, 4),
      max: between(8, 9),
    });
    const idle = { ...many, omitted: 0, metrics: { requests: 0, p50: 20 } };
    expect(mergeSamples([idle]).bounds).toMatchObject({ error_rate: between(0, 0) });
  });
});

describe('thresholds on groups of URLs', () => {
  const urls = [urlOf(timesOf(900, 10)), urlOf(timesOf(500, 2000)), urlOf(timesOf(100, 400), { failed: 10 })];
  const evaluate = (
    metric: 'p95' | 'error_rate' | 'http_error_rate' | 'within_100ms',
    limit: string,
    members: readonly number[],
  ) => {
    const threshold = parseThreshold(metric, limit, null);
    if (threshold === null) throw new Error('no threshold');
    const group = { label: 'read', urls: members };
    return evaluateRun(
      thresholdsOf([{ ...threshold, group }]),
      createResult({ metrics: { requests: 1500 }, urls }),
    );
  };

  test.each([
    ['p95', '< 500ms', [0, 2], 'pass'],
    ['p95', '< 300ms', [0, 2], 'fail'],
    ['p95', '< 500ms', [0, 1], 'fail'],
    ['error_rate', '<= 1%', [0, 2], 'pass'],
    ['error_rate', '< 1%', [2], 'fail'],
    ['http_error_rate', '<= 0.5%', [0, 2], 'pass'],
    ['http_error_rate', '< 2%', [2], 'fail'],
    ['within_100ms', '>= 90%', [0, 2], 'pass'],
    ['within_100ms', '> 90%', [0, 2], 'fail'],
  ] as const)(
    'the threshold %s %s on a group with the URL indexes %j is evaluated as %s',
    (metric, limit, members, verdict) => {
      const evaluated = evaluate(metric, limit, members);
      expect(evaluated.verdict).toBe(verdict);
      expect(evaluated.thresholds[0]).toMatchObject({ metric, group: 'read', verdict });
    },
  );

  test('a threshold on a group is inconclusive if the result lacks one of the URLs in the group', () => {
    expect(evaluate('p95', '< 1s', [0, 7])).toMatchObject({
      verdict: 'inconclusive',
      reason: 'the result has no p95 of the group "read"',
    });
    expect(groupSampleOf({ urls: null }, { urls: [0] })).toBeNull();
    expect(groupSampleOf({ urls }, { urls: [] })).toBeNull();
  });

  test('groupRows returns one row for each group, even for a group without metrics', () => {
    const { record } = createResult({ metrics: { requests: 1500 }, urls });
    const metrics = groupSampleOf(record, { urls: [0, 2] })?.metrics ?? null;
    expect(
      groupRows(record, [
        { name: 'read', metrics },
        { name: 'other', metrics: null },
      ]),
    ).toEqual([
      ['read', '1,000', '10', '10 ms', '400 ms', '400 ms'],
      ['other', '-', '0', '-', '-', '-'],
    ]);
  });
});
