import { describe, expect, test } from 'vitest';
import type { TestLoad } from '../../../src/core/report/generated/documents.ts';
import { chartNote, limitsOf, placeLabels } from '../../../src/web/chart.ts';
import { runCharts, runOfUrl, type DrawnRun } from '../../../src/web/run-charts.ts';
import { percentileName } from '../../../src/web/value-text.ts';
import { readRunRecord } from '../../../src/core/run-record/read-record.ts';
import { createResultRecord } from '../../support/result-records.ts';

test('the charts of two runs contain all seconds of both runs', () => {
  const [now, before] = [3, 5].map((seconds) => ({
    record: readRunRecord(createResultRecord({ seconds })),
    loadSeconds: seconds,
  }));
  if (now === undefined || before === undefined) throw new Error('Bug: a run is missing');
  const charts = runCharts('run-1', { name: 'now', ...now }, [{ name: 'before', ...before }]);
  const [rates] = charts;
  expect(rates?.positions).toEqual([0, 1, 2, 3, 4]);
  expect(rates?.lines.map(({ name, values }) => [name, values])).toEqual([
    ['offered now', [10, 10, 10, null, null]],
    ['completed now', [10, 10, 10, null, null]],
    ['failed now', [1, 1, 1, null, null]],
    ['completed before', [10, 10, 10, 10, 10]],
  ]);
  expect(charts.slice(1).map(({ lines }) => lines.map(({ name }) => name))).toEqual([
    ['p50 now', 'p95 now', 'p99 now', 'p95 before'],
    ['connections now', 'connections before'],
    ['now', 'before'],
  ]);
});

test('the charts of a URL contain only the requests and thresholds of this URL', () => {
  const entry = { span: 1, started: 9, success: 8, error: 1, connections: 4, p50: 2, p95: 9, p99: 9 };
  const record = readRunRecord({
    timeline: [
      { ...entry, second: 0 },
      { ...entry, second: 1 },
    ],
    urls: [
      { url: 'https://shop.test/' },
      { url: 'https://shop.test/cart', timeline: { success: [3, 2], error: [0, 1], p95: [5, null] } },
    ],
  });
  const threshold = { metric: 'p95', value: 5, verdict: 'pass' } as const;
  const run = {
    name: 'now',
    record,
    loadSeconds: null,
    thresholds: [
      { ...threshold, limit: '< 6ms' },
      { ...threshold, limit: '< 7ms', url: 'GET /cart' },
    ],
  };
  const charts = runCharts('run-1', runOfUrl(run, 'GET /cart', 1));
  expect(charts.map(({ title, limits }) => [title, limits.map(({ label }) => label)])).toEqual([
    ['Requests per second of GET /cart', []],
    ['Response time of GET /cart', ['p95 < 7ms']],
    ['Failed per second of GET /cart', []],
  ]);
  expect(charts[0]?.lines.map(({ name, values }) => [name, values])).toEqual([
    ['completed', [3, 3]],
    ['failed', [0, 1]],
  ]);
  // A record of another service has no timelines of URLs.
  expect(runOfUrl(run, 'GET /', 0)).toBe(run);
});

test('the charts of two runs align timeline entries that cover different numbers of seconds', () => {
  const [now, before] = [1, 2].map((span) => ({
    timeline: Array.from({ length: 4 / span }, (_, index) => ({ second: index * span, span, success: 8 })),
  }));
  const charts = runCharts('run-1', { name: 'now', record: readRunRecord(now), loadSeconds: null }, [
    { name: 'before', record: readRunRecord(before), loadSeconds: null },
  ]);
  expect(charts[0]?.lines.at(-1)?.values).toEqual([4, 4, 4, 4]);
});

