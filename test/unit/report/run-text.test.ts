/** Text of a run: reasons of failures, URLs, and measurement uncertainty. */
import { describe, expect, test } from 'vitest';
import type { Json } from '../../../src/core/canonical.ts';
import { formatAge, milliseconds } from '../../../src/core/units.ts';
import { applyText } from '../../../src/report/apply-text.ts';
import type { DoneAction, Metrics, Run } from '../../../src/core/report/generated/documents.ts';
import { NO_PAINT as plain } from '../../../src/report/paint.ts';
import { resultsText } from '../../../src/report/results-text.ts';
import { runText } from '../../../src/report/run-text.ts';

type Record_ = Readonly<Record<string, Json>>;

const METRICS: Metrics = {
  requests: 400,
  success: 358,
  error: 20,
  timeout_error: 0,
  network_error: 22,
  p50: 12,
  p95: 80,
  p99: 900,
};

function runOf(result: Record_, changes: Partial<Run> = {}): Run {
  return {
    address: 'test.home',
    test_id: 'T1',
    result_id: 'R1',
    started_at: '2026-11-20T14:02:00.000Z',
    status: 'complete',
    state: 'ended',
    started_by_us: true,
    verdict: 'none',
    reason: null,
    thresholds: [],
    metrics: METRICS,
    result,
    ...changes,
  };
}

const linesOf = (result: Record_, changes: Partial<Run> = {}): readonly string[] =>
  runText(runOf(result, changes), plain)
    .split('\n')
    .slice(2)
    .map((line) => line.trim())
    .filter((line) => line !== '');

describe('thresholds in the text of a run', () => {
  const of = (verdict: 'pass' | 'fail' | 'inconclusive', metric: string) =>
    ({ metric, limit: '< 1s', value: 20, verdict }) as const;

  test('the text of a run lists failed thresholds first, and replaces long lists of passed thresholds with a count', () => {
    const passed = ['p10', 'p20', 'p30', 'p40', 'p50', 'p60'].map((metric) => of('pass', metric));
    const thresholds = [...passed, of('inconclusive', 'p90'), of('fail', 'p99')];
    expect(linesOf({}, { verdict: 'fail', thresholds })).toEqual([
      '✗ p99 < 1s   20 ms',
      '? p90 < 1s   20 ms',
      '✓ 6 thresholds met',
    ]);
    const failed = Array.from({ length: 13 }, (_, index) => of('fail', `p${index + 10}`));
    expect(linesOf({}, { verdict: 'fail', thresholds: failed }).slice(9)).toEqual([
      '✗ p19 < 1s   20 ms',
      '✗ 3 more failed',
    ]);
  });

  test('the text of a failed run shows the reason for the failure below the metrics', () => {
    const text = runText(
      runOf({}, { verdict: 'fail', reason: 'the machine was busy', thresholds: [of('fail', 'p99')] }),
      plain,
    );
    expect(text).toMatch(
      /^ {2}home {2}FAIL: p99 20 ms, threshold < 1s\n .*requests.*\n {6}the machine was busy\n/,
    );
  });
});

test('the text of a run lists omitted requests and failures separately, although the error rate includes both', () => {
  const text = runText(
    runOf(
      { outage: { spans: 1, seconds: 2, omitted: 90 } },
      { metrics: { requests: 400, error: 2, timeout_error: 0, network_error: 0, error_rate: 18.8 } },
    ),
    plain,
  );
  expect(text).toContain('400 requests, 2 errors, 90 omitted (error rate 18.8%)');
});

