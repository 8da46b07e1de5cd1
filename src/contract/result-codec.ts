/**
 * Codec of results.
 *
 * @see Public documents of such services for the result fields and not_ready entries;
 * docs/internals/engine.md, section 2, for the extensions, which are additive so that clients of the base API
 * ignore them.
 */
import type { Json } from '../core/canonical.ts';
import { parseInstant } from '../core/instant.ts';
import type {
  AbortReason,
  Metrics,
  Ledger,
  ConnectionSetupTimes,
  RunReport,
  TimelineSecond,
  Warmup,
} from '../core/load/run-report.ts';
import { resultId } from '../core/model/ids.ts';
import type { ResponseTimes, RunResult, Sample } from '../core/model/run-result.ts';
import type { RunStop } from '../core/model/run-stop.ts';
import type { ResultMetric } from '../core/model/threshold.ts';
import { decodeHistogram, encodeHistogram } from '../core/report/histogram-document.ts';
import { objectOf, isObject } from '../core/unknown-value.ts';
import type { ResultRecord } from './generated/result-record.ts';
import { readRunVerdict } from './verdict-codec.ts';
import {
  decodeBounds,
  decodeMeasurement,
  encodeBounds,
  encodeMeasurement,
  encodeWorker,
} from './measurement-codec.ts';
import { readId, readNumber, readString } from './wire-values.ts';

export interface RunStart {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
}

/** A finished run as stored: JSON of the record, and of the fields that are too long for lists. */
export interface ResultDocument {
  readonly record: string;
  readonly detail: string;
}

/** Fields that lists omit. */
const DETAIL_FIELDS = [
  'latency_histogram',
  'service_time_histogram',
  'latency_low_histogram',
  'connect_histogram',
  'tls_histogram',
  'urls',
  'timeline',
  'error_samples',
  'workers',
] as const satisfies readonly (keyof ResultRecord)[];

/**
 * Creates the stored form of a result, which is the API record, so that later versions can read it.
 *
 * @param stop - Request that stopped the run; null if none.
 */
export function createResultDocument(
  run: RunStart,
  report: RunReport,
  stop: RunStop | null = null,
): ResultDocument {
  const full = encodeResult(run, report, true);
  return {
    record: JSON.stringify({
      ...encodeResult(run, report, false),
      // The run may have ended by itself before the stop took effect.
      ...(stop === null || report.abortReason !== 'stopped' ? {} : { stopped: encodeStop(stop) }),
    }),
    detail: JSON.stringify(Object.fromEntries(DETAIL_FIELDS.map((name) => [name, full[name]]))),
  };
}

/** Creates the result of a run that was lost before its first checkpoint; all its metrics are null. */
export function createUnknownResultDocument(run: RunStart, abortReason: AbortReason): ResultDocument {
  const metrics = [
    'success',
    'error',
    'timeout_error',
    'network_error',
    'requests',
    'data_sent',
    'data_received',
  ];
  const derived = ['avg_response_time', 'avg_error_rate', 'requests_per_second', 'status_codes', 'latency'];
  const details = ['service_time', 'peak_connections', 'connect', 'tls', 'outage', 'ledger', 'generator'];
  const nulls = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, null]));
  return {
    record: JSON.stringify({
      ...encodeIdentity(run),
      status: 'ready',
      ...nulls([...metrics, ...derived, ...details]),
      abort_reason: abortReason,
    }),
    detail: JSON.stringify(nulls(DETAIL_FIELDS)),
  };
}

/** A run as stored. */
export interface StoredResult extends RunStart {
  /** Null while the run is in progress; the detail is null unless requested. */
  readonly document: { readonly record: string; readonly detail: string | null } | null;
  /** JSON of the published verdict; null if none. */
  readonly verdict?: string | null;
}

export function encodeStoredResult(run: StoredResult): ResultRecord {
  const { document, verdict = null } = run;
  if (document === null) return { ...encodeIdentity(run), status: 'not_ready' };
  const parse = (text: string | null) => (text === null ? {} : (JSON.parse(text) as Partial<ResultRecord>)); // written by createResultDocument
  return {
    ...encodeIdentity(run),
    ...parse(document.record),
    ...(verdict === null ? {} : { verdict: JSON.parse(verdict) as Record<string, unknown> }), // validated when it was published
    ...parse(document.detail),
  };
}

function encodeIdentity({ id, startedAt }: RunStart) {
  return { result_id: id, started_at: new Date(startedAt).toISOString() };
}