describe('rates of a run', () => {
  const entry = (second: number, started: number, success: number, error = 0) => ({
    second,
    span: 1,
    started,
    success,
    error,
    timeout_error: 0,
    network_error: 0,
    connections: 7,
    p50: 2,
    p95: 3,
    p99: 4,
  });
  type Entry = ReturnType<typeof entry>;
  const ratesOf = (elapsed: number, loadSeconds: number | null, timeline: readonly Entry[]) =>
    runCharts('run-1', {
      name: 'now',
      record: readRunRecord({ timeline, elapsed_ms: elapsed }),
      loadSeconds,
    })[0]?.lines.map(({ values }) => values);
  const fullSeconds = [entry(0, 10, 9), entry(1, 10, 10)];

  test.each([
    ['a timeline entry for the last milliseconds', 2020, null, [entry(2, 1, 2)], []],
    ['responses after the last start', 2800, 2, [entry(2, 4, 4)], [null]],
    [
      'responses for two seconds after the last start',
      4100,
      2,
      [entry(2, 0, 5), entry(3, 0, 0), entry(4, 0, 3)],
      [null, null],
    ],
  ])(
    'the charts of a run with %s show rates only until the end of the load',
    (_, elapsed, loadSeconds, after, none) => {
      expect(ratesOf(elapsed, loadSeconds, [...fullSeconds, ...after])).toEqual([
        [10, 10, ...none],
        [9, 10, ...none],
        [0, 0, ...none],
      ]);
    },
  );

  test('the charts show rates of zero during an outage, including an outage at the end of the load', () => {
    const hung = [entry(2, 0, 0), entry(3, 0, 0), entry(4, 0, 0, 3)];
    expect(ratesOf(4020, 4, [...fullSeconds, ...hung])).toEqual([
      [10, 10, 0, 0, null],
      [9, 10, 0, 0, null],
      [0, 0, 0, 0, 3],
    ]);
  });

  test('all charts of a stopped run end before the last partial second', () => {
    const timeline = [entry(0, 10, 8, 2), entry(1, 10, 8, 2), entry(2, 3, 0, 1)];
    const record = readRunRecord({ timeline, elapsed_ms: 2300 });
    const charts = runCharts('run-1', { name: 'now', record, loadSeconds: 600 });
    const lines = charts.flatMap((chart) =>
      chart.lines.map(({ name, values }) => [chart.title, name, values]),
    );
    expect(lines).toEqual([
      ['Requests per second', 'offered', [10, 10]],
      ['Requests per second', 'completed', [10, 10]],
      ['Requests per second', 'failed', [2, 2]],
      ['Response time', 'p50', [2, 2]],
      ['Response time', 'p95', [3, 3]],
      ['Response time', 'p99', [4, 4]],
      ['Connections', 'connections', [7, 7]],
      ['Failed per second', 'errors', [2, 2]],
    ]);
  });

  test('the failures per second of the last timeline entry are calculated over the time that the entry covers', () => {
    const timeline = [entry(0, 10, 8, 2), entry(1, 8, 6, 2)];
    const record = readRunRecord({ timeline, elapsed_ms: 1800 });
    const charts = runCharts('run-1', { name: 'now', record, loadSeconds: 600 });
    const failures = charts.find(({ id }) => id === 'run-1-failures');
    expect(failures?.lines.map(({ values }) => values)).toEqual([[2, 2.5]]);
  });

  test('the request rates in a chart are calculated over the time that each timeline entry covers', () => {
    expect(ratesOf(2800, null, [...fullSeconds, entry(2, 8, 4, 4)])?.map((line) => line[2])).toEqual([
      10, 10, 5,
    ]);
    expect(ratesOf(200, null, [entry(0, 10, 10)])).toEqual([[50], [50], [0]]);
  });
});

test.each([
  [0, 'p0'],
  [Math.log10(2), 'p50'],
  [1, 'p90'],
  [2, 'p99'],
  [3, 'p99.9'],
  [6, 'p99.9999'],
  [1.05, 'p91.09'],
])('percentileName(%d) returns %s', (nines, name) => {
  expect(percentileName(nines)).toBe(name);
});