describe('workers in the text of a run', () => {
  const worker = (name: string, changes: Record_ = {}): Record_ => ({
    name,
    threads: 2,
    started: 1200,
    finished: 1199,
    lag_p99_ms: 0.4,
    start_skew_ms: 0,
    clock_uncertainty_ms: 0.5,
    lost: null,
    ...changes,
  });

  test('the text of a run lists each worker and the range of start times', () => {
    const workers = [worker('one', { start_skew_ms: -1 }), worker('two', { threads: 1, start_skew_ms: 2 })];
    expect(linesOf({ workers })).toEqual([
      '2 workers; all started within 3 ms (± 1 ms)',
      'one: 2 threads, 1,200 requests started, 1,199 finished; started 1 ms early; scheduling lag p99 0.4 ms',
      'two: 1 thread, 1,200 requests started, 1,199 finished; started 2 ms late; scheduling lag p99 0.4 ms',
    ]);
  });

  test('the text of a run lists lost workers first, with the reasons for their loss', () => {
    const lost = { lost: 'no message for 8 s', start_skew_ms: null, lag_p99_ms: null };
    expect(linesOf({ workers: [worker('one'), worker('three'), worker('two', lost)] })).toEqual([
      '3 workers, 1 lost; 2 of them started within 0 ms (± 1 ms)',
      'two: 2 threads, 1,200 requests started, 1,199 finished; lost: no message for 8 s',
      expect.stringMatching(/^one: /),
      expect.stringMatching(/^three: /),
    ]);
  });

  test('the text of a run lists at most ten workers', () => {
    const workers = Array.from({ length: 12 }, (_, index) => worker(`w${index}`));
    const lines = linesOf({ workers });
    expect([lines.length, lines.at(-1)]).toEqual([12, 'and 2 more']);
  });

  test.each([{}, { workers: null }, { workers: [] }, { workers: 'many' }])(
    'the text of a run lists no workers for the record %j',
    (result) => {
      expect(linesOf(result)).toEqual([]);
    },
  );

  test('the text of a run lists a worker with an invalid record as unnamed', () => {
    expect(linesOf({ workers: [7, { name: 3, started: 'x' }] })).toEqual(['2 workers', 'unnamed', 'unnamed']);
  });
});

describe('setup and teardown in the text of a run', () => {
  const failure = {
    url: 'https://www.example.com/login',
    request_type: 'POST',
    status: 503,
    error: 'status 503',
  };

  test('the text of a run lists the requests of setup and teardown separately from the metrics', () => {
    expect(
      linesOf({
        setup: { requests: 50, failed: 0, seconds: 1.2, failure: null },
        teardown: { requests: 1, failed: 0, seconds: 0.1, failure: null },
      }),
    ).toEqual([
      'setup: 50 requests, 0 failed, 1.2s (not included in these metrics)',
      'teardown: 1 request, 0 failed, 100ms (not included in these metrics)',
    ]);
  });

  test('the text of a run contains the failure of a setup, unless the failure ended the run', () => {
    const setup = { requests: 4, failed: 1, seconds: 1, failure };
    const counts = 'setup: 4 requests, 1 failed, 1s (not included in these metrics)';
    const reason = 'POST https://www.example.com/login in "setup" failed: status 503';
    expect(linesOf({ setup })).toEqual([counts, reason]);
    expect(linesOf({ setup, abort_reason: 'setup' })).toEqual([counts]);
  });
});

describe('warm-ups in the text of a run', () => {
  const ledger = { success: 1180, http_error: { 503: 20 }, timeout: { connect: 0, tls: 0, response: 0 } };
  const warmup = (complete: boolean): Record_ => ({
    warmup: { seconds: 10, requests: 1200, complete, ledger },
  });

  test('the text of a run lists the warm-up separately from the metrics', () => {
    expect(linesOf(warmup(true))).toEqual([
      '10s warm-up: 1,200 requests, 20 failed (not included in these metrics)',
    ]);
  });

  test('the text of a run that ended during its warm-up contains the reasons for failed requests of the warm-up', () => {
    const lines = linesOf(warmup(false), { metrics: { requests: 0 } });
    expect(lines).toEqual([
      '10s warm-up: 1,200 requests, 20 failed (not included in these metrics)',
      '20 failed responses: 20 × 503',
    ]);
  });

  test.each<readonly [string, Json]>([
    ['null', null],
    ['a string', 'long'],
    ['an empty map', {}],
    ['a map with invalid members', { seconds: '5', requests: [], ledger: 7 }],
  ])('the text of a run omits a warm-up whose record is %s', (_, warmupRecord) => {
    expect(linesOf({ warmup: warmupRecord })).toEqual([]);
  });
});

