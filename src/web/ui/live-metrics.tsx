/** Progress and current metrics of an active run. */
import type { ComponentChildren } from 'preact';
import { withCommas } from '../../core/counted.ts';
import { metricText } from '../../core/model/metric-text.ts';
import { clockText, timelineOf, type TimelineEntry } from '../../core/report/timeline.ts';
import type { LiveRun } from './live-run.ts';

export function LiveMetrics({ live }: { readonly live: LiveRun }) {
  const { elapsed_ms: elapsed, duration_ms: duration, connections } = live.report;
  const [last] = timelineOf({ timeline: live.timeline.slice(-1) });
  const rate = (count: (entry: TimelineEntry) => number): string =>
    last === undefined ? '–' : metricText('requests_per_second', count(last) / last.span);
  const [elapsedSeconds, totalSeconds] = [(elapsed ?? 0) / 1000, duration / 1000];
  // Entries of long runs cover several seconds.
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
        </span>
      </p>
      <dl class="tiles now">
        <CurrentValue name="connections" value={connections === null ? '–' : withCommas(connections)} />
        <CurrentValue name="offered per second" value={rate(({ started }) => started)} />
        <CurrentValue name="completed per second" value={rate(({ completed }) => completed)} />
        <CurrentValue name="failed per second" value={rate(({ failed }) => failed)} />
        <CurrentValue
          name={span === 1 ? 'p95 of the last second' : `p95 of the last ${span} seconds`}
          value={last?.p95 == null ? '–' : metricText('p95', last.p95)}
        />
      </dl>
      <h3>Since the start</h3>
    </div>
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
