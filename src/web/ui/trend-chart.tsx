/**
 * Charts of a metric over the runs of a test, from the oldest on the left to the newest on the right. A table
 * next to each chart contains the same values.
 */
import type { RunSummary } from '../../contract/generated/key-list.ts';
import { verdictOf } from './run-outcome.tsx';

type TrendMetric = 'p95' | 'requests_per_second';

/**
 * Line chart for a table cell.
 * @param runs - Runs, the newest first.
 */
export function Sparkline({
  runs,
  metric,
}: {
  readonly runs: readonly RunSummary[];
  readonly metric: TrendMetric;
}) {
  const values = [...runs].reverse().flatMap((run) => (run[metric] === null ? [] : [run[metric]]));
  const maximum = Math.max(...values);
  if (values.length < 2 || maximum <= 0) return <span class="spark" />;
  const across = (index: number): number => 1 + (index / (values.length - 1)) * 78;
  const points = values.map(
    (value, index) => `${across(index).toFixed(1)},${(19 - (value / maximum) * 17).toFixed(1)}`,
  );
  return (
    <svg class="spark" viewBox="0 0 80 20" aria-hidden="true">
      <polyline points={points.join(' ')} />
    </svg>
  );
}

/** Maximum ratio of the scale to the median, so that an outlier does not flatten the other bars. */
const MAX_SCALE = 4;

function medianOf(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** Bar chart with a bar for each run in the color of its verdict. A vertical line marks a change to the test. */
export function TrendChart({
  runs,
  ...figure
}: {
  /** Runs, the newest first. */
  readonly runs: readonly RunSummary[];
  readonly metric: TrendMetric;
  readonly title: string;
  /** Id of the table with the same values. */
  readonly table: string;
  readonly text: (value: number) => string;
}) {
  const { metric, title, table, text } = figure;
  const ordered = [...runs].reverse();
  const values = ordered.flatMap((run) => run[metric] ?? []);
  const maximum = Math.max(0, ...values);
  const top = Math.min(maximum, MAX_SCALE * medianOf(values));
  const id = `trend-${metric}`;
  return (
    <figure class="trend" role="figure" aria-labelledby={id} aria-details={table}>
      <figcaption id={id}>
        {title}{' '}
        <span class="note">
          max {text(maximum)}
          {top < maximum ? `, bars end at ${text(top)}` : ''}
        </span>
      </figcaption>
      <svg viewBox={`0 0 ${Math.max(24, ordered.length)} 100`} preserveAspectRatio="none" aria-hidden="true">
        {ordered.map((run, index) => {
          const height = top === 0 ? 0 : Math.min(100, Math.max(1, ((run[metric] ?? 0) / top) * 100));
          const changed = index > 0 && ordered[index - 1]?.test_id !== run.test_id;
          return (
            <>
              {changed ? <line class="changed" x1={index} x2={index} y1={0} y2={100} /> : null}
              <rect class={verdictOf(run)} x={index + 0.12} width={0.76} y={100 - height} height={height} />
            </>
          );
        })}
      </svg>
    </figure>
  );
}