describe('connection times in the text of a run', () => {
  const times = (count: number, p50: number, p99: number): Record_ => ({ count, p50, p99 });

  const RECORDS: readonly (readonly [name: string, record: Record_, lines: readonly string[]])[] = [
    [
      'a distant target',
      { connect: times(1000, 40.1, 44), tls: null },
      ['connect p50 40.1 ms, p99 44 ms (1,000 connections)'],
    ],
    [
      'a distant target with TLS',
      { connect: times(1000, 40.1, 44), tls: times(1000, 42.25, 51) },
      ['connect p50 40.1 ms, p99 44 ms (1,000 connections) · TLS p50 42.3 ms, p99 51 ms'],
    ],
    [
      'a target with failed handshakes',
      { connect: times(10, 2, 3), tls: times(1, 4, 5) },
      ['connect p50 2 ms, p99 3 ms (10 connections) · TLS p50 4 ms, p99 5 ms (1 handshake)'],
    ],
    [
      'a near target with a slow handshake',
      { connect: times(1, 0.1, 0.2), tls: times(1, 0.95, 2) },
      ['connect p50 0.1 ms, p99 0.2 ms (1 connection) · TLS p50 0.95 ms, p99 2 ms'],
    ],
    [
      'a near target with occasional packet loss',
      { connect: times(1000, 0.1, 1030) },
      ['connect p50 0.1 ms, p99 1,030 ms (1,000 connections)'],
    ],
    ['a near target', { connect: times(1000, 0.1, 3), tls: null }, []],
    ['a run without connections', { connect: null, tls: null }, []],
    ['a record with invalid members', { connect: 'fast', tls: [] }, []],
  ];

  test.each(RECORDS.map((row) => [row[2].length === 0 ? 'omits' : 'contains', ...row] as const))(
    'the text of a run %s the connection times of %s',
    (_shown, _name, record, lines) => {
      expect(linesOf(record)).toEqual(lines);
      expect(
        resultsText(
          [{ address: 'test.home', test_id: 'T1', results: [{ ...runOf(record), result_id: 'R1' }] }],
          plain,
          1,
        )
          .split('\n')
          .slice(2, -1)
          .map((line) => line.trim()),
      ).toEqual(lines);
    },
  );
});

