import { describe, expect, test } from 'vitest';
import { readCount, readNumber, readString } from '../../../../src/core/lenient-values.ts';
import { BUCKETS, SUB_BITS } from '../../../../src/core/load/histogram.ts';
import { encodeHistogram, readHistogram } from '../../../../src/core/run-record/histogram-record.ts';
import { metricsOf, type MetricSources } from '../../../../src/core/run-record/metrics.ts';
import { failureText, phaseFailureText } from '../../../../src/core/run-record/failure-text.ts';
import { readBounds, readRunRecord, readTimeline } from '../../../../src/core/run-record/read-record.ts';
import { readRunProgress } from '../../../../src/core/run-record/read-progress.ts';
import { readRunVerdict } from '../../../../src/core/run-record/read-verdict.ts';
import { hasMinimumCounts } from '../../../../src/core/run-record/run-record.ts';

const HISTOGRAM = {
  unit: 'us',
  sub_bits: SUB_BITS,
  min: 1,
  max: 3,
  sum: 6,
  counts: [
    [1, 2],
    [3, 1],
  ],
};
const STORED = {
  min: 1,
  max: 3,
  sum: 6,
  counts: [
    [1, 2],
    [3, 1],
  ],
};
const TIMES = { min: 1, mean: 2, p50: 3, p75: 4, p90: 5, p95: 6, p99: 7, 'p99.9': 8, max: 9 };
const AT = '2026-11-20T14:02:11Z';
const TIME = Date.UTC(2026, 10, 20, 14, 2, 11);
const LEDGER = {
  planned: 1,
  started: 2,
  not_started: { stopped: 3 },
  success: 4,
  http_error: { 500: 5 },
  unexpected: { status: 6 },
  timeout: { tls: 7 },
  network: { ECONNRESET: 8 },
  protocol: { parse: 9 },
  abandoned: 10,
  resent: 11,
  retry_after: 12,
};
const READ_LEDGER = {
  planned: 1,
  started: 2,
  notStarted: { stopped: 3 },
  success: 4,
  httpError: { 500: 5 },
  unexpected: { status: 6 },
  timeout: { tls: 7 },
  network: { ECONNRESET: 8 },
  protocol: { parse: 9 },
  abandoned: 10,
  resent: 11,
  retryAfter: 12,
};
const NO_LEDGER = {
  planned: null,
  started: null,
  notStarted: {},
  success: null,
  httpError: {},
  unexpected: {},
  timeout: {},
  network: {},
  protocol: {},
  abandoned: null,
  resent: null,
  retryAfter: null,
};

