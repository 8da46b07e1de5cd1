/** Text about the details of a result: connection setup, failures, outages and metrics for each URL. */
import { counted, withCommas } from '../counted.ts';
import { PHASES } from '../model/phase.ts';
import { metricText, roundToThreeDigits } from '../model/metric-text.ts';
import { kindOf } from '../model/threshold.ts';
import { addressText } from './generator-text.ts';
import {
  hasMinimumCounts,
  type Counts,
  type IterationRecord,
  type LedgerRecord,
  type RunRecord,
  type Times,
  type UrlRecord,
} from '../run-record/run-record.ts';
import { formatDuration, milliseconds, seconds } from '../units.ts';
import { timeoutBound, type TimeoutContext } from '../run-record/timeout-bound.ts';
import { phaseFailureText, TIMEOUT_PHASES } from '../run-record/failure-text.ts';
import { driftText } from './drift.ts';
import { periodText } from './timeline.ts';
import { sumOf } from '../sum.ts';

/** Returns the positive counts by name, the largest first. */
export function positiveCounts(counts: Counts): readonly (readonly [name: string, count: number])[] {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .sort((a, b) => b[1] - a[1]);
}

/** Connection setup, including TLS, is displayed if the median or p99 of its time reaches these values, in ms. */
const SLOW_CONNECT_MEDIAN_MS = 1;
const SLOW_CONNECT_P99_MS = 100;

/** Returns text like `connect p50 40.1 ms, p99 44 ms (1,000 connections) · TLS p50 …` if connection setup is slow. */
function connectLines({ connect, tls }: RunRecord): readonly string[] {
  const [connectTimes, tlsTimes] = [connect?.times ?? {}, tls?.times ?? {}];
  const together = (metric: 'p50' | 'p99'): number => (connectTimes[metric] ?? 0) + (tlsTimes[metric] ?? 0);
  if (together('p50') < SLOW_CONNECT_MEDIAN_MS && together('p99') < SLOW_CONNECT_P99_MS) return [];
  const connections = connect?.count ?? 0;
  const handshakes = tls?.count ?? 0;
  const failed = handshakes === connections ? '' : ` (${counted(handshakes, 'handshake')})`;
  return [
    [
      `connect ${setupText(connectTimes)} (${counted(connections, 'connection')})`,
      ...(handshakes === 0 ? [] : [`TLS ${setupText(tlsTimes)}${failed}`]),
    ].join(' · '),
  ];
}

function setupText(times: Times): string {
  return (['p50', 'p99'] as const)
    .map((metric) => `${metric} ${metricText(metric, times[metric] ?? 0)}`)
    .join(', ');
}

/** Returns a line for each detail of a run, such as an outage or a kind of failure. */
export function detailLines(record: RunRecord): readonly string[] {
  const { ledger } = record;
  return [
    ...phaseLines(record),
    ...warmupLines(record),
    ...iterationLines(record),
    ...inflatedLines(record),
    ...connectLines(record),
    ...(record.addresses.length < 2 ? [] : record.addresses.map(addressText)),
    ...[driftText(record)].flatMap((line) => line ?? []),
    ...outageLines(record),
    ...(ledger === null
      ? []
      : [
          ...failureLines(ledger, onlyUrl(record)),
          ...[rateLimitText(record)].filter((line) => line !== null),
          ...unsentLines(ledger),
          ...abandonedLines(record, ledger),
          ...resentLines(ledger),
        ]),
  ];
}

/** A time is uncertain if the load generator may have added at least this fraction of the time, and this many ms. */
const MIN_INFLATED_SHARE = 0.5;
const MIN_INFLATED_MS = 50;

const PERCENTILES = ['p50', 'p95', 'p99'] as const;

type UncertainTime = (typeof PERCENTILES)[number] | 'max';

/**
 * Reports whether a large part of a time may be a delay of the load generator. Returns true as well if this applies to
 * a higher percentile whose lower bound is below the time.
 */
export function isUpperBound(metric: UncertainTime, record: RunRecord): boolean {
  const { metrics, bounds } = record;
  const { [metric]: high = 0 } = metrics;
  if (bounds?.[metric] === undefined) return false;
  const atLeast = metric === 'max' ? [metric] : PERCENTILES.slice(PERCENTILES.indexOf(metric));
  return atLeast.some((one) => {
    const { low } = bounds[one] ?? { low: high };
    return high > low && isInflated(one, low, record);
  });
}

function isInflated(metric: UncertainTime, low: number, record: RunRecord): boolean {
  const { [metric]: high = 0 } = record.metrics;
  return (
    lowerBound(metric, high, record) === null &&
    high - low >= Math.max(MIN_INFLATED_MS, MIN_INFLATED_SHARE * high)
  );
}

