/** How far a run is, and what happens now. */
import type { ComponentChildren } from 'preact';
import { withCommas } from '../../core/counted.ts';
import { figureText } from '../../core/figure-text.ts';
import { clockText, timelineOf, type TimelineEntry } from '../../core/report/timeline.ts';
import type { LiveRun } from './live-run.ts';

export function LiveFigures({ live }: { readonly live: LiveRun }) {
  const { elapsed_ms: elapsed, duration_ms: duration, connections } = live.told;
  const [last] = timelineOf({ timeline: live.timeline.slice(-1) });
  const rate = (count: (entry: TimelineEntry) => number): string =>
    last === undefined ? '–' : figureText('requests_per_second', count(last) / last.span);
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
        <Now name="connections" value={connections === null ? '–' : withCommas(connections)} />
        <Now name="offered per second" value={rate(({ offered }) => offered)} />
        <Now name="completed per second" value={rate(({ completed }) => completed)} />
        <Now name="failed per second" value={rate(({ failed }) => failed)} />
        <Now name="p95 of this second" value={last?.p95 == null ? '–' : figureText('p95', last.p95)} />
      </dl>
      <h3>Since the start</h3>
    </div>
  );
}

function Now({ name, value }: { readonly name: string; readonly value: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