describe('members of run records', () => {
  test.each<[member: object, expected: object]>([
    [{ started_at: AT }, { startedAt: TIME }],
    [{ load_started_at: AT }, { loadStartedAt: TIME }],
    [{ load_started_at: TIME }, { loadStartedAt: null }],
    [{ known_until_ms: '12' }, { knownUntil: 12 }],
    [{ known_until_ms: -1 }, { knownUntil: null }],
    [
      { error_stop: { threshold: 1, finished: 2, failed: 3 } },
      { errorStop: { threshold: 1, finished: 2, failed: 3 } },
    ],
    [{ error_stop: { finished: 2, failed: 3 } }, { errorStop: null }],
    [{ error_stop: { threshold: 1, failed: 3 } }, { errorStop: null }],
    [{ error_stop: { threshold: 1, finished: 2 } }, { errorStop: null }],
    [
      { threshold_stop: { metric: 'p95', limit: '<1s', value: 2, second: 3 } },
      { thresholdStop: { metric: 'p95', limit: '<1s', value: 2, second: 3 } },
    ],
    [
      {
        threshold_stop: { metric: 'p95', limit: '<1s', value: 2, second: 3, url: 'a', flow: 'b', group: 'c' },
      },
      {
        thresholdStop: { metric: 'p95', limit: '<1s', value: 2, second: 3, url: 'a', flow: 'b', group: 'c' },
      },
    ],
    [{ threshold_stop: { limit: '<1s', value: 2, second: 3 } }, { thresholdStop: null }],
    [{ threshold_stop: { metric: 'p95', value: 2, second: 3 } }, { thresholdStop: null }],
    [{ threshold_stop: { metric: 'p95', limit: '<1s', second: 3 } }, { thresholdStop: null }],
    [{ threshold_stop: { metric: 'p95', limit: '<1s', value: 2 } }, { thresholdStop: null }],
    [{ public_results_url: 'https://a.example' }, { publicUrl: 'https://a.example' }],
    [{ elapsed_ms: 5 }, { elapsed: 5 }],
    [{ timeout_ms: 5 }, { timeout: 5 }],
    [
      {
        outage: {
          omitted: 4,
          spans: 1,
          seconds: 2,
          periods: [{ from: 1, to: 1 }, { from: 2, to: 1 }, { from: 0 }, { to: 1 }, 7],
        },
      },
      { omitted: 4, outage: { spans: 1, seconds: 2, periods: [{ from: 1, to: 1 }] } },
    ],
    [{ outage: {} }, { omitted: null, outage: { spans: null, seconds: null, periods: [] } }],
    [{ outage: [1] }, { outage: null }],
    [{ peak_connections: 5 }, { peakConnections: 5 }],
    [
      { pool: { opened: 1, peak: 2, waited: 3, wait_p99_ms: 4 } },
      { pool: { opened: 1, peak: 2, waited: 3, waitP99: 4 } },
    ],
    [
      { addresses: [{ address: 'a', connections: 1, requests: 2, failed: 3, tls: { v: 4, w: -1 } }, null] },
      {
        addresses: [
          { address: 'a', connections: 1, requests: 2, failed: 3, tls: { v: 4 } },
          { address: '', connections: 0, requests: 0, failed: 0, tls: {} },
        ],
      },
    ],
    [
      { connect: { count: 3, ...TIMES, other: 1 }, connect_histogram: HISTOGRAM },
      { connect: { count: 3, times: TIMES, histogram: STORED } },
    ],
    [
      { tls: { count: 3, p50: 1 }, tls_histogram: HISTOGRAM },
      { tls: { count: 3, times: { p50: 1 }, histogram: STORED } },
    ],
    [{ tls_histogram: HISTOGRAM }, { tls: null }],
    [{ abort_reason: 'stopped' }, { abortReason: 'stopped' }],
    [{ abort_reason: null }, { abortReason: null }],
    [{ abort_reason: 3 }, { abortReason: undefined }],
    ...(['request', 'app_deleted', 'closed'] as const).map(
      (cause) =>
        [{ stopped: { at: AT, cause, client: 'c' } }, { stop: { at: TIME, cause, client: 'c' } }] as [
          object,
          object,
        ],
    ),
    [
      { stopped: { at: AT, cause: 'closed', client: 1 } },
      { stop: { at: TIME, cause: 'closed', client: null } },
    ],
    [{ stopped: { at: AT, cause: 'other' } }, { stop: null }],
    [{ stopped: { cause: 'closed' } }, { stop: null }],
    [
      { generator: { lag_p99_ms: 1, overloaded: true, threads: 2, version: '3' } },
      { generator: { lagP99: 1, overloaded: true, threads: 2, version: '3' } },
    ],
    [
      { generator: { overloaded: 1 } },
      { generator: { lagP99: null, overloaded: false, threads: null, version: null } },
    ],
    [{ delivery: { held_share: 0.5, due: 1 } }, { delivery: { model: 'closed', heldShare: 0.5 } }],
    [
      {
        delivery: {
          due: 1,
          never_started: 2,
          late: 3,
          lag_p99_ms: 4,
          lag_max_ms: 5,
          worst_window: { second: 6, due: 7, never_started: 8 },
        },
      },
      {
        delivery: {
          model: 'open',
          due: 1,
          neverStarted: 2,
          late: 3,
          lagP99: 4,
          lagMax: 5,
          worstWindow: { second: 6, due: 7, neverStarted: 8 },
        },
      },
    ],
    ...[{ due: 7, never_started: 8 }, { second: 6, never_started: 8 }, { second: 6, due: 7 }, null].map(
      (window) =>
        [
          { delivery: { due: 1, never_started: 2, worst_window: window } },
          {
            delivery: {
              model: 'open',
              due: 1,
              neverStarted: 2,
              late: 0,
              lagP99: 0,
              lagMax: 0,
              worstWindow: null,
            },
          },
        ] as [object, object],
    ),
    [{ delivery: { due: 1 } }, { delivery: null }],
    [{ delivery: { never_started: 1 } }, { delivery: null }],
    [
      {
        machine: {
          cores: 1,
          quota: 2,
          thread_reason: 'load',
          node: 'v20',
          measurement_version: 3,
          thread_loads: [{ mean: 4, max: 5 }, {}],
          seconds: 6,
          longest_stall_ms: 7,
          stalled_seconds: [{ tolerance_ms: 8, seconds: 9 }, {}],
        },
      },
      {
        machine: {
          cores: 1,
          quota: 2,
          threadReason: 'load',
          node: 'v20',
          measurementVersion: 3,
          threadLoads: [
            { mean: 4, max: 5 },
            { mean: 0, max: 0 },
          ],
          seconds: 6,
          longestStall: 7,
          stalledSeconds: [
            { tolerance: 8, seconds: 9 },
            { tolerance: 0, seconds: 0 },
          ],
        },
      },
    ],
    [
      { machine: { thread_reason: 'other' } },
      {
        machine: {
          cores: null,
          quota: null,
          threadReason: null,
          node: null,
          measurementVersion: null,
          threadLoads: [],
          seconds: null,
          longestStall: null,
          stalledSeconds: [],
        },
      },
    ],
    [{ abort_certain: false }, { abortCertain: false }],
    [{ abort_certain: 'false' }, { abortCertain: null }],
    [
      { warmup: { seconds: 1, complete: false, requests: 2, ledger: LEDGER } },
      { warmup: { seconds: 1, complete: false, requests: 2, ledger: READ_LEDGER } },
    ],
    [{ warmup: {} }, { warmup: { seconds: null, complete: null, requests: null, ledger: null } }],
    [{ seed: 7 }, { seed: 7 }],
    ...(['setup', 'teardown'] as const).flatMap((name): [object, object][] => [
      [
        {
          [name]: {
            requests: 1,
            failed: 2,
            seconds: 3,
            failure: { url: 'u', request_type: 'GET', status: 4, error: 'e' },
          },
        },
        {
          [name]: {
            requests: 1,
            failed: 2,
            seconds: 3,
            failure: { url: 'u', method: 'GET', status: 4, error: 'e' },
          },
        },
      ],
      [{ [name]: {} }, { [name]: { requests: null, failed: null, seconds: null, failure: null } }],
    ]),
    [
      { error_samples: [{ url: 'u', error: 'e', count: 1 }, 7] },
      {
        errorSamples: [
          { url: 'u', error: 'e', count: 1 },
          { url: null, error: null, count: null },
        ],
      },
    ],
    [
      {
        workers: [
          {
            name: 'w',
            threads: 1,
            started: 2,
            finished: 3,
            lag_p99_ms: 4,
            start_skew_ms: -5,
            clock_uncertainty_ms: 6,
            lost: 'l',
          },
        ],
      },
      {
        workers: [
          {
            name: 'w',
            threads: 1,
            started: 2,
            finished: 3,
            lagP99: 4,
            startSkew: -5,
            clockUncertainty: 6,
            lossReason: 'l',
          },
        ],
      },
    ],
    [{ workers: {} }, { workers: null }],
    [{ timeline: [] }, { timeline: [] }],
    [{ bounds: { p95: { low: 1, high: 2 } } }, { bounds: { p95: { low: 1, high: 2 } } }],
    [
      { latency: { ...TIMES, p50: -1 } },
      { latency: Object.fromEntries(Object.entries(TIMES).filter(([name]) => name !== 'p50')) },
    ],
    [{ latency: [] }, { latency: null }],
    [
      { latency_histogram: HISTOGRAM, latency_low_histogram: HISTOGRAM },
      { times: { measured: STORED, minimum: STORED } },
    ],
    [{ latency_histogram: HISTOGRAM }, { times: { measured: STORED, minimum: null } }],
    [{ latency_low_histogram: HISTOGRAM }, { times: null }],
    [{ data_sent: 5 }, { dataSent: 5 }],
    [{ status_codes: { 200: 1, 201: 'x', 404: '2' } }, { statusCodes: { 200: 1, 404: 2 } }],
    [{ status_codes: [] }, { statusCodes: null }],
    [
      { service_time: { p50: 1 }, service_time_histogram: HISTOGRAM },
      { serviceTime: { p50: 1 }, serviceTimeHistogram: STORED },
    ],
    [{ ledger: LEDGER }, { ledger: READ_LEDGER }],
    [{ ledger: {} }, { ledger: NO_LEDGER }],
    [
      {
        iterations: { started: 1, completed: 2, failed: 3, with_errors: 4, missing: 5, duration: { p50: 6 } },
        iteration_histogram: HISTOGRAM,
        iteration_low_histogram: HISTOGRAM,
      },
      {
        iterations: {
          started: 1,
          completed: 2,
          failed: 3,
          withErrors: 4,
          missing: 5,
          areRequests: false,
          durations: { p50: 6 },
          times: { measured: STORED, minimum: STORED },
        },
        metrics: { iterations: 2, iteration_p50: 6, iteration_error_rate: 80 },
      },
    ],
    [
      { iterations: { completed: 2 } },
      {
        iterations: {
          started: null,
          completed: 2,
          failed: null,
          withErrors: null,
          missing: null,
          areRequests: true,
          durations: null,
          times: null,
        },
        metrics: {},
      },
    ],
    [
      { avg_response_time: 3, latency: { mean: 4 } },
      { latency: { mean: 4 }, metrics: { avg_response_time: 3 } },
    ],
    [{ latency: { mean: 4 } }, { latency: { mean: 4 }, metrics: { avg_response_time: 4 } }],
    [{ avg_error_rate: 100, requests: 5 }, { metrics: { requests: 5, error_rate: 100, success_rate: 0 } }],
    [{ avg_error_rate: 101 }, { metrics: {} }],
    [
      { success: 1, error: 2, timeout_error: 3, network_error: 4, data_received: 5, requests_per_second: 6 },
      {
        metrics: {
          success: 1,
          error: 2,
          timeout_error: 3,
          network_error: 4,
          requests: 10,
          error_rate: 90,
          success_rate: 10,
          data_received: 5,
          requests_per_second: 6,
        },
      },
    ],
  ])(
    'readRunRecord reads the expected members from $0 (case %$), and the other members are as in an empty record',
    (json, expected) => {
      const record = readRunRecord(json);
      const changed = Object.entries(expected);
      expect(
        Object.fromEntries(changed.map(([name]) => [name, record[name as keyof typeof record]])),
      ).toEqual(expected);
      // All members that do not depend on the given ones are as in an empty record.
      const empty = readRunRecord({});
      const others = Object.entries(record).filter(([name]) => !(name in expected) && name !== 'metrics');
      for (const [name, value] of others)
        expect([name, value]).toEqual([name, empty[name as keyof typeof empty]]);
    },
  );

  test('in an empty run record, addresses and metrics are empty, and all other members are unknown', () => {
    const { metrics, addresses, abortReason, iterations, ...others } = readRunRecord({});
    expect({ metrics, addresses, abortReason, iterations }).toEqual({
      metrics: {},
      addresses: [],
      abortReason: undefined,
      iterations: undefined,
    });
    expect(Object.entries(others).filter(([, value]) => value !== null)).toEqual([]);
  });

  test('the record of a URL contains its method, number of omitted requests and timeline, and the record of a flow contains its name and number of omitted requests', () => {
    const counts = { success: [1, 'x'], error: [2], timeout_error: [3], network_error: [4] };
    const { urls, flows } = readRunRecord({
      urls: [
        {
          url: 'u',
          request_type: 'GET',
          omitted: 5,
          timeline: { ...counts, p50: [1, null], p95: [2], p99: [3] },
        },
        { timeline: { p50: 7 } },
        null,
      ],
      flows: [{ name: 'f', omitted: 6 }],
    });
    expect(urls).toHaveLength(3);
    expect(urls?.[0]).toMatchObject({
      url: 'u',
      method: 'GET',
      omitted: 5,
      timeline: {
        success: [1, 0],
        error: [2],
        timeoutError: [3],
        networkError: [4],
        p50: [1, null],
        p95: [2],
        p99: [3],
      },
    });
    const none: number[] = [];
    expect(urls?.[1]?.timeline).toEqual({
      success: none,
      error: none,
      timeoutError: none,
      networkError: none,
      p50: none,
      p95: none,
      p99: none,
    });
    expect(urls?.[2]).not.toHaveProperty('timeline');
    expect(flows).toMatchObject([{ name: 'f', omitted: 6 }]);
  });

  test('in a timeline entry, missing counts are read as zero, and a missing span as one second', () => {
    const counts = { started: 1, success: 2, error: 3, timeout_error: 4, network_error: 5 };
    const read = { started: 1, success: 2, error: 3, timeoutError: 4, networkError: 5 };
    const zero = { started: 0, success: 0, error: 0, timeoutError: 0, networkError: 0 };
    expect(
      readTimeline([
        {
          second: 8,
          span: 2,
          warmup: true,
          ...counts,
          connections: 6,
          data_sent: 7,
          data_received: 8,
          p50: 9,
          p95: 10,
          p99: 11,
        },
        { warmup: 'true' },
      ]),
    ).toEqual([
      {
        second: 8,
        span: 2,
        warmup: true,
        ...read,
        connections: 6,
        bytesSent: 7,
        bytesReceived: 8,
        p50: 9,
        p95: 10,
        p99: 11,
      },
      {
        second: 1,
        span: 1,
        warmup: false,
        ...zero,
        connections: null,
        bytesSent: 0,
        bytesReceived: 0,
        p50: null,
        p95: null,
        p99: null,
      },
    ]);
    expect(readTimeline({})).toBeNull();
  });

  test.each([
    [null, null],
    [[], null],
    [{}, {}],
    [{ p95: { low: 1, high: 2 }, unknown: { low: 1, high: 2 } }, { p95: { low: 1, high: 2 } }],
    [{ p95: { low: '1', high: null } }, { p95: { low: 1, high: null } }],
    [{ p95: { low: 1 }, p50: { low: -1, high: 0 } }, { p50: { low: -1, high: 0 } }],
    [{ p95: { low: 1, high: 'x' } }, {}],
    [{ p95: { high: 1 } }, {}],
    [{ p95: 3 }, {}],
  ])('the bounds %j are read as %j', (json, expected) => {
    expect(readBounds(json)).toEqual(expected);
  });
});

