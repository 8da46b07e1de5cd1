/** How far a run is, and what happens now. */
import type { ComponentChildren } from 'preact';
import { withCommas } from '../../core/counted.ts';
import { metricText } from '../../core/metric-text.ts';
import { clockText, timelineOf, type TimelineEntry } from '../../core/report/timeline.ts';
import type { LiveRun } from './live-run.ts';

export function LiveMetrics({ live }: { readonly live: LiveRun }) {
  const { elapsed_ms: elapsed, duration_ms: duration, connections } = live.report;
  const [last] = timelineOf({ timeline: live.timeline.slice(-1) });
  const rate = (count: (entry: TimelineEntry) => number): string =>
    last === undefined ? '–' : metricText('requests_per_second', count(last) / last.span);
  const [done, whole] = [(elapsed ?? 0) / 1000, duration / 1000];
  const isWarmup = live.timeline.at(-1)?.['warmup'] === true;
  return (
    <div class="live">
      <p class="progress">
        <progress aria-label="Time of the run" max={whole} value={Math.min(done, whole)} />{' '}
        <span>
          {clockText(Math.round(done))} of {clockText(whole)}
          {isWarmup ? ', warming up' : done > whole ? ', waiting for the last answers' : ''}
        </span>
      </p>
      <dl class="tiles now">
        <CurrentValue name="connections" value={connections === null ? '–' : withCommas(connections)} />
        <CurrentValue name="offered per second" value={rate(({ started }) => started)} />
        <CurrentValue name="completed per second" value={rate(({ completed }) => completed)} />
        <CurrentValue name="failed per second" value={rate(({ failed }) => failed)} />
        <CurrentValue
          name="p95 of this second"
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
