/** Text about the details of a result: connection setup, failures, outages and metrics for each URL. */
import type { Json } from '../canonical.ts';
import { counted, withCommas } from '../counted.ts';
import { metricText, intervalText } from '../metric-text.ts';
import { formatDuration, seconds } from '../units.ts';
import { objectOf } from '../unknown-value.ts';
import { countsOf, numberOf, textOf, type Counts, type ResultRecord } from './record.ts';

/**
 * Connection setup is displayed if it took at least this time in ms, TLS included. Below it is within the
 * noise of the target.
 */
const SLOW_CONNECT_MEDIAN_MS = 1;
const SLOW_CONNECT_P99_MS = 100;

/**
 * Describes slow connection setup, in at most one line: `connect p50 40.1 ms, p99 44 ms (1,000 connections) ·
 * TLS p50 …`.
 */
function connectLines(record: ResultRecord): readonly string[] {
  const [connect, tls] = [objectOf(record?.['connect']), objectOf(record?.['tls'])];
  const together = (metric: string): number =>
    (numberOf(connect[metric]) ?? 0) + (numberOf(tls[metric]) ?? 0);
  if (together('p50') < SLOW_CONNECT_MEDIAN_MS && together('p99') < SLOW_CONNECT_P99_MS) return [];
  const connections = numberOf(connect['count']) ?? 0;
  const handshakes = numberOf(tls['count']) ?? 0;
  const failed = handshakes === connections ? '' : ` (${counted(handshakes, 'handshake')})`;
  return [
    [
      `connect ${connectionSetupText(connect)} (${counted(connections, 'connection')})`,
      ...(handshakes === 0 ? [] : [`TLS ${connectionSetupText(tls)}${failed}`]),
    ].join(' · '),
  ];
}

function connectionSetupText(times: Readonly<Record<string, Json>>): string {
  return (['p50', 'p99'] as const)
    .map((metric) => `${metric} ${metricText(metric, numberOf(times[metric]) ?? 0)}`)
    .join(', ');
}

/**
 * Returns one line each for: the warm-up, times that the load generator may have inflated, slow connection
 * setup, outages, each kind of failure, requests that were not sent or did not end, and requests that were
 * sent again.
 */
export function detailLines(record: ResultRecord): readonly string[] {
  const ledger = objectOf(record?.['ledger']);
  return [
    ...warmupLines(record),
    ...inflatedLines(record),
    ...connectLines(record),
    ...outageLines(objectOf(record?.['outage'])),
    ...failureLines(ledger, onlyUrl(record)),
    ...unsentLines(ledger),
    ...abandonedLines(record, numberOf(ledger['abandoned']) ?? 0),
    ...resentLines(numberOf(ledger['resent']) ?? 0),
  ];
}

/**
 * A time is uncertain if the load generator may have added at least this fraction of it, and this number of
 * ms.
 */
const MIN_INFLATED_SHARE = 0.5;
const MIN_INFLATED_MS = 50;

/**
 * Describes uncertain times, in at most one line: `p95 is between 20.1 and 989 ms: the load generator stalled
 * for up to 436 ms`.
 */
function inflatedLines(record: ResultRecord): readonly string[] {
  const [latency, bounds] = [objectOf(record?.['latency']), objectOf(record?.['bounds'])];
  const inflated = (['p50', 'p95', 'p99'] as const).flatMap((metric) => {
    const [high, low] = [numberOf(latency[metric]), numberOf(objectOf(bounds[metric])['low'])];
    if (high === null || low === null || lowerBound(record, high) !== null) return [];
    const added = high - low;
    if (added < MIN_INFLATED_MS || added < MIN_INFLATED_SHARE * high) return [];
    return [`${metric} is ${intervalText(metric, { low, high })}`];
  });
  if (inflated.length === 0) return [];
  const longest = numberOf(objectOf(record?.['machine'])['longest_stall_ms']);
  const why =
    longest === null
      ? 'the difference may be delay in the load generator'
      : `the load generator stalled for up to ${withCommas(Math.round(longest))} ms`;
  return [`${inflated.join(', ')}: ${why}`];
}

/**
 * Describes the warm-up: `10s warm-up: 1,234 requests, 5 failed (not included in these metrics)`. The failures
 * are included if the run ended during the warm-up.
 */