describe('metrics', () => {
  const NONE: MetricSources = {
    success: null,
    error: null,
    timeoutError: null,
    networkError: null,
    requests: null,
    errorRate: null,
    omitted: null,
    dataReceived: null,
    requestsPerSecond: null,
    statusCodes: null,
    mean: null,
    latency: null,
    iterations: null,
  };
  const COUNTS = { success: 6, error: 2, timeoutError: 1, networkError: 1 };
  const METRICS = { success: 6, error: 2, timeout_error: 1, network_error: 1, requests: 10 };
  const NO_COUNTS = { success: 0, error: 0, timeoutError: 0, networkError: 0 };
  const NO_METRICS = { success: 0, error: 0, timeout_error: 0, network_error: 0, requests: 0 };
  const RATES = { error_rate: 40, success_rate: 60 };

  test.each<[Partial<MetricSources>, object]>([
    [{}, {}],
    [COUNTS, { ...METRICS, ...RATES }],
    [
      { ...COUNTS, requests: 99, errorRate: 99 },
      { ...METRICS, ...RATES },
    ],
    [
      { ...COUNTS, omitted: 10 },
      { ...METRICS, error_rate: 70, success_rate: 30 },
    ],
    [
      { ...COUNTS, statusCodes: { 200: 4, 399: 1, 400: 2, 500: 1 } },
      { ...METRICS, ...RATES, http_error_rate: 50 },
    ],
    [{ ...NO_COUNTS, mean: 5, statusCodes: {} }, NO_METRICS],
    [
      { ...NO_COUNTS, omitted: 4 },
      { ...NO_METRICS, error_rate: 100, success_rate: 0 },
    ],
    ...(['success', 'error', 'timeoutError', 'networkError'] as const).map(
      (unknown): [Partial<MetricSources>, object] => [
        { ...COUNTS, [unknown]: null, requests: 9, errorRate: 25 },
        {
          ...Object.fromEntries(
            Object.entries(METRICS).filter(
              ([name]) => name !== unknown.replace(/[A-Z]/, (letter) => `_${letter.toLowerCase()}`),
            ),
          ),
          requests: 9,
          error_rate: 25,
          success_rate: 75,
        },
      ],
    ),
    [
      { mean: 5, dataReceived: 0, requestsPerSecond: 0 },
      { avg_response_time: 5, data_received: 0, requests_per_second: 0 },
    ],
    [
      { requests: 1, mean: 5 },
      { requests: 1, avg_response_time: 5 },
    ],
    [{ latency: TIMES }, Object.fromEntries(Object.entries(TIMES).filter(([name]) => name !== 'mean'))],
    [
      { iterations: { completed: 3, failed: 1, withErrors: 2, durations: { mean: 4, p95: 5, max: 6 } } },
      { iterations: 3, iteration_mean: 4, iteration_p95: 5, iteration_max: 6, iteration_error_rate: 50 },
    ],
    [{ iterations: { completed: 0, failed: 0, withErrors: 0, durations: null } }, { iterations: 0 }],
    [
      { iterations: { completed: null, failed: 4, withErrors: 1, durations: null } },
      { iteration_error_rate: 25 },
    ],
    [
      { iterations: { completed: 4, failed: null, withErrors: 1, durations: null } },
      { iterations: 4, iteration_error_rate: 25 },
    ],
    [{ iterations: { completed: 4, failed: 1, withErrors: null, durations: null } }, { iterations: 4 }],
  ])('metricsOf returns the expected metrics for the values $0 (case %$)', (sources, expected) => {
    expect(metricsOf({ ...NONE, ...sources })).toEqual(expected);
  });
});

