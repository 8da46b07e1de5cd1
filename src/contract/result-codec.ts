/**
 * Wire ↔ result.
 *
 * Source: public documents of such services (result fields, not_ready entries); docs/design/engine.md, section 2,
 *         for the extensions, which are additive so that clients of the plain API are not disturbed.
 */
import type { Json } from '../core/canonical.ts';
import { parseInstant } from '../core/instant.ts';
import type {
  AbortReason,
  Figures,
  Ledger,
  OpeningTimes,
  RunReport,
  TimelineSecond,
  Warmup,
} from '../core/load/report.ts';
import { resultId } from '../core/model/ids.ts';
import type { ResponseTimes, RunResult, Sample } from '../core/model/run.ts';
import type { RunStop } from '../core/model/run-stop.ts';
import type { Figure } from '../core/model/threshold.ts';
import { decodeHistogram, encodeHistogram } from '../core/report/histogram-document.ts';
import type { ResultRecord } from './generated/result-record.ts';
import { readJudgement } from './judgement-codec.ts';
import {
  decodeBounds,
  decodeMeasured,
  encodeBounds,
  encodeMeasured,
  encodeWorker,
} from './measured-codec.ts';
import { decodeStop, encodeStop } from './stop-codec.ts';
import { readId, readNumber, readText } from './wire.ts';

export interface StartedRun {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
}

/** A finished run as it is kept: JSON of the record, and of what is too long for lists. */
export interface KeptResult {
  readonly record: string;
  readonly detail: string;
}

/** What lists leave out. */
const DETAIL = [
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
 * Kept is what is given out, so that later versions still understand it.
 *
 * @param stop who ended the run, if somebody did
 */
export function keepResult(run: StartedRun, report: RunReport, stop: RunStop | null = null): KeptResult {
  const whole = encodeResult(run, report, true);
  return {
    record: JSON.stringify({
      ...encodeResult(run, report, false),
      // A run may have ended by itself as it was asked to.
      ...(stop === null || report.abortReason !== 'stopped' ? {} : { stopped: encodeStop(stop) }),
    }),
    detail: JSON.stringify(Object.fromEntries(DETAIL.map((name) => [name, whole[name]]))),
  };
}

/** A run that was lost before anything was kept of it: nothing is known of its figures. */
export function keepUnknownResult(run: StartedRun, abortReason: AbortReason): KeptResult {
  const figures = [
    'success',
    'error',
    'timeout_error',
    'network_error',
    'requests',
    'data_sent',
    'data_received',
  ];
  const others = ['avg_response_time', 'avg_error_rate', 'requests_per_second', 'status_codes', 'latency'];
  const unknown = ['service_time', 'peak_connections', 'connect', 'tls', 'outage', 'ledger', 'generator'];
  const nulls = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, null]));
  return {
    record: JSON.stringify({
      ...headOf(run),
      status: 'ready',
      ...nulls([...figures, ...others, ...unknown]),
      abort_reason: abortReason,
    }),
    detail: JSON.stringify(nulls(DETAIL)),
  };
}

/** A run as it is stored. */
export interface StoredResult extends StartedRun {
  /** Null while the run goes on; its detail is null where it is not asked for. */
  readonly kept: { readonly record: string; readonly detail: string | null } | null;
  /** JSON of what somebody has judged it to be, if somebody has. */
  readonly judgement?: string | null;
}

/** The record of a run. */
export function encodeStoredResult(run: StoredResult): ResultRecord {
  const { kept, judgement = null } = run;
  if (kept === null) return { ...headOf(run), status: 'not_ready' };
  const part = (text: string | null) => (text === null ? {} : (JSON.parse(text) as Partial<ResultRecord>)); // by keepResult
  return {
    ...headOf(run),
    ...part(kept.record),
    ...(judgement === null ? {} : { verdict: JSON.parse(judgement) as Record<string, unknown> }), // checked before it was kept
    ...part(kept.detail),
  };
}

function headOf({ id, startedAt }: StartedRun) {
  return { result_id: id, started_at: new Date(startedAt).toISOString() };
}

