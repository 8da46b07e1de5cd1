/** Thresholds that end a run: only a proven failure ends it. */
import { describe, expect, test } from 'vitest';
import { findFailedRule } from '../../../../src/core/compare/abort-evaluation.ts';
import { evaluateRun } from '../../../../src/core/compare/run-evaluation.ts';
import { Histogram } from '../../../../src/core/load/histogram.ts';
import type { AbortRule } from '../../../../src/core/model/abort-rule.ts';
import type { Metric } from '../../../../src/core/model/threshold.ts';
import { seconds } from '../../../../src/core/units.ts';
import { Random } from '../../../../src/core/random.ts';
import type { Sample } from '../../../../src/core/model/sample.ts';
import type { IterationRecord } from '../../../../src/core/run-record/run-record.ts';
import { thresholdsOf } from '../../../support/declared-state.ts';
import { createResult, createUrl } from '../../../support/past-run.ts';
import { scaleCount } from '../../../support/test-scale.ts';

type SampleChanges = Pick<Sample, 'metrics' | 'bounds'> & Partial<Pick<Sample, 'times'>>;

const TARGETS = [
  { url: 'http://shop.example/', method: null },
  { url: 'http://shop.example/cart', method: 'POST' },
];

function find(
  rule: Partial<AbortRule>,
  changes: Parameters<typeof createResult>[0],
  { at = 40, warmup = null }: { at?: number; warmup?: number | null } = {},
) {
  const abortRules: AbortRule[] = [{ metric: 'p95', limit: '< 100ms', after: seconds(30), ...rule }];
  const spec = {
    abortRules,
    targets: TARGETS,
    flows: null,
    warmup: warmup === null ? null : seconds(warmup),
  } as unknown as Parameters<typeof findFailedRule>[0]; // the rules use only these members of the requests
  return findFailedRule(spec, createResult(changes).record, at * 1000);
}

/** Requests of 10 ms and slow ones of 1 s, of which the load generator may have added some time. */
function timesOf(count: number, slow: number, generatorMs = 0): SampleChanges {
  const [measured, minimum] = [Histogram.createTotal(), Histogram.createTotal()];
  for (const [requests, ms] of [
    [count - slow, 10],
    [slow, 1000],
  ] as const) {
    if (requests === 0) continue;
    measured.recordMany(requests, 1000 * ms);
    minimum.recordMany(requests, 1000 * Math.max(0, ms - generatorMs));
  }
  const [stored, lower] = [measured.toStored(), minimum.toStored()];
  const ofRun = (times: Histogram) => ({
    p95: (times.quantile(0.95) ?? 0) / 1000,
    avg_response_time: times.sum / times.count / 1000,
    max: times.max / 1000,
  });
  const [high, low] = [ofRun(measured), ofRun(minimum)];
  return {
    metrics: { requests: count, ...high },
    bounds: {
      p95: { low: low.p95, high: high.p95 },
      avg_response_time: { low: low.avg_response_time, high: high.avg_response_time },
      max: { low: low.max, high: high.max },
    },
    times: stored && { measured: stored, minimum: lower },
  };
}

function errorsOf(requests: number, failed: number, uncertain = 0): SampleChanges {
  const rate = (100 * failed) / requests;
  const low = (100 * (failed - uncertain)) / requests;
  return {
    metrics: {
      ...{ requests, error: failed },
      ...{ error_rate: rate, success_rate: 100 - rate, http_error_rate: rate },
    },
    bounds: {
      error: { low: failed - uncertain, high: failed },
      error_rate: { low, high: rate },
      success_rate: { low: 100 - rate, high: 100 - low },
      http_error_rate: { low, high: rate },
    },
  };
}

function withoutMinimum({ metrics, times = null }: SampleChanges): SampleChanges {
  return { metrics, bounds: null, times: times && { ...times, minimum: null } };
}

