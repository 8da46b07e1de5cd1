import type { ComponentChildren } from 'preact';
import { changeText } from '../../core/compare/regression-evaluation.ts';
import { meetsCondition, parseThreshold } from '../../core/model/threshold.ts';
import type { EvaluatedThreshold } from '../../core/report/generated/documents.ts';
import { measuredText, thresholdText, type ReasonedRun } from '../../core/report/threshold-text.ts';
import { metricTextOrDash } from '../value-text.ts';
import { Time } from './time.tsx';
import { counted, countText } from '../../core/counted.ts';
import { clockText, timelineOf, type TimelineEntry } from '../../core/report/timeline.ts';
import type { RunRecord } from '../../core/run-record/run-record.ts';
import type { LiveRun } from './live-run.ts';

export function LiveMetrics({
  live,
  run,
  staleReason,
}: {
  readonly live: LiveRun;
  readonly run: ReasonedRun;
  /** Reason why the metrics are not updated; null while the metrics are updated. */
  readonly staleReason: string | null;
}) {
  const { record } = live;
  const { elapsed_ms: elapsed, duration_ms: duration, connections } = live.report;
  const [last] = timelineOf({ timeline: record.timeline?.slice(-1) ?? null });
  const rate = (count: (entry: TimelineEntry) => number): string =>
    metricTextOrDash('requests_per_second', last && count(last) / last.span);
  const [elapsedSeconds, totalSeconds] = [(elapsed ?? 0) / 1000, duration / 1000];
  // In long runs, an entry covers several seconds.
  const span = last?.span ?? 1;
  const isWarmup = record.warmup?.complete === false;
  return (
    <div class="live">
      <p class="progress">
        <progress
          aria-label="Elapsed time"
          max={totalSeconds}
          value={Math.min(elapsedSeconds, totalSeconds)}
        />{' '}
        <span>
          {staleReason === null ? '' : `${staleReason}; values as of `}
          {clockText(Math.round(elapsedSeconds))} of {clockText(totalSeconds)}
          {staleReason !== null
            ? ''
            : elapsedSeconds > totalSeconds
              ? ', waiting for the last responses'
              : `, ${clockText(Math.ceil(totalSeconds - elapsedSeconds))} left${isWarmup ? ', warm-up' : ''}`}
          {staleReason !== null || record.startedAt === null ? null : (
            <>
              , ends <Time inSentence at={loadStartOf(record, record.startedAt) + duration} />
            </>
          )}
        </span>
      </p>
      <ThresholdsSoFar
        run={run}
        isWarmup={isWarmup}
        isOwn={live.report.thresholds_of === live.report.result['result_id']}
      />
      <dl class="tiles now">
        <CurrentValue name="connections" value={countText(connections)} />
        <CurrentValue name="started per second" value={rate(({ started }) => started)} />
        <CurrentValue name="completed per second" value={rate(({ completed }) => completed)} />
        <CurrentValue name="failed per second" value={rate(({ failed }) => failed)} />
        <CurrentValue
          name={span === 1 ? 'p95 of the last second' : `p95 of the last ${span} seconds`}
          value={metricTextOrDash('p95', last?.p95)}
        />
      </dl>
      <h3>
        {isWarmup ? 'After' : 'Since'} the {record.warmup === null ? 'start' : 'warm-up'}
      </h3>
    </div>
  );
}

/** Ignores a delay of less than a second, because times are shown in whole seconds. */
function loadStartOf({ loadStartedAt }: RunRecord, startedAt: number): number {
  return loadStartedAt === null || loadStartedAt - startedAt < 1000 ? startedAt : loadStartedAt;
}

/** Current values of the thresholds. These values are not verdicts. */
function ThresholdsSoFar({
  run,
  isWarmup,
  isOwn,
}: {
  readonly run: ReasonedRun;
  readonly isWarmup: boolean;
  /** True if the thresholds are those of the run itself; false if they are from the latest run with a verdict. */
  readonly isOwn: boolean;
}) {
  const known = run.thresholds.map((threshold) => ({
    name: thresholdText(threshold),
    text: isWarmup ? null : valueText(threshold, run),
    isMet: isWarmup ? null : isMetSoFar(threshold),
  }));
  if (known.length === 0) return null;
  const unmet = known.filter(({ isMet }) => isMet === false).length;
  const whenMet = known.some(({ isMet }) => isMet === null)
    ? 'Thresholds so far'
    : 'All thresholds met so far';
  const title = unmet === 0 ? whenMet : `${unmet} of ${counted(known.length, 'threshold')} not met so far`;
  const sorted = [...known].sort((one, other) => Number(one.isMet ?? true) - Number(other.isMet ?? true));
  return (
    <>
      <h3>{title}</h3>
      <ul class="notes so-far">
        {sorted.slice(0, MAX_SHOWN).map(({ name, text, isMet }) => (
          <li class={isMet === false ? 'unmet' : 'met'}>
            {name}:{' '}
            {text === null ? (
              `measured ${isWarmup ? 'after the warm-up' : 'at the end'}`
            ) : (
              <b>{text} so far</b>
            )}
            {isMet === null ? '' : isMet ? ', met' : ', not met'}
          </li>
        ))}
      </ul>
      <p class="note">
        {sorted.length > MAX_SHOWN ? `${counted(sorted.length - MAX_SHOWN, 'more threshold')}. ` : ''}
        {isOwn ? '' : 'These thresholds are from the latest run with a verdict. '}
        The verdict is determined at the end of the run.
      </p>
    </>
  );
}

/** Formats the current value of a threshold; null if there is no value yet. */
function valueText(threshold: EvaluatedThreshold, run: ReasonedRun): string | null {
  const { metric, value, regression } = threshold;
  if (value === null) return null;
  const text = measuredText(threshold, run);
  if (regression === undefined) return text;
  return `${text}, ${changeText(metric, { worseBy: regression.worse_by, baseline: regression.baseline })},`;
}

/** Reports whether the current value meets a threshold; null if there is no value yet. */
function isMetSoFar({ metric, limit, value, regression }: EvaluatedThreshold): boolean | null {
  if (value === null) return null;
  if (regression !== undefined) return regression.worse_by <= regression.allowed;
  const condition = parseThreshold(metric, limit);
  return condition === null || meetsCondition(value, condition);
}

/** Maximum number of thresholds to show. Thresholds that are not met come first. */
const MAX_SHOWN = 10;

function CurrentValue({ name, value }: { readonly name: string; readonly value: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