/** The record; with `detail` also what is too long for lists. */
export function encodeResult(run: StartedRun, report: RunReport, detail: boolean): ResultRecord {
  const { total } = report;
  return {
    ...headOf(run),
    status: 'ready',
    ...encodeFigures(total),
    elapsed_ms: Math.round(report.elapsed),
    timeout_ms: report.timeout,
    outage: { ...report.outage, missed: total.missed },
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
    ...encodeMeasured(report),
    ...(report.warmup === null ? {} : { warmup: encodeWarmup(report.warmup) }),
    ledger: encodeLedger(total.ledger),
    ...(detail
      ? {
          ...encodeHistograms(total),
          latency_low_histogram: encodeHistogram(report.leastTimes),
          connect_histogram: encodeHistogram(report.connect?.histogram ?? null),
          tls_histogram: encodeHistogram(report.tls?.histogram ?? null),
          urls: report.targets.map((target) => ({
            url: target.url,
            request_type: target.method,
            ...encodeFigures(target),
            missed: target.missed,
            requests_per_second: target.requestsPerSecond,
            bounds: encodeBounds(target.bounds),
            ...encodeHistograms(target),
            latency_low_histogram: encodeHistogram(target.leastTimes),
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
  return { seconds, complete, requests: sum(fourCounts(ledger)), ledger: encodeLedger(ledger) };
}

/** The four counts of the API. Abandoned requests stand in the ledger only. */
function fourCounts(ledger: Ledger) {
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

function encodeFigures(figures: Figures) {
  const counts = fourCounts(figures.ledger);
  const failed = counts.error + counts.timeout_error + counts.network_error;
  const requests = counts.success + failed;
  const asked = requests + figures.missed;
  return {
    ...counts,
    requests,
    data_sent: figures.bytesSent,
    data_received: figures.bytesReceived,
    avg_response_time: figures.latency?.mean ?? null,
    avg_error_rate: asked === 0 ? null : (100 * (failed + figures.missed)) / asked,
    status_codes: { ...figures.statusCodes },
    latency: figures.latency && { ...figures.latency },
    service_time: figures.serviceTime && { ...figures.serviceTime },
  };
}

function encodeOpening(opening: OpeningTimes | null) {
  return opening && { count: opening.count, ...opening.times };
}

function encodeHistograms({ latencyHistogram, serviceTimeHistogram }: Figures) {
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

/** Errors: UnusableAnswer when the id cannot be used. Figures that are missing or impossible are left out. */
export function decodeResult(record: ResultRecord, at: number | null = null): RunResult {
  const generator = record.generator;
  return {
    id: readId(record.result_id, '/result_id', resultId, at),
    startedAt: parseInstant(record.started_at ?? ''),
    status: statusOf(record.status),
    figures: decodeFigures(record, count(record.outage?.['missed']) ?? 0),
    abortReason: record.abort_reason,
    times: decodeTimes(record),
    urls: decodeUrls(record.urls),
    stopped: decodeStop(record),
    generatorOverloaded: generator?.['overloaded'] === true,
    generatorVersion: readText(generator?.['version']),
    measured: decodeMeasured(record),
    judgement: readJudgement(record.verdict),
    endedInWarmup: record.warmup?.['complete'] === false,
    dataSent: count(record.data_sent),
    peakConnections: count(record.peak_connections),
    // The record came out of JSON.parse.
    record: record as Readonly<Record<string, Json>>,
  };
}

/** What the run and each of its URLs have alike. */
type WireFigures = Pick<
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
  return urls.map((one: unknown) => {
    // Every member is read with care, as those of the record are.
    const url = (typeof one === 'object' && one !== null ? one : {}) as WireFigures & { missed?: unknown };
    return {
      figures: decodeFigures(url, count(url.missed) ?? 0),
      bounds: decodeBounds(url.bounds),
      times: decodeTimes(url),
    };
  });
}

function decodeTimes(record: WireFigures): ResponseTimes | null {
  const measured = decodeHistogram(record.latency_histogram);
  return measured && { measured, least: decodeHistogram(record.latency_low_histogram) };
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

/** @param missed requests that were not made, which count as failed */
function decodeFigures(record: WireFigures, missed: number): Partial<Record<Figure, number>> {
  const counts = {
    success: count(record.success),
    error: count(record.error),
    timeout_error: count(record.timeout_error),
    network_error: count(record.network_error),
  };
  const figures: Partial<Record<Figure, number>> = {};
  const set = (metric: Figure, value: number | null) => {
    if (value !== null) figures[metric] = value;
  };
  for (const [metric, value] of Object.entries(counts)) set(metric as keyof typeof counts, value);
  const { success, error, timeout_error: timeouts, network_error: network } = counts;
  if (success !== null && error !== null && timeouts !== null && network !== null) {
    const requests = success + error + timeouts + network;
    set('requests', requests);
    const asked = requests + missed;
    if (asked > 0) {
      set('error_rate', (100 * (asked - success)) / asked);
      set('success_rate', (100 * success) / asked);
    }
  }
  const sampled = (figures.requests ?? 1) > 0;
  set('data_received', count(record.data_received));
  set('requests_per_second', count(record.requests_per_second));
  set('avg_response_time', sampled ? count(record.avg_response_time) : null);
  for (const metric of ['min', 'max', 'p50', 'p75', 'p90', 'p95', 'p99', 'p99.9'] as const) {
    set(metric, count(record.latency?.[metric]));
  }
  return figures;
}

/** A number that can be: finite and not negative. */
function count(value: unknown): number | null {
  const number = readNumber(value);
  return number !== null && number >= 0 ? number : null;
}