function warmupLines(record: ResultRecord): readonly string[] {
  const warmup = objectOf(record?.['warmup']);
  const lasts = numberOf(warmup['seconds']);
  const requests = numberOf(warmup['requests']);
  if (lasts === null || requests === null) return [];
  const ledger = objectOf(warmup['ledger']);
  const failed = requests - (numberOf(ledger['success']) ?? 0);
  const counts = `${counted(requests, 'request')}, ${withCommas(failed)} failed`;
  const length = formatDuration(seconds(lasts));
  return warmup['complete'] === false
    ? [`ended during the ${length} warm-up: ${counts}`, ...failureLines(ledger)]
    : [`${length} warm-up: ${counts} (not included in these metrics)`];
}

function failureLines(ledger: NonNullable<ResultRecord>, suffix = ''): readonly string[] {
  const timeouts = countsOf(ledger['timeout']);
  const network = [...countsOf(ledger['network']), ...countsOf(ledger['protocol'])];
  const statuses = countsOf(ledger['http_error']);
  const unexpected = countsOf(ledger['unexpected']);
  return [
    ...reasonLine('network error', network, (code, count) => `${withCommas(count)} ${code}`),
    ...reasonLine(
      'timeout',
      timeouts,
      (phase, count) => `${withCommas(count)} ${TIMEOUT_PHASES.get(phase) ?? phase}`,
    ),
    ...reasonLine('error', [...statuses, ...unexpected], (name, count) =>
      /^\d+$/.test(name)
        ? `${withCommas(count)} × ${name}`
        : `${withCommas(count)} ${UNEXPECTED_RESPONSES.get(name) ?? name}`,
    ).map((line) => line + suffix),
  ];
}

export const UNEXPECTED_RESPONSES: ReadonlyMap<string, string> = new Map([
  ['status', 'with an unexpected status'],
  ['header', 'without an expected header'],
  ['size', 'too large to check'],
  ['coding', 'with an unsupported or invalid content encoding'],
  ['body', 'without the expected text'],
  ['json', 'without the expected JSON value'],
  ['variable', 'without the value of a variable'],
]);

export const TIMEOUT_PHASES: ReadonlyMap<string, string> = new Map([
  ['connect', 'while connecting'],
  ['tls', 'during the TLS handshake'],
  ['response', 'waiting for the response'],
]);

function reasonLine(kind: string, counts: Counts, format: (name: string, count: number) => string): string[] {
  if (counts.length === 0) return [];
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  const sorted = [...counts].sort((a, b) => b[1] - a[1]);
  return [`${counted(total, kind)}: ${sorted.map(([name, count]) => format(name, count)).join(', ')}`];
}

function outageLines(outage: NonNullable<ResultRecord>): readonly string[] {
  const [seconds, omitted] = [numberOf(outage['seconds']) ?? 0, numberOf(outage['omitted']) ?? 0];
  const parts = [
    ...(seconds > 0
      ? [`${withCommas(Number(seconds.toFixed(1))).replace(/^(\d[\d,]*)$/, '$1.0')} s without a response`]
      : []),
    ...(omitted > 0 ? [`${counted(omitted, 'request')} omitted`] : []),
  ];
  return parts.length === 0 ? [] : [parts.join('; ')];
}

/**
 * Describes requests that were not sent, except those that the end of the run prevented: these are part of
 * its description, or count as omitted.
 */
function unsentLines(ledger: NonNullable<ResultRecord>): readonly string[] {
  return [...countsOf(ledger['not_started'])]
    .filter(([why]) => why !== 'stopped' && why !== 'aborted')
    .sort((a, b) => b[1] - a[1])
    .map(([why, count]) => `${withCommas(count)} not sent: ${NOT_STARTED.get(why) ?? why}`);
}

/** Reasons why requests were not sent, as clauses. */
export const NOT_STARTED: ReadonlyMap<string, string> = new Map([
  ['stopped', 'the run was stopped'],
  ['aborted', 'the run ended early'],
  ['saturated', 'the load generator was more than 1 s behind schedule'],
  ['no_socket', 'no socket was available on the load generator'],
  ['undefined_variable', 'a variable had no value'],
]);

/** Describes abandoned requests, but not those of a run that ended early, which always has some. */
function abandonedLines(record: ResultRecord, open: number): readonly string[] {
  if (open === 0 || record?.['abort_reason'] !== null) return [];
  return [`${withCommas(open)} still in flight at the end (not counted)`];
}