describe('reasons for failures in the text of a run', () => {
  const RECORDS: readonly (readonly [name: string, record: Record_, lines: readonly string[]])[] = [
    [
      'a ledger without failures',
      { ledger: { network: {}, protocol: {}, http_error: {} }, outage: { spans: 0, seconds: 0, omitted: 0 } },
      [],
    ],
    ['a record without a ledger', {}, []],
    [
      'refused connections',
      { ledger: { network: { ECONNREFUSED: 22 } } },
      ['22 network errors: 22 ECONNREFUSED'],
    ],
    [
      'several kinds of network errors',
      { ledger: { network: { ECONNRESET: 1 }, protocol: { truncated: 3 } } },
      ['4 network errors: 3 truncated, 1 ECONNRESET'],
    ],
    [
      'failed statuses',
      { ledger: { http_error: { 404: 18, 500: 2 } } },
      ['20 failed responses: 18 × 404, 2 × 500'],
    ],
    [
      'a target that limits requests',
      { ledger: { http_error: { 429: 123 } }, status_codes: { 200: 877, 429: 123 } },
      [
        '123 failed responses: 123 × 429',
        '12% of the responses have status 429: the target limits the request rate; exempt the IP address of the load generator from the limit',
      ],
    ],
    [
      'few responses with status 429',
      { ledger: { http_error: { 429: 10 } }, status_codes: { 200: 990, 429: 10 } },
      ['10 failed responses: 10 × 429'],
    ],
    [
      'a target that limits requests and states when to retry',
      {
        ledger: { http_error: { 503: 200 }, retry_after: 123 },
        status_codes: { 200: 800, 503: 200 },
      },
      [
        '200 failed responses: 200 × 503',
        '12% of the responses have status 503 with a Retry-After header: the target limits the request rate; exempt the IP address of the load generator from the limit',
      ],
    ],
    [
      'a target that limits requests in two ways, each rarely',
      {
        ledger: { http_error: { 429: 6, 503: 6 }, retry_after: 6 },
        status_codes: { 200: 988, 429: 6, 503: 6 },
      },
      [
        '12 failed responses: 6 × 429, 6 × 503',
        '1.2% of the responses have status 429 or 503 with a Retry-After header: the target limits the request rate; exempt the IP address of the load generator from the limit',
      ],
    ],
    [
      'a target that is not available',
      { ledger: { http_error: { 503: 200 }, retry_after: 0 }, status_codes: { 200: 800, 503: 200 } },
      ['200 failed responses: 200 × 503'],
    ],
    [
      'responses without the value of a variable',
      { ledger: { http_error: { 404: 1 }, unexpected: { variable: 5 } } },
      ['6 failed responses: 5 without the value of a variable, 1 × 404'],
    ],
    [
      'timeouts',
      { ledger: { timeout: { connect: 2, tls: 0, response: 1200 } } },
      ['1,202 timeouts: 1,200 waiting for the response, 2 while connecting'],
    ],
    [
      'an outage',
      { outage: { spans: 1, seconds: 6, omitted: 74_000 } },
      ['6.0 s without a response; 74,000 requests omitted'],
    ],
    [
      'an outage with its times',
      { outage: { spans: 1, seconds: 2.8, omitted: 0, periods: [{ from: 2.1, to: 4.9 }] } },
      ['2.8 s without a response (0:02 to 0:05)'],
    ],
    [
      'more outages than are listed',
      {
        outage: {
          spans: 5,
          seconds: 5,
          omitted: 0,
          periods: [4, 10, 20, 30, 40].map((from) => ({ from, to: from + 1 })),
        },
      },
      ['5.0 s without a response (0:04 to 0:05, 0:10 to 0:11, 0:20 to 0:21, and 2 more)'],
    ],
    [
      'an outage without omitted requests',
      { outage: { spans: 2, seconds: 1234.5, omitted: 0 } },
      ['1,234.5 s without a response'],
    ],
    [
      'an omitted request without an outage',
      { outage: { spans: 0, seconds: 0, omitted: 1 } },
      ['1 request omitted'],
    ],
    [
      'requests that were sent again',
      { ledger: { resent: 29_461 } },
      ['29,461 sent again: the server closed reused connections before the response'],
    ],
    ['0 requests that were sent again', { ledger: { resent: 0 } }, []],
    [
      'requests that were never sent, except because of the end of the run',
      {
        ledger: {
          not_started: { undefined_variable: 5, no_socket: 1, saturated: 1200, stopped: 9, aborted: 9 },
        },
      },
      [
        '1,200 not sent: the load generator was more than 1 s behind schedule',
        '5 not sent: a variable had no value',
        '1 not sent: no socket was available on the load generator',
      ],
    ],
    [
      'requests in flight at the end',
      { abort_reason: null, ledger: { abandoned: 1 } },
      ['1 still in flight at the end (not counted)'],
    ],
    ['requests in flight at a stop', { abort_reason: 'stopped', ledger: { abandoned: 3 } }, []],
    ['an invalid record', { ledger: 'x', outage: [1], urls: { a: 1 } }, []],
  ];

  test.each(
    RECORDS.map(
      (row) => [row[0], row[2].length === 0 ? 'no explanation' : 'an explanation', ...row] as const,
    ),
  )('for %s, the text of a run contains %s', (_name, _found, _, record, lines) => {
    expect(linesOf(record)).toEqual(lines);
  });

  test('the text of a run contains no control characters from a service', () => {
    expect(linesOf({ ledger: { network: { 'EX\u001b[2J': 1 } } })[0]).not.toContain('\u001b');
  });
});

