/** The sentence with the verdict of a run and its reason. */
import { describe, expect, test } from 'vitest';
import type { EvaluatedThreshold } from '../../../../src/core/report/generated/documents.ts';
import type { ReasonedRun } from '../../../../src/core/report/threshold-text.ts';
import {
  verdictNote,
  verdictReason,
  verdictSentence,
  worstOf,
} from '../../../../src/core/report/verdict-sentence.ts';
import { readRunRecord } from '../../../../src/core/run-record/read-record.ts';

function threshold(changes: Partial<EvaluatedThreshold> = {}): EvaluatedThreshold {
  return { metric: 'p95', limit: '< 300ms', value: 2105.4, verdict: 'fail', ...changes };
}

function run(changes: Partial<ReasonedRun> & { readonly json?: unknown } = {}): ReasonedRun {
  const { json = {}, ...rest } = changes;
  return { verdict: 'fail', reason: null, thresholds: [], record: readRunRecord(json), ...rest };
}

const outage = (...periods: readonly (readonly [from: number, to: number])[]) => ({
  outage: {
    spans: periods.length,
    seconds: 3,
    omitted: 0,
    periods: periods.map(([from, to]) => ({ from, to })),
  },
});

describe('the reason for a verdict as a sentence', () => {
  test.each<readonly [title: string, run: ReasonedRun, sentence: string]>([
    [
      'a failed threshold is named with its value',
      run({ thresholds: [threshold()] }),
      'Failed: p95 2,105 ms, threshold < 300ms',
    ],
    [
      'further failed thresholds are counted',
      run({
        thresholds: [
          threshold({ verdict: 'pass' }),
          threshold({ metric: 'error_rate', limit: '< 5%', value: 18.1 }),
          threshold(),
          threshold({ url: 'pay' }),
        ],
      }),
      'Failed: error rate 18.1%, threshold < 5% (+2 more, worst: p95)',
    ],
    [
      'one further failed threshold is named',
      run({ thresholds: [threshold(), threshold({ url: 'pay', value: 3000 })] }),
      'Failed: p95 2,105 ms, threshold < 300ms (+1 more: p95 of "pay")',
    ],
    [
      'an outage is stated as the cause of a failed threshold',
      run({
        thresholds: [threshold({ metric: 'error_rate', limit: '< 5%', value: 18.1 })],
        json: outage([0.6, 3.6]),
      }),
      'Failed: error rate 18.1%, threshold < 5%: no responses from 0:01 to 0:04',
    ],
    [
      'a target that stopped listening is stated as the cause of a failed threshold',
      run({
        thresholds: [threshold({ metric: 'error_rate', limit: '< 1%', value: 51.3 })],
        json: {
          ...outage([2, 4]),
          ledger: { network: { ECONNREFUSED: 29, ECONNRESET: 1 } },
        },
      }),
      'Failed: error rate 51.3%, threshold < 1%: the target refused connections from 0:02 to 0:04',
    ],
    [
      'the longest of several outages is named',
      run({ thresholds: [threshold()], json: outage([1, 2], [60, 90], [100, 101]) }),
      'Failed: p95 2,105 ms, threshold < 300ms: no responses from 1:00 to 1:30 and in 2 other periods',
    ],
    [
      'the first of several outages of the same length is named, and outages that the record does not list are counted',
      run({
        thresholds: [threshold()],
        json: { outage: { ...outage([50, 52], [60, 90], [100, 130]).outage, spans: 60 } },
      }),
      'Failed: p95 2,105 ms, threshold < 300ms: no responses from 1:00 to 1:30 and in 59 other periods',
    ],
    [
      'the periods of an outage are counted if the record does not contain their number',
      run({ thresholds: [threshold()], json: { outage: { periods: [{ from: 1, to: 2 }] } } }),
      'Failed: p95 2,105 ms, threshold < 300ms: no responses from 0:01 to 0:02',
    ],
    [
      'a value that would be rounded to its limit is printed exactly',
      run({ thresholds: [threshold({ value: 300.2, limit: '<= 300ms' })] }),
      'Failed: p95 300.2 ms, threshold <= 300ms',
    ],
    [
      'many failed thresholds of URLs are counted, and the worst is named',
      run({
        thresholds: [
          threshold({ url: 'one', value: 301 }),
          threshold({ url: 'two', value: 900 }),
          threshold({ url: 'three', metric: 'requests_per_second', limit: '> 100', value: 20 }),
          threshold({ url: 'four', verdict: 'pass' }),
          threshold({ verdict: 'pass' }),
        ],
      }),
      'Failed: 3 of 4 URL thresholds failed; worst: requests per second of "three" 20, threshold > 100',
    ],
    [
      'a regression is compared with the baseline',
      run({
        thresholds: [
          threshold({
            value: 45,
            limit: 'at most 10% worse than the baseline',
            regression: {
              worse_by: 12,
              allowed: 10,
              baseline: 40.2,
              runs: 1,
              baseline_runs: 5,
              standard_deviation: null,
            },
          }),
        ],
      }),
      "Failed: p95 45 ms, 12% worse than the baseline's 40.2 ms; 10% is allowed",
    ],
    [
      'the sentence for a run that the error threshold ended states this reason, and no thresholds',
      run({
        reason: 'the error threshold was reached',
        thresholds: [threshold()],
        json: { abort_reason: 'error_threshold' },
      }),
      'Failed: the error threshold was reached',
    ],
    [
      'the sentence for a run that the error threshold ended does not state why a threshold is undecided',
      run({
        reason: 'the error threshold was reached',
        thresholds: [threshold({ verdict: 'inconclusive', reason: 'not compared: no baseline' })],
        json: { abort_reason: 'error_threshold' },
      }),
      'Failed: the error threshold was reached',
    ],
    [
      'the sentence for an inconclusive run does not state the reason for a passed threshold',
      run({
        verdict: 'inconclusive',
        thresholds: [
          threshold({ verdict: 'pass', reason: 'at least 12 ms' }),
          threshold({ verdict: 'inconclusive' }),
          threshold({ verdict: 'inconclusive', metric: 'p99', reason: 'not compared: no baseline' }),
        ],
      }),
      'Inconclusive: p99 not compared: no baseline',
    ],
    [
      'the sentence for an inconclusive run states the reason for the first undecided threshold',
      run({
        verdict: 'inconclusive',
        thresholds: [
          threshold({ verdict: 'inconclusive', reason: 'between 0 and 242 ms: the load generator stalled' }),
          threshold({ verdict: 'inconclusive', metric: 'p99', reason: 'not compared: no baseline' }),
        ],
      }),
      'Inconclusive: p95 between 0 and 242 ms: the load generator stalled (+1 more)',
    ],
    [
      'the sentence for a stopped run states that the run was stopped',
      run({
        verdict: 'inconclusive',
        reason: 'the run ended early (stopped)',
        thresholds: [threshold({ verdict: 'inconclusive' })],
      }),
      'Inconclusive: the run ended early (stopped)',
    ],
    [
      'the sentence for a passed run states the number of thresholds',
      run({ verdict: 'pass', thresholds: [threshold({ verdict: 'pass' })] }),
      'Passed: 1 threshold met',
    ],
    [
      'the sentence for a run without thresholds states that no thresholds were evaluated',
      run({ verdict: 'none' }),
      'No verdict: no thresholds were evaluated',
    ],
  ])('%s', (_, one, sentence) => {
    expect(verdictSentence(one)).toBe(sentence);
  });

  const regression = (worseBy: number): Partial<EvaluatedThreshold> => ({
    limit: 'at most 10% worse than the baseline',
    regression: {
      ...{ worse_by: worseBy, allowed: 10, baseline: 40, runs: 1, baseline_runs: 5 },
      standard_deviation: null,
    },
  });
  const twice = threshold({ value: 600 });

  test.each<readonly [title: string, worst: EvaluatedThreshold, other: EvaluatedThreshold]>([
    ['a higher value', threshold({ value: 601 }), twice],
    ['a lower value of a metric with a minimum', threshold({ limit: '>= 300ms', value: 149 }), twice],
    [
      'a value of 0 of a metric with a minimum',
      threshold({ metric: 'requests', limit: '> 0', value: 0 }),
      twice,
    ],
    ['a larger regression', threshold(regression(101)), twice],
    ['a value that is worse than a regression', twice, threshold(regression(99))],
    ['a regression of a higher-is-better metric', threshold(regression(-50)), threshold({ value: 400 })],
    ['a known value', threshold({ value: 301 }), threshold({ value: null })],
    ['a known metric', twice, threshold({ metric: 'other', limit: '< 1ms' })],
    ['a known limit', twice, threshold({ limit: 'other' })],
  ])('%s is worse than the other threshold, regardless of their order', (_, worst, other) => {
    expect([worstOf([worst, other]), worstOf([other, worst])]).toEqual([worst, worst]);
  });

  test('the first of several equally missed thresholds is the worst, and an unknown value counts as missed by a factor of 1', () => {
    const [unknown, equal] = [threshold({ value: null }), threshold({ value: 300 })];
    expect([worstOf([unknown, equal]), worstOf([equal, unknown]), worstOf([])]).toEqual([
      unknown,
      equal,
      null,
    ]);
  });

  test('a note does not replace the failed thresholds as the reason for a verdict, but is the reason for the verdict "pass"', () => {
    const noted = run({ reason: 'the load generator was saturated', thresholds: [threshold()] });
    expect(verdictReason(noted)).toBe('p95 2,105 ms, threshold < 300ms');
    expect(verdictNote(noted)).toBe('the load generator was saturated');
    const passed = run({
      verdict: 'pass',
      reason: 'the baseline was recorded with a different load generator',
    });
    expect([verdictReason(passed), verdictNote(passed)]).toEqual([passed.reason, null]);
  });

  test('verdictReason returns null for a passed run with thresholds and without a note', () => {
    expect(verdictReason(run({ verdict: 'pass', thresholds: [threshold({ verdict: 'pass' })] }))).toBeNull();
  });

  test('the p95 of a URL is a lower bound only if requests for this URL timed out', () => {
    const json = {
      timeout_ms: 2000,
      timeout_error: 7,
      urls: [
        { url: 'http://shop.example/slow', request_type: 'GET', timeout_error: 0 },
        { url: 'http://shop.example/hang', request_type: 'GET', timeout_error: 7 },
      ],
    };
    const reasonOf = (url: string | undefined, names: readonly string[]) =>
      verdictReason(
        run({
          json,
          url_names: [...names],
          thresholds: [threshold({ value: 2138, ...(url === undefined ? {} : { url }) })],
        }),
      );
    expect(reasonOf('slow', ['slow', 'hang'])).toBe('p95 of "slow" 2,138 ms, threshold < 300ms');
    expect(reasonOf('GET /slow', [])).toBe('p95 of "GET /slow" 2,138 ms, threshold < 300ms');
    expect(reasonOf('hang', ['slow', 'hang'])).toBe(
      'p95 of "hang" ≥ 2,138 ms (7 timed out), threshold < 300ms',
    );
    expect(reasonOf(undefined, [])).toBe('p95 ≥ 2,138 ms (7 timed out), threshold < 300ms');
    // A name that the record does not contain.
    expect(reasonOf('other', [])).toBe('p95 of "other" 2,138 ms, threshold < 300ms');
  });
});
