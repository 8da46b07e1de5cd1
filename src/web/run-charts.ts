/** Charts of a run, or joint charts of several compared runs. */
import { percentileCurve, type CurvePoint } from '../core/report/percentile-curve.ts';
import { timelineOf, type TimelineEntry } from '../core/report/timeline.ts';
import { metricLabel } from '../core/model/metric-text.ts';
import { parseThreshold } from '../core/model/threshold.ts';
import type { EvaluatedThreshold, TestLoad } from '../core/report/generated/documents.ts';
import type { RunRecord } from '../core/run-record/run-record.ts';
import type { Chart, ChartLine, LineColor } from './chart.ts';

export interface DrawnRun {
  /** Name in charts of several runs, such as `now`. */
  readonly name: string;
  readonly record: Pick<RunRecord, 'elapsed' | 'omitted' | 'outage' | 'timeline' | 'times' | 'warmup'>;
  readonly loadSeconds: number | null;
  readonly load?: TestLoad | null;
  /** Time of second 0 in ms since the epoch, if the charts show the time of day; null or absent otherwise. */
  readonly clock?: number | null;
  /** Thresholds of the run, which are drawn as lines unless the run is compared with others. */
  readonly thresholds?: readonly EvaluatedThreshold[];
  /** Label of the URL that the record is limited to; absent for the whole run. */
  readonly url?: string;
}

/** Limits a run to the requests of one URL. Returns the run unchanged if the record has no timeline of this URL. */
export function runOfUrl(
  run: DrawnRun & { readonly record: RunRecord },
  url: string,
  index: number,
): DrawnRun {
  const own = run.record.urls?.[index];
  const timeline = own?.timeline;
  if (own === undefined || timeline === undefined) return run;
  const { success, error, timeoutError, networkError, p50, p95, p99 } = timeline;
  const entries = run.record.timeline?.map((entry, at) => ({
    ...entry,
    success: success[at] ?? 0,
    error: error[at] ?? 0,
    timeoutError: timeoutError[at] ?? 0,
    networkError: networkError[at] ?? 0,
    connections: null,
    p50: p50[at] ?? null,
    p95: p95[at] ?? null,
    p99: p99[at] ?? null,
  }));
  const { times, omitted } = own;
  return { ...run, url, record: { ...run.record, times, omitted, timeline: entries ?? null } };
}

type EntryValue = (entry: ChartEntry) => number | null;

/**
 * A timeline entry with its rates. A rate is null if the chart must not show the rate, such as after the end of the
 * load.
 */
interface ChartEntry extends TimelineEntry {
  /** Divisor of the rates, in seconds. */
  readonly length: number;
  readonly rates: Readonly<Record<'offered' | 'completed' | 'failed', number | null>>;
}

const offeredRate: EntryValue = ({ rates }) => rates.offered;
const completedRate: EntryValue = ({ rates }) => rates.completed;
const failedRate: EntryValue = ({ rates }) => rates.failed;

/**
 * Computes the rates of a run. The rates end with the load, because a line at zero during the wait for the last
 * responses would look like an outage. Failures are included even after the end of the load. Usually omits an entry of
 * which the run covers less than half, because the low counts would look like a decrease in the rate.
 */
function chartEntries({ record, loadSeconds, url }: DrawnRun): readonly ChartEntry[] {
  const elapsed = (record.elapsed ?? Number.POSITIVE_INFINITY) / 1000;
  return timelineOf(record).flatMap((entry, index, all) => {
    const { second, span, started, completed, failed } = entry;
    const covered = Math.min(span, elapsed - second);
    const isShort = index > 0 && covered < span / 2;
    const isAfterLoad =
      second >= (loadSeconds ?? Number.POSITIVE_INFINITY) && (started === 0 || covered < span);
    // Omits a short entry unless it has more failures than each earlier entry, for example because of timeouts after
    // an outage.
    if (isShort && all.slice(0, index).some((earlier) => earlier.failed >= failed)) return [];
    const length = isShort || covered <= 0 ? span : covered;
    const ended = isShort || isAfterLoad;
    const rates = {
      // The rate of started requests is known only for the whole run, not for a single URL.
      offered: ended || url !== undefined ? null : started / length,
      completed: ended ? null : completed / length,
      failed: ended && failed === 0 ? null : failed / length,
    };
    return [{ ...entry, length, rates }];
  });
}

