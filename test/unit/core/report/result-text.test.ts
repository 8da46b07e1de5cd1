/** Text about the details of a result. */
import { describe, expect, test } from 'vitest';
import {
  boundText,
  detailLines,
  flowRows,
  groupRows,
  isUpperBound,
  positiveCounts,
  rateLimitText,
  urlRows,
  warmupText,
} from '../../../../src/core/report/result-text.ts';
import { readRunRecord } from '../../../../src/core/run-record/read-record.ts';
import type { IterationRecord, LedgerRecord, RunRecord } from '../../../../src/core/run-record/run-record.ts';
import { createResult, createUrl, STALL_FREE } from '../../../support/past-run.ts';

const recordOf = (changes: Partial<RunRecord>): RunRecord => createResult(changes).record;
const linesOf = (changes: Partial<RunRecord>) => detailLines(recordOf(changes));

const NO_REQUESTS = readRunRecord({ ledger: { planned: 0, started: 0 } }).ledger;

function ledgerOf(changes: Partial<LedgerRecord>): LedgerRecord {
  if (NO_REQUESTS === null) throw new Error('no ledger');
  return { ...NO_REQUESTS, ...changes };
}

const ITERATIONS: IterationRecord = {
  ...{ started: 10, completed: 10, failed: 0, withErrors: null, missing: null },
  durations: null,
  areRequests: false,
} as IterationRecord; // complete enough

const times = (p50: number, p99: number) => ({ p50, p99 });
const setup = (count: number, p50: number, p99: number) => ({
  count,
  times: times(p50, p99),
  histogram: null,
});

const PHASE = { requests: 50, failed: 2, seconds: 1.2, failure: null };
const FAILURE = { url: 'http://a/login', method: 'POST', status: 401, error: null };

const flow = (name: string | null, changes: Partial<RunRecord>) => ({ ...recordOf(changes), name });