describe('the charts of a run', () => {
  const entry = (second: number, success: number, failed: object = {}) => ({
    second,
    span: 1,
    started: success,
    success,
    connections: 4,
    p50: 5,
    p95: 90,
    p99: 120,
    ...failed,
  });
  const load: TestLoad = {
    test_type: 'cycling',
    initial: 0,
    total: 4,
    clients: null,
    stages: null,
    warmup: null,
    connections: 4,
    seconds: 4,
    hosts: [],
  };
  const chartsOf = (json: object, changes: Partial<DrawnRun> = {}) =>
    new Map(
      runCharts('run', { name: 'now', record: readRunRecord(json), loadSeconds: 4, load, ...changes }).map(
        (chart) => [chart.title, chart],
      ),
    );
  const timeline = [entry(0, 10), entry(1, 0), entry(2, 0), entry(3, 10)];

  test('the charts shade outages, and spread omitted requests over the outage', () => {
    const periods = [{ from: 1, to: 2.5 }];
    const outage = { spans: 1, seconds: 1.5, omitted: 30, periods };
    const rates = chartsOf({ timeline, outage }).get('Requests per second');
    expect(rates?.spans).toEqual([{ from: 1, to: 2.5, kind: 'outage' }]);
    expect(rates?.lines.find(({ name }) => name === 'omitted')?.values).toEqual([null, 20, 10, null]);
  });

  test('the charts of a run without omitted requests contain no line for omitted requests', () => {
    const rates = chartsOf({ timeline }).get('Requests per second');
    expect(rates?.lines.map(({ name }) => name)).toEqual(['offered', 'completed', 'failed']);
  });

  test('a chart draws thresholds that are close to its values as lines, and names a threshold far above its values in its note', () => {
    const thresholds = [
      { metric: 'p90', limit: '< 100ms', value: 90, verdict: 'pass' },
      { metric: 'p99', limit: '< 10s', value: 120, verdict: 'pass' },
      { metric: 'p95', url: 'pay', limit: '< 50ms', value: 90, verdict: 'fail' },
      { metric: 'requests_per_second', limit: '> 8', value: 5, verdict: 'fail' },
      { metric: 'p95', limit: 'at most 10% worse than the baseline', value: 90, verdict: 'pass' },
    ] as const;
    const charts = chartsOf({ timeline }, { thresholds });
    const times = charts.get('Response time');
    expect(times === undefined ? [] : limitsOf(times, true)).toEqual([
      { value: 100, label: 'p90 < 100ms', isUpper: true },
    ]);
    expect(times === undefined ? '' : chartNote(times)).toBe(
      'Dashed: threshold p90 < 100ms; pale red: not met. Above the visible range: threshold p99 < 10s.',
    );
    expect(charts.get('Requests per second')?.limits).toEqual([
      { value: 8, label: 'requests per second > 8', isUpper: false },
    ]);
  });

  test('the chart of a cycling test shows its declared connections, and marks where one stage ends and the next begins', () => {
    const declaredOf = (changes: Partial<TestLoad>) => {
      const chart = chartsOf({ timeline }, { load: { ...load, ...changes } }).get('Connections');
      return [chart?.lines.find(({ name }) => name === 'declared')?.values, chart?.marks];
    };
    expect(declaredOf({})).toEqual([[1, 2, 3, 4], []]);
    const stages = [
      { to: 4, seconds: 2 },
      { to: 0, seconds: 2 },
    ];
    expect(declaredOf({ stages })).toEqual([[2, 4, 2, 0], [2]]);
    // A run that ended early did not reach the later stages.
    const later = [5, 5].map((seconds) => ({ to: 4, seconds }));
    expect(declaredOf({ stages: later })[1]).toEqual([]);
    expect(declaredOf({ test_type: 'per-second' })[0]).toBeUndefined();
  });

  test('a chart of failures by kind is drawn only if the run has failures', () => {
    expect(chartsOf({ timeline }).has('Failed per second')).toBe(false);
    const failed = [entry(0, 10, { timeout_error: 2 }), entry(1, 9, { error: 1 }), entry(2, 0)];
    const lines = chartsOf({ timeline: failed }).get('Failed per second')?.lines;
    expect(lines?.map(({ name, values }) => [name, values])).toEqual([
      ['errors', [0, 1, 0]],
      ['timeouts', [2, 0, 0]],
    ]);
  });
});

describe('labels of shaded ranges', () => {
  const label = (from: number, to: number) => ({ text: `${from}`, width: 50, from, to });
  test.each([
    ['the label of a shaded range starts inside the range', [label(20, 90)], [['20', 24]]],
    [
      'the label of a shaded range is shown even if the label is wider than the range',
      [label(20, 40)],
      [['20', 24]],
    ],
    [
      'the label of a shaded range at the end of a chart moves to the left',
      [label(180, 200)],
      [['180', 146]],
    ],
    [
      'the label of a shaded range that begins left of the chart is placed at the left edge of the chart',
      [label(-50, 60)],
      [['-50', 4]],
    ],
    [
      'the label of a shaded range is omitted if it would cover the previous label',
      [label(20, 40), label(60, 90)],
      [['20', 24]],
    ],
    ['shaded ranges outside the chart have no labels', [label(-50, 0), label(200, 250)], []],
  ] as const)('%s', (_name, labels, expected) => {
    expect(placeLabels(labels, [0, 200], 4).map(({ text, x }) => [text, x])).toEqual(expected);
  });
});
