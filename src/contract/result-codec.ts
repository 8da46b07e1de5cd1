/**
 * Codec of results.
 *
 * @see Public documentation of services with this API, for the result fields and `not_ready` entries;
 * docs/internals/engine.md, section 2, for the extensions.
 */
import { formatRfc3339 } from '../core/instant.ts';
import type { Json } from '../core/canonical.ts';
import type { AbortReason, RunReport } from '../core/load/run-report.ts';
import { resultId } from '../core/model/ids.ts';
import type { RunStop } from '../core/model/run-stop.ts';
import { encodeHistogram } from '../core/run-record/histogram-record.ts';
import { readRunRecord } from '../core/run-record/read-record.ts';
import { readRunVerdict } from '../core/run-record/read-verdict.ts';
import { recordOfReport } from '../core/run-record/report-record.ts';
import type {
  ErrorSample,
  FlowRecord,
  IterationRecord,
  LedgerRecord,
  MeasurementRecord,
  PhaseRecord,
  RunRecord,
  SecondRecord,
  SetupRecord,
  UrlRecord,
} from '../core/run-record/run-record.ts';
import type { RunResult } from '../core/run-record/run-result.ts';
import type { ResultRecord } from './generated/result-record.ts';
import { encodeBounds, encodeDelivery, encodeMachine, encodeWorker } from './measurement-codec.ts';
import { readId } from './wire-values.ts';

export interface RunStart {
  readonly id: string;
  readonly startedAt: number;
}

/** The stored form of a finished run. Both strings are JSON. `detail` contains the fields that lists omit. */
export interface ResultDocument {
  readonly record: string;
  readonly detail: string;
}

/**
 * Creates the stored result of a finished run in the form of the API record, which later versions can read.
 * @param stop - The request that stopped the run; null if there was none.
 */
export function createResultDocument(
  run: RunStart,
  report: RunReport,
  stop: RunStop | null = null,
): ResultDocument {
  const record = recordOfReport(report, run.startedAt);
  // The run may have ended for another reason before the stop request took effect.
  return toDocument(run, { ...record, stop: report.abortReason === 'stopped' ? stop : null });
}

/** Creates the result of a run that was lost before its first checkpoint. */
export function createUnknownResultDocument(run: RunStart, abortReason: AbortReason): ResultDocument {
  return toDocument(run, { ...readRunRecord({}), startedAt: run.startedAt, abortReason });
}

function toDocument({ id }: RunStart, record: RunRecord): ResultDocument {
  return {
    record: JSON.stringify(encodeRecord(id, record)),
    detail: JSON.stringify(encodeDetail(record)),
  };
}

export interface StoredResult extends RunStart {
  /** The finished run; null while the run is in progress. `detail` is null if it was not requested. */
  readonly document: { readonly record: string; readonly detail: string | null } | null;
  /** JSON of the verdict that the client has published for the run; null or absent if there is none. */
  readonly verdict?: string | null;
}

export function encodeStoredResult(run: StoredResult): ResultRecord {
  const { document, verdict = null } = run;
  if (document === null) return { ...encodeIdentity(run.id, run.startedAt), status: 'not_ready' };
  // The cast is valid, because `toDocument` wrote the text.
  const parse = (text: string | null) => (text === null ? {} : (JSON.parse(text) as Partial<ResultRecord>));
  return {
    ...encodeIdentity(run.id, run.startedAt),
    ...parse(document.record),
    // The cast is valid, because the verdict was validated when it was published.
    ...(verdict === null ? {} : { verdict: JSON.parse(verdict) as Record<string, unknown> }),
    ...parse(document.detail),
  };
}

export function readStoredResult(run: StoredResult): RunResult {
  return decodeResult(encodeStoredResult(run));
}

function encodeIdentity(id: string, startedAt: number | null) {
  return { result_id: id, started_at: formatRfc3339(startedAt) };
}

