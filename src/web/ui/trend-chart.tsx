/** Charts of a metric over the runs of a test, from the oldest on the left to the newest on the right. */
import type { RunSummary } from '../../contract/generated/key-list.ts';
import type { TestHistory } from '../../contract/generated/test-history.ts';
import { metricText } from '../../core/model/metric-text.ts';
import { chartLimit } from '../run-charts.ts';
import { linkTo } from './routes.ts';
import { p95Text, verdictOf } from './run-outcome.tsx';
import { localTimeText } from './time.tsx';

type TrendMetric = 'p95' | 'requests_per_second';

/**
 * Renders a small line chart without axes.
 * @param runs - Newest first.
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

/**
 * Maximum ratio of the upper end of the scale to the median value, so that an outlier does not flatten the other bars.
 */
const MAX_SCALE = 8;

function medianOf(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/**
 * Bar chart with a bar for each run. Each bar has the color of the verdict and links to the run. A vertical line marks
 * a change to the test, and a horizontal line marks a threshold. A shaded band marks the baseline with the allowed
 * regression.
 */
export function TrendChart({
  runs,
  ...figure
}: {
  /** Newest first. */
  readonly runs: readonly RunSummary[];
  readonly metric: TrendMetric;
  readonly limits: TestHistory['limits'];
  readonly title: string;
  /** ID of the table with the same values. */
  readonly table: string;
}) {
  const { metric, title, table, limits } = figure;
  const text = (value: number): string => metricText(metric, value);
  const runValueText = (run: RunSummary): string =>
    metric === 'p95' ? p95Text(run) : text(run[metric] ?? 0);
  const ordered = [...runs].reverse();
  const values = ordered.flatMap((run) => run[metric] ?? []);
  const maximum = Math.max(0, ...values);
  const end = Math.min(maximum, MAX_SCALE * medianOf(values));
  const own = limits.filter((one) => one.metric === metric && one.url === null && one.flow === null);
  const lines = own
    .flatMap(({ limit, baseline }) => (baseline === null ? chartLimit(metric, limit) : []))
    .filter(({ value }) => value <= MAX_SCALE * end);
  const baseline = own.find((one) => one.baseline !== null);
  const [from, to] = bandOf(metric, baseline);
  const top = Math.max(end, to, ...lines.map(({ value }) => value * 1.05));
  const width = Math.max(24, ordered.length);
  const yOf = (value: number): number => (top === 0 ? 100 : 100 - Math.min(100, (value / top) * 100));
  const id = `trend-${metric}`;
  return (
    <figure class="trend" role="figure" aria-labelledby={id} aria-details={table}>
      <figcaption id={id}>
        {title}{' '}
        <span class="note">
          {[
            ...ordered
              .filter((run) => run[metric] === maximum)
              .slice(0, 1)
              .map((run) => `max ${runValueText(run)}`),
            ...(top < maximum ? [`bars truncated at ${text(top)}`] : []),
            ...lines.map(({ label }) => `dashed: ${label}`),
            ...(to > 0 ? [`band: allowed regression, ${text(from)} to ${text(to)}`] : []),
          ].join(', ')}
        </span>
      </figcaption>
      <div class="bars" aria-hidden="true">
        <span>
          <span>{text(top)}</span>
          <span>{text(top / 2)}</span>
          <span>0</span>
        </span>
        <svg viewBox={`0 0 ${width} 100`} preserveAspectRatio="none">
          {to > 0 ? <rect class="band" x={0} width={width} y={yOf(to)} height={yOf(from) - yOf(to)} /> : null}
          <line class="grid" x1={0} x2={width} y1={50} y2={50} />
          {ordered.map((run, index) => {
            const value = run[metric] ?? 0;
            const y = Math.min(99, yOf(value));
            const changed = index > 0 && ordered[index - 1]?.test_id !== run.test_id;
            return (
              <a href={linkTo('runs', run.test_id, run.result_id)} tabindex={-1}>
                <title>{`${runValueText(run)}, ${localTimeText(Date.parse(run.started_at), Date.now()).replace(/^T/, 't')}`}</title>
                {changed ? <line class="changed" x1={index} x2={index} y1={0} y2={100} /> : null}
                <rect class={verdictOf(run)} x={index + 0.12} width={0.76} y={y} height={100 - y} />
              </a>
            );
          })}
          {lines.map(({ value }) => (
            <line class="limit" x1={0} x2={width} y1={yOf(value)} y2={yOf(value)} />
          ))}
        </svg>
      </div>
    </figure>
  );
}

/** Returns the range of values that the regression threshold allows; `[0, 0]` without a baseline. */
function bandOf(
  metric: TrendMetric,
  limit: TestHistory['limits'][number] | undefined,
): [from: number, to: number] {
  const [baseline, allowed] = [limit?.baseline ?? null, limit?.allowed ?? null];
  if (baseline === null || allowed === null) return [0, 0];
  return metric === 'p95'
    ? [baseline, baseline * (1 + allowed / 100)]
    : [baseline * (1 - allowed / 100), baseline];
}