/**
 * Returns text like `p95 is between 20.1 and 989 ms: the load generator stalled for up to 436 ms` if a time is
 * uncertain.
 */
function inflatedLines(record: RunRecord): readonly string[] {
  const { metrics, bounds, machine } = record;
  const inflated = PERCENTILES.filter((metric) => isUpperBound(metric, record)).map(
    (metric) =>
      `${metric} is between ${withCommas(roundToThreeDigits(bounds?.[metric]?.low ?? 0))} and ${metricText(metric, metrics[metric] ?? 0)}`,
  );
  if (inflated.length === 0) return [];
  const longest = machine?.longestStall ?? null;
  const why =
    longest === null
      ? 'the difference may be delay in the load generator'
      : `the load generator stalled for up to ${withCommas(Math.round(longest))} ms`;
  return [`${inflated.join(', ')}: ${why}`];
}

/** Describes the warm-up, and its failures if the run ended during the warm-up. */
function warmupLines(record: RunRecord): readonly string[] {
  const text = warmupText(record);
  if (text === null) return [];
  const { complete, ledger = null } = record.warmup ?? {};
  return [
    `${text} (not included in these metrics)`,
    ...(complete === false && ledger !== null ? failureLines(ledger) : []),
  ];
}

/** Returns text like `10s warm-up: 1,234 requests, 5 failed`; null if the record has no warm-up. */
export function warmupText({ warmup }: Pick<RunRecord, 'warmup'>): string | null {
  const { seconds: lasts = null, requests = null, ledger = null } = warmup ?? {};
  if (lasts === null || requests === null) return null;
  const failed = requests - (ledger?.success ?? 0);
  return `${formatDuration(seconds(lasts))} warm-up: ${counted(requests, 'request')}, ${withCommas(failed)} failed`;
}

/** Returns text like `iterations: 1,250 completed, p50 1.2 s, …` for the test and each flow. */
function iterationLines({ iterations, flows }: RunRecord): readonly string[] {
  const several = (flows ?? []).length < 2 ? [] : (flows ?? []);
  return [
    ...iterationLine('iterations', iterations),
    ...several.flatMap((flow) => iterationLine(`iterations of "${flow.name ?? ''}"`, flow.iterations)),
  ];
}

function iterationLine(subject: string, iterations: IterationRecord | undefined): readonly string[] {
  if (iterations === undefined) return [];
  const { started, completed, failed, missing, areRequests, durations } = iterations;
  const [all, ended] = [started ?? 0, completed ?? 0];
  const cut = all - ended - (failed ?? 0);
  if (areRequests && !missing) return [];
  const times = PERCENTILES.flatMap((metric) => {
    const value = durations?.[metric];
    return value === undefined ? [] : [`${metric} ${metricText(metric, value)}`];
  });
  const parts = [
    `${withCommas(ended)} completed`,
    ...(failed ? [`${withCommas(failed)} ended by a failed request`] : []),
    ...(cut > 0 ? [`${withCommas(cut)} interrupted by the end of the run`] : []),
    ...(missing ? [`${withCommas(missing)} missing`] : []),
    ...times,
  ];
  return [`${subject}: ${parts.join(', ')}`];
}

/**
 * Returns text like `setup: 50 requests, 0 failed, 1.2s (not included in these metrics)`, and the first failed request
 * unless it is the reason for the verdict.
 */
function phaseLines(record: RunRecord): readonly string[] {
  return PHASES.flatMap((name) => {
    const phase = record[name];
    if (phase === null) return [];
    const { requests, failed, seconds: lasts, failure } = phase;
    const time = lasts === null ? '' : `, ${formatDuration(milliseconds(Math.round(lasts * 1000)))}`;
    const counts = `${counted(requests ?? 0, 'request')}, ${withCommas(failed ?? 0)} failed${time}`;
    const isVerdict = name === 'setup' && record.abortReason === 'setup';
    const reason = isVerdict || failure === null ? [] : [phaseFailureText(name, failure)];
    return [`${name}: ${counts} (not included in these metrics)`, ...reason];
  });
}

function failureLines(ledger: LedgerRecord, suffix = ''): readonly string[] {
  return [
    ...reasonLine(
      'network error',
      [ledger.network, ledger.protocol],
      (code, count) => `${withCommas(count)} ${code}`,
    ),
    ...reasonLine(
      'timeout',
      [ledger.timeout],
      (phase, count) => `${withCommas(count)} ${TIMEOUT_PHASES.get(phase) ?? phase}`,
    ),
    ...reasonLine('failed response', [ledger.httpError, ledger.unexpected], (name, count) =>
      /^\d+$/.test(name)
        ? `${withCommas(count)} × ${name}`
        : `${withCommas(count)} ${UNEXPECTED_RESPONSES.get(name) ?? name}`,
    ).map((line) => line + suffix),
  ];
}

