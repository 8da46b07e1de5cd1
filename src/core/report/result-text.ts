/** What a result's record holds beyond its figures, for people: slow connecting, why requests failed, outages, a row for each URL. */
import type { Json } from '../canonical.ts';
import { counted, withCommas } from '../counted.ts';
import { metricText, intervalText } from '../metric-text.ts';
import { formatDuration, seconds } from '../units.ts';
import { countsOf, numberOf, objectOf, textOf, type Counts, type ResultRecord } from './record.ts';

/** Connecting is told where it took so long in ms, TLS included, that it is no part of the target's own noise. */
const SLOW_CONNECT_MEDIAN_MS = 1;
const SLOW_CONNECT_P99_MS = 100;

/** How long connections took to be made: `connect p50 40.1 ms, p99 44 ms (1,000 connections) · TLS p50 …`; one line or none. */
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
 * One line each: the warm-up, times that this machine may have made, slow connecting, outages, of each kind of failure how
 * many of what, what was not sent or had no end, and what was sent again.
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

/** A time says little of the target where this machine may have made this share of it, and so many ms. */
const MIN_INFLATED_SHARE = 0.5;
const MIN_INFLATED_MS = 50;

/** `p95 is between 20.1 and 989 ms: this machine stood still for up to 436 ms`; one line or none. */
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
  const longest = numberOf(objectOf(record?.['machine'])['longest_standstill_ms']);
  const why =
    longest === null
      ? 'may have made the rest'
      : `stood still for up to ${withCommas(Math.round(longest))} ms`;
  return [`${inflated.join(', ')}: this machine ${why}`];
}

/** `10s warm-up: 1,234 requests, 5 failed, in none of these figures`; why they failed is told where there are no figures. */
function warmupLines(record: ResultRecord): readonly string[] {
  const warmup = objectOf(record?.['warmup']);
  const lasts = numberOf(warmup['seconds']);
  const requests = numberOf(warmup['requests']);
  if (lasts === null || requests === null) return [];
  const ledger = objectOf(warmup['ledger']);
  const failed = requests - (numberOf(ledger['success']) ?? 0);
  const made = `${counted(requests, 'request')}, ${withCommas(failed)} failed`;
  const length = formatDuration(seconds(lasts));
  return warmup['complete'] === false
    ? [`ended in its ${length} warm-up: ${made}`, ...failureLines(ledger)]
    : [`${length} warm-up: ${made}, in none of these figures`];
}

function failureLines(ledger: ReturnType<typeof objectOf>, of = ''): readonly string[] {
  const timeouts = countsOf(ledger['timeout']);
  const network = [...countsOf(ledger['network']), ...countsOf(ledger['protocol'])];
  const statuses = countsOf(ledger['http_error']);
  const unexpected = countsOf(ledger['unexpected']);
  return [
    ...reasonLine('network error', network, (code, count) => `${withCommas(count)} ${code}`),
    ...reasonLine(
      'time-out',
      timeouts,
      (phase, count) => `${withCommas(count)} ${TIMEOUT_PHASES.get(phase) ?? phase}`,
    ),
    ...reasonLine('error', [...statuses, ...unexpected], (what, count) =>
      /^\d+$/.test(what)
        ? `${withCommas(count)} × ${what}`
        : `${withCommas(count)} ${UNEXPECTED_RESPONSES.get(what) ?? what}`,
    ).map((line) => line + of),
  ];
}

export const UNEXPECTED_RESPONSES: ReadonlyMap<string, string> = new Map([
  ['status', 'with an unexpected status'],
  ['header', 'without an expected header'],
  ['size', 'larger than is looked at'],
  ['coding', 'in a coding that cannot be read'],
  ['body', 'without an expected text'],
  ['json', 'without an expected JSON value'],
  ['variable', 'without a variable that is used later'],
]);

export const TIMEOUT_PHASES: ReadonlyMap<string, string> = new Map([
  ['connect', 'while connecting'],
  ['tls', 'in the TLS handshake'],
  ['response', 'waiting for the response'],
]);

