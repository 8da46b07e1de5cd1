import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ResultProgress } from '../../../src/contract/generated/result-progress.ts';
import { readTimeline } from '../../../src/core/run-record/read-record.ts';
import type { EvaluatedThreshold } from '../../../src/core/report/generated/documents.ts';
import { detailLines } from '../../../src/core/report/result-text.ts';
import { toMarkup } from '../../../src/web/markup.ts';
import { LiveMetrics } from '../../../src/web/ui/live-metrics.tsx';
import { mergeProgress, knownSeconds, type LiveRun } from '../../../src/web/ui/live-run.ts';
import { firstTestCommands, openCommand, resultsCommand } from '../../../src/web/ui/result-command.ts';

/**
 * Returns the progress after a number of seconds, as the service sends it to a client that has the first
 * `after` seconds.
 */
function progressAt(seconds: number, span: number, after: number): ResultProgress {
  const entries = Array.from({ length: Math.floor(seconds / span) }, (_, index) => ({
    second: index * span,
    span,
    success: span,
  }));
  return {
    in_progress: true,
    elapsed_ms: seconds * 1000,
    duration_ms: 60_000,
    connections: 1,
    report: {},
    result: { result_id: 'r', success: seconds },
    timeline: entries.filter((entry) => entry.second + span > after),
  };
}

function secondsOf(live: LiveRun): readonly { readonly second: number; readonly span: number }[] {
  return (live.record.timeline ?? []).map(({ second, span }) => ({ second, span }));
}

function toSpans({ timeline }: ResultProgress) {
  return (readTimeline(timeline) ?? []).map(({ second, span }) => ({ second, span }));
}

const markupOf = (
  live: LiveRun,
  thresholds: readonly EvaluatedThreshold[] = [],
  staleReason: string | null = null,
) => {
  const run = { verdict: 'none', reason: null, thresholds, record: live.record } as const;
  return toMarkup(LiveMetrics({ live, run, staleReason }));
};

const limitOf = (fields: Partial<EvaluatedThreshold>): EvaluatedThreshold => ({
  ...{ metric: 'p95', limit: '< 300ms', value: null, verdict: 'inconclusive' },
  ...fields,
});

function soFar(markup: string): readonly (readonly [state: string | undefined, text: string | undefined])[] {
  return [...markup.matchAll(/<li class="(\w+)">(.*?)<\/li>/g)].map(
    ([, state, text]) => [state, text] as const,
  );
}

