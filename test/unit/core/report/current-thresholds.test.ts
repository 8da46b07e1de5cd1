/** Published thresholds of a run that has not ended, with the current values of the run. */
import { expect, test } from 'vitest';
import type { EvaluatedThreshold } from '../../../../src/core/model/run-verdict.ts';
import { currentThresholds } from '../../../../src/core/report/current-thresholds.ts';
import { readRunRecord } from '../../../../src/core/run-record/read-record.ts';

const RECORD = readRunRecord({
  latency: { p95: 10 },
  urls: [
    { url: 'http://shop.example/', request_type: 'GET', latency: { p95: 20 } },
    { url: 'http://shop.example/cart', request_type: 'GET', latency: { p95: 30 }, requests: 3 },
  ],
  flows: [
    { name: 'browse', latency: { p95: 40 } },
    { name: 'buy', latency: { p95: 50 } },
  ],
});
const GROUPS = [
  { name: 'read', urls: [0] },
  { name: 'write', urls: [1] },
];
const PUBLISHED: EvaluatedThreshold = {
  metric: 'p95',
  limit: '< 1s',
  value: null,
  verdict: 'fail',
  reason: 'not measured',
  bounds: { low: 1, high: 2 },
};
const REGRESSION = { worseBy: 7, allowed: 10, baseline: 8, runs: 2, baselineRuns: 5, standardDeviation: 1 };

test.each<readonly [Partial<EvaluatedThreshold>, number | null]>([
  [{}, 10],
  [{ url: 'home' }, 20],
  [{ url: 'GET /cart' }, 30],
  [{ url: 'other' }, null],
  [{ flow: 'browse' }, 40],
  [{ flow: 'buy' }, 50],
  [{ flow: 'other' }, null],
  [{ metric: 'requests', group: 'write' }, 3],
  [{ metric: 'requests', group: 'read' }, null],
  [{ group: 'other' }, null],
  [{ metric: 'p99' }, null],
  [{ metric: 'other' }, null],
  [{ metric: 'toString' }, null],
])('the threshold %j is inconclusive and has the current value %j', (changes, value) => {
  const threshold = { ...PUBLISHED, ...changes };
  const published = { thresholds: [threshold], urlNames: ['home', null], urlGroups: GROUPS };
  const { bounds: _, reason: __, ...rest } = threshold;
  const expected = { ...rest, value, verdict: 'inconclusive' };
  expect(currentThresholds(published, RECORD)).toStrictEqual([expected]);
});

test('thresholds on URLs, flows and groups that the record does not contain have no value', () => {
  const parts = [{ url: 'home' }, { flow: 'buy' }, { group: 'read' }];
  const thresholds = parts.map((part) => ({ ...PUBLISHED, ...part }));
  const current = currentThresholds({ thresholds }, readRunRecord({}));
  expect(current.map(({ value }) => value)).toEqual([null, null, null]);
});

test.each([
  ['p95', 25, 10],
  ['p99', 0, null],
])('the current %s is %d%% worse than the baseline of a regression', (metric, worseBy, value) => {
  const thresholds = [{ ...PUBLISHED, metric, regression: REGRESSION }];
  expect(currentThresholds({ thresholds }, RECORD)).toEqual([
    {
      ...{ metric, limit: '< 1s', value, verdict: 'inconclusive' },
      regression: {
        ...{ worse_by: worseBy, allowed: 10, baseline: 8, runs: 0, baseline_runs: 5 },
        standard_deviation: null,
      },
    },
  ]);
});