/** Encodes a record without the fields that lists omit. */
export function encodeRecord(id: string, record: RunRecord): ResultRecord {
  const { outage, pool, connect, tls, generator, delivery, machine, warmup, ledger, stop } = record;
  return {
    ...encodeIdentity(id, record.startedAt),
    status: 'ready',
    load_started_at: formatRfc3339(record.loadStartedAt),
    ...encodeMetrics(record),
    elapsed_ms: record.elapsed,
    ...(record.knownUntil === null ? {} : { known_until_ms: record.knownUntil }),
    ...(record.errorStop === null ? {} : { error_stop: { ...record.errorStop } }),
    ...(record.thresholdStop === null ? {} : { threshold_stop: { ...record.thresholdStop } }),
    timeout_ms: record.timeout,
    outage: outage && {
      ...outage,
      periods: outage.periods.map((period) => ({ ...period })),
      omitted: record.omitted,
    },
    requests_per_second: record.metrics.requests_per_second ?? null,
    peak_connections: record.peakConnections,
    ...(pool === null
      ? {}
      : {
          pool: { opened: pool.opened, peak: pool.peak, waited: pool.waited, wait_p99_ms: pool.waitP99 },
        }),
    addresses: record.addresses.map(({ tls: protocols, ...use }) => ({ ...use, tls: { ...protocols } })),
    connect: connect && encodeSetup(connect),
    tls: tls && encodeSetup(tls),
    abort_reason: record.abortReason ?? null,
    generator: generator && {
      lag_p99_ms: generator.lagP99,
      overloaded: generator.overloaded,
      threads: generator.threads,
      version: generator.version,
    },
    bounds: record.bounds && encodeBounds(record.bounds),
    delivery: delivery && encodeDelivery(delivery),
    machine: machine && encodeMachine(machine),
    abort_certain: record.abortCertain,
    ...(warmup === null
      ? {}
      : { warmup: { ...warmup, ledger: warmup.ledger && encodeLedger(warmup.ledger) } }),
    ledger: ledger && encodeLedger(ledger),
    ...encodeIterations(record),
    ...(record.seed === null ? {} : { seed: record.seed }),
    ...(record.setup === null ? {} : { setup: encodePhase(record.setup) }),
    ...(record.teardown === null ? {} : { teardown: encodePhase(record.teardown) }),
    ...(stop === null ? {} : { stopped: { ...stop, at: formatRfc3339(stop.at) } }),
  };
}

/** Encodes the fields that lists omit. */
export function encodeDetail(record: RunRecord) {
  const { connect, tls, urls, flows, timeline, errorSamples, workers } = record;
  return {
    ...encodeHistograms(record),
    ...encodeIterationHistograms(record),
    connect_histogram: encodeHistogram(connect?.histogram ?? null),
    tls_histogram: encodeHistogram(tls?.histogram ?? null),
    urls:
      urls?.map((url) => ({ ...encodeUrl(url), ...encodeHistograms(url), ...encodeUrlTimeline(url) })) ??
      null,
    ...(flows === null
      ? {}
      : {
          flows: flows.map((flow) => ({
            ...encodeFlow(flow),
            ...encodeHistograms(flow),
            ...encodeIterationHistograms(flow),
          })),
        }),
    timeline: timeline?.map(encodeSecond) ?? null,
    error_samples: errorSamples?.map(encodeErrorSample) ?? null,
    ...(workers === null ? {} : { workers: workers.map(encodeWorker) }),
  };
}

/** Encodes a URL without its histograms and timeline. */
export function encodeUrl(url: UrlRecord) {
  return { url: url.url, request_type: url.method, ...encodePart(url) };
}

/** Encodes a flow without its histograms. */
export function encodeFlow(flow: FlowRecord) {
  return { name: flow.name, ...encodePart(flow), ...encodeIterations(flow) };
}

export function encodeUrlTimeline({ timeline }: UrlRecord, from = 0, to?: number) {
  if (timeline === undefined) return {};
  const { success, error, timeoutError, networkError, p50, p95, p99 } = timeline;
  const part = <T>(values: readonly T[]) => values.slice(from, to);
  return {
    timeline: {
      success: part(success),
      error: part(error),
      p50: part(p50),
      p95: part(p95),
      p99: part(p99),
      timeout_error: part(timeoutError),
      network_error: part(networkError),
    },
  };
}

function encodePart(part: MeasurementRecord) {
  return {
    ...encodeMetrics(part),
    omitted: part.omitted,
    requests_per_second: part.metrics.requests_per_second ?? null,
    bounds: part.bounds && encodeBounds(part.bounds),
    ledger: part.ledger && encodeLedger(part.ledger),
  };
}