describe('URLs in the text of a run', () => {
  const metrics = (error: number) => ({
    requests: 1200,
    error,
    timeout_error: 0,
    network_error: 1,
    latency: { p50: 1.234, p95: 20, p99: 2020 },
    ledger: {},
  });
  const url = (path: string, error: number, host = 'https://shop.test'): Json => ({
    url: `${host}${path}`,
    request_type: 'GET',
    ...metrics(error),
  });
  const flow = (name: string, error: number): Json => ({ name, ...metrics(error) });

  test('the text of a run lists URLs in a table only if there are several', () => {
    const record = { urls: [url('', 0), url('/cart?id=1', 20)] };
    expect(runText(runOf(record), plain).split('\n').slice(2, -1)).toEqual([
      '      URL             requests  failed      p50    p95       p99',
      '      GET /              1,200       1  1.23 ms  20 ms  2,020 ms',
      '      GET /cart?id=1     1,200      21  1.23 ms  20 ms  2,020 ms',
    ]);
    expect(linesOf({ urls: [url('/', 3)] })).toEqual([]);
  });

  test('the text of a run lists flows in a table only if there are several', () => {
    expect(linesOf({ flows: [flow('browse', 0), flow('buy', 5)] })).toEqual([
      'flow    requests  failed      p50    p95       p99',
      'browse     1,200       1  1.23 ms  20 ms  2,020 ms',
      'buy        1,200       6  1.23 ms  20 ms  2,020 ms',
    ]);
    expect(linesOf({ flows: [flow('browse', 0)] })).toEqual([]);
  });

  test('the text of a run lists URLs with their hosts if the hosts differ', () => {
    const [, first, second] = linesOf({ urls: [url('/a', 0), url('/a', 0, 'http://other.test:80')] });
    expect(first).toMatch(/^GET https:\/\/shop\.test\/a /);
    expect(second).toMatch(/^GET http:\/\/other\.test:80\/a /);
  });

  test('in the text of a run, the line about errors names a URL only if this URL caused all errors', () => {
    const ledger = { http_error: { 404: 18, 500: 2 } };
    expect(linesOf({ ledger, urls: [url('/', 0), url('/cart', 20)] })[0]).toBe(
      '20 failed responses: 18 × 404, 2 × 500 (GET /cart)',
    );
    expect(linesOf({ ledger, urls: [url('/', 1), url('/cart', 19)] })[0]).toBe(
      '20 failed responses: 18 × 404, 2 × 500',
    );
  });
});

describe('percentiles affected by timeouts', () => {
  const record = { timeout_ms: 2000, timeout_error: 20, ledger: {} };
  const metrics: Metrics = { ...METRICS, timeout_error: 20, p95: 1999, p99: 2043 };

  test('the text of a run shows a percentile that is affected by timeouts as "≥" and the timeout', () => {
    const thresholds = [{ metric: 'p99', limit: '< 300ms', value: 2043, verdict: 'fail' as const }];
    const text = runText(runOf(record, { metrics, thresholds }), plain);
    expect(text).toContain('p95 1,999 ms, p99 ≥ 2 s (20 timed out)');
    expect(text).toContain('✗ p99 < 300ms   ≥ 2 s (20 timed out)');
  });

  test('the text of a run shows a percentile that is affected by timeouts and exceeds the timeout as "≥" and its own value', () => {
    const text = runText(runOf(record, { metrics: { ...metrics, p99: 5400 } }), plain);
    expect(text).toContain('p99 ≥ 5,400 ms (20 timed out)');
  });

  test('the text of a run shows an exact percentile if no request timed out or the timeout is unknown', () => {
    for (const other of [{ ...record, timeout_error: 0 }, { ...record, timeout_ms: null }, {}]) {
      expect(runText(runOf(other, { metrics }), plain)).toContain('p99 2,043 ms');
    }
  });
});