/** Share of rate-limited responses above which the target is described as rate-limiting. */
const MAX_RATE_LIMITED_SHARE = 0.01;

/** Describes a target that limits requests with status 429, or 503 and `Retry-After`; null for other targets. */
export function rateLimitText({ statusCodes, ledger }: RunRecord): string | null {
  const responses = sumOf(Object.values(statusCodes ?? {}));
  const [tooMany, unavailable] = [statusCodes?.['429'] ?? 0, ledger?.retryAfter ?? 0];
  const share = (tooMany + unavailable) / responses;
  if (!(share > MAX_RATE_LIMITED_SHARE)) return null;
  const percent = Number((100 * share).toPrecision(2));
  const names = [
    ...(tooMany > 0 ? ['429'] : []),
    ...(unavailable > 0 ? ['503 with a Retry-After header'] : []),
  ];
  return `${percent}% of the responses have status ${names.join(' or ')}: the target limits the request rate; exempt the IP address of the load generator from the limit`;
}

const MIN_REFUSED_SHARE = 0.9;

/** Reports whether at least 90% of the requests without a response failed because the connection was refused. */
export function isMostlyRefused({ network, protocol, timeout }: LedgerRecord): boolean {
  const without = [network, protocol, timeout].flatMap((counts) => Object.values(counts));
  const sum = sumOf(without);
  return sum > 0 && (network['ECONNREFUSED'] ?? 0) >= MIN_REFUSED_SHARE * sum;
}

export const UNEXPECTED_RESPONSES: ReadonlyMap<string, string> = new Map([
  ['status', 'with an unexpected status'],
  ['header', 'without an expected header'],
  ['size', 'too large to check'],
  ['coding', 'with an unsupported or invalid content encoding'],
  ['body', 'with an unexpected body'],
  ['json', 'with an unexpected or missing JSON value'],
  ['time', 'that took too long'],
  ['variable', 'without the value of a variable'],
]);

function reasonLine(
  kind: string,
  counts: readonly Counts[],
  format: (name: string, count: number) => string,
): string[] {
  const reasons = counts.flatMap(positiveCounts).sort((a, b) => b[1] - a[1]);
  if (reasons.length === 0) return [];
  const total = sumOf(reasons.map(([, count]) => count));
  return [`${counted(total, kind)}: ${reasons.map(([name, count]) => format(name, count)).join(', ')}`];
}

/** Maximum number of outages whose times are printed. */
const MAX_PERIODS = 3;

function outageLines({ outage, omitted: requests, ledger }: RunRecord): readonly string[] {
  const [seconds, omitted] = [outage?.seconds ?? 0, requests ?? 0];
  const periods = (outage?.periods ?? []).map(periodText);
  const more = periods.length - MAX_PERIODS;
  const shown = [...periods.slice(0, MAX_PERIODS), ...(more > 0 ? [`and ${more} more`] : [])];
  const when = shown.length === 0 ? '' : ` (${shown.join(', ')})`;
  const refused = ledger !== null && isMostlyRefused(ledger) ? ': the target refused connections' : '';
  const parts = [
    ...(seconds > 0
      ? [
          `${withCommas(Number(seconds.toFixed(1))).replace(/^(\d[\d,]*)$/, '$1.0')} s without a response${when}${refused}`,
        ]
      : []),
    ...(omitted > 0 ? [`${counted(omitted, 'request')} omitted`] : []),
  ];
  return parts.length === 0 ? [] : [parts.join('; ')];
}

/** Describes requests that were not sent, unless the end of the run was the reason. */
function unsentLines({ notStarted }: LedgerRecord): readonly string[] {
  return positiveCounts(notStarted)
    .filter(([why]) => why !== 'stopped' && why !== 'aborted')
    .map(([why, count]) => `${withCommas(count)} not sent: ${NOT_STARTED.get(why) ?? why}`);
}

export const NOT_STARTED: ReadonlyMap<string, string> = new Map([
  ['stopped', 'the run was stopped'],
  ['aborted', 'the run ended early'],
  ['saturated', 'the load generator was more than 1 s behind schedule'],
  ['no_socket', 'no socket was available on the load generator'],
  ['undefined_variable', 'a variable had no value'],
  ['condition', '"when", "until", "for_each" or "on_failure" skipped them'],
]);

/** Describes abandoned requests. Returns none for runs that ended early, which usually have abandoned requests. */
function abandonedLines({ abortReason }: RunRecord, { abandoned }: LedgerRecord): readonly string[] {
  const open = abandoned ?? 0;
  if (open === 0 || abortReason !== null) return [];
  return [`${withCommas(open)} still in flight at the end (not counted)`];
}

