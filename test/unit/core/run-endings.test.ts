/** Reasons why runs ended early, and details about targets and load generators that were lost. */
import { describe, expect, test } from 'vitest';
import { compareMetrics } from '../../../src/core/compare/compared-metrics.ts';
import { evaluateRun } from '../../../src/core/compare/run-evaluation.ts';
import { failedRunsProblem } from '../../../src/cli/commands/baseline.ts';
import { generatorRows } from '../../../src/core/report/generator-text.ts';
import { comparedMetricRows } from '../../../src/core/report/compared-metric-rows.ts';
import { resultId } from '../../../src/core/model/ids.ts';
import { encodeHistory } from '../../../src/contract/overview-codec.ts';
import { toHtml } from '../../../src/report/html-report.ts';
import { toMarkdown } from '../../../src/report/markdown-report.ts';
import { requestsText } from '../../../src/web/ui/run-outcome.tsx';
import { detailLines } from '../../../src/core/report/result-text.ts';
import { readRunRecord } from '../../../src/core/run-record/read-record.ts';
import type { ServiceRecord } from '../../../src/core/report/generated/documents.ts';
import { NO_PAINT } from '../../../src/report/paint.ts';
import { metricsText } from '../../../src/report/run-text.ts';
import { resultsText } from '../../../src/report/results-text.ts';
import { toCsv } from '../../../src/report/csv.ts';
import { NO_REGRESSION } from '../../../src/core/model/regression.ts';
import { declaredTest } from '../../support/declared-state.ts';
import { createPastRun, createResult } from '../../support/past-run.ts';
import { createRunResult } from '../../support/result-records.ts';
import { sampleApplyReport, sampleRecord, sampleRun } from '../../support/sample-report.ts';

const NO_CRITERIA = { thresholds: [], regression: NO_REGRESSION };

/** Evaluates a run with this record. */
function reasonOf(json: object): string | null {
  const record = readRunRecord(json);
  return evaluateRun(NO_CRITERIA, createResult(record)).reason;
}

/** A comparison without its metrics. */
const COMPARISON = {
  with: 'run',
  result_id: 'r1',
  started_at: null,
  runs: 1,
  notes: [],
  verdict: null,
} as const;

