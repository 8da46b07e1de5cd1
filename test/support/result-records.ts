/** Result records of our service, of any size. */
import type { Json } from '../../src/core/canonical.ts';
import { Histogram } from '../../src/core/load/histogram.ts';
import { encodeHistogram } from '../../src/core/run-record/histogram-record.ts';
import type { Run } from '../../src/core/report/generated/documents.ts';

type JsonRecord = Readonly<globalThis.Record<string, Json>>;

/**
 * Creates the record of a run with this number of seconds and URLs. Each second contains 10 requests, one of
 * them with a 503.
 */
export function createResultRecord({
  seconds,
  urls = 1,
}: {
  readonly seconds: number;
  readonly urls?: number;
}): JsonRecord {
  const times = Histogram.createTotal();
  for (let at = 0; at < seconds; at++) times.recordMany(10, 2000 + (at % 500));
  const counts = { success: 9 * seconds, error: seconds, timeout_error: 0, network_error: 0 };
  const latency = { p50: 2, p95: 2.4, p99: 2.5 };
  return {
    result_id: 'r1',
    status: 'ready',
    ...counts,
    requests: 10 * seconds,
    latency,
    timeout_ms: 1000,
    peak_connections: 7,
    data_sent: 1000,
    data_received: 4000,
    latency_histogram: encodeHistogram(times.toStored()),
    generator: { lag_p99_ms: 1, overloaded: false, threads: 1, version: '1.2.3' },
    ledger: {
      planned: 10 * seconds,
      started: 10 * seconds,
      not_started: {},
      success: 9 * seconds,
      http_error: { 503: seconds },
      unexpected: {},
      timeout: {},
      network: {},
      protocol: {},
      abandoned: 0,
      resent: 0,
      retry_after: 0,
    },
    urls: Array.from({ length: urls }, (_, at) => ({
      url: `http://shop.example/${at}`,
      request_type: 'GET',
      ...counts,
      requests: 10,
      latency,
    })),
    timeline: Array.from({ length: seconds }, (_, second) => ({
      second,
      span: 1,
      started: 10,
      success: 9,
      error: 1,
      timeout_error: 0,
      network_error: 0,
      connections: 7,
      p50: 2,
      p95: 2.4,
      p99: second % 7 === 0 ? null : 2.5,
    })),
    error_samples: [{ url: 'http://shop.example/0', error: 'answered 503', count: seconds }],
  };
}

export function createRunResult(changes: Partial<Run> = {}): Run {
  return {
    address: 'test.home',
    test_id: 't1',
    result_id: 'r1',
    started_at: '2026-03-02T09:00:00.000Z',
    status: 'complete',
    state: 'ended',
    started_by_us: true,
    verdict: 'pass',
    reason: null,
    thresholds: [],
    metrics: null,
    result: null,
    ...changes,
  };
}
