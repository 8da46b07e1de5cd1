/** Progress and current metrics of an active run. */
import type { ComponentChildren } from 'preact';
import type { TestHistory } from '../../contract/generated/test-history.ts';
import { metricValueOf } from '../../core/compare/metric-value.ts';
import type { Metric } from '../../core/model/threshold.ts';
import { boundText } from '../../core/report/result-text.ts';
import type { RunRecord } from '../../core/run-record/run-record.ts';
import { chartLimit } from '../run-charts.ts';
import { Time } from './time.tsx';
import { withCommas } from '../../core/counted.ts';
import { metricText } from '../../core/model/metric-text.ts';
import { clockText, timelineOf, type TimelineEntry } from '../../core/report/timeline.ts';
import type { LiveRun } from './live-run.ts';

export function LiveMetrics({
  live,
  record,
  limits,
}: {
  readonly live: LiveRun;
  /** Record of the run so far. */
  readonly record: RunRecord;
  /** Thresholds of the latest run with a verdict. */
  readonly limits: TestHistory['limits'];
}) {
  const { elapsed_ms: elapsed, duration_ms: duration, connections } = live.report;
  const [last] = timelineOf({ timeline: live.timeline.slice(-1) });
  const rate = (count: (entry: TimelineEntry) => number): string =>
    last === undefined ? '–' : metricText('requests_per_second', count(last) / last.span);
  const [elapsedSeconds, totalSeconds] = [(elapsed ?? 0) / 1000, duration / 1000];
  // In long runs, an entry covers several seconds.
  const span = last?.span ?? 1;
  const isWarmup = last?.warmup === true;
  return (
    <div class="live">
      <p class="progress">
        <progress
          aria-label="Elapsed time"
          max={totalSeconds}
          value={Math.min(elapsedSeconds, totalSeconds)}
        />{' '}
        <span>
          {clockText(Math.round(elapsedSeconds))} of {clockText(totalSeconds)}
          {elapsedSeconds > totalSeconds
            ? ', waiting for the last responses'
            : `, ${clockText(Math.ceil(totalSeconds - elapsedSeconds))} left${isWarmup ? ', warm-up' : ''}`}
          {record.startedAt === null ? null : (
            <>
              , ends <Time at={(record.loadStartedAt ?? record.startedAt) + duration} />
            </>
          )}
        </span>
      </p>
      <dl class="tiles now">
        <CurrentValue name="connections" value={connections === null ? '–' : withCommas(connections)} />
        <CurrentValue name="started per second" value={rate(({ started }) => started)} />
        <CurrentValue name="completed per second" value={rate(({ completed }) => completed)} />
        <CurrentValue name="failed per second" value={rate(({ failed }) => failed)} />
        <CurrentValue
          name={span === 1 ? 'p95 of the last second' : `p95 of the last ${span} seconds`}
          value={last?.p95 == null ? '–' : metricText('p95', last.p95)}
        />
      </dl>
      <LimitsSoFar limits={limits} record={record} />
      <h3>Since the start</h3>
    </div>
  );
}

/** Current values with the thresholds of the latest run that has a verdict. They are not verdicts. */
function LimitsSoFar({
  limits,
  record,
}: {
  readonly limits: TestHistory['limits'];
  readonly record: RunRecord;
}) {
  const known = limits.flatMap(({ metric, url, flow, limit, baseline }) => {
    const { value } = metricValueOf(metric as Metric, record); // the metric of a threshold
    const [parsed] = chartLimit(metric, limit);
    if (url !== null || flow !== null || baseline !== null || value === null || parsed === undefined)
      return [];
    const isMet = parsed.isUpper ? value <= parsed.value : value >= parsed.value;
    return [{ metric, limit, value, isMet }];
  });
  if (known.length === 0) return null;
  return (
    <>
      <h3>Thresholds so far</h3>
      <ul class="notes so-far">
        {known.map(({ metric, limit, value, isMet }) => (
          <li class={isMet ? 'met' : 'unmet'}>
            {metric} <b>{boundText(metric, value, record)}</b> so far, threshold {limit}
            {isMet ? '' : ': not met yet'}
          </li>
        ))}
      </ul>
      <p class="note">
        These thresholds are from the latest run with a verdict. This run gets its verdict when it ends.
      </p>
    </>
  );
}

function CurrentValue({ name, value }: { readonly name: string; readonly value: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