describe('lines about a run', () => {
  test.each<readonly [string, Partial<RunRecord>, readonly string[]]>([
    ['nothing noteworthy', {}, []],
    ['no requests', { ledger: ledgerOf({}) }, []],
    [
      'a setup and a teardown',
      {
        setup: PHASE,
        teardown: { requests: null, failed: null, seconds: null, failure: FAILURE },
      },
      [
        'setup: 50 requests, 2 failed, 1.2s (not included in these metrics)',
        'teardown: 0 requests, 0 failed (not included in these metrics)',
        'POST http://a/login in "teardown" failed: unknown reason (status 401)',
      ],
    ],
    [
      'a repetition of the setup that failed',
      { setup: { ...PHASE, requests: 1, failure: FAILURE } },
      [
        'setup: 1 request, 2 failed, 1.2s (not included in these metrics)',
        'POST http://a/login in "setup" failed: unknown reason (status 401)',
      ],
    ],
    [
      'a setup whose failure is the reason for the verdict',
      {
        abortReason: 'setup',
        setup: { ...PHASE, failure: FAILURE },
        teardown: { ...PHASE, failure: FAILURE },
      },
      [
        'setup: 50 requests, 2 failed, 1.2s (not included in these metrics)',
        'teardown: 50 requests, 2 failed, 1.2s (not included in these metrics)',
        'POST http://a/login in "teardown" failed: unknown reason (status 401)',
      ],
    ],
    [
      'a warm-up',
      { warmup: { seconds: 10, complete: true, requests: 1234, ledger: ledgerOf({ success: 1229 }) } },
      ['10s warm-up: 1,234 requests, 5 failed (not included in these metrics)'],
    ],
    [
      'a warm-up during which the run ended',
      {
        warmup: {
          ...{ seconds: 10, complete: false, requests: 3 },
          ledger: ledgerOf({ success: 1, network: { ECONNRESET: 2 } }),
        },
      },
      ['10s warm-up: 3 requests, 2 failed (not included in these metrics)', '2 network errors: 2 ECONNRESET'],
    ],
    [
      'a warm-up without outcomes, during which the run ended',
      { warmup: { seconds: 10, complete: false, requests: 3, ledger: null } },
      ['10s warm-up: 3 requests, 3 failed (not included in these metrics)'],
    ],
    ['iterations without failures', { iterations: ITERATIONS }, ['iterations: 10 completed']],
    [
      'the iterations of two flows',
      {
        iterations: ITERATIONS,
        flows: ['browse', 'buy'].map((name) => flow(name, { iterations: ITERATIONS })),
      },
      [
        'iterations: 10 completed',
        'iterations of "browse": 10 completed',
        'iterations of "buy": 10 completed',
      ],
    ],
    [
      'the iterations of a single flow',
      { iterations: ITERATIONS, flows: [flow('browse', { iterations: ITERATIONS })] },
      ['iterations: 10 completed'],
    ],
    [
      'iterations of all kinds',
      {
        iterations: {
          ...ITERATIONS,
          ...{ started: 5000, completed: 1250, failed: 1001, missing: 2002 },
          durations: { p50: 1200, p95: 2000, max: 9000 },
        },
      },
      [
        'iterations: 1,250 completed, 1,001 ended by a failed request, 2,749 interrupted by the end of the run, 2,002 missing, p50 1,200 ms, p95 2,000 ms',
      ],
    ],
    [
      'unknown numbers of iterations',
      { iterations: { ...ITERATIONS, started: null, completed: null, failed: null } },
      ['iterations: 0 completed'],
    ],
    ['iterations with one request each', { iterations: { ...ITERATIONS, areRequests: true } }, []],
    [
      'missing iterations with one request each',
      { iterations: { ...ITERATIONS, areRequests: true, missing: 1 } },
      ['iterations: 10 completed, 1 missing'],
    ],
    [
      'iterations of flows',
      {
        iterations: ITERATIONS,
        flows: [
          flow('browse', { iterations: { ...ITERATIONS, started: 8, completed: 7 } }),
          flow(null, { iterations: { ...ITERATIONS, completed: 3 } }),
          flow('old', {}),
        ],
      },
      [
        'iterations: 10 completed',
        'iterations of "browse": 7 completed, 1 interrupted by the end of the run',
        'iterations of "": 3 completed, 7 interrupted by the end of the run',
      ],
    ],
    ['iterations of a single flow', { flows: [flow('browse', { iterations: ITERATIONS })] }, []],
    [
      'slow connection setup',
      { connect: setup(1000, 40.12, 44), tls: setup(1000, 1, 2) },
      ['connect p50 40.1 ms, p99 44 ms (1,000 connections) · TLS p50 1 ms, p99 2 ms'],
    ],
    [
      'handshakes that failed',
      { connect: setup(2, 0.5, 0.5), tls: setup(1, 0.5, 0.5) },
      ['connect p50 0.5 ms, p99 0.5 ms (2 connections) · TLS p50 0.5 ms, p99 0.5 ms (1 handshake)'],
    ],
    [
      'few slow connections without TLS',
      { connect: setup(1, 0.9, 100) },
      ['connect p50 0.9 ms, p99 100 ms (1 connection)'],
    ],
    ['fast connection setup', { connect: setup(9, 0.5, 60), tls: setup(9, 0.4, 39.9) }, []],
    [
      'connection setup without times',
      { connect: { count: null, times: {}, histogram: null }, tls: setup(1, 2, 2) },
      ['connect p50 0 ms, p99 0 ms (0 connections) · TLS p50 2 ms, p99 2 ms (1 handshake)'],
    ],
    [
      'several addresses',
      {
        addresses: [
          { address: 'a:1', connections: 1, requests: 2, failed: 3, tls: {} },
          { address: 'b:1', connections: 2, requests: 1, failed: 0, tls: {} },
        ],
      },
      ['a:1: 1 connection, 2 requests, 3 failed', 'b:1: 2 connections, 1 request, 0 failed'],
    ],
    ['one address', { addresses: [{ address: 'a:1', connections: 1, requests: 2, failed: 3, tls: {} }] }, []],
    [
      'an outage',
      { outage: { spans: 1, seconds: 4, periods: [{ from: 6.4, to: 10.4 }] }, omitted: 0 },
      ['4.0 s without a response (0:06 to 0:10)'],
    ],
    [
      'outages with refused connections and omitted requests',
      {
        outage: {
          spans: 5,
          seconds: 1204.25,
          periods: [1, 2, 3, 4, 5].map((from) => ({ from, to: from + 1 })),
        },
        omitted: 1500,
        ledger: ledgerOf({ network: { ECONNREFUSED: 9, EPIPE: 1 } }),
      },
      [
        '1,204.3 s without a response (0:01 to 0:02, 0:02 to 0:03, 0:03 to 0:04, and 2 more): the target refused connections; 1,500 requests omitted',
        '10 network errors: 9 ECONNREFUSED, 1 EPIPE',
      ],
    ],
    [
      'exactly three outages that take whole seconds',
      {
        outage: {
          ...{ spans: 3, seconds: 1234 },
          periods: [1, 2, 3].map((from) => ({ from, to: from + 1 })),
        },
      },
      ['1,234.0 s without a response (0:01 to 0:02, 0:02 to 0:03, 0:03 to 0:04)'],
    ],
    [
      'an outage without refused connections',
      { outage: { spans: null, seconds: 2, periods: [] }, ledger: ledgerOf({}) },
      ['2.0 s without a response'],
    ],
    ['omitted requests', { outage: null, omitted: 1 }, ['1 request omitted']],
    [
      'failures, the most frequent first',
      {
        ledger: ledgerOf({
          network: { ECONNRESET: 1, EPIPE: 3, ENOTFOUND: 0 },
          protocol: { 'status 99': 2 },
          timeout: { connect: 1, tls: 2, response: 1200, other: 3 },
          httpError: { 404: 2, 500: 3 },
          unexpected: { body: 4, custom: 1 },
        }),
      },
      [
        '6 network errors: 3 EPIPE, 2 status 99, 1 ECONNRESET',
        '1,206 timeouts: 1,200 waiting for the response, 3 other, 2 during the TLS handshake, 1 while connecting',
        '10 failed responses: 4 with an unexpected body, 3 × 500, 2 × 404, 1 custom',
      ],
    ],
    [
      'requests that were not sent, were abandoned, or were sent again',
      {
        ledger: ledgerOf({
          notStarted: { stopped: 1, aborted: 2, saturated: 1000, quota: 3, no_socket: 0 },
          abandoned: 1001,
          resent: 1002,
        }),
      },
      [
        '1,000 not sent: the load generator was more than 1 s behind schedule',
        '3 not sent: quota',
        '1,001 still in flight at the end (not counted)',
        '1,002 sent again: the server closed reused connections before the response',
      ],
    ],
    [
      'abandoned requests of a run that ended early',
      { abortReason: 'stopped', ledger: ledgerOf({ abandoned: 5, resent: 0 }) },
      [],
    ],
    [
      'uncertain times, with the longest stall',
      {
        metrics: { p50: 30, p95: 989.4, p99: 1000 },
        bounds: {
          p50: { low: 20, high: 30 },
          p95: { low: 20.12, high: 989.4 },
          p99: { low: 990, high: 1000 },
        },
        machine: { ...STALL_FREE, longestStall: 1436.4 },
      },
      [
        'p50 is between 20 and 30 ms, p95 is between 20.1 and 989 ms: the load generator stalled for up to 1,436 ms',
      ],
    ],
    [
      'an uncertain time without stalls',
      { metrics: { p95: 100 }, bounds: { p95: { low: 50, high: 100 } } },
      ['p95 is between 50 and 100 ms: the difference may be delay in the load generator'],
    ],
    [
      'times that are certain enough',
      {
        metrics: { p50: 60, p95: 100, p99: 1000 },
        bounds: { p50: { low: 11, high: 60 }, p95: { low: 50.1, high: 100 }, p99: { low: 501, high: 1000 } },
      },
      [],
    ],
  ])('detailLines returns the expected lines for a run with %s', (_, changes, lines) => {
    expect(linesOf(changes)).toEqual(lines);
  });

  test('the line about errors ends with the name of a URL if this URL is the only one of several that has errors', () => {
    const url = (name: string, error?: number) =>
      createUrl({ url: `http://a${name}`, method: 'GET', metrics: error === undefined ? {} : { error } });
    const errorsOf = (...urls: readonly RunRecord['urls'][]) =>
      linesOf({ urls: urls.flatMap((one) => one ?? []), ledger: ledgerOf({ httpError: { 500: 2 } }) });
    expect(errorsOf([url('/cart', 2), url('/', 0), url('/x')])).toEqual([
      '2 failed responses: 2 × 500 (GET /cart)',
    ]);
    expect(errorsOf([url('/cart', 1), url('/', 1)])).toEqual(['2 failed responses: 2 × 500']);
    expect(errorsOf([url('/cart', 2)])).toEqual(['2 failed responses: 2 × 500']);
    expect(errorsOf([url('/cart'), url('/')])).toEqual(['2 failed responses: 2 × 500']);
  });

  test('positiveCounts returns the counts above 0 in descending order', () => {
    expect(positiveCounts({ a: 1, b: 0, c: 3, d: 2 })).toEqual([
      ['c', 3],
      ['d', 2],
      ['a', 1],
    ]);
  });

  test('a warm-up with an unknown duration or number of requests has no text', () => {
    const warmup = { seconds: 10, complete: true, requests: 5, ledger: null };
    expect(warmupText({ warmup })).toBe('10s warm-up: 5 requests, 5 failed');
    expect(warmupText({ warmup: { ...warmup, seconds: null } })).toBeNull();
    expect(warmupText({ warmup: { ...warmup, requests: null } })).toBeNull();
    expect(warmupText({ warmup: null })).toBeNull();
  });
});

