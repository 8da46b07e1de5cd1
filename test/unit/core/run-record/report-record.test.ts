/** The conversion of the report of a run to its record. */
import { describe, expect, test } from 'vitest';
import type { LatencySummary, Ledger, PartReport, RunReport } from '../../../../src/core/load/run-report.ts';
import type { StoredHistogram } from '../../../../src/core/model/sample.ts';
import { finishedRequestsOf, recordOfReport } from '../../../../src/core/run-record/report-record.ts';
import { milliseconds } from '../../../../src/core/units.ts';

const STARTED_AT = Date.UTC(2026, 10, 20, 13);
const TIMES: LatencySummary = {
  min: 1,
  mean: 2,
  p50: 3,
  p75: 4,
  p90: 5,
  p95: 6,
  p99: 7,
  'p99.9': 8,
  max: 9,
};
const histogramWith = (bucket: number): StoredHistogram => ({
  min: 1,
  max: 9,
  sum: 9,
  counts: [[bucket, 1]],
});
const MEASURED = histogramWith(1);
const LOWER = histogramWith(2);
const SERVICE = histogramWith(3);
const SETUP = histogramWith(4);

const LEDGER: Ledger = {
  planned: 1000,
  started: 279,
  notStarted: { stopped: 1, aborted: 2, saturated: 3, noSocket: 4, undefinedVariable: 5, condition: 6 },
  success: 64,
  httpError: { 404: 1, 500: 2 },
  unexpected: { status: 4, body: 8 },
  timeout: { connect: 3, tls: 5, response: 7 },
  network: { ECONNRESET: 1, ECONNREFUSED: 1 },
  protocol: { parse: 3, decode: 1 },
  abandoned: 9,
  resent: 2,
  retryAfter: 1,
};
const LEDGER_RECORD = {
  ...LEDGER,
  notStarted: { stopped: 1, aborted: 2, saturated: 3, no_socket: 4, undefined_variable: 5, condition: 6 },
};
const PART: PartReport = {
  ledger: LEDGER,
  statusCodes: { 200: 64, 404: 1, 500: 2 },
  bytesSent: 11,
  bytesReceived: 12,
  latency: TIMES,
  serviceTime: { ...TIMES, min: 0.5 },
  omitted: 0,
  latencyHistogram: MEASURED,
  serviceTimeHistogram: SERVICE,
  requestsPerSecond: 13,
  bounds: { p95: { low: 5, high: 7 } },
  minTimes: LOWER,
};
const METRICS = {
  success: 64,
  error: 15,
  timeout_error: 15,
  network_error: 6,
  requests: 100,
  error_rate: 36,
  success_rate: 64,
  http_error_rate: 36,
  data_received: 12,
  requests_per_second: 13,
  avg_response_time: 2,
  min: 1,
  max: 9,
  p50: 3,
  p75: 4,
  p90: 5,
  p95: 6,
  p99: 7,
  'p99.9': 8,
};
const MEASUREMENTS = {
  metrics: METRICS,
  bounds: PART.bounds,
  times: { measured: MEASURED, minimum: LOWER },
  dataSent: 11,
  omitted: 0,
  statusCodes: PART.statusCodes,
  latency: TIMES,
  serviceTime: PART.serviceTime,
  serviceTimeHistogram: SERVICE,
  ledger: LEDGER_RECORD,
};
const COUNTS = { started: 10, completed: 6, failed: 2, withErrors: 4 };
const DURATIONS: LatencySummary = {
  ...TIMES,
  mean: 20,
  p50: 21,
  p75: 22,
  p90: 23,
  p95: 24,
  p99: 25,
  'p99.9': 26,
  max: 27,
};

const REPORT: RunReport = {
  timeout: milliseconds(2000),
  loadStartedAt: STARTED_AT + 500,
  elapsed: milliseconds(10_250.6),
  knownUntil: milliseconds(9000),
  errorStop: { threshold: 5, finished: 100, failed: 6 },
  thresholdStop: { metric: 'p95', limit: '< 3s', value: 3.5, second: 4 },
  abortReason: 'threshold',
  total: PART,
  targets: [
    { ...PART, url: 'https://shop.example.com/', method: 'GET' },
    {
      ...PART,
      url: 'https://shop.example.com/cart',
      method: 'POST',
      timeline: {
        success: [1],
        error: [2],
        timeoutError: [3],
        networkError: [4],
        p50: [5],
        p95: [6],
        p99: [null],
      },
    },
  ],
  iterations: {
    ...COUNTS,
    missing: 7,
    areRequests: false,
    durations: DURATIONS,
    times: { measured: MEASURED, minimum: LOWER },
  },
  flows: [
    {
      ...PART,
      name: 'browse',
      iterations: { ...COUNTS, missing: null, areRequests: true, durations: null, times: null },
    },
    {
      ...PART,
      name: 'buy',
      iterations: { ...COUNTS, missing: null, areRequests: false, durations: null, times: null },
    },
  ],
  seed: 42,
  setup: {
    requests: 3,
    failed: 1,
    elapsed: milliseconds(1234.4),
    failure: { url: 'https://shop.example.com/login', method: 'POST', status: 401, error: 'status 401' },
  },
  teardown: { requests: 2, failed: 0, elapsed: milliseconds(15), failure: null },
  outage: { spans: 1, seconds: 2, periods: [{ from: 3, to: 5 }] },
  requestsPerSecond: PART.requestsPerSecond,
  peakConnections: 8,
  pool: { opened: 9, peak: 8, waited: 1, waitP99: 0.5 },
  addresses: [
    { address: '10.0.0.1:443', connections: 9, requests: 100, failed: 36, tls: { 'TLSv1.3 http/1.1': 9 } },
  ],
  connect: { count: 9, times: TIMES, histogram: SETUP },
  tls: { count: 8, times: DURATIONS, histogram: SERVICE },
  generator: { lagP99: milliseconds(0.5), overloaded: false, threads: 2, version: '1.2.3' },
  bounds: PART.bounds,
  minTimes: PART.minTimes,
  delivery: { model: 'closed', heldShare: 0.99 },
  warmup: { seconds: 5, complete: true, ledger: LEDGER },
  machine: {
    cores: 2,
    quota: null,
    threadReason: 'load',
    node: '20.1.0',
    measurementVersion: 3,
    threadLoads: [{ mean: 0.5, max: 0.75 }],
    seconds: 10,
    longestStall: 3,
    stalledSeconds: [{ tolerance: 10, seconds: 0 }],
  },
  workers: [
    {
      name: 'east-1',
      threads: 2,
      started: 68,
      finished: 67,
      lagP99: 0.4,
      startSkew: -0.2,
      clockUncertainty: 0.1,
      lossReason: null,
    },
  ],
  abortCertain: true,
  timeline: [
    {
      second: 0,
      span: 1,
      warmup: false,
      started: 1,
      success: 1,
      error: 0,
      timeoutError: 0,
      networkError: 0,
      connections: 1,
      bytesSent: 11,
      bytesReceived: 12,
      p50: 3,
      p95: 6,
      p99: 7,
    },
  ],
  errorSamples: [{ url: 'https://shop.example.com/', error: '404', count: 1 }],
  exchanges: [],
};