describe('percentiles affected by the load generator', () => {
  const record = {
    latency: { p50: 12, p95: 989, p99: 1241 },
    bounds: { p50: { low: 2, high: 12 }, p95: { low: 20.1, high: 989 }, p99: { low: 900, high: 1241 } },
    machine: { longest_stall_ms: 436.1 },
  };

  test('the text of a run shows a percentile affected by a stall as an interval, even without a threshold', () => {
    expect(linesOf(record)).toEqual([
      'p95 is between 20.1 and 989 ms: the load generator stalled for up to 436 ms',
    ]);
  });

  test('the text of a run shows the upper bound of an interval with as many digits as the percentile', () => {
    const uncertain = { ...record, latency: { ...record.latency, p95: 129.3 } };
    expect(linesOf({ ...uncertain, bounds: { p95: { low: 31.94, high: 129.3 } } })).toEqual([
      'p95 is between 31.9 and 129 ms: the load generator stalled for up to 436 ms',
    ]);
  });

  test('the text of a run shows a p50 above the lower bound of p95 as an interval', () => {
    const slower = { ...record, latency: { ...record.latency, p50: 24 } };
    expect(linesOf({ ...slower, bounds: { ...record.bounds, p50: { low: 12, high: 24 } } })).toEqual([
      'p50 is between 12 and 24 ms, p95 is between 20.1 and 989 ms: the load generator stalled for up to 436 ms',
    ]);
  });

  test('the text of a run omits the duration of a stall if the record does not contain this duration', () => {
    expect(linesOf({ ...record, machine: null })).toEqual([
      'p95 is between 20.1 and 989 ms: the difference may be delay in the load generator',
    ]);
  });

  test('the text of a run shows no interval for a record without bounds or without percentiles', () => {
    expect(linesOf({ latency: record.latency })).toEqual([]);
    expect(linesOf({ bounds: record.bounds })).toEqual([]);
  });
});

test('the text of a past run contains percentiles affected by timeouts and the reasons for network errors', () => {
  const record = { ledger: { network: { ECONNREFUSED: 22 } }, timeout_ms: 2000, timeout_error: 20 };
  const { result_id, started_at, state, verdict, reason, thresholds } = runOf(record);
  const past = {
    result_id: result_id ?? '',
    started_at,
    state,
    verdict,
    reason,
    thresholds,
    metrics: { ...METRICS, p99: 2010 },
    result: record,
  };
  expect(resultsText([{ address: 'test.home', test_id: 'T1', results: [past] }], plain, 1)).toMatch(
    /p99 ≥ 2 s \(20 timed out\)\n {6}22 network errors: 22 ECONNREFUSED\n$/,
  );
});

test('the text of a run does not contain a number of failed requests if the service does not report it', () => {
  const metrics = { success: 5, avg_response_time: 12 };
  expect(runText(runOf({}, { metrics }), plain)).toBe('  home  no verdict\n      12 ms average\n');
});

test.each([
  ['the service was interrupted', { known_until_ms: 3000 }],
  ['a worker was lost', { abort_reason: 'partial' }],
])('if %s during a run, the text of the run shows its counts as lower bounds', (_, result) => {
  const textOf = (metrics: Metrics) => runText(runOf(result, { metrics }), plain);
  expect(textOf({ ...METRICS, requests_per_second: 11.3 })).toContain(
    '≥ 400 requests, ≥ 20 errors, ≥ 22 network errors, ≥ 11.3/s, p50',
  );
  expect(textOf({ ...METRICS, error: 0, network_error: 0 })).toContain('≥ 400 requests, p50');
});

test('the text of results states that a test has no results', () => {
  const tests = [{ address: 'test.home', test_id: 'T1', results: [] }];
  expect(resultsText(tests, plain, 1)).toBe('test.home  T1\n  no results yet\n');
});