function resentLines(resent: number): readonly string[] {
  return resent > 0 ? [`${withCommas(resent)} sent again: the server closed connections without notice`] : [];
}

/** Returns ` (GET /cart)` if all errors are from one of several URLs, else an empty string. */
function onlyUrl(record: ResultRecord): string {
  const urls = urlsOf(record);
  const [failing, ...others] = urls.filter(({ metrics }) => (numberOf(metrics['error']) ?? 0) > 0);
  return failing === undefined || others.length > 0 || urls.length < 2 ? '' : ` (${failing.name})`;
}

/** The name of a URL and its metrics, as text. */
export type UrlRow = readonly [
  name: string,
  requests: string,
  failed: string,
  p50: string,
  p95: string,
  p99: string,
];

export const URL_COLUMNS = ['URL', 'requests', 'failed', 'p50', 'p95', 'p99'] as const satisfies UrlRow;

/** Returns one row per URL; empty if there is only one URL. */
export function urlRows(record: ResultRecord, names: readonly (string | null)[] = []): readonly UrlRow[] {
  const urls = urlsOf(record, names);
  if (urls.length < 2) return [];
  return urls.map(({ name, metrics }) => {
    const failed = ['error', 'timeout_error', 'network_error'].reduce(
      (sum, kind) => sum + (numberOf(metrics[kind]) ?? 0),
      0,
    );
    const times = objectOf(metrics['latency']);
    const requests = numberOf(metrics['requests']);
    const time = (metric: string) => timeText(metric, numberOf(times[metric]), { ...record, ...metrics });
    return [
      name,
      requests === null ? '-' : withCommas(requests),
      withCommas(failed),
      ...([time('p50'), time('p95'), time('p99')] as const),
    ];
  });
}

function timeText(metric: string, value: number | null, record: ResultRecord): string {
  if (value === null) return '-';
  return lowerBound(record, value) ?? metricText(metric, value);
}

/** Formats a time: `9.06 ms`, or `≥ 2 s (20 timed out)` if it is in the range of requests that timed out. */
export function boundText(metric: string, value: number, record: ResultRecord): string {
  const bound = /^(?:p\d|max)/.test(metric) ? lowerBound(record, value) : null;
  return bound === null ? metricText(metric, value) : `${bound} (${withCommas(timedOut(record))} timed out)`;
}

/**
 * Returns `≥ 2 s` for a time in the range of requests that timed out, whose full duration is unknown; else
 * null.
 */
function lowerBound(record: ResultRecord, value: number): string | null {
  const timeout = numberOf(record?.['timeout_ms']);
  if (timeout === null || value < timeout || timedOut(record) === 0) return null;
  // Requests are aborted within 50 ms after the timeout.
  const bound = value <= timeout * 1.01 + 100 ? timeout : value;
  return `≥ ${bound % 1000 === 0 ? `${withCommas(bound / 1000)} s` : metricText('p99', bound)}`;
}

/** Number of requests that timed out. */
function timedOut(record: ResultRecord): number {
  return numberOf(record?.['timeout_error']) ?? 0;
}

interface UrlMetrics {
  /** Name in the file; else `GET /cart`, with the host if there are several. */
  readonly name: string;
  readonly metrics: Readonly<Record<string, Json>>;
}

function urlsOf(record: ResultRecord, names: readonly (string | null)[] = []): readonly UrlMetrics[] {
  const urls = record?.['urls'];
  if (!Array.isArray(urls)) return [];
  const all = urls.map((one: Json) => objectOf(one));
  const hosts = new Set(all.map(({ url }) => hostOf(textOf(url))));
  return all.map((metrics, index) => {
    const name = names[index] ?? null;
    if (name !== null) return { name, metrics };
    const url = textOf(metrics['url']);
    const short = hosts.size > 1 ? url : url.slice(hostOf(url).length);
    const named = `${textOf(metrics['request_type'])} ${short === '' ? '/' : short}`.trim();
    return { name: truncate(named), metrics };
  });
}

const MAX_URL_LENGTH = 60;

function truncate(text: string): string {
  return text.length > MAX_URL_LENGTH ? `${text.slice(0, MAX_URL_LENGTH - 1)}…` : text;
}

function hostOf(url: string): string {
  return /^[a-z]+:\/\/[^/?#]*/i.exec(url)?.[0] ?? '';
}