/**
 * Returns the charts for which the record contains values.
 *
 * @param id - ID of the run in the document, which is the prefix of the chart ids.
 * @param others - Runs with which the run is compared. The charts include only the main lines of these runs.
 */
export function runCharts(id: string, run: DrawnRun, others: readonly DrawnRun[] = []): readonly Chart[] {
  const { record } = run;
  const timelines = others.map((other) => ({ name: other.name, entries: chartEntries(other) }));
  const ownEntries = chartEntries(run);
  const positions = [
    ...new Set([ownEntries, ...timelines.map(({ entries }) => entries)].flat().map(({ second }) => second)),
  ].sort((a, b) => a - b);
  const line = (name: LineColor, value: EntryValue, style: ChartLine['style'] = 'line'): ChartLine => ({
    name: others.length === 0 ? name : `${name} ${run.name}`,
    color: name,
    style,
    values: valuesAt(positions, ownEntries, value),
  });
  const otherLines = (metric: LineColor, value: EntryValue): ChartLine[] =>
    timelines.map(({ name, entries }, index) => ({
      name: `${metric} ${name}`,
      color: otherColor(index),
      style: 'dashed',
      values: valuesAt(positions, entries, value),
    }));
  // Omits outages, thresholds and stages in comparisons, because these would appear to apply to all runs.
  const isAlone = others.length === 0;
  const shared = {
    across: 'seconds',
    positions,
    spans: [...warmupSpansOf(record), ...(isAlone ? outageSpansOf(record) : [])],
    marks: isAlone ? stageEndsOf(run).filter((end) => end <= (positions.at(-1) ?? 0)) : [],
    clock: run.clock ?? null,
    group: id,
  } as const;
  const titleOf = (title: string) => (run.url === undefined ? title : `${title} of ${run.url}`);
  const limitsOf = (metric: RegExp) => (isAlone ? chartLimitsOf(run, metric) : []);
  const omittedRate = omittedRateOf(record);
  const charts: readonly Chart[] = [
    {
      id: `${id}-rates`,
      title: titleOf('Requests per second'),
      quantity: 'rate',
      ...shared,
      limits: limitsOf(/^requests_per_second$/),
      lines: [
        line('offered', offeredRate, 'wide'),
        line('completed', completedRate),
        line('failed', failedRate, 'filled'),
        ...(isAlone ? [line('omitted', omittedRate, 'dashed')] : []),
        ...otherLines('completed', completedRate),
      ],
    },
    {
      id: `${id}-times`,
      title: titleOf('Response time'),
      quantity: 'time',
      ...shared,
      limits: limitsOf(/^p\d|^max$/),
      lines: [
        line('p50', ({ p50 }) => p50),
        line('p95', ({ p95 }) => p95),
        line('p99', ({ p99 }) => p99),
        ...otherLines('p95', ({ p95 }) => p95),
      ],
    },
    {
      id: `${id}-connections`,
      title: 'Connections',
      quantity: 'count',
      ...shared,
      limits: [],
      lines: [
        ...(isAlone && run.load?.test_type === 'cycling'
          ? [{ ...line('offered', declaredLevelOf(run.load), 'wide'), name: 'declared' }]
          : []),
        line('connections', ({ connections }) => connections, 'filled'),
        ...otherLines('connections', ({ connections }) => connections),
      ],
    },
    {
      id: `${id}-failures`,
      title: titleOf('Failed per second'),
      quantity: 'rate',
      ...shared,
      limits: [],
      lines: isAlone
        ? [
            line('p99', ({ error, length }) => error / length),
            line('other1', ({ timeoutError, length }) => timeoutError / length),
            line('failed', ({ networkError, length }) => networkError / length),
          ].flatMap((one, index) =>
            one.values.some((value) => value !== null && value > 0)
              ? [{ ...one, name: ['errors', 'timeouts', 'network errors'][index] ?? '' }]
              : [],
          )
        : [],
    },
    curveChart(`${id}-curve`, [run, ...others]),
  ];
  return charts
    .map((chart) => ({
      ...chart,
      lines: chart.lines.filter(
        ({ name, values }) => !OPTIONAL_LINES.includes(name) || values.some((value) => value !== null),
      ),
    }))
    .filter(({ lines }) =>
      lines.some(({ name, values }) => name !== 'declared' && values.some((value) => value !== null)),
    );
}

const OPTIONAL_LINES: readonly string[] = ['offered', 'omitted'];

