/** Sample reports for reporters, with all outcomes of runs. */
import { problem, type Problem } from '../../src/core/problem.ts';
import type {
  ApplyDocument,
  DoneAction,
  EvaluatedThreshold,
  Report,
  Run,
  ServiceRecord,
} from '../../src/core/report/generated/documents.ts';
import { createReport, type BodyOf } from '../../src/core/report/command-report.ts';
import { reportMismatch } from './schema-checks.ts';

const HOST = 'shop.example';

export function sampleAction(key: string, line: number, more: Partial<DoneAction> = {}): DoneAction {
  return {
    verb: 'create',
    address: `test.${key}`,
    id: 'a1',
    test_id: 'a1',
    starts_load: true,
    changes: [],
    note: null,
    host: null,
    verification: null,
    load: {
      test_type: 'cycling',
      initial: 0,
      total: 5,
      clients: null,
      stages: null,
      warmup: null,
      connections: 5,
      seconds: 10,
      hosts: [HOST],
    },
    scheduled_at: null,
    state: null,
    verdict: null,
    not_compared: [],
    source: { file: 'loadtests.yaml', line, column: 3 },
    result_id: `r-${key}`,
    outcome: 'done',
    ...more,
  };
}

/** Creates a record with a timeline of one second, two URLs, and several kinds of failures. */
export function sampleRecord(more: ServiceRecord = {}): ServiceRecord {
  return {
    result_id: 'r1',
    status: 'ready',
    success: 280,
    error: 12,
    timeout_error: 5,
    network_error: 3,
    requests: 300,
    elapsed_ms: 10_250,
    timeout_ms: 2000,
    abort_reason: null,
    data_received: 123_456,
    generator: { version: '0.1.0', threads: 2 },
    ledger: {
      http_error: { '404': 10, '500': 2 },
      timeout: { connect: 0, tls: 0, response: 5 },
      network: { ECONNRESET: 3 },
      protocol: {},
    },
    urls: [
      { url: `http://${HOST}/`, request_type: 'GET', ...sampleUrlMetrics(200, 0) },
      { url: `http://${HOST}/cart`, request_type: 'POST', ...sampleUrlMetrics(100, 20) },
    ],
    timeline: [sampleTimelineEntry(0, 150), sampleTimelineEntry(1, 150)],
    error_samples: [{ url: `http://${HOST}/cart`, error: '404', count: 10 }],
    ...more,
  };
}

function sampleUrlMetrics(requests: number, error: number): ServiceRecord {
  const latency = { p50: 12.5, p95: 90, p99: 412.4 };
  return { requests, success: requests - error, error, timeout_error: 0, network_error: 0, latency };
}

export function sampleTimelineEntry(second: number, success: number): ServiceRecord {
  const failed = { error: 1, timeout_error: 0, network_error: 0 };
  const bytes = { data_sent: 1000, data_received: 2000 };
  return {
    second,
    span: 1,
    started: success + 1,
    success,
    ...failed,
    connections: 5,
    ...bytes,
    p50: 12.5,
    p95: 90,
    p99: null,
  };
}

export function sampleThreshold(more: Partial<EvaluatedThreshold> = {}): EvaluatedThreshold {
  return {
    metric: 'p95',
    limit: '< 300ms',
    value: 412.4,
    verdict: 'fail',
    source: { file: 'loadtests.yaml', line: 9, column: 12 },
    ...more,
  };
}

export function sampleRun(key: string, more: Partial<Run> = {}): Run {
  return {
    address: `test.${key}`,
    test_id: 'a1',
    result_id: `r-${key}`,
    started_at: '2026-03-02T09:00:00.000Z',
    status: 'complete',
    state: 'ended',
    started_by_us: true,
    verdict: 'fail',
    reason: null,
    thresholds: [sampleThreshold()],
    metrics: {
      requests: 300,
      success: 280,
      error: 12,
      timeout_error: 5,
      network_error: 3,
      error_rate: 6.666,
      requests_per_second: 29.3,
      p50: 12.5,
      p95: 412.4,
      p99: 800,
    },
    result: sampleRecord(),
    source: { file: 'loadtests.yaml', line: 5, column: 3 },
    ...more,
  };
}

/** Creates a report of `apply` with these tests and runs. It fits its schema. */
export function sampleApplyReport(
  parts: Partial<BodyOf<'apply'>> & { readonly exitCode?: number; readonly problems?: readonly Problem[] },
): Report {
  const { exitCode = 10, problems = [problem('LT_RUN_THRESHOLD', 'p95 is too high')], ...members } = parts;
  const body: BodyOf<'apply'> = {
    command: 'apply',
    has_changes: true,
    project: 'shop',
    environment: 'staging',
    service: 'embedded',
    summary: EMPTY_SUMMARY,
    actions: [sampleAction('home', 5)],
    drift: [],
    load: { starts: 1, peak_connections: { [HOST]: 5 }, seconds: 10, concurrent_tests: 1 },
    basis: `sha256:${'0'.repeat(64)}`,
    runs: [sampleRun('home')],
    pins: [],
    ...members,
  };
  const report = createReport('apply', { exitCode, problems, body });
  const misfit = reportMismatch(report);
  if (misfit !== null) throw new Error(misfit);
  return report;
}

const EMPTY_SUMMARY: ApplyDocument['summary'] = {
  register: 0,
  verify: 0,
  create: 1,
  replace: 0,
  run: 0,
  stop: 0,
  blocked: 0,
  deferred: 0,
  unchanged: 0,
  superseded: 0,
  orphaned: 0,
  unmanaged: 0,
  drift: 0,
};
