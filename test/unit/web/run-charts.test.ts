import { describe, expect, test } from 'vitest';
import { runCharts } from '../../../src/web/run-charts.ts';
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

test('the charts of two runs align entries with different numbers of seconds', () => {
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
    ['the last milliseconds', 2020, null, [entry(2, 1, 2)]],
    ['the last responses', 2800, 2, [entry(2, 4, 4)]],
    ['late responses', 4100, 2, [entry(2, 0, 5), entry(3, 0, 0), entry(4, 0, 3)]],
  ])('rates end with the load, so %s do not look like an outage', (_, elapsed, loadSeconds, after) => {
    const none = after.map(() => null);
    expect(ratesOf(elapsed, loadSeconds, [...fullSeconds, ...after])).toEqual([
      [10, 10, ...none],
      [9, 10, ...none],
      [0, 0, ...none],
    ]);
  });

  test('rates are zero during an outage, including an outage at the end of the load', () => {
    const hung = [entry(2, 0, 0), entry(3, 0, 0), entry(4, 0, 0, 3)];
    expect(ratesOf(4020, 4, [...fullSeconds, ...hung])).toEqual([
      [10, 10, 0, 0, null],
      [9, 10, 0, 0, null],
      [0, 0, 0, 0, 3],
    ]);
  });

  test('rates are relative to the time that an entry covers', () => {
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
])('the percentile with %d nines is named %s', (nines, name) => {
  expect(percentileName(nines)).toBe(name);
});
