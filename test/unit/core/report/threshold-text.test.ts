/** Text about thresholds and their outcomes. */
import { describe, expect, test } from 'vitest';
import type { EvaluatedThreshold } from '../../../../src/core/report/generated/documents.ts';
import {
  describedRun,
  isLowerBound,
  measuredText,
  outcomeText,
  thresholdGroups,
  thresholdLabels,
} from '../../../../src/core/report/threshold-text.ts';
import { readRunRecord } from '../../../../src/core/run-record/read-record.ts';

function threshold(changes: Partial<EvaluatedThreshold> = {}): EvaluatedThreshold {
  return { metric: 'p95', limit: '< 300ms', value: 2000, verdict: 'fail', ...changes };
}

const RECORD = readRunRecord({
  timeout_ms: 2000,
  timeout_error: 7,
  urls: [{ url: 'http://shop.example/', request_type: 'GET', timeout_error: 1 }],
  flows: [
    { name: 'browse', timeout_error: 0 },
    { name: 'buy', timeout_error: 2 },
  ],
});
const RUN = {
  ...describedRun(RECORD, { reason: null, urlNames: ['home'] }),
  url_groups: [
    { name: 'read', urls: [0], metrics: { timeout_error: 0 } },
    { name: 'write', urls: [0], metrics: { timeout_error: 3 } },
    { name: 'other', urls: [0], metrics: null },
  ],
};

describe('the measured value for a threshold', () => {
  test.each<readonly [Partial<EvaluatedThreshold>, string]>([
    [{}, '≥ 2 s (7 timed out)'],
    [{ value: 1999 }, '1,999 ms'],
    [{ value: null }, 'unknown'],
    [{ url: 'home' }, '≥ 2 s (1 timed out)'],
    [{ url: 'other' }, '2,000 ms'],
    [{ flow: 'browse' }, '2,000 ms'],
    [{ flow: 'buy' }, '≥ 2 s (2 timed out)'],
    [{ flow: 'other' }, '2,000 ms'],
    [{ group: 'read' }, '2,000 ms'],
    [{ group: 'write' }, '≥ 2 s (3 timed out)'],
    [{ group: 'other' }, '2,000 ms'],
    [{ group: 'unknown' }, '2,000 ms'],
    [{ value: 300.2, limit: '<= 300ms' }, '300.2 ms'],
    [{ value: 1300.2, limit: 'other' }, '1,300 ms'],
    [{ metric: 'other', value: 1300.2, limit: '<= 1300' }, '1,300'],
  ])('the measured value for the threshold %j is written as "%s"', (changes, text) => {
    const one = threshold(changes);
    expect([measuredText(one, RUN), isLowerBound(one, RUN)]).toEqual([text, text.startsWith('≥')]);
  });

  test('a value for a flow or group is not a lower bound if the record does not contain flows or groups', () => {
    const run = describedRun(null, { reason: null, urlNames: [] });
    expect(run).toEqual({ record: readRunRecord({}), reason: null, url_names: [] });
    const parts = [{}, { url: 'home' }, { flow: 'buy' }, { group: 'write' }];
    expect(parts.map((part) => isLowerBound(threshold(part), run))).toEqual(parts.map(() => false));
  });
});

describe('the outcome of a threshold', () => {
  const regression = {
    ...{ worse_by: 12, allowed: 10, baseline: 40.2, runs: 1, baseline_runs: 5 },
    standard_deviation: null,
  };

  test.each<readonly [Partial<EvaluatedThreshold>, string]>([
    [{ value: 412.44 }, 'p95 is 412.44 ms, which does not meet < 300ms'],
    [{ value: 100, verdict: 'pass', url: 'home' }, 'p95 of "home" is 100 ms, which meets < 300ms'],
    [{}, 'p95 is ≥ 2 s (7 timed out), which does not meet < 300ms'],
    [{ value: null }, 'p95 is unknown, which does not meet < 300ms'],
    [{ value: 45, regression }, "p95 is 45 ms, 12% worse than the baseline's 40.2 ms; 10% is allowed"],
    [{ verdict: 'inconclusive' }, 'the run ended early'],
    [{ verdict: 'inconclusive', reason: 'between 0 and 242 ms' }, 'p95 is between 0 and 242 ms'],
  ])('the outcome of the threshold %j is written as "%s"', (changes, text) => {
    expect(outcomeText(threshold(changes), { ...RUN, reason: 'the run ended early' })).toBe(text);
  });

  test('without any reason, the metric of an inconclusive threshold is missing in the result', () => {
    expect(outcomeText(threshold({ verdict: 'inconclusive', flow: 'buy' }), RUN)).toBe(
      'the result has no p95 of the flow "buy"',
    );
  });
});

test('thresholds are grouped by verdict, from failed to passed, without empty groups', () => {
  const [pass, fail, other] = [threshold({ verdict: 'pass' }), threshold(), threshold({ url: 'home' })];
  expect(thresholdGroups([pass, fail, other])).toEqual([
    { verdict: 'fail', thresholds: [fail, other] },
    { verdict: 'pass', thresholds: [pass] },
  ]);
  expect(thresholdGroups([threshold({ verdict: 'inconclusive' })])).toHaveLength(1);
});

test('the labels of URLs are the names in the file, or the methods and paths', () => {
  const record = readRunRecord({
    urls: [{ url: 'http://shop.example/', request_type: 'GET' }, { request_type: 'GET' }],
  });
  expect(thresholdLabels(record, ['home'])).toEqual(['home', 'GET /']);
  expect(thresholdLabels(RECORD)).toEqual(['GET /']);
  expect(thresholdLabels(readRunRecord({}))).toEqual([]);
});
