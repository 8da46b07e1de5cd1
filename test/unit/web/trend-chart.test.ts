import { expect, test } from 'vitest';
import type { RunSummary } from '../../../src/contract/generated/key-list.ts';
import { toMarkup } from '../../../src/web/markup.ts';
import { TrendChart } from '../../../src/web/ui/trend-chart.tsx';

function run(p95: number | null): RunSummary {
  return {
    test_id: 't',
    result_id: 'r',
    started_at: '2026-03-02T09:00:00Z',
    status: 'ready',
    verdict: 'pass',
    reason: null,
    abort_reason: null,
    elapsed_ms: null,
    requests: null,
    error_rate: null,
    requests_per_second: null,
    p95,
    timeout_ms: null,
    timeouts: null,
  };
}

/** Returns the caption, and the heights of the bars from the oldest run to the newest. */
function chartOf(...values: readonly (number | null)[]) {
  const runs = [...values].reverse().map(run);
  const text = (value: number) => `${value} ms`;
  const markup = toMarkup(TrendChart({ runs, metric: 'p95', title: 'p95', table: 'runs', text }));
  return {
    caption: /class="note">(.*?)</.exec(markup)?.[1],
    heights: [...markup.matchAll(/<rect [^>]*height="([^"]*)"/g)].map(([, height]) => Number(height)),
  };
}

test('bars are proportional to the largest value', () => {
  expect(chartOf(10, 20, 40)).toEqual({ caption: 'max 40 ms', heights: [25, 50, 100] });
});

test('an outlier does not flatten the bars of other runs, and the caption states the value at which bars are cut', () => {
  expect(chartOf(10, 12, 4000, 10)).toEqual({
    caption: 'max 4000 ms, bars end at 48 ms',
    heights: [(10 / 48) * 100, 25, 100, (10 / 48) * 100],
  });
});

test('runs without the metric have bars of the minimum height', () => {
  expect(chartOf(null, 20)).toEqual({ caption: 'max 20 ms', heights: [1, 100] });
});