describe('the reason for the early end of a run', () => {
  test.each([
    [
      'the default error threshold',
      { abort_reason: 'error_threshold', error_stop: { threshold: 50, finished: 24, failed: 12 } },
      '50% of the first 24 requests failed; "error_threshold" is 50, the default',
    ],
    [
      'the error threshold of a test with a warm-up',
      {
        abort_reason: 'error_threshold',
        error_stop: { threshold: 20, finished: 30, failed: 8 },
        warmup: { seconds: 5, complete: true },
      },
      '26.7% of the first 30 requests failed, including the warm-up; "error_threshold" is 20',
    ],
    [
      'the error threshold, if the counts are unknown',
      { abort_reason: 'error_threshold' },
      'the error threshold was reached',
    ],
    [
      'a lost worker',
      {
        abort_reason: 'partial',
        workers: [{ name: 'east' }, { name: 'west', lost: 'no message for 8 s' }],
      },
      'worker west was lost: no message for 8 s',
    ],
    [
      'a lost worker without a name',
      { abort_reason: 'partial', workers: [{ lost: 'no message for 8 s' }] },
      'worker unnamed was lost: no message for 8 s',
    ],
    ['a failed setup', { abort_reason: 'setup' }, 'a setup request failed'],
    [
      'the failed request of a setup',
      {
        abort_reason: 'setup',
        setup: { failure: { request_type: 'POST', url: 'http://a.example/', error: 'status 401' } },
      },
      'POST http://a.example/ in "setup" failed: status 401',
    ],
    [
      'several lost workers',
      {
        abort_reason: 'partial',
        workers: [
          { name: 'east', lost: 'x' },
          { name: 'west', lost: 'y' },
        ],
      },
      'workers east, west were lost',
    ],
    [
      'a service that was killed',
      { abort_reason: 'partial', requests: 36, known_until_ms: 8000 },
      'the service was interrupted: measurements exist only up to second 8, and counts are lower bounds',
    ],
    [
      'a service that was killed before its first checkpoint',
      { abort_reason: 'partial' },
      'the service was interrupted before it saved any measurements of the run',
    ],
    [
      'the partial load, if the record contains no other cause',
      { abort_reason: 'partial', requests: 36 },
      'the run ended early (only part of the load was generated)',
    ],
  ])('the reason for the early end of a run names %s', (_, json, reason) => {
    expect(reasonOf(json)).toBe(reason);
  });

  test('the counts of a partial run are printed as lower bounds', () => {
    const record = readRunRecord({ abort_reason: 'partial', requests: 36, known_until_ms: 8000 });
    expect(metricsText(record.metrics, record)).toMatch(/^≥ 36 requests/);
  });

  test.each([
    ['an interrupted service', { abort_reason: 'partial', known_until_ms: 8000 }],
    ['a lost worker', { abort_reason: 'partial', workers: [{ name: 'west', lost: 'no message for 8 s' }] }],
  ])('lists, reports and comparisons show the request count of a run with %s as a lower bound', (_, end) => {
    const json = { ...end, requests: 1036 };
    const record = readRunRecord(json);
    const stored = {
      id: resultId('r1'),
      startedAt: 0,
      document: { record: JSON.stringify(json), detail: null },
    };
    const label = { title: 'Home', project: 'shop', environment: null, key: 'home' };
    const own = { testId: 't1', verdict: null, startedBy: null, note: null };
    const { results } = encodeHistory({
      label,
      tests: 1,
      runs: 1,
      versions: [],
      results: [{ ...stored, ...own }],
    });
    expect(results.map(requestsText)).toEqual(['≥ 1,036']);
    const run = sampleRun('home', { result: json, metrics: { requests: 1036 } });
    const report = sampleApplyReport({ runs: [run, sampleRun('cart')] });
    expect(toMarkdown(report)).toContain('| ≥ 1,036 |');
    expect(toHtml(report)).toContain('data-label="requests">≥ 1,036</td>');
    const metrics = [
      ...compareMetrics(
        [{ ...record, metrics: { requests: 2000 }, abortReason: null, knownUntil: null }],
        record,
      ),
    ];
    expect(metrics).toEqual([
      { metric: 'requests', before: 2000, after: 1036, change: null, minimums: ['after'] },
    ]);
    expect(comparedMetricRows({ ...COMPARISON, metrics })).toEqual([['requests', '2,000', '≥ 1,036', '-']]);
  });

  test('a comparison shows a p95 as a lower bound if timeouts limit its value', () => {
    const sampleOf = (p95: number, timeouts: number) => ({
      ...readRunRecord({ timeout_ms: 1000 }),
      metrics: { p95, timeout_error: timeouts },
    });
    const rowOf = (before: ReturnType<typeof sampleOf>, after: ReturnType<typeof sampleOf>) => {
      const metrics = compareMetrics([before], after).filter(({ metric }) => metric === 'p95');
      return comparedMetricRows({ ...COMPARISON, metrics: [...metrics] })[0];
    };
    expect(rowOf(sampleOf(100, 0), sampleOf(1047, 13))).toEqual(['p95', '100 ms', '≥ 1 s', '≥ +900%']);
    expect(rowOf(sampleOf(1047, 13), sampleOf(100, 0))).toEqual(['p95', '≥ 1 s', '100 ms', '-']);
    expect(rowOf(sampleOf(100, 3), sampleOf(1500, 0))).toEqual(['p95', '100 ms', '1,500 ms', '+1,400%']);
  });

  test.each([
    ['error_rate', 0, 20.4, '0%', '20.4%', '+20.4 points'],
    ['error_rate', 0, 0, '0%', '0%', '0 points'],
    ['error_rate', 20, 30, '20%', '30%', '+50%'],
    ['timeout_error', 0, 1204, '0', '1,204', '+1,204'],
    ['requests_per_second', 0, 12, '0', '12', '+12'],
    ['p95', 200, 100, '200 ms', '100 ms', '-50%'],
  ] as const)(
    'if %s is %s and later %s, the comparison shows the values %s and %s and the change %s',
    (metric, before, after, ...texts) => {
      const sampleOf = (value: number) => ({ ...readRunRecord({}), metrics: { [metric]: value } });
      const metrics = compareMetrics([sampleOf(before)], sampleOf(after));
      expect(comparedMetricRows({ ...COMPARISON, metrics: [...metrics] })).toEqual([[metric, ...texts]]);
    },
  );

  test('the details of a partial run state that only part of the declared load was delivered', () => {
    const delivery = { held_share: 1 };
    const textOf = (reason: string | null) =>
      new Map(generatorRows(readRunRecord({ abort_reason: reason, delivery }))).get('Load delivered');
    expect(textOf(null)).toBe('100% of the declared connection time');
    expect(textOf('stopped')).toBe('100% of the declared connection time until the early end');
    expect(textOf('partial')).toBe('only part of the declared load');
  });
});