/** Converts response times to durations of iterations. */
function iterationsOf({ metrics, times = null }: SampleChanges): Parameters<typeof createResult>[0] {
  const mean = metrics.avg_response_time ?? 0;
  return {
    metrics: { iteration_mean: mean },
    bounds: { iteration_mean: { low: mean, high: mean } },
    iterations: { times, areRequests: false } as IterationRecord,
  };
}

function rateOf(requestsPerSecond: number): SampleChanges {
  return {
    metrics: { requests: 40 * requestsPerSecond, requests_per_second: requestsPerSecond },
    bounds: { requests_per_second: { low: requestsPerSecond, high: requestsPerSecond } },
  };
}

describe('a threshold that ends a run', () => {
  test.each<['ends' | 'does not end', string, Partial<AbortRule>, Parameters<typeof createResult>[0]]>([
    ['ends', 'a percentile far above its limit', {}, timesOf(1000, 200)],
    ['does not end', 'a percentile that meets its limit', {}, timesOf(1000, 40)],
    ['does not end', 'a percentile just above its limit, which chance can explain', {}, timesOf(1000, 55)],
    ['ends', 'few responses, all of them slow', {}, timesOf(10, 10)],
    ['does not end', 'three slow responses', {}, timesOf(3, 3)],
    [
      'does not end',
      'slow responses that a stall of the load generator explains',
      {},
      timesOf(1000, 200, 950),
    ],
    [
      'ends',
      'a share of fast responses below its limit',
      { metric: 'within_100ms', limit: '>= 95%' },
      timesOf(1000, 200),
    ],
    ['ends', 'an error rate above its limit', { metric: 'error_rate', limit: '< 5%' }, errorsOf(1000, 100)],
    [
      'does not end',
      'an error rate above its limit in 10 requests',
      { metric: 'error_rate', limit: '< 5%' },
      errorsOf(10, 2),
    ],
    ['ends', 'one error and a limit of 0%', { metric: 'error_rate', limit: '<= 0%' }, errorsOf(10_000, 1)],
    [
      'does not end',
      'an error rate whose lower bound is just above its limit',
      { metric: 'error_rate', limit: '< 5%' },
      errorsOf(1000, 100, 45),
    ],
    [
      'ends',
      'an error rate without bounds',
      { metric: 'error_rate', limit: '< 5%' },
      { ...errorsOf(1000, 100), bounds: null },
    ],
    [
      'does not end',
      'a success rate whose upper bound is just below its limit',
      { metric: 'success_rate', limit: '> 95%' },
      errorsOf(1000, 100, 45),
    ],
    [
      'does not end',
      'failures during a stall',
      { metric: 'error_rate', limit: '< 5%' },
      errorsOf(1000, 100, 100),
    ],
    [
      'ends',
      'a rate of HTTP errors above its limit',
      { metric: 'http_error_rate', limit: '< 5%' },
      errorsOf(1000, 100),
    ],
    [
      'does not end',
      'a rate of HTTP errors above its limit in 10 requests',
      { metric: 'http_error_rate', limit: '< 5%' },
      errorsOf(10, 2),
    ],
    [
      'ends',
      'a success rate far below its limit',
      { metric: 'success_rate', limit: '> 95%' },
      errorsOf(1000, 100),
    ],
    [
      'does not end',
      'a success rate just below its limit',
      { metric: 'success_rate', limit: '> 95%' },
      errorsOf(1000, 52),
    ],
    ['ends', 'an error count above its limit', { metric: 'error', limit: '<= 5' }, errorsOf(1000, 6)],
    [
      'does not end',
      'an error count that a stall explains',
      { metric: 'error', limit: '<= 5' },
      errorsOf(1000, 6, 1),
    ],
    [
      'ends',
      'a mean far above its limit',
      { metric: 'avg_response_time', limit: '< 100ms' },
      timesOf(1000, 300),
    ],
    [
      'does not end',
      'a mean just above its limit',
      { metric: 'avg_response_time', limit: '< 100ms' },
      timesOf(1000, 95),
    ],
    [
      'does not end',
      'a mean far above its limit in 50 responses',
      { metric: 'avg_response_time', limit: '< 100ms' },
      timesOf(50, 50),
    ],
    [
      'ends',
      'a mean far above its limit in 100 responses',
      { metric: 'avg_response_time', limit: '<= 100ms' },
      timesOf(100, 100),
    ],
    [
      'ends',
      'a mean far below its lower limit',
      { metric: 'avg_response_time', limit: '> 100ms' },
      timesOf(1000, 0),
    ],
    [
      'does not end',
      'a mean that is just above its limit without the delays of the load generator',
      { metric: 'avg_response_time', limit: '< 100ms' },
      timesOf(1000, 300, 650),
    ],
    [
      'ends',
      'a mean far above its limit in a record without lower bounds',
      { metric: 'avg_response_time', limit: '< 100ms' },
      withoutMinimum(timesOf(1000, 300)),
    ],
    [
      'does not end',
      'a mean above its limit without a histogram',
      { metric: 'avg_response_time', limit: '< 100ms' },
      { ...timesOf(1000, 300), times: null },
    ],
    ['ends', 'a percentile far above an inclusive limit', { limit: '<= 100ms' }, timesOf(1000, 200)],
    [
      'does not end',
      'a percentile above its limit and an unknown number of responses',
      {},
      { metrics: { p95: 1000 }, bounds: { p95: { low: 1000, high: 1000 } } },
    ],
    ['does not end', 'an unknown metric', { metric: 'speed' as Metric }, timesOf(1000, 200)],
    [
      'ends',
      'a mean duration of iterations far above its limit',
      { metric: 'iteration_mean', limit: '< 100ms' },
      iterationsOf(timesOf(1000, 300)),
    ],
    [
      'does not end',
      'a mean duration of iterations just above its limit',
      { metric: 'iteration_mean', limit: '< 100ms' },
      iterationsOf(timesOf(1000, 95)),
    ],
    [
      'does not end',
      'a request rate below its lower limit, because the rate can still increase',
      { metric: 'requests_per_second', limit: '>= 50' },
      rateOf(49),
    ],
    [
      'does not end',
      'a request rate above its upper limit, because the rate can still decrease',
      { metric: 'requests_per_second', limit: '<= 50' },
      rateOf(51),
    ],
    ['ends', 'a maximum above its limit', { metric: 'max', limit: '< 500ms' }, timesOf(1000, 1)],
  ])('abort_after %s a run with %s', (effect, _name, rule, changes) => {
    expect(find(rule, changes) !== null).toBe(effect === 'ends');
  });

  test('a threshold with abort_after is not evaluated until the time in abort_after has passed since the end of the warm-up', () => {
    const failing = timesOf(1000, 500);
    expect(find({}, failing, { at: 29 })).toBeNull();
    expect(find({}, failing, { at: 30 })).toEqual({
      metric: 'p95',
      limit: '< 100ms',
      value: 1000,
      second: 30,
    });
    expect(find({}, failing, { at: 39, warmup: 10 })).toBeNull();
    expect(find({}, failing, { at: 40, warmup: 10 })?.second).toBe(40);
    expect(find({ after: seconds(0) }, failing, { at: 0 })).toBeNull();
    expect(find({ after: seconds(0) }, failing, { at: 1 })?.second).toBe(1);
  });

  test('a threshold with abort_after on one URL is evaluated only on the responses of this URL', () => {
    const urls = [createUrl(timesOf(1000, 0)), createUrl(timesOf(1000, 500))];
    const changes = { ...timesOf(2000, 500), urls };
    expect(find({ url: 0 }, changes)).toBeNull();
    expect(find({ url: 1 }, changes)).toMatchObject({ url: 'POST /cart', value: 1000 });
    expect(find({ url: 5 }, changes)).toBeNull();
  });

  test.each([
    [100, { completed: 0, failed: 100 }, 'ends'],
    [100, { completed: 100, failed: 0 }, 'ends'],
    [15, { completed: 50, failed: 50 }, 'does not end'],
    [6, { completed: 0, failed: 100 }, 'does not end'],
  ])(
    'with errors in %i of 100 ended iterations, of which %j, abort_after on iteration_error_rate %s a run',
    (withErrors, ended, effect) => {
      const changes = {
        metrics: { requests: 1000, iterations: 0, iteration_error_rate: withErrors },
        bounds: { iteration_error_rate: { low: withErrors, high: withErrors } },
        iterations: { started: 100, ...ended, withErrors } as IterationRecord,
      };
      expect(find({ metric: 'iteration_error_rate', limit: '< 5%' }, changes) !== null).toBe(
        effect === 'ends',
      );
    },
  );

  test('a run whose test has no threshold with abort_after does not end early', () => {
    const spec = { abortRules: null, targets: [], flows: null, warmup: null };
    expect(findFailedRule(spec, createResult(timesOf(1000, 500)).record, 40_000)).toBeNull();
  });

  test('a threshold with abort_after does not end a run if only half of the load was delivered', () => {
    const delivery = { model: 'closed', heldShare: 0.5 } as const;
    expect(find({}, { ...timesOf(1000, 500), delivery })).toBeNull();
  });

  test('a run that abort_after ended fails, and the reason for the verdict names the threshold if the record contains the threshold', () => {
    const stop = { metric: 'p95', limit: '< 100ms', value: 1000, second: 31 };
    const result = createResult({ ...timesOf(2000, 60), abortReason: 'threshold', thresholdStop: stop });
    const thresholds = thresholdsOf([]);
    expect(evaluateRun(thresholds, result)).toMatchObject({
      verdict: 'fail',
      reason: '"abort_after" ended the run after 31 seconds: p95 was 1,000 ms, threshold < 100ms',
    });
    const unknown = createResult({ ...timesOf(2000, 60), abortReason: 'threshold' });
    expect(evaluateRun(thresholds, unknown)).toMatchObject({
      verdict: 'fail',
      reason: 'a threshold with "abort_after" failed',
    });
  });
});