/** @param detail - True to include the fields that lists omit. */
export function encodeResult(run: RunStart, report: RunReport, detail: boolean): ResultRecord {
  const record = recordOfReport(report, run.startedAt);
  return { ...encodeRecord(run.id, record), ...(detail ? encodeDetail(record) : {}) };
}

export function encodeSecond(entry: SecondRecord) {
  return {
    second: entry.second,
    span: entry.span,
    ...(entry.warmup ? { warmup: true } : {}),
    started: entry.started,
    success: entry.success,
    error: entry.error,
    timeout_error: entry.timeoutError,
    network_error: entry.networkError,
    connections: entry.connections,
    data_sent: entry.bytesSent,
    data_received: entry.bytesReceived,
    p50: entry.p50,
    p95: entry.p95,
    p99: entry.p99,
  };
}

export function encodeErrorSample({ url, error, count }: ErrorSample) {
  return { url, error, count };
}

function encodePhase({ requests, failed, seconds, failure }: PhaseRecord) {
  return {
    requests,
    failed,
    seconds,
    failure: failure && {
      url: failure.url,
      request_type: failure.method,
      status: failure.status,
      error: failure.error,
    },
  };
}

function encodeMetrics({ metrics, dataSent, statusCodes, latency, serviceTime }: MeasurementRecord) {
  const { success, error, timeout_error: timeouts, network_error: network, requests } = metrics;
  return {
    success: success ?? null,
    error: error ?? null,
    timeout_error: timeouts ?? null,
    network_error: network ?? null,
    requests: requests ?? null,
    data_sent: dataSent,
    data_received: metrics.data_received ?? null,
    avg_response_time: latency?.mean ?? null,
    avg_error_rate: metrics.error_rate ?? null,
    status_codes: statusCodes && { ...statusCodes },
    latency: latency && { ...latency },
    service_time: serviceTime && { ...serviceTime },
  };
}

function encodeSetup({ count, times }: SetupRecord) {
  return { count, ...times };
}

function encodeHistograms({ times, serviceTimeHistogram }: MeasurementRecord) {
  return {
    latency_histogram: encodeHistogram(times?.measured ?? null),
    service_time_histogram: encodeHistogram(serviceTimeHistogram),
    latency_low_histogram: encodeHistogram(times?.minimum ?? null),
  };
}

function encodeIterations({ iterations }: { readonly iterations?: IterationRecord }) {
  if (iterations === undefined) return {};
  const { started, completed, failed, withErrors, missing, areRequests, durations } = iterations;
  return {
    iterations: {
      started,
      completed,
      failed,
      ...(withErrors === null ? {} : { with_errors: withErrors }),
      ...(missing === null ? {} : { missing }),
      ...(areRequests ? {} : { duration: durations && { ...durations } }),
    },
  };
}

function encodeIterationHistograms({ iterations }: { readonly iterations?: IterationRecord }) {
  if (iterations === undefined || iterations.areRequests) return {};
  return {
    iteration_histogram: encodeHistogram(iterations.times?.measured ?? null),
    iteration_low_histogram: encodeHistogram(iterations.times?.minimum ?? null),
  };
}

function encodeLedger({ notStarted, httpError, ...ledger }: LedgerRecord) {
  return {
    planned: ledger.planned,
    started: ledger.started,
    not_started: { ...notStarted },
    success: ledger.success,
    http_error: { ...httpError },
    unexpected: { ...ledger.unexpected },
    timeout: { ...ledger.timeout },
    network: { ...ledger.network },
    protocol: { ...ledger.protocol },
    abandoned: ledger.abandoned,
    resent: ledger.resent,
    retry_after: ledger.retryAfter,
  };
}

/**
 * @param index - Index of the record in its list, for error messages.
 * @throws UnusableResponse if the ID is invalid.
 */
export function decodeResult(json: ResultRecord, index: number | null = null): RunResult {
  return {
    id: readId(json.result_id, '/result_id', resultId, index),
    status: statusOf(json.status),
    verdict: readRunVerdict(json.verdict),
    record: readRunRecord(json),
    // The cast is valid, because the value was parsed from JSON.
    json: json as Readonly<Record<string, Json>>,
  };
}

function statusOf(status: string | null | undefined): RunResult['status'] {
  switch ((status ?? '').toLowerCase().replaceAll(/[ -]/g, '_')) {
    case 'ready':
      return 'ready';
    case 'not_ready':
      return 'not_ready';
    default:
      return 'other';
  }
}
