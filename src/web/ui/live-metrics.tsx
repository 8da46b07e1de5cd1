/** Progress and current metrics of an active run. */
import type { ComponentChildren } from 'preact';
import type { TestHistory } from '../../contract/generated/test-history.ts';
import { metricValueOf } from '../../core/compare/metric-value.ts';
import { subjectText, type Metric } from '../../core/model/threshold.ts';
import type { EvaluatedThreshold } from '../../core/report/generated/documents.ts';
import { boundText } from '../../core/report/result-text.ts';
import type { RunRecord } from '../../core/run-record/run-record.ts';
import { chartLimit } from '../run-charts.ts';
import { Time } from './time.tsx';
import { counted, withCommas } from '../../core/counted.ts';
import { metricText } from '../../core/model/metric-text.ts';
import { clockText, timelineOf, type TimelineEntry } from '../../core/report/timeline.ts';
import type { LiveRun } from './live-run.ts';

export function LiveMetrics({
  live,
  thresholds,
  labels,
  latest,
}: Omit<ThresholdsSoFarProps, 'record'> & { readonly live: LiveRun }) {
  const { record } = live;
  const { elapsed_ms: elapsed, duration_ms: duration, connections } = live.report;
  const [last] = timelineOf({ timeline: record.timeline?.slice(-1) ?? null });
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
      <ThresholdsSoFar record={record} thresholds={thresholds} labels={labels} latest={latest} />
      <h3>Since the start</h3>
    </div>
  );
}

interface ThresholdsSoFarProps {
  /** Record of the run so far. */
  readonly record: RunRecord;
  /** Thresholds of this run; empty if its client has not published them. */
  readonly thresholds: readonly ThresholdSoFar[];
  /** Labels of the URLs. */
  readonly labels: readonly string[];
  /** Thresholds of the latest run with a verdict, which are shown if those of this run are unknown. */
  readonly latest: TestHistory['limits'];
}

type ThresholdSoFar = Pick<EvaluatedThreshold, 'metric' | 'url' | 'flow' | 'group' | 'limit'>;

/** Values so far, with the thresholds. They are not verdicts. */
function ThresholdsSoFar({ record, thresholds, labels, latest }: ThresholdsSoFarProps) {
  const isOwn = thresholds.length > 0;
  const shown: readonly ThresholdSoFar[] = isOwn
    ? thresholds
    : latest.flatMap(({ metric, url, flow, limit }) => ({
        metric,
        limit,
        ...(url === null ? {} : { url }),
        ...(flow === null ? {} : { flow }),
      }));
  const known = shown.flatMap((threshold) => {
    const { metric, url, flow, group, limit } = threshold;
    const [parsed] = chartLimit(metric, limit);
    const sample =
      url !== undefined
        ? record.urls?.[labels.indexOf(url)]
        : flow === undefined
          ? record
          : record.flows?.find(({ name }) => name === flow);
    // Baselines and groups of URLs are evaluated at the end.
    if (parsed === undefined || group !== undefined || sample === undefined) return [];
    const { value } = metricValueOf(metric as Metric, sample); // the metric of a threshold
    const text =
      value === null ? null : boundText(metric, value, { timeout: record.timeout, metrics: sample.metrics });
    const isMet = value === null || (parsed.isUpper ? value <= parsed.value : value >= parsed.value);
    return [{ subject: subjectText(threshold), limit, text, isMet }];
  });
  if (known.length === 0) return null;
  const sorted = [...known].sort((one, other) => Number(one.isMet) - Number(other.isMet));
  return (
    <>
      <h3>Thresholds so far</h3>
      <ul class="notes so-far">
        {sorted.slice(0, MAX_SHOWN).map(({ subject, limit, text, isMet }) => (
          <li class={isMet ? 'met' : 'unmet'}>
            {subject} {limit}: {text === null ? 'measured at the end' : <b>{text} so far</b>}
            {isMet ? '' : ', not met'}
          </li>
        ))}
      </ul>
      <p class="note">
        {sorted.length > MAX_SHOWN ? `${counted(sorted.length - MAX_SHOWN, 'more threshold')}. ` : ''}
        {isOwn ? '' : 'These thresholds are from the latest run with a verdict. '}
        The run gets its verdict when it ends.
      </p>
    </>
  );
}

/** Maximum number of shown thresholds. Those that are not met come first. */
const MAX_SHOWN = 10;

function CurrentValue({ name, value }: { readonly name: string; readonly value: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