test.each([
  [{}, false],
  [{ abortReason: null, knownUntil: null }, false],
  [{ abortReason: 'stopped' }, false],
  [{ abortReason: 'partial' }, true],
  [{ knownUntil: 0 }, true],
])('hasMinimumCounts(%j) returns %s', (record, expected) => {
  expect(hasMinimumCounts(record)).toBe(expected);
});

describe('texts for failed requests', () => {
  test.each([
    [null, null],
    ['ECONNRESET', 'ECONNRESET'],
    ['undefined_variable', 'not sent: a variable in the request has no value'],
    ['timeout', 'timed out waiting for the response'],
    ['timeout_connect', 'timed out while connecting'],
    ['timeout_tls', 'timed out during the TLS handshake'],
    ['timeout_response', 'timeout_response'],
  ])('the error %j is described as %j', (error, text) => {
    expect(failureText(error)).toBe(text);
  });

  test.each([
    [{}, 'in "setup" failed: unknown reason'],
    [
      { method: 'GET', url: 'u', error: 'timeout' },
      'GET u in "setup" failed: timed out waiting for the response',
    ],
    [{ url: 'u', status: 500, error: 'x' }, 'u in "setup" failed: x (status 500)'],
    [{ method: 'GET', url: 'u', status: 500, error: 'status 500' }, 'GET u in "setup" failed: status 500'],
    [
      { method: 'GET', url: 'u', status: 500, error: 'a status 5' },
      'GET u in "setup" failed: a status 5 (status 500)',
    ],
    [
      { method: 'GET', url: 'u', status: 500, error: 'status x' },
      'GET u in "setup" failed: status x (status 500)',
    ],
  ])('the failure %j of a setup is described as %j', (failure, text) => {
    expect(
      phaseFailureText('setup', { method: null, url: null, status: null, error: null, ...failure }),
    ).toBe(text);
  });
});