function resentLines({ resent }: LedgerRecord): readonly string[] {
  const count = resent ?? 0;
  return count > 0
    ? [`${withCommas(count)} sent again: the server closed reused connections before the response`]
    : [];
}

/** Returns text like ` (GET /cart)` if exactly one of several URLs has errors; otherwise an empty string. */
function onlyUrl(record: RunRecord): string {
  const urls = namedUrlsOf(record);
  const [failing, ...others] = urls.filter(({ metrics }) => (metrics.error ?? 0) > 0);
  return failing === undefined || others.length > 0 || urls.length < 2 ? '' : ` (${failing.name})`;
}

export type UrlRow = readonly [
  name: string,
  requests: string,
  failed: string,
  p50: string,
  p95: string,
  p99: string,
];

export const URL_COLUMNS = ['URL', 'requests', 'failed', 'p50', 'p95', 'p99'] as const satisfies UrlRow;

export const FLOW_COLUMNS = ['flow', ...URL_COLUMNS.slice(1)] as readonly string[];

export const GROUP_COLUMNS = ['group', ...URL_COLUMNS.slice(1)] as readonly string[];

/** Returns one row per URL; empty if there is only one URL. */
export function urlRows(record: RunRecord, names: readonly (string | null)[] = []): readonly UrlRow[] {
  return metricRows(record, namedUrlsOf(record, names));
}

/** Returns one row per flow; empty if there is only one flow. */
export function flowRows(record: RunRecord): readonly UrlRow[] {
  const flows = (record.flows ?? []).map(({ name, metrics }) => ({ name: name ?? '', metrics }));
  return metricRows(record, flows);
}

export function groupRows(
  record: RunRecord,
  groups: readonly { readonly name: string; readonly metrics: NamedUrl['metrics'] | null }[] = [],
): readonly UrlRow[] {
  return groups.map(({ name, metrics }) => metricRow(record, { name, metrics: metrics ?? {} }));
}

function metricRows(record: RunRecord, named: readonly NamedUrl[]): readonly UrlRow[] {
  return named.length < 2 ? [] : named.map((one) => metricRow(record, one));
}

function metricRow({ timeout }: RunRecord, { name, metrics }: NamedUrl): UrlRow {
  const { error = 0, timeout_error: timeouts = 0, network_error: network = 0, requests } = metrics;
  const time = (value: number | undefined) =>
    value === undefined ? '-' : (lowerBound('p99', value, { timeout, metrics }) ?? metricText('p99', value));
  return [
    name,
    requests === undefined ? '-' : withCommas(requests),
    withCommas(error + timeouts + network),
    ...([time(metrics.p50), time(metrics.p95), time(metrics.p99)] as const),
  ];
}

/** Formats a time: `9.06 ms`, or `≥ 2 s (20 timed out)` if it may belong to a request that timed out. */
export function boundText(metric: string, value: number, record: TimeoutContext): string {
  const bound = lowerBound(metric, value, record);
  return bound === null
    ? metricText(metric, value)
    : `${bound} (${withCommas(record.metrics.timeout_error ?? 0)} timed out)`;
}

/** Returns text like `≥ 2 s` for a time that may belong to a request that timed out; otherwise null. */
export function lowerBound(metric: string, value: number, record: TimeoutContext): string | null {
  const bound = timeoutBound(metric, value, record);
  return bound === null ? null : minimumText(metric, bound);
}

/** Formats the lower bound of a metric: `≥ 2 s`, `≥ 1,204`. */
export function minimumText(metric: string, bound: number): string {
  const isSeconds = kindOf(metric) === 'time' && bound % 1000 === 0;
  return `≥ ${isSeconds ? `${withCommas(bound / 1000)} s` : metricText(metric, bound)}`;
}

/** Formats requests per second: `206`, or `≥ 206` if counts are lower bounds. */
export function rateText(value: number, record: RunRecord): string {
  const textOf = hasMinimumCounts(record) ? minimumText : metricText;
  return textOf('requests_per_second', value);
}

interface NamedUrl extends Pick<UrlRecord, 'metrics'> {
  /** Name in the file, or a label such as `GET /cart`, with the host if there are several hosts. */
  readonly name: string;
}

function namedUrlsOf({ urls }: RunRecord, names: readonly (string | null)[] = []): readonly NamedUrl[] {
  if (urls === null) return [];
  const hosts = new Set(urls.map(({ url }) => hostOf(url ?? '')));
  return urls.map(({ url: address, method, metrics }, index) => {
    const name = names[index] ?? null;
    if (name !== null) return { name, metrics };
    const url = address ?? '';
    const short = hosts.size > 1 ? url : url.slice(hostOf(url).length);
    const named = `${method ?? ''} ${short === '' ? '/' : short}`.trim();
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