describe('targets that limit requests', () => {
  const limited = (statusCodes: RunRecord['statusCodes'], retryAfter = 0) =>
    rateLimitText(recordOf({ statusCodes, ledger: ledgerOf({ retryAfter }) }));
  const reason =
    'the target limits the request rate; exempt the IP address of the load generator from the limit';

  test('rateLimitText states the share and the status codes of rate-limited responses if the share exceeds 1%', () => {
    expect(limited({ 200: 99, 429: 1 })).toBeNull();
    expect(limited({ 200: 98, 429: 2 })).toBe(`2% of the responses have status 429: ${reason}`);
    expect(limited({ 200: 2, 503: 1 }, 1)).toBe(
      `33% of the responses have status 503 with a Retry-After header: ${reason}`,
    );
    expect(limited({ 200: 3, 429: 2, 503: 1 }, 1)).toBe(
      `50% of the responses have status 429 or 503 with a Retry-After header: ${reason}`,
    );
    expect(limited({ 200: 1, 503: 1 })).toBeNull();
  });

  test('a target is described as limiting requests only if the record contains rate-limited responses', () => {
    expect(limited({})).toBeNull();
    expect(limited(null)).toBeNull();
    expect(rateLimitText(recordOf({ statusCodes: { 200: 1 }, ledger: null }))).toBeNull();
    expect(linesOf({ statusCodes: { 429: 1 }, ledger: ledgerOf({}) })).toEqual([
      `100% of the responses have status 429: ${reason}`,
    ]);
  });
});

