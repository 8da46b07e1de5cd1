import { expect, test } from 'vitest';
import type { RunSummary } from '../../../src/contract/generated/key-list.ts';
import type { TestHistory } from '../../../src/contract/generated/test-history.ts';
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
    counts_are_minimums: false,
    error_rate: null,
    requests_per_second: null,
    p95,
    timeout_ms: null,
    timeouts: null,
    started_by: null,
    note: null,
  };
}

type Limits = TestHistory['limits'];

/** Returns the caption, the heights of the bars from the oldest run to the newest, and the other marks. */
function chartOf(values: readonly (number | null)[], limits: Limits = []) {
  const runs = [...values].reverse().map(run);
  const markup = toMarkup(TrendChart({ runs, metric: 'p95', title: 'p95', table: 'runs', limits }));
  const [, line] = /class="limit"[^>]*y1="([^"]*)"/.exec(markup) ?? [];
  const [, top, height] = /class="band"[^>]*y="([^"]*)" height="([^"]*)"/.exec(markup) ?? [];
  return {
    caption: /class="note">(.*?)</.exec(markup)?.[1],
    axis: [...markup.matchAll(/<span>([^<]*)<\/span>/g)].map(([, text]) => text),
    heights: [...markup.matchAll(/<rect class="pass"[^>]*height="([^"]*)"/g)].map(([, one]) =>
      Math.round(Number(one)),
    ),
    line: line === undefined ? null : Math.round(Number(line)),
    band: top === undefined ? null : [Number(top), Number(height)],
  };
}

const limit = (changes: Partial<Limits[number]>): Limits[number] => ({
  metric: 'p95',
  url: null,
  flow: null,
  limit: '< 300ms',
  baseline: null,
  allowed: null,
  ...changes,
});

test('in the trend chart, bars are proportional to the largest value, and the axis shows the largest value and half of it', () => {
  expect(chartOf([10, 20, 40])).toEqual({
    caption: 'max 40 ms',
    axis: ['40 ms', '20 ms', '0'],
    heights: [25, 50, 100],
    line: null,
    band: null,
  });
});

test('in the trend chart, the bar of an outlier is truncated, and the caption states the value at which bars are truncated', () => {
  expect(chartOf([10, 12, 4000, 10])).toMatchObject({
    caption: 'max 4,000 ms, bars truncated at 96 ms',
    heights: [10, 13, 100, 10],
  });
});

test('in the trend chart, runs without the metric have bars of the minimum height', () => {
  expect(chartOf([null, 20])).toMatchObject({ caption: 'max 20 ms', heights: [1, 100] });
});

test('the trend chart draws a threshold line only if the threshold applies to the metric of the chart and to the whole run, and is not far above all bars', () => {
  const others = [limit({ url: 'cart' }), limit({ flow: 'buy' }), limit({ metric: 'p99' })];
  expect(chartOf([100], others)).toMatchObject({ caption: 'max 100 ms', line: null });
  expect(chartOf([100], [...others, limit({})])).toMatchObject({
    caption: 'max 100 ms, dashed: p95 &lt; 300ms',
    line: 5,
    heights: [32],
  });
  // A line that is far above all bars would flatten them.
  expect(chartOf([10], [limit({})])).toMatchObject({ caption: 'max 10 ms', line: null, heights: [100] });
});

test('the trend chart draws the range from the baseline to the allowed value as a band', () => {
  expect(chartOf([100], [limit({ limit: '+25%', baseline: 80, allowed: 25 })])).toMatchObject({
    caption: 'max 100 ms, band: allowed regression, 80 ms to 100 ms',
    band: [0, 20],
  });
});

test('in the trend chart, the baseline band of a request rate ends at the lowest allowed rate', () => {
  const runs = [{ ...run(10), requests_per_second: 100 }];
  const limits = [limit({ metric: 'requests_per_second', limit: '10%', baseline: 100, allowed: 10 })];
  const markup = toMarkup(
    TrendChart({ runs, metric: 'requests_per_second', title: 'Requests per second', table: 'runs', limits }),
  );
  expect(markup).toContain('band: allowed regression, 90 to 100');
});