describe('a target that stops listening', () => {
  const outage = { spans: 1, seconds: 2, periods: [{ from: 2, to: 4 }] };
  const lineOf = (network: object) => detailLines(readRunRecord({ outage, ledger: { network } }))[0];

  test('the details of an outage state the period in which the target refused connections', () => {
    expect(lineOf({ ECONNREFUSED: 29, ECONNRESET: 1 })).toBe(
      '2.0 s without a response (0:02 to 0:04): the target refused connections',
    );
  });

  test.each([
    ['an outage with other network errors', { ECONNRESET: 9, ECONNREFUSED: 9 }],
    ['an outage without network errors', {}],
  ])('the details of %s do not state that the target refused connections', (_, network) => {
    expect(lineOf(network)).toBe('2.0 s without a response (0:02 to 0:04)');
  });
});

test('a warning about failed runs in a baseline contains their number and the reason for a failure', () => {
  const test = declaredTest('home', { thresholds: { p95: '< 50ms' } }, []);
  const config = { file: { path: 'shop.yaml' }, desired: { environment: 'staging' } };
  const [warning] = failedRunsProblem(config, test, [createPastRun(40), createPastRun(60)]);
  expect(warning).toMatchObject({
    code: 'LT_CONFIG_BASELINE',
    severity: 'warning',
    message: '1 of the 2 runs in the baseline of "home" failed: p95 60 ms, threshold < 50ms',
    hint: 'to omit failed runs, run "home" again until its latest N runs pass, then record these runs: loadtests baseline home --runs N -f shop.yaml --env staging',
  });
  const [only] = failedRunsProblem(config, test, [createPastRun(60)]);
  expect(only?.message).toBe('the run in the baseline of "home" failed: p95 60 ms, threshold < 50ms');
  expect(failedRunsProblem(config, test, [createPastRun(40)])).toEqual([]);
});

test('resultsText prints the details of the latest of two runs only if the details of one run are requested', () => {
  const result = { timeout_error: 2, ledger: { timeout: { response: 2 } } };
  const { address: _, ...run } = createRunResult({ metrics: { requests: 3 }, result });
  const runs = [run, run].map((one) => ({ ...one, result_id: 'r1' }));
  const tests = [{ address: 'test.home', test_id: 't1', results: runs }];
  expect(resultsText(tests, NO_PAINT, 0).split('\n')).toHaveLength(4);
  const lines = resultsText(tests, NO_PAINT, 1).split('\n');
  expect(lines).toHaveLength(5);
  expect(lines[2]).toContain('2 timeouts: 2 waiting for the response');
});

test('the start time in a CSV file is the start of the load, or the time of the start request if the start of the load is unknown', () => {
  const csvOf = (more: ServiceRecord) =>
    toCsv(sampleApplyReport({ runs: [sampleRun('home', { result: sampleRecord(more) })] }));
  expect(csvOf({})).toContain('home,r-home,2026-03-02T09:00:00.000Z,0,');
  expect(csvOf({ load_started_at: '2026-03-02T09:00:01.250Z' })).toContain(
    'home,r-home,2026-03-02T09:00:01.250Z,0,',
  );
});