describe('rows of URLs, flows and groups', () => {
  const METRICS = {
    requests: 1500,
    error: 1000,
    timeout_error: 20,
    network_error: 3,
    p50: 1.234,
    p95: 1999,
    p99: 2000,
  };
  const CELLS = ['1,500', '1,023', '1.23 ms', '1,999 ms', '≥ 2 s'];
  const url = (address: string | null, method: string | null = 'GET') =>
    createUrl({ url: address, method, metrics: METRICS });

  test('the rows of URLs have names without the host, if all URLs have the same host', () => {
    const long = `/${'x'.repeat(60)}`;
    const urls = [url('http://a.test'), url('http://a.test/cart?q=1', 'POST'), url(`http://a.test${long}`)];
    const rows = urlRows(recordOf({ urls, timeout: 2000 }), [null, null, null]);
    expect(rows.map(([name]) => name)).toEqual(['GET /', 'POST /cart?q=1', `GET /${'x'.repeat(54)}…`]);
    expect(rows.map(([, ...cells]) => cells)).toEqual([CELLS, CELLS, CELLS]);
    const fits = url(`http://a.test/${'x'.repeat(55)}`);
    expect(urlRows(recordOf({ urls: [fits, fits] }))[0]?.[0]).toBe(`GET /${'x'.repeat(55)}`);
  });

  test('if the hosts of URLs differ, the rows have the names from the file, or names with the host', () => {
    const urls = [url('HTTP://a.test/x'), url('https://b.test?q'), url(null, null), url('relative', null)];
    const names = (own: readonly (string | null)[]) => urlRows(recordOf({ urls }), own).map(([name]) => name);
    expect(names([])).toEqual(['GET HTTP://a.test/x', 'GET https://b.test?q', '/', 'relative']);
    expect(names(['home', null, 'other'])).toEqual(['home', 'GET https://b.test?q', 'other', 'relative']);
  });

  test('a record with a single URL or flow, or without URLs, flows and groups, has no rows for them', () => {
    expect(urlRows(recordOf({ urls: [url('http://a.test/')] }))).toEqual([]);
    expect(urlRows(recordOf({ urls: null }))).toEqual([]);
    expect(flowRows(recordOf({ flows: [flow('a', {})] }))).toEqual([]);
    expect(flowRows(recordOf({ flows: null }))).toEqual([]);
    expect(groupRows(recordOf({}))).toEqual([]);
  });

  test('unknown metrics of flows and groups are shown as 0 failed requests and hyphens', () => {
    const unknown = ['-', '0', '-', '-', '-'];
    const flows = [flow('a', {}), flow(null, { metrics: { ...METRICS, p99: 2001 } })];
    expect(flowRows(recordOf({ flows }))).toEqual([
      ['a', ...unknown],
      ['', ...CELLS.slice(0, 4), '2,001 ms'],
    ]);
    expect(
      groupRows(recordOf({ timeout: 2000 }), [
        { name: 'g', metrics: null },
        { name: 'h', metrics: METRICS },
      ]),
    ).toEqual([
      ['g', ...unknown],
      ['h', ...CELLS],
    ]);
  });
});