/** Simulates runs of ten minutes with ten requests per second, and returns the seconds in which they ended. */
function simulate(metric: Metric, slowShare: number, runs: number): readonly (number | null)[] {
  const random = new Random(7);
  return Array.from({ length: runs }, () => {
    let [requests, slow] = [0, 0];
    for (let second = 1; second <= 600; second++) {
      requests += 10;
      for (let index = 0; index < 10; index++) if (random.fraction() < slowShare) slow++;
      const rule: Partial<AbortRule> =
        metric === 'error_rate' ? { metric, limit: '<= 5%' } : { metric, limit: '< 100ms' };
      // Without violations so far, no rule can have failed.
      if (slow / requests <= 0.05) continue;
      const sample = metric === 'error_rate' ? errorsOf(requests, slow) : timesOf(requests, slow);
      if (find({ ...rule, after: seconds(0) }, sample, { at: second }) !== null) return second;
    }
    return null;
  });
}

describe('the decision to end a run', () => {
  test.each(['p95', 'error_rate'] as const)(
    'at most 1% of simulated runs with 600 checks end early if the true %s is exactly at the limit',
    (metric) => {
      const runs = scaleCount(50);
      const ended = simulate(metric, 0.05, runs).filter((second) => second !== null);
      expect(ended.length / runs).toBeLessThanOrEqual(0.01);
    },
  );

  test.each(['p95', 'error_rate'] as const)(
    'every simulated run ends within 300 seconds if twice as many requests are slow or fail as the threshold on %s permits',
    (metric) => {
      const ended = simulate(metric, 0.1, scaleCount(20));
      expect(ended.every((second) => second !== null)).toBe(true);
      expect(Math.max(...ended.map((second) => second ?? 0))).toBeLessThan(300);
    },
  );
});