describe('the record of a report', () => {
  test('the record contains the measurements of the run, each URL and each flow, and all other data except the trace', () => {
    expect(recordOfReport(REPORT, STARTED_AT)).toStrictEqual({
      ...MEASUREMENTS,
      metrics: {
        ...METRICS,
        iterations: 6,
        iteration_error_rate: 50,
        iteration_mean: 20,
        iteration_max: 27,
        iteration_p50: 21,
        iteration_p75: 22,
        iteration_p90: 23,
        iteration_p95: 24,
        iteration_p99: 25,
        'iteration_p99.9': 26,
      },
      iterations: {
        ...COUNTS,
        missing: 7,
        areRequests: false,
        durations: DURATIONS,
        times: { measured: MEASURED, minimum: LOWER },
      },
      startedAt: STARTED_AT,
      loadStartedAt: STARTED_AT + 500,
      knownUntil: 9000,
      errorStop: REPORT.errorStop,
      thresholdStop: REPORT.thresholdStop,
      publicUrl: null,
      elapsed: 10_251,
      timeout: 2000,
      outage: REPORT.outage,
      peakConnections: 8,
      pool: REPORT.pool,
      addresses: REPORT.addresses,
      connect: { count: 9, times: TIMES, histogram: SETUP },
      tls: { count: 8, times: DURATIONS, histogram: SERVICE },
      abortReason: 'threshold',
      stop: null,
      generator: REPORT.generator,
      delivery: REPORT.delivery,
      machine: REPORT.machine,
      abortCertain: true,
      warmup: { seconds: 5, complete: true, requests: 100, ledger: LEDGER_RECORD },
      urls: [
        { ...MEASUREMENTS, url: 'https://shop.example.com/', method: 'GET' },
        {
          ...MEASUREMENTS,
          url: 'https://shop.example.com/cart',
          method: 'POST',
          timeline: REPORT.targets[1]?.timeline,
        },
      ],
      flows: [
        {
          ...MEASUREMENTS,
          name: 'browse',
          iterations: { ...COUNTS, missing: null, areRequests: true, durations: null, times: null },
        },
        {
          ...MEASUREMENTS,
          metrics: { ...METRICS, iterations: 6, iteration_error_rate: 50 },
          name: 'buy',
          iterations: { ...COUNTS, missing: null, areRequests: false, durations: null, times: null },
        },
      ],
      seed: 42,
      setup: { requests: 3, failed: 1, seconds: 1.234, failure: REPORT.setup?.failure },
      teardown: { requests: 2, failed: 0, seconds: 0.015, failure: null },
      timeline: REPORT.timeline,
      errorSamples: REPORT.errorSamples,
      workers: REPORT.workers,
    });
  });

  test('the record of a run without samples contains null for the parts that the report does not contain', () => {
    const nothing = { iterations: null, flows: null, warmup: null };
    const phases = { setup: null, teardown: null, connect: null, tls: null };
    const total = {
      ...PART,
      latency: null,
      serviceTime: null,
      latencyHistogram: null,
      serviceTimeHistogram: null,
    };
    const record = recordOfReport(
      { ...REPORT, ...nothing, ...phases, total, minTimes: null, targets: [] },
      STARTED_AT,
    );
    const { iterations: _, ...known } = recordOfReport(REPORT, STARTED_AT);
    const times = ['avg_response_time', 'min', 'max', 'p50', 'p75', 'p90', 'p95', 'p99', 'p99.9'];
    const counts = Object.entries(METRICS).filter(([metric]) => !times.includes(metric));
    expect(record).toStrictEqual({
      ...known,
      ...phases,
      metrics: Object.fromEntries(counts),
      times: null,
      latency: null,
      serviceTime: null,
      serviceTimeHistogram: null,
      flows: null,
      warmup: null,
      urls: [],
    });
  });

  test('each group of outcomes in the ledger counts once, and abandoned requests do not count as finished', () => {
    expect(finishedRequestsOf(LEDGER)).toEqual({
      success: 64,
      error: 1 + 2 + 4 + 8,
      timeoutError: 3 + 5 + 7,
      networkError: 1 + 1 + 3 + 1,
    });
  });
});