/** Encodes the record; `detail` adds the fields that lists omit. */
export function encodeResult(run: RunStart, report: RunReport, detail: boolean): ResultRecord {
  const { total } = report;
  return {
    ...encodeIdentity(run),
    status: 'ready',
    ...encodeMetrics(total),
    elapsed_ms: Math.round(report.elapsed),
    timeout_ms: report.timeout,
    outage: { ...report.outage, omitted: total.omitted },
    requests_per_second: report.requestsPerSecond,
    peak_connections: report.peakConnections,
    connect: encodeOpening(report.connect),
    tls: encodeOpening(report.tls),
    abort_reason: report.abortReason,
    generator: {
      lag_p99_ms: report.generator.lagP99,
      overloaded: report.generator.overloaded,
      threads: report.generator.threads,
      version: report.generator.version,
    },
    ...encodeMeasurement(report),
    ...(report.warmup === null ? {} : { warmup: encodeWarmup(report.warmup) }),
    ledger: encodeLedger(total.ledger),
    ...(detail
      ? {
          ...encodeHistograms(total),
          latency_low_histogram: encodeHistogram(report.minTimes),
          connect_histogram: encodeHistogram(report.connect?.histogram ?? null),
          tls_histogram: encodeHistogram(report.tls?.histogram ?? null),
          urls: report.targets.map((target) => ({
            url: target.url,
            request_type: target.method,
            ...encodeMetrics(target),
            omitted: target.omitted,
            requests_per_second: target.requestsPerSecond,
            bounds: encodeBounds(target.bounds),
            ...encodeHistograms(target),
            latency_low_histogram: encodeHistogram(target.minTimes),
            ledger: encodeLedger(target.ledger),
          })),
          timeline: report.timeline.map(encodeSecond),
          error_samples: [...report.errorSamples],
          ...(report.workers === null ? {} : { workers: report.workers.map(encodeWorker) }),
        }
      : {}),
  };
}