describe('progress', () => {
  test('readRunProgress reads all members of the progress of a run', () => {
    const counts = { connections: 1, success: 2, error: 3 };
    expect(
      readRunProgress({
        ...counts,
        elapsed_ms: 4,
        warming_up: true,
        timeout_error: 5,
        network_error: 6,
        requests_per_second: 7,
        p95: 8,
      }),
    ).toEqual({
      ...counts,
      elapsed: 4,
      warmingUp: true,
      timeoutError: 5,
      networkError: 6,
      requestsPerSecond: 7,
      p95: 8,
    });
  });

  test('missing counts in the progress of a run are read as zero, and a missing p95 as unknown', () => {
    expect(readRunProgress({ elapsed_ms: 4, warming_up: 1 })).toEqual({
      elapsed: 4,
      warmingUp: false,
      connections: 0,
      success: 0,
      error: 0,
      timeoutError: 0,
      networkError: 0,
      requestsPerSecond: 0,
      p95: null,
    });
  });

  test.each([null, undefined, 'x', {}, { elapsed_ms: 'x' }])('readRunProgress(%j) returns null', (json) => {
    expect(readRunProgress(json)).toBeNull();
  });
});

describe('published verdicts', () => {
  const THRESHOLD = { metric: 'p95', limit: '<1s', value: 2, verdict: 'pass' };
  const COMPARISON = {
    worse_by: 1,
    allowed: 2,
    baseline: 3,
    runs: 4,
    baseline_runs: 5,
    standard_deviation: 6,
  };
  const VERDICT = { verdict: 'pass', thresholds: [THRESHOLD] };
  const READ = { ...VERDICT, reason: null };

  test.each<[object, object]>([
    [VERDICT, READ],
    ...(['fail', 'inconclusive', 'none'] as const).map((verdict): [object, object] => [
      { verdict, reason: 'r', thresholds: [] },
      { verdict, reason: 'r', thresholds: [] },
    ]),
    [
      { ...VERDICT, url_names: ['a', 3, null] },
      { ...READ, urlNames: ['a', null, null] },
    ],
    [{ ...VERDICT, url_names: 'a' }, READ],
    [
      { ...VERDICT, url_groups: [{ name: 'g', urls: [1, 'x'] }, { name: 1, urls: [] }, { name: 'h' }, null] },
      { ...READ, urlGroups: [{ name: 'g', urls: [1] }] },
    ],
    [{ ...VERDICT, url_groups: {} }, READ],
    [
      { ...VERDICT, baseline: ['r1', 2] },
      { ...READ, baseline: ['r1'] },
    ],
    [{ ...VERDICT, baseline: 'r1' }, READ],
    ...(
      [
        [{ value: null }, { value: null }],
        [{ verdict: 'fail' }, { verdict: 'fail' }],
        [
          { verdict: 'inconclusive', reason: 'r' },
          { verdict: 'inconclusive', reason: 'r' },
        ],
        [{ url: 'u' }, { url: 'u' }],
        [{ flow: 'f' }, { flow: 'f' }],
        [{ group: 'g' }, { group: 'g' }],
        [{ min_samples: 9 }, { minSamples: 9 }],
        [{ bounds: { low: 1, high: 2 } }, { bounds: { low: 1, high: 2 } }],
        [{ bounds: { low: 1, high: null } }, { bounds: { low: 1, high: null } }],
        [
          { regression: COMPARISON },
          {
            regression: {
              worseBy: 1,
              allowed: 2,
              baseline: 3,
              runs: 4,
              baselineRuns: 5,
              standardDeviation: 6,
            },
          },
        ],
        [
          { regression: { ...COMPARISON, standard_deviation: null } },
          {
            regression: {
              worseBy: 1,
              allowed: 2,
              baseline: 3,
              runs: 4,
              baselineRuns: 5,
              standardDeviation: null,
            },
          },
        ],
      ] as [object, object][]
    ).map(([changes, read]): [object, object] => [
      { ...VERDICT, thresholds: [{ ...THRESHOLD, ...changes }] },
      { ...READ, thresholds: [{ ...THRESHOLD, ...read }] },
    ]),
  ])('readRunVerdict returns the expected verdict for a published verdict (case %$)', (json, expected) => {
    expect(readRunVerdict(json)).toStrictEqual(expected);
  });

  test.each<unknown>([
    null,
    'pass',
    {},
    { ...VERDICT, verdict: 'other' },
    { ...VERDICT, reason: 3 },
    { verdict: 'pass' },
    { ...VERDICT, thresholds: {} },
    { ...VERDICT, thresholds: [THRESHOLD, null] },
    ...[
      { metric: 3 },
      { limit: 3 },
      { verdict: 'none' },
      { value: 'x' },
      { value: undefined },
      { url: 3 },
      { flow: 3 },
      { group: 3 },
      { reason: null },
      { min_samples: '3' },
      { bounds: null },
      { bounds: { high: 3 } },
      { bounds: { low: 3 } },
      { bounds: { low: 3, high: 'x' } },
      { regression: 3 },
      ...Object.keys(COMPARISON).map((name) => ({ regression: { ...COMPARISON, [name]: 'x' } })),
    ].map((changes) => ({ ...VERDICT, thresholds: [{ ...THRESHOLD, ...changes }] })),
  ])('readRunVerdict returns null for an invalid verdict (case %$)', (json) => {
    expect(readRunVerdict(json)).toBeNull();
  });
});

