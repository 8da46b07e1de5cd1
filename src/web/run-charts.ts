/** The charts of a run; of several in one, where runs are compared. */
import { decodeKept } from '../core/report/histogram-document.ts';
import { percentileCurve, type CurvePoint } from '../core/report/percentile-curve.ts';
import { numberOf, objectOf, type ResultRecord } from '../core/report/record.ts';
import { timelineOf, type TimelineEntry } from '../core/report/timeline.ts';
import type { Chart, ChartLine, LineColour } from './chart.ts';

/** A run that is drawn, alone or beside others. */
export interface DrawnRun {
  /** Tells it from the others: `now`. */
  readonly name: string;
  readonly record: ResultRecord;
  /** How long its load was to last, in seconds; null where nobody knows. */
  readonly loaded: number | null;
}

type Value = (entry: DrawnEntry) => number | null;

/** Null: the rate cannot be told, or there is none any more. */
interface DrawnEntry extends TimelineEntry {
  readonly rates: Readonly<Record<'offered' | 'completed' | 'failed', number | null>>;
}

const OFFERED: Value = ({ rates }) => rates.offered;
const COMPLETED: Value = ({ rates }) => rates.completed;
const FAILED: Value = ({ rates }) => rates.failed;

/**
 * Rates end with the load: the last answers come after it, mostly within a moment, and a line that falls there to nothing
 * would look like an outage. A failure is drawn however late it comes.
 */
function drawnEntries({ record, loaded }: DrawnRun): readonly DrawnEntry[] {
  const elapsed = (numberOf(record?.['elapsed_ms']) ?? Number.POSITIVE_INFINITY) / 1000;
  return timelineOf(record).map((entry, index) => {
    const { second, span, offered, completed, failed } = entry;
    const covered = Math.min(span, elapsed - second);
    // Of a few milliseconds there is no rate.
    const short = index > 0 && covered < span / 2;
    const over = second >= (loaded ?? Number.POSITIVE_INFINITY) && (offered === 0 || covered < span);
    const length = short || covered <= 0 ? span : covered;
    const ended = short || over;
    const rates = {
      offered: ended ? null : offered / length,
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
  const timelines = others.map((other) => ({ name: other.name, entries: drawnEntries(other) }));
  const own = drawnEntries(run);
  const at = [
    ...new Set([own, ...timelines.map(({ entries }) => entries)].flat().map(({ second }) => second)),
  ].sort((a, b) => a - b);
  const line = (name: LineColour, value: Value, drawn: ChartLine['drawn'] = 'line'): ChartLine => ({
    ...{ name: others.length === 0 ? name : `${name} ${run.name}`, colour: name, drawn },
    values: valuesAt(at, own, value),
  });
  const beside = (what: LineColour, value: Value): ChartLine[] =>
    timelines.map(({ name, entries }, index) => ({
      ...{ name: `${what} ${name}`, colour: otherColour(index), drawn: 'dashed' },
      values: valuesAt(at, entries, value),
    }));
  const shared = { across: 'seconds', at, spans: warmupOf(record), group: id } as const;
  const charts: readonly Chart[] = [
    {
      ...{ id: `${id}-rates`, title: 'Requests per second', quantity: 'rate', ...shared },
      lines: [
        line('offered', OFFERED, 'wide'),
        line('completed', COMPLETED),
        line('failed', FAILED, 'filled'),
        ...beside('completed', COMPLETED),
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
function warmupOf(record: ResultRecord): Chart['spans'] {
  const seconds = numberOf(objectOf(record?.['warmup'])['seconds']) ?? 0;
  return seconds > 0 ? [{ from: 0, to: seconds }] : [];
}

function valuesAt(at: readonly number[], entries: readonly DrawnEntry[], value: Value): (number | null)[] {
  let last = -1;
  return at.map((second) => {
    // Entries of another run may be of more seconds, or of fewer.
    while ((entries[last + 1]?.second ?? Number.POSITIVE_INFINITY) <= second) last++;
    const entry = entries[last];
    return entry === undefined || second >= entry.second + entry.span ? null : rounded(value(entry));
  });
}

/** As a page needs it. */
function rounded(value: number | null): number | null {
  return value === null ? null : Number(value.toPrecision(6));
}

function curveChart(id: string, runs: readonly DrawnRun[]): Chart {
  const curves = runs.map(({ name, record }) => ({ name, points: curveOf(record) }));
  const at = [...new Set(curves.flatMap(({ points }) => points.map(({ nines }) => nines)))].sort(
    (a, b) => a - b,
  );
  return {
    ...{
      id,
      title: 'Response time by percentile',
      across: 'nines',
      at,
      quantity: 'time',
      spans: [],
      group: null,
    },
    lines: curves.map(({ name, points }, index) => {
      const times = new Map(points.map(({ nines, time }) => [nines, time]));
      return {
        name: runs.length === 1 ? 'response time' : name,
        colour: index === 0 ? 'p95' : otherColour(index - 1),
        drawn: index === 0 ? 'line' : 'dashed',
        values: at.map((nines) => times.get(nines) ?? null),
      };
    }),
  };
}

function curveOf(record: ResultRecord): readonly CurvePoint[] {
  const times = decodeKept(record?.['latency_histogram']);
  return times === null ? [] : percentileCurve(times);
}

function otherColour(index: number): LineColour {
  return (['other1', 'other2', 'other3', 'other4'] as const)[index % 4] ?? 'other1';
}