export function encodeSecond(entry: TimelineSecond) {
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

function encodeWarmup({ seconds, complete, ledger }: Warmup) {
  return { seconds, complete, requests: sum(encodeCounts(ledger)), ledger: encodeLedger(ledger) };
}

/** Returns the four counts of the API. Abandoned requests are only in the ledger. */
function encodeCounts(ledger: Ledger) {
  const { timeout } = ledger;
  return {
    success: ledger.success,
    error: sum(ledger.httpError) + sum(ledger.unexpected),
    timeout_error: timeout.connect + timeout.tls + timeout.response,
    network_error: sum(ledger.network) + sum(ledger.protocol),
  };
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}

function encodeMetrics(metrics: Metrics) {
  const counts = encodeCounts(metrics.ledger);
  const failed = counts.error + counts.timeout_error + counts.network_error;
  const requests = counts.success + failed;
  const expected = requests + metrics.omitted;
  return {
    ...counts,
    requests,
    data_sent: metrics.bytesSent,
    data_received: metrics.bytesReceived,
    avg_response_time: metrics.latency?.mean ?? null,
    avg_error_rate: expected === 0 ? null : (100 * (failed + metrics.omitted)) / expected,
    status_codes: { ...metrics.statusCodes },
    latency: metrics.latency && { ...metrics.latency },
    service_time: metrics.serviceTime && { ...metrics.serviceTime },
  };
}

function encodeOpening(opening: ConnectionSetupTimes | null) {
  return opening && { count: opening.count, ...opening.times };
}

function encodeHistograms({ latencyHistogram, serviceTimeHistogram }: Metrics) {
  return {
    latency_histogram: encodeHistogram(latencyHistogram),
    service_time_histogram: encodeHistogram(serviceTimeHistogram),
  };
}

function encodeLedger(ledger: Ledger) {
  const { notStarted } = ledger;
  return {
    planned: ledger.planned,
    started: ledger.started,
    not_started: {
      stopped: notStarted.stopped,
      aborted: notStarted.aborted,
      saturated: notStarted.saturated,
      no_socket: notStarted.noSocket,
      undefined_variable: notStarted.undefinedVariable,
    },
    success: ledger.success,
    http_error: { ...ledger.httpError },
    unexpected: { ...ledger.unexpected },
    timeout: { ...ledger.timeout },
    network: { ...ledger.network },
    protocol: { ...ledger.protocol },
    abandoned: ledger.abandoned,
    resent: ledger.resent,
  };
}

/**
 * Decodes a result. Missing or impossible metrics are omitted.
 * @param index - Index of the record in its list, for error messages.
 * @throws UnusableResponse if the id is invalid.
 */
export function decodeResult(record: ResultRecord, index: number | null = null): RunResult {
  const generator = record.generator;
  return {
    id: readId(record.result_id, '/result_id', resultId, index),
    startedAt: parseInstant(record.started_at ?? ''),
    status: statusOf(record.status),
    metrics: decodeMetrics(record, readCount(record.outage?.['omitted']) ?? 0),
    abortReason: record.abort_reason,
    times: decodeTimes(record),
    urls: decodeUrls(record.urls),
    stop: decodeStop(record),
    generatorOverloaded: generator?.['overloaded'] === true,
    generatorVersion: readString(generator?.['version']),
    generator: decodeMeasurement(record),
    verdict: readRunVerdict(record.verdict),
    endedInWarmup: record.warmup?.['complete'] === false,
    dataSent: readCount(record.data_sent),
    peakConnections: readCount(record.peak_connections),
    // The record was parsed from JSON.
    record: record as Readonly<Record<string, Json>>,
  };
}

/** Metrics of a run or of one URL. */
type WireMetrics = Pick<
  ResultRecord,
  | 'success'
  | 'error'
  | 'timeout_error'
  | 'network_error'
  | 'data_received'
  | 'requests_per_second'
  | 'avg_response_time'
  | 'latency'
  | 'latency_histogram'
  | 'latency_low_histogram'
  | 'bounds'
>;

function decodeUrls(urls: ResultRecord['urls']): readonly Sample[] | null {
  if (!Array.isArray(urls) || urls.length === 0) return null;
  return urls.map((entry: unknown) => {
    // The members are validated one by one below, as in the record.
    const url = objectOf(entry) as WireMetrics & {
      omitted?: unknown;
    };
    return {
      metrics: decodeMetrics(url, readCount(url.omitted) ?? 0),
      bounds: decodeBounds(url.bounds),
      times: decodeTimes(url),
    };
  });
}

function decodeTimes(record: WireMetrics): ResponseTimes | null {
  const measured = decodeHistogram(record.latency_histogram);
  return measured && { measured, minimum: decodeHistogram(record.latency_low_histogram) };
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

/** @param omitted - Number of omitted requests, which count as failed. */
function decodeMetrics(record: WireMetrics, omitted: number): Partial<Record<ResultMetric, number>> {
  const counts = {
    success: readCount(record.success),
    error: readCount(record.error),
    timeout_error: readCount(record.timeout_error),
    network_error: readCount(record.network_error),
  };
  const metrics: Partial<Record<ResultMetric, number>> = {};
  const set = (metric: ResultMetric, value: number | null) => {
    if (value !== null) metrics[metric] = value;
  };
  for (const [metric, value] of Object.entries(counts)) set(metric as keyof typeof counts, value);
  const { success, error, timeout_error: timeouts, network_error: network } = counts;
  if (success !== null && error !== null && timeouts !== null && network !== null) {
    const requests = success + error + timeouts + network;
    set('requests', requests);
    const expected = requests + omitted;
    if (expected > 0) {
      set('error_rate', (100 * (expected - success)) / expected);
      set('success_rate', (100 * success) / expected);
    }
  }
  const sampled = (metrics.requests ?? 1) > 0;
  set('data_received', readCount(record.data_received));
  set('requests_per_second', readCount(record.requests_per_second));
  set('avg_response_time', sampled ? readCount(record.avg_response_time) : null);
  for (const metric of ['min', 'max', 'p50', 'p75', 'p90', 'p95', 'p99', 'p99.9'] as const) {
    set(metric, readCount(record.latency?.[metric]));
  }
  return metrics;
}

/** Returns a finite, non-negative number; null for any other value. */
function readCount(value: unknown): number | null {
  const number = readNumber(value);
  return number !== null && number >= 0 ? number : null;
}

/** Encodes the request that stopped a run, an additional member of the results. */
function encodeStop({ at, cause, client }: RunStop): NonNullable<ResultRecord['stopped']> {
  return { at: new Date(at).toISOString(), cause, client };
}

const CAUSES = ['request', 'app_deleted', 'closed'] as const;

/** Decodes the stop; null if it is absent or invalid, because it is only displayed. */
function decodeStop({ stopped }: ResultRecord): RunStop | null {
  if (!isObject(stopped)) return null;
  const { at, cause, client } = stopped;
  const instant = typeof at === 'string' ? parseInstant(at) : null;
  const knownCause = CAUSES.find((known) => known === cause);
  if (instant === null || knownCause === undefined) return null;
  return { at: instant, cause: knownCause, client: typeof client === 'string' ? client : null };
}