describe('times of requests that timed out', () => {
  test.each([
    ['p99', 1500, 2000, 20, '1,500 ms'],
    ['p99', 2000, 2000, 20, '≥ 2 s (20 timed out)'],
    ['p99', 2000, 2000, 0, '2,000 ms'],
    ['max', 2600, 2500, 1200, '≥ 2,500 ms (1,200 timed out)'],
    ['max', 3000, 2500, 1, '≥ 3 s (1 timed out)'],
    ['requests', 5000, 2000, 1, '5,000'],
  ])(
    'with the metric %s, the value %d, the timeout %d and %d timeouts, boundText returns %j',
    (metric, value, timeout, count, text) => {
      const record = recordOf({ timeout, metrics: { timeout_error: count } });
      expect(boundText(metric, value, record)).toBe(text);
    },
  );

  test('isUpperBound returns true only if the load generator may have added at least half of the time, and at least 50 ms', () => {
    const isBound = (high: number, low: number, changes: Partial<RunRecord> = {}) =>
      isUpperBound('p99', recordOf({ metrics: { p99: high }, bounds: { p99: { low, high } }, ...changes }));
    expect(isBound(100, 50)).toBe(true);
    expect(isBound(100, 51)).toBe(false);
    expect(isBound(60, 10)).toBe(true);
    expect(isBound(60, 11)).toBe(false);
    expect(isBound(100, 50, { timeout: 100, metrics: { p99: 100, timeout_error: 1 } })).toBe(false);
    expect(isBound(100, 50, { bounds: null })).toBe(false);
    expect(isBound(100, 50, { metrics: {} })).toBe(false);
  });

  test('isUpperBound compares the maximum only with its own lower bound, and returns false without a lower bound', () => {
    const metrics = { p50: 900, p95: 1000, p99: 1000, max: 1000 };
    const isBound = (metric: 'p50' | 'max', lows: Readonly<Record<string, number>>) =>
      isUpperBound(
        metric,
        recordOf({
          metrics,
          bounds: Object.fromEntries(Object.entries(lows).map(([name, low]) => [name, { low, high: null }])),
        }),
      );
    expect([isBound('max', { max: 10, p99: 1000 }), isBound('max', { max: 990, p99: 10 })]).toEqual([
      true,
      false,
    ]);
    expect([isBound('p50', { p50: 890, p95: 10 }), isBound('p50', { p95: 10 })]).toEqual([true, false]);
  });

  test('isUpperBound returns true for a percentile above the lower bound of a higher percentile that is itself an upper bound', () => {
    const marked = (p50: number) => {
      const metrics = { p50, p95: 989, p99: 1000, max: 1000 };
      const low = { p50: 0.1, p95: 20, p99: 990, max: 990 };
      const names = ['p50', 'p95', 'p99', 'max'] as const;
      const bounds = Object.fromEntries(names.map((name) => [name, { low: low[name], high: metrics[name] }]));
      return names.filter((name) => isUpperBound(name, recordOf({ metrics, bounds })));
    };
    expect(marked(21)).toEqual(['p50', 'p95']);
    expect(marked(20)).toEqual(['p95']);
  });
});