/** Returns the rate of omitted requests, assuming an even distribution over the outages; null outside the outages. */
function omittedRateOf({ omitted, outage }: DrawnRun['record']): EntryValue {
  const periods = outage?.periods ?? [];
  const total = periods.reduce((sum, { from, to }) => sum + to - from, 0);
  return ({ second, span }) => {
    const covered = periods.reduce(
      (sum, { from, to }) => sum + Math.max(0, Math.min(to, second + span) - Math.max(from, second)),
      0,
    );
    return covered === 0 || !omitted ? null : (omitted * covered) / total / span;
  };
}

function outageSpansOf({ outage }: DrawnRun['record']): Chart['spans'] {
  return (outage?.periods ?? []).map(({ from, to }) => ({ from, to, kind: 'outage' }));
}

function stageEndsOf({ load }: DrawnRun): readonly number[] {
  let end = 0;
  return (load?.stages ?? []).map(({ seconds }) => (end += seconds)).slice(0, -1);
}

/** Returns the declared number of connections of a cycling test at the end of a timeline entry. */
function declaredLevelOf({ initial, total, seconds, stages }: TestLoad): EntryValue {
  return ({ second, span }) => {
    let [from, start] = [initial, 0];
    const at = second + span;
    for (const stage of stages ?? [{ to: total, seconds }]) {
      if (at <= start + stage.seconds)
        return Math.round(from + ((stage.to - from) * (at - start)) / stage.seconds);
      [from, start] = [stage.to, start + stage.seconds];
    }
    return null;
  };
}

/** Returns the thresholds to draw: those of the whole run, or those of the URL that the run is limited to. */
function chartLimitsOf({ thresholds = [], url: drawn }: DrawnRun, metrics: RegExp): Chart['limits'] {
  return thresholds.flatMap((threshold) => {
    const { metric, url, flow, group, limit } = threshold;
    if (url !== drawn || flow !== undefined || group !== undefined || !metrics.test(metric)) return [];
    return chartLimit(metric, limit);
  });
}

/** Returns a list with the limit of a threshold; an empty list if the limit is not an absolute value. */
export function chartLimit(metric: string, limit: string): Chart['limits'] {
  const condition = parseThreshold(metric, limit);
  if (condition === null) return [];
  const isUpper = condition.operator.startsWith('<');
  return [{ value: condition.value, label: `${metricLabel(metric)} ${limit}`, isUpper }];
}

function warmupSpansOf({ warmup }: DrawnRun['record']): Chart['spans'] {
  const seconds = warmup?.seconds ?? 0;
  return seconds > 0 ? [{ from: 0, to: seconds, kind: 'warmup' }] : [];
}

function valuesAt(
  positions: readonly number[],
  entries: readonly ChartEntry[],
  value: EntryValue,
): (number | null)[] {
  let last = -1;
  return positions.map((second) => {
    // Timeline entries of different runs can cover different numbers of seconds.
    while ((entries[last + 1]?.second ?? Number.POSITIVE_INFINITY) <= second) last++;
    const entry = entries[last];
    return entry === undefined || second >= entry.second + entry.span ? null : roundValue(value(entry));
  });
}

/** Rounds a value to six significant digits, to keep the document small. */
function roundValue(value: number | null): number | null {
  return value === null ? null : Number(value.toPrecision(6));
}

function curveChart(id: string, runs: readonly DrawnRun[]): Chart {
  const curves = runs.map(({ name, record }) => ({ name, points: curveOf(record) }));
  const positions = [...new Set(curves.flatMap(({ points }) => points.map(({ nines }) => nines)))].sort(
    (a, b) => a - b,
  );
  return {
    id,
    title: `Response time by percentile${runs[0]?.url === undefined ? '' : ` of ${runs[0].url}`}`,
    across: 'nines',
    positions,
    quantity: 'time',
    spans: [],
    limits: [],
    marks: [],
    clock: null,
    group: null,
    lines: curves.map(({ name, points }, index) => {
      const times = new Map(points.map(({ nines, time }) => [nines, time]));
      return {
        name: runs.length === 1 ? 'response time' : name,
        color: index === 0 ? 'p95' : otherColor(index - 1),
        style: index === 0 ? 'line' : 'dashed',
        values: positions.map((nines) => times.get(nines) ?? null),
      };
    }),
  };
}

function curveOf({ times }: DrawnRun['record']): readonly CurvePoint[] {
  return times === null ? [] : percentileCurve(times.measured);
}

function otherColor(index: number): LineColor {
  return (['other1', 'other2', 'other3', 'other4'] as const)[index % 4] ?? 'other1';
}