describe('histograms', () => {
  test('an encoded histogram contains its unit and its resolution, and is read without changes', () => {
    expect(
      encodeHistogram({
        min: 1,
        max: 3,
        sum: 6,
        counts: [
          [1, 2],
          [3, 1],
        ],
      }),
    ).toEqual(HISTOGRAM);
    expect(readHistogram(HISTOGRAM)).toEqual(STORED);
    expect(
      readHistogram({
        ...HISTOGRAM,
        counts: [
          [0, 1],
          [BUCKETS - 1, 1],
        ],
      })?.counts,
    ).toEqual([
      [0, 1],
      [BUCKETS - 1, 1],
    ]);
    expect(encodeHistogram(null)).toBeNull();
  });

  test.each<unknown>([
    null,
    'x',
    [],
    { ...HISTOGRAM, unit: 'ms' },
    { ...HISTOGRAM, sub_bits: SUB_BITS + 1 },
    { ...HISTOGRAM, min: -1 },
    { ...HISTOGRAM, max: '3' },
    { ...HISTOGRAM, sum: null },
    { ...HISTOGRAM, counts: {} },
    ...[null, {}, [-1, 1], [1, -1], [1, 0], [1], [BUCKETS, 1], ['1', 1]].map((pair) => ({
      ...HISTOGRAM,
      counts: [pair],
    })),
    {
      ...HISTOGRAM,
      counts: [
        [1, 1],
        [1, 1],
      ],
    },
    {
      ...HISTOGRAM,
      counts: [
        [2, 1],
        [1, 1],
      ],
    },
  ])('readHistogram returns null for an invalid histogram (case %$)', (json) => {
    expect(readHistogram(json)).toBeNull();
  });
});

describe('single values', () => {
  test.each([
    [0, 0, 0],
    [1.5, 1.5, 1.5],
    [-1, -1, null],
    ['2.5', 2.5, 2.5],
    [' 3 ', 3, 3],
    ['', null, null],
    [' ', null, null],
    ['x', null, null],
    [Infinity, null, null],
    [NaN, null, null],
    ['Infinity', null, null],
    [null, null, null],
    [true, null, null],
    [[4], null, null],
  ])('readNumber(%o) returns %j, and readCount returns %j', (value, number, count) => {
    expect([readNumber(value), readCount(value)]).toEqual([number, count]);
  });

  test.each([
    ['a', 'a'],
    [' ', ' '],
    ['', null],
    [1, null],
    [null, null],
  ])('readString(%j) returns %j', (value, text) => {
    expect(readString(value)).toBe(text);
  });
});
