/** The charts of a run; of several in one, where runs are compared. */
import { decodeStoredHistogram } from '../core/report/histogram-document.ts';
import { percentileCurve, type CurvePoint } from '../core/report/percentile-curve.ts';
import { numberOf, objectOf, type ResultRecord } from '../core/report/record.ts';
import { timelineOf, type TimelineEntry } from '../core/report/timeline.ts';
import type { Chart, ChartLine, LineColor } from './chart.ts';

/** A run that is drawn, alone or beside others. */
export interface DrawnRun {
  /** Tells it from the others: `now`. */
  readonly name: string;
  readonly record: ResultRecord;
  /** How long its load was to last, in seconds; null where nobody knows. */
  readonly loaded: number | null;
}

type EntryValue = (entry: ChartEntry) => number | null;

/** Null: the rate cannot be told, or there is none any more. */
interface ChartEntry extends TimelineEntry {
  readonly rates: Readonly<Record<'offered' | 'completed' | 'failed', number | null>>;
}

const OFFERED_LINE: EntryValue = ({ rates }) => rates.offered;
const COMPLETED_LINE: EntryValue = ({ rates }) => rates.completed;
const FAILED_LINE: EntryValue = ({ rates }) => rates.failed;

/**
 * Rates end with the load: the last answers come after it, mostly within a moment, and a line that falls there to nothing
 * would look like an outage. A failure is drawn however late it comes.
 */
function chartEntries({ record, loaded }: DrawnRun): readonly ChartEntry[] {
  const elapsed = (numberOf(record?.['elapsed_ms']) ?? Number.POSITIVE_INFINITY) / 1000;
  return timelineOf(record).map((entry, index) => {
    const { second, span, started, completed, failed } = entry;
    const covered = Math.min(span, elapsed - second);
    // Of a few milliseconds there is no rate.
    const short = index > 0 && covered < span / 2;
    const over = second >= (loaded ?? Number.POSITIVE_INFINITY) && (started === 0 || covered < span);
    const length = short || covered <= 0 ? span : covered;
    const ended = short || over;
    const rates = {
      offered: ended ? null : started / length,
      completed: ended ? null : completed / length,
      failed: ended && failed === 0 ? null : failed / length,
    };
    return { ...entry, rates };
  });
}

/**
 * Those that the record has something for: rates, times and connections by the second, and times by percentile.
 *
 * @param id of the run on the page; those of the charts begin with it
 * @param others each drawn beside it, with its most telling line in each chart
 */
export function runCharts(id: string, run: DrawnRun, others: readonly DrawnRun[] = []): readonly Chart[] {
  const { record } = run;
  const timelines = others.map((other) => ({ name: other.name, entries: chartEntries(other) }));
  const own = chartEntries(run);
  const at = [
    ...new Set([own, ...timelines.map(({ entries }) => entries)].flat().map(({ second }) => second)),
  ].sort((a, b) => a - b);
  const line = (name: LineColor, value: EntryValue, style: ChartLine['style'] = 'line'): ChartLine => ({
    ...{ name: others.length === 0 ? name : `${name} ${run.name}`, color: name, style },
    values: valuesAt(at, own, value),
  });
  const beside = (what: LineColor, value: EntryValue): ChartLine[] =>
    timelines.map(({ name, entries }, index) => ({
      ...{ name: `${what} ${name}`, color: otherColor(index), style: 'dashed' },
      values: valuesAt(at, entries, value),
    }));
  const shared = { across: 'seconds', positions: at, spans: warmupSpansOf(record), group: id } as const;
  const charts: readonly Chart[] = [
    {
      ...{ id: `${id}-rates`, title: 'Requests per second', quantity: 'rate', ...shared },
      lines: [
        line('offered', OFFERED_LINE, 'wide'),
        line('completed', COMPLETED_LINE),
        line('failed', FAILED_LINE, 'filled'),
        ...beside('completed', COMPLETED_LINE),
      ],
    },
    {
      ...{ id: `${id}-times`, title: 'Response time', quantity: 'time', ...shared },
      lines: [
        line('p50', ({ p50 }) => p50),
        line('p95', ({ p95 }) => p95),
        line('p99', ({ p99 }) => p99),
        ...beside('p95', ({ p95 }) => p95),
      ],
    },
    {
      ...{ id: `${id}-connections`, title: 'Connections', quantity: 'count', ...shared },
      lines: [
        line('connections', ({ connections }) => connections, 'filled'),
        ...beside('connections', ({ connections }) => connections),
      ],
    },
    curveChart(`${id}-curve`, [run, ...others]),
  ];
  return charts.filter(({ lines }) => lines.some(({ values }) => values.some((value) => value !== null)));
}

/** The part of the run that is judged by nothing. */
function warmupSpansOf(record: ResultRecord): Chart['spans'] {
  const seconds = numberOf(objectOf(record?.['warmup'])['seconds']) ?? 0;
  return seconds > 0 ? [{ from: 0, to: seconds }] : [];
}

function valuesAt(
  at: readonly number[],
  entries: readonly ChartEntry[],
  value: EntryValue,
): (number | null)[] {
  let last = -1;
  return at.map((second) => {
    // Entries of another run may be of more seconds, or of fewer.
    while ((entries[last + 1]?.second ?? Number.POSITIVE_INFINITY) <= second) last++;
    const entry = entries[last];
    return entry === undefined || second >= entry.second + entry.span ? null : roundValue(value(entry));
  });
}

/** As a page needs it. */
function roundValue(value: number | null): number | null {
  return value === null ? null : Number(value.toPrecision(6));
}

function curveChart(id: string, runs: readonly DrawnRun[]): Chart {
  const curves = runs.map(({ name, record }) => ({ name, points: curveOf(record) }));
  const positions = [...new Set(curves.flatMap(({ points }) => points.map(({ nines }) => nines)))].sort(
    (a, b) => a - b,
  );
  return {
    ...{
      id,
      title: 'Response time by percentile',
      across: 'nines',
      positions,
      quantity: 'time',
      spans: [],
      group: null,
    },
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

function curveOf(record: ResultRecord): readonly CurvePoint[] {
  const times = decodeStoredHistogram(record?.['latency_histogram']);
  return times === null ? [] : percentileCurve(times);
}

function otherColor(index: number): LineColor {
  return (['other1', 'other2', 'other3', 'other4'] as const)[index % 4] ?? 'other1';
}
