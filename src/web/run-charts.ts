/** The charts of a run; of several in one, where runs are compared. */
import { decodeHistogram } from '../core/report/histogram-document.ts';
import { percentileCurve, type CurvePoint } from '../core/report/percentile-curve.ts';
import { numberOf, objectOf, type ResultRecord } from '../core/report/record.ts';
import { timelineOf, type TimelineEntry } from '../core/report/timeline.ts';
import type { Chart, ChartLine, LineColour } from './chart.ts';

/** A run that others are drawn beside. */
export interface DrawnRun {
  readonly name: string;
  readonly record: ResultRecord;
}

type Value = (entry: TimelineEntry) => number | null;

const perSecond =
  (count: (entry: TimelineEntry) => number): Value =>
  (entry) =>
    count(entry) / entry.span;

const OFFERED = perSecond(({ offered }) => offered);
const COMPLETED = perSecond(({ completed }) => completed);
const FAILED = perSecond(({ failed }) => failed);

/**
 * Those that the record has something for: rates, times and connections by the second, and times by percentile.
 *
 * @param id of the run on the page; those of the charts begin with it
 * @param others each drawn beside it, with its most telling line in each chart
 */
export function runCharts(
  id: string,
  record: ResultRecord,
  others: readonly DrawnRun[] = [],
): readonly Chart[] {
  const timelines = others.map((other) => ({ name: other.name, entries: timelineOf(other.record) }));
  const own = timelineOf(record);
  const at = [
    ...new Set([own, ...timelines.map(({ entries }) => entries)].flat().map(({ second }) => second)),
  ].sort((a, b) => a - b);
  const line = (
    name: string,
    colour: LineColour,
    value: Value,
    drawn: ChartLine['drawn'] = 'line',
  ): ChartLine => ({
    ...{ name, colour, drawn },
    values: valuesAt(at, own, value),
  });
  const beside = (value: Value): ChartLine[] =>
    timelines.map(({ name, entries }, index) => ({
      ...{ name, colour: otherColour(index), drawn: 'dashed' },
      values: valuesAt(at, entries, value),
    }));
  const shared = { across: 'seconds', at, spans: warmupOf(record), group: id } as const;
  const charts: readonly Chart[] = [
    {
      ...{ id: `${id}-rates`, title: 'Requests per second', quantity: 'rate', ...shared },
      lines: [
        line('offered', 'offered', OFFERED, 'wide'),
        line('completed', 'completed', COMPLETED),
        line('failed', 'failed', FAILED, 'filled'),
        ...beside(COMPLETED),
      ],
    },
    {
      ...{ id: `${id}-times`, title: 'Response time', quantity: 'time', ...shared },
      lines: [
        line('p50', 'p50', ({ p50 }) => p50),
        line('p95', 'p95', ({ p95 }) => p95),
        line('p99', 'p99', ({ p99 }) => p99),
        ...beside(({ p95 }) => p95),
      ],
    },
    {
      ...{ id: `${id}-connections`, title: 'Connections', quantity: 'count', ...shared },
      lines: [
        line('connections', 'connections', ({ connections }) => connections, 'filled'),
        ...beside(({ connections }) => connections),
      ],
    },
    curveChart(`${id}-curve`, record, others),
  ];
  return charts.filter(({ lines }) => lines.some(({ values }) => values.some((value) => value !== null)));
}

/** The part of the run that is judged by nothing. */
function warmupOf(record: ResultRecord): Chart['spans'] {
  const seconds = numberOf(objectOf(record?.['warmup'])['seconds']) ?? 0;
  return seconds > 0 ? [{ from: 0, to: seconds }] : [];
}

function valuesAt(at: readonly number[], entries: readonly TimelineEntry[], value: Value): (number | null)[] {
  const bySecond = new Map(entries.map((entry) => [entry.second, entry]));
  return at.map((second) => {
    const entry = bySecond.get(second);
    return entry === undefined ? null : rounded(value(entry));
  });
}

/** As a page needs it. */
function rounded(value: number | null): number | null {
  return value === null ? null : Number(value.toPrecision(6));
}

function curveChart(id: string, record: ResultRecord, others: readonly DrawnRun[]): Chart {
  const curves = [{ name: 'this run', record }, ...others].map((drawn) => ({
    name: drawn.name,
    points: curveOf(drawn.record),
  }));
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
        name: others.length === 0 ? 'response time' : name,
        colour: index === 0 ? 'p95' : otherColour(index - 1),
        drawn: index === 0 ? 'line' : 'dashed',
        values: at.map((nines) => times.get(nines) ?? null),
      };
    }),
  };
}

function curveOf(record: ResultRecord): readonly CurvePoint[] {
  const times = decodeHistogram(record?.['latency_histogram']);
  return times === null ? [] : percentileCurve(times);
}

function otherColour(index: number): LineColour {
  return (['other1', 'other2', 'other3', 'other4'] as const)[index % 4] ?? 'other1';
}
