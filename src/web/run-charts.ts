/** Charts of a run, or joint charts of several compared runs. */
import { percentileCurve, type CurvePoint } from '../core/report/percentile-curve.ts';
import { timelineOf, type TimelineEntry } from '../core/report/timeline.ts';
import type { RunRecord } from '../core/run-record/run-record.ts';
import type { Chart, ChartLine, LineColor } from './chart.ts';

/** A run that is drawn in a chart. */
export interface DrawnRun {
  /** Name that distinguishes the run from others in the same chart, such as `now`. */
  readonly name: string;
  readonly record: Pick<RunRecord, 'elapsed' | 'timeline' | 'times' | 'warmup'>;
  /** Declared duration of the load in seconds; null if unknown. */
  readonly loadSeconds: number | null;
}

type EntryValue = (entry: ChartEntry) => number | null;

/**
 * A timeline entry with its rates. A rate is null if the entry is too short, or if it is after the end of the
 * load.
 */
interface ChartEntry extends TimelineEntry {
  readonly rates: Readonly<Record<'offered' | 'completed' | 'failed', number | null>>;
}

const offeredRate: EntryValue = ({ rates }) => rates.offered;
const completedRate: EntryValue = ({ rates }) => rates.completed;
const failedRate: EntryValue = ({ rates }) => rates.failed;

/**
 * Computes the rates of a run. The rates end with the load: a line that falls to zero while the run waits for
 * the last responses would look like an outage. Failures are drawn even if they occur later.
 */
function chartEntries({ record, loadSeconds }: DrawnRun): readonly ChartEntry[] {
  const elapsed = (record.elapsed ?? Number.POSITIVE_INFINITY) / 1000;
  return timelineOf(record).map((entry, index) => {
    const { second, span, started, completed, failed } = entry;
    const covered = Math.min(span, elapsed - second);
    // The rate of an entry that covers only a few milliseconds is not meaningful.
    const isShort = index > 0 && covered < span / 2;
    const isAfterLoad =
      second >= (loadSeconds ?? Number.POSITIVE_INFINITY) && (started === 0 || covered < span);
    const length = isShort || covered <= 0 ? span : covered;
    const ended = isShort || isAfterLoad;
    const rates = {
      offered: ended ? null : started / length,
      completed: ended ? null : completed / length,
      failed: ended && failed === 0 ? null : failed / length,
    };
    return { ...entry, rates };
  });
}

/**
 * Returns the charts for which the record contains values: rates, response times and connections over time,
 * and response times by percentile.
 * @param id - Id of the run in the document, which is the prefix of the chart ids.
 * @param others - Runs with which the run is compared. Each chart shows the main line of each of them.
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
  const shared = { across: 'seconds', positions, spans: warmupSpansOf(record), group: id } as const;
  const charts: readonly Chart[] = [
    {
      id: `${id}-rates`,
      title: 'Requests per second',
      quantity: 'rate',
      ...shared,
      lines: [
        line('offered', offeredRate, 'wide'),
        line('completed', completedRate),
        line('failed', failedRate, 'filled'),
        ...otherLines('completed', completedRate),
      ],
    },
    {
      id: `${id}-times`,
      title: 'Response time',
      quantity: 'time',
      ...shared,
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
      lines: [
        line('connections', ({ connections }) => connections, 'filled'),
        ...otherLines('connections', ({ connections }) => connections),
      ],
    },
    curveChart(`${id}-curve`, [run, ...others]),
  ];
  return charts.filter(({ lines }) => lines.some(({ values }) => values.some((value) => value !== null)));
}

/** Returns the range of the warm-up, which thresholds ignore. */
function warmupSpansOf({ warmup }: DrawnRun['record']): Chart['spans'] {
  const seconds = warmup?.seconds ?? 0;
  return seconds > 0 ? [{ from: 0, to: seconds }] : [];
}

function valuesAt(
  positions: readonly number[],
  entries: readonly ChartEntry[],
  value: EntryValue,
): (number | null)[] {
  let last = -1;
  return positions.map((second) => {
    // Entries of different runs can cover different numbers of seconds.
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
    title: 'Response time by percentile',
    across: 'nines',
    positions,
    quantity: 'time',
    spans: [],
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