describe('results of earlier runs', () => {
  const now = Date.parse('2026-11-22T01:30:00Z');
  const unchangedTest = (changes: Partial<DoneAction> = {}): DoneAction => ({
    verb: 'no-op',
    address: 'test.home',
    id: 'T1',
    test_id: 'T1',
    starts_load: false,
    changes: [],
    note: null,
    host: null,
    verification: null,
    not_compared: [],
    load: null,
    scheduled_at: null,
    state: 'ended',
    verdict: 'pass',
    source: {},
    result_id: 'R1',
    outcome: 'done',
    ...changes,
  });
  const run = runOf({}, { started_by_us: false, verdict: 'pass' });
  const again = 'loadtests apply --run';
  const textOf = (
    actions: readonly DoneAction[],
    runs: readonly Run[],
    command: string | null = again,
  ): string => applyText({ actions, runs, pins: [] }, { now, rerunCommand: command }, plain);

  test('the text of an earlier run contains the age of the run if the start time is known', () => {
    expect(textOf([unchangedTest()], [run])).toMatch(
      /^ {2}home {2}pass {3}run of 2026-11-20 14:02:00 UTC, 1d 11h ago; not run again\n/,
    );
    expect(textOf([unchangedTest()], [{ ...run, started_at: null }])).toContain(
      'an earlier run; not run again',
    );
    const missing = { ...run, result_id: null, result: null, started_at: null };
    expect(textOf([unchangedTest()], [missing])).toMatch(/^ {2}home {2}pass {3}not run again\n/);
  });

  test('the text of an apply does not label an active run or a new run with "not run again"', () => {
    expect(textOf([unchangedTest({ state: 'running' })], [run])).not.toContain('not run again');
    expect(
      textOf([unchangedTest({ verb: 'run', state: null })], [{ ...run, started_by_us: true }]),
    ).not.toContain('not run again');
  });

  const APPLIES: readonly (readonly [name: string, actions: readonly DoneAction[], last: string | null])[] = [
    [
      'of an unchanged test',
      [unchangedTest()],
      `No tests were run: 1 test is unchanged. To run it again: ${again}`,
    ],
    [
      'of three unchanged tests',
      [
        unchangedTest(),
        unchangedTest({ address: 'test.cart' }),
        unchangedTest({ address: 'test.pay', state: 'unspecified' }),
      ],
      `No tests were run: 3 tests are unchanged. To run them again: ${again}`,
    ],
    [
      'of an unchanged test and an app',
      [unchangedTest(), unchangedTest({ address: 'app.shop', verb: 'verify' })],
      `No tests were run: 1 test is unchanged. To run it again: ${again}`,
    ],
    ['of a running test', [unchangedTest({ state: 'running' })], null],
    [
      'of an unchanged test and a new test',
      [unchangedTest(), unchangedTest({ address: 'test.cart', verb: 'create' })],
      null,
    ],
    ['without tests', [], null],
  ];

  test.each(APPLIES.map((row) => [row[0], row[2] === null ? 'no command' : 'a command', ...row] as const))(
    'the text of an apply %s suggests %s for another run',
    (_of, _suggested, _name, actions, last) => {
      const lines = textOf(actions, []).trimEnd().split('\n');
      if (last === null) expect(lines.join()).not.toContain('No tests were run');
      else expect(lines.at(-1)).toBe(last);
    },
  );

  test('the text of rounds contains equal values once, and marks values that are lower bounds', () => {
    const timedOut = { timeout_ms: 1000, timeout_error: 3, success: 1, error: 0, network_error: 0 };
    const rounds = [
      runOf({}, { round: 1, metrics: { requests_per_second: 5, p50: 12, p95: 80, p99: 900 } }),
      runOf(timedOut, { round: 2, metrics: { requests_per_second: 5, p50: 20, p95: 1010, p99: 1010 } }),
    ];
    expect(textOf([], rounds)).toContain(
      'home: 2 runs, 2 without a verdict; 5/s, p50 12 to 20 ms, p95 80 ms to ≥ 1 s, p99 900 ms to ≥ 1 s\n',
    );
  });

  test('the text of an apply states once how to get a verdict if the command did not wait for the runs', () => {
    const hint = 'For a verdict, run "loadtests results" after the end of the test.';
    const started = runOf({}, { state: 'running', verdict: 'none' });
    expect(textOf([], [started, started]).split(hint)).toHaveLength(2);
    expect(textOf([], [run])).not.toContain(hint);
  });

  test('the text of an apply without a rerun command suggests no further run', () => {
    expect(textOf([unchangedTest()], [run], null)).not.toContain('No tests were run');
  });
});

test.each([
  [0, '0s'],
  [999, '0s'],
  [59_999, '59s'],
  [60_000, '1m'],
  [3_723_000, '1h 2m'],
  [86_400_000 + 30_000, '1d'],
  [35 * 3_600_000, '1d 11h'],
  [400 * 86_400_000, '400d'],
  [-5000, '0s'],
])('formatAge formats %i ms as "%s"', (age, text) => {
  expect(formatAge(milliseconds(age))).toBe(text);
});