describe('live runs', () => {
  it('an active run shows the remaining time and, after its duration, that it waits for the last responses', () => {
    const live = mergeProgress(null, progressAt(20, 1, 0));
    expect(markupOf(live)).toContain('0:20 of 1:00, 0:40 left');
    const late = mergeProgress(null, progressAt(61, 1, 0));
    expect(markupOf(late)).toContain('1:01 of 1:00, waiting for the last responses');
  });

  it('if the values of an active run are not updated, the page shows the reason and the time of the values instead of the remaining time', () => {
    const live = mergeProgress(null, progressAt(20, 1, 0));
    expect(markupOf(live, [], 'Connection lost')).toContain(
      '<span>Connection lost; values as of 0:20 of 1:00</span>',
    );
  });

  it('the metrics of an active run have the heading "Since the warm-up" only after the end of the warm-up', () => {
    const during = (complete: boolean): string => {
      const progress = progressAt(5, 1, 0);
      const result = { ...progress.result, warmup: { seconds: 10, complete, requests: 3 } };
      return markupOf(mergeProgress(null, { ...progress, result }));
    };
    expect(during(false)).toContain('<h3>After the warm-up</h3>');
    expect(during(true)).toContain('<h3>Since the warm-up</h3>');
  });

  it('the label of the current p95 states the number of seconds that the p95 covers', () => {
    const tileOf = (span: number): string => markupOf(mergeProgress(null, progressAt(20, span, 0)));
    expect(tileOf(1)).toContain('<dt>p95 of the last second</dt>');
    expect(tileOf(4)).toContain('<dt>p95 of the last 4 seconds</dt>');
  });

  it('an active run shows its thresholds with their current values, and lists unmet thresholds first', () => {
    const progress = progressAt(20, 1, 0);
    const result = { ...progress.result, timeout_ms: 2000, flows: [{ name: 'buy', timeout_error: 3 }] };
    const live = mergeProgress(null, { ...progress, result, thresholds_of: 'r' });
    const against = { allowed: 10, baseline: 250, runs: 0, baseline_runs: 5, standard_deviation: null };
    const markup = markupOf(live, [
      limitOf({ metric: 'error_rate', limit: '< 5%', value: 1 }),
      limitOf({ metric: 'p99', limit: '< 1ms' }),
      limitOf({ value: 310 }),
      limitOf({ value: 300, limit: '<= 300ms', url: 'cart' }),
      limitOf({ value: 2100, flow: 'buy' }),
      limitOf({ value: 90, limit: '< 30ms', group: 'read' }),
      limitOf({ limit: 'at most 10%', value: 310, regression: { ...against, worse_by: 24 } }),
      limitOf({ limit: 'at most 20%', value: 260, regression: { ...against, worse_by: 4 } }),
    ]);
    expect(soFar(markup)).toEqual([
      ['unmet', 'p95 &lt; 300ms: <b>310 ms so far</b>, not met'],
      ['unmet', 'p95 of the flow &quot;buy&quot; &lt; 300ms: <b>≥ 2 s (3 timed out) so far</b>, not met'],
      ['unmet', 'p95 of the group &quot;read&quot; &lt; 30ms: <b>90 ms so far</b>, not met'],
      ['unmet', "p95 at most 10%: <b>310 ms, 24% worse than the baseline's 250 ms, so far</b>, not met"],
      ['met', 'error_rate &lt; 5%: <b>1% so far</b>, met'],
      ['met', 'p99 &lt; 1ms: measured at the end'],
      ['met', 'p95 of &quot;cart&quot; &lt;= 300ms: <b>300 ms so far</b>, met'],
      ['met', "p95 at most 20%: <b>260 ms, 4% worse than the baseline's 250 ms, so far</b>, met"],
    ]);
    expect(markup).not.toContain('latest run');
    const many = Array.from({ length: 12 }, () => limitOf({ url: 'cart' }));
    expect(markupOf(live, many)).toContain('2 more thresholds.');
  });

  it('for an active run without published thresholds, the page states that the thresholds are from an earlier run', () => {
    const live = mergeProgress(null, { ...progressAt(20, 1, 0), thresholds_of: 'earlier' });
    expect(markupOf(live, [limitOf({ value: 310 })])).toContain(
      'These thresholds are from the latest run with a verdict.',
    );
  });

  it('the timeline of a URL has the same entries as the timeline of its run, for any polling times', () => {
    const stepsOf = fc.array(
      fc.record({ elapsed: fc.integer({ min: 0, max: 30 }), isSpanDoubled: fc.boolean() }),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(stepsOf, (steps) => {
        let [live, seconds, span]: [LiveRun | null, number, number] = [null, 0, 1];
        for (const { elapsed, isSpanDoubled } of steps) {
          seconds += elapsed;
          if (isSpanDoubled) span *= 2;
          const progress = progressAt(seconds, span, knownSeconds(live));
          const starts = (readTimeline(progress.timeline) ?? []).map(({ second }) => second);
          const timeline = { success: starts, error: starts, timeout_error: starts, network_error: starts };
          const urls = [{ timeline: { ...timeline, p50: starts, p95: starts, p99: starts } }, {}];
          live = mergeProgress(live, { ...progress, result: { ...progress.result, urls } });
          const expected = secondsOf(live).map(({ second }) => second);
          const [own, other] = live.record.urls ?? [];
          for (const values of Object.values(own?.timeline ?? {})) expect(values).toEqual(expected);
          expect(Object.keys(own?.timeline ?? {})).toHaveLength(7);
          expect(other?.timeline).toBeUndefined();
        }
      }),
    );
  });

  it('the timeline of a live run has no gaps, for any polling times and lengths of entries', () => {
    const polls = fc.array(
      fc.record({ elapsed: fc.integer({ min: 0, max: 60 }), isSpanDoubled: fc.boolean() }),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(polls, (steps) => {
        let [live, seconds, span]: [LiveRun | null, number, number] = [null, 0, 1];
        for (const { elapsed, isSpanDoubled } of steps) {
          seconds += elapsed;
          if (isSpanDoubled) span *= 2;
          live = mergeProgress(live, progressAt(seconds, span, knownSeconds(live)));
          // Each entry begins at the end of the previous one.
          let end = 0;
          for (const entry of secondsOf(live)) {
            if (entry.second === end) end += entry.span;
          }
          expect(end).toBe(knownSeconds(live));
          expect(end).toBeGreaterThanOrEqual(Math.floor(seconds / span) * span);
        }
      }),
    );
  });

  it('if the second poll follows six seconds after the first, a live run contains each second exactly once', () => {
    const first = mergeProgress(null, progressAt(3, 1, 0));
    const second = mergeProgress(first, progressAt(9, 1, knownSeconds(first)));
    expect(secondsOf(second)).toEqual(toSpans(progressAt(9, 1, 0)));
    expect(second.record.metrics).toMatchObject({ success: 9 });
  });

  it('requests in flight in a live run are not reported as abandoned', () => {
    const { result, ...rest } = progressAt(3, 1, 0);
    const live = mergeProgress(null, {
      ...rest,
      result: {
        ...result,
        abort_reason: null,
        known_until_ms: 3000,
        ledger: { planned: 60, started: 5, success: 3, abandoned: 2 },
        iterations: { started: 5, completed: 3, failed: 0, withErrors: 0, missing: null },
      },
    });
    expect(detailLines(live.record)).toEqual([]);
    // The counts are not lower bounds.
    expect(live.record.knownUntil).toBeNull();
  });

  it('in the timeline of a live run, a longer entry replaces the entries that it covers', () => {
    const first = mergeProgress(null, progressAt(5, 1, 0));
    const second = mergeProgress(first, progressAt(8, 2, knownSeconds(first)));
    expect(secondsOf(second)).toEqual([
      ...toSpans(progressAt(4, 1, 0)),
      { second: 4, span: 2 },
      { second: 6, span: 2 },
    ]);
  });

  it('the timeline of a live run has no entries before the end of its first second', () => {
    const live = mergeProgress(null, progressAt(0, 1, 0));
    expect([secondsOf(live), knownSeconds(live), knownSeconds(null)]).toEqual([[], 0, 0]);
  });
});

describe('commands of the web UI', () => {
  it.each([
    ['http://127.0.0.1:4900/#/runs/t/r', 'LOADTESTS_BASE_URL=http://127.0.0.1:4900 loadtests results id:t1'],
    ['https://a.example/load/?x=1#/', 'LOADTESTS_BASE_URL=https://a.example/load loadtests results id:t1'],
    ["https://a.example/it's/#/", "LOADTESTS_BASE_URL='https://a.example/it'\\''s' loadtests results id:t1"],
  ])('the web UI at %s shows the command %s for a run', (page, command) => {
    expect(resultsCommand(new URL(page), 't1')).toBe(command);
  });

  it('the overview and the sign-in page show commands for the service that serves the web UI', () => {
    const page = new URL('http://127.0.0.1:5000/#/');
    expect(firstTestCommands(page).split('\n')).toEqual([
      'loadtests init',
      'export LOADTESTS_API_KEY=…',
      'LOADTESTS_BASE_URL=http://127.0.0.1:5000 loadtests apply',
    ]);
    expect(openCommand(page)).toBe('loadtests open --service http://127.0.0.1:5000');
  });
});
