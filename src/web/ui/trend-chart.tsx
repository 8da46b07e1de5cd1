/** A figure over the runs of a test, the oldest at the left: small, and read as a table beside it. */
import type { RunSummary } from '../../contract/generated/key-list.ts';
import { verdictOf } from './run-outcome.tsx';

type TrendMetric = 'p95' | 'requests_per_second';

/** A line in a table, beside the value of the last run. @param runs the newest first */
export function Sparkline({
  runs,
  metric,
}: {
  readonly runs: readonly RunSummary[];
  readonly metric: TrendMetric;
}) {
  const values = [...runs].reverse().flatMap((run) => (run[metric] === null ? [] : [run[metric]]));
  const most = Math.max(...values);
  if (values.length < 2 || most <= 0) return <span class="spark" />;
  const across = (index: number): number => 1 + (index / (values.length - 1)) * 78;
  const points = values.map(
    (value, index) => `${across(index).toFixed(1)},${(19 - (value / most) * 17).toFixed(1)}`,
  );
  return (
    <svg class="spark" viewBox="0 0 80 20" aria-hidden="true">
      <polyline points={points.join(' ')} />
    </svg>
  );
}

/** A bar for each run, in the colour of its verdict; lines between bars where the test was changed. */
export function TrendChart({
  runs,
  ...figure
}: {
  /** The newest first. */
  readonly runs: readonly RunSummary[];
  readonly metric: TrendMetric;
  readonly title: string;
  /** Of the table that has the same figures. */
  readonly table: string;
  readonly text: (value: number) => string;
}) {
  const { metric, title, table, text } = figure;
  const ordered = [...runs].reverse();
  const most = Math.max(0, ...ordered.map((run) => run[metric] ?? 0));
  const id = `trend-${metric}`;
  return (
    <figure class="trend" role="figure" aria-labelledby={id} aria-details={table}>
      <figcaption id={id}>
        {title} <span class="note">most {text(most)}</span>
      </figcaption>
      <svg viewBox={`0 0 ${Math.max(24, ordered.length)} 100`} preserveAspectRatio="none" aria-hidden="true">
        {ordered.map((run, index) => {
          const height = most === 0 ? 0 : Math.max(1, ((run[metric] ?? 0) / most) * 100);
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