function reasonLine(kind: string, counts: Counts, say: (what: string, count: number) => string): string[] {
  if (counts.length === 0) return [];
  const all = counts.reduce((sum, [, count]) => sum + count, 0);
  const most = [...counts].sort((a, b) => b[1] - a[1]);
  return [`${counted(all, kind)}: ${most.map(([what, count]) => say(what, count)).join(', ')}`];
}

function outageLines(outage: ReturnType<typeof objectOf>): readonly string[] {
  const [seconds, omitted] = [numberOf(outage['seconds']) ?? 0, numberOf(outage['missed']) ?? 0];
  const parts = [
    ...(seconds > 0
      ? [`${withCommas(Number(seconds.toFixed(1))).replace(/^(\d[\d,]*)$/, '$1.0')} s without an answer`]
      : []),
    ...(omitted > 0 ? [`${counted(omitted, 'request')} missed`] : []),
  ];
  return parts.length === 0 ? [] : [parts.join('; ')];
}

/** Those that the end of the run kept from being sent are told with it, or as missed. */
function unsentLines(ledger: ReturnType<typeof objectOf>): readonly string[] {
  return [...countsOf(ledger['not_started'])]
    .filter(([why]) => why !== 'stopped' && why !== 'aborted')
    .sort((a, b) => b[1] - a[1])
    .map(([why, count]) => `${withCommas(count)} not sent ${NOT_STARTED.get(why) ?? `(${why})`}`);
}

/** Why requests were not sent. */
export const NOT_STARTED: ReadonlyMap<string, string> = new Map([
  ['stopped', 'since the run was stopped'],
  ['aborted', 'since the run ended before'],
  ['saturated', 'since this machine was over a second late'],
  ['no_socket', 'since this machine had no socket'],
  ['undefined_variable', 'since a variable had no value'],
]);

/** Of a run that was not cut off: of one that was, some always are. */
function abandonedLines(record: ResultRecord, open: number): readonly string[] {
  if (open === 0 || record?.['abort_reason'] !== null) return [];
  return [`${withCommas(open)} still open at the end, and in no count`];
}

function resentLines(resent: number): readonly string[] {
  return resent > 0
    ? [`${withCommas(resent)} sent again: the server closes connections without saying so`]
    : [];
}

/** ` (GET /cart)` where one of several URLs has all the errors. */
function onlyUrl(record: ResultRecord): string {
  const urls = urlsOf(record);
  const [failing, ...others] = urls.filter(({ metrics }) => (numberOf(metrics['error']) ?? 0) > 0);
  return failing === undefined || others.length > 0 || urls.length < 2 ? '' : ` (${failing.name})`;
}

/** What is told of a URL: its name, and the figures as texts. */
export type UrlRow = readonly [
  name: string,
  requests: string,
  failed: string,
  p50: string,
  p95: string,
  p99: string,
];

export const URL_COLUMNS = ['URL', 'requests', 'failed', 'p50', 'p95', 'p99'] as const satisfies UrlRow;

/** A row for each URL; none where there is only one. */
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

/** `9.06 ms`; `≥ 2 s (20 timed out)` where it is a time that lies among those of requests that were given up. */
export function boundText(metric: string, value: number, record: ResultRecord): string {
  const bound = /^(?:p\d|max)/.test(metric) ? lowerBound(record, value) : null;
  return bound === null ? metricText(metric, value) : `${bound} (${withCommas(timedOut(record))} timed out)`;
}

/**
 * A time that lies among those of requests that were given up, so that nobody knows how long they would have taken:
 * `≥ 2 s`. Null for one that is known.
 */
function lowerBound(record: ResultRecord, value: number): string | null {
  const timeout = numberOf(record?.['timeout_ms']);
  if (timeout === null || value < timeout || timedOut(record) === 0) return null;
  // They are given up within a twentieth of a second.
  const told = value <= timeout * 1.01 + 100 ? timeout : value;
  return `≥ ${told % 1000 === 0 ? `${withCommas(told / 1000)} s` : metricText('p99', told)}`;
}

/** Requests that were given up for time. */
function timedOut(record: ResultRecord): number {
  return numberOf(record?.['timeout_error']) ?? 0;
}

interface UrlMetrics {
  /** As the file calls it; else `GET /cart`, with its host where there are several. */
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
