/** Side-by-side metrics of two runs, as text. */
import { expect, test } from 'vitest';
import {
  changeText,
  comparedMetricRows,
  comparisonSideText,
  growthOf,
} from '../../../../src/core/report/compared-metric-rows.ts';
import type { Comparison } from '../../../../src/core/report/generated/documents.ts';

type ComparedValues = Comparison['metrics'][number];

const COMPARISON: Comparison = {
  with: 'run',
  result_id: 'r1',
  runs: 1,
  started_at: '2026-11-20T14:02:11.000Z',
  metrics: [],
  notes: [],
  verdict: null,
};

test.each<
  readonly [Partial<ComparedValues>, readonly [before: string, after: string, change: string], number | null]
>([
  [{ before: 200, after: 100, change: -50 }, ['200 ms', '100 ms', '-50%'], -50],
  [{ before: 100, after: 100, change: 0 }, ['100 ms', '100 ms', '0%'], 0],
  [{ before: 10, after: 1310, change: 13_010 }, ['10 ms', '1,310 ms', '+13,000%'], 13_010],
  [{ before: null, after: 100 }, ['-', '100 ms', '-'], null],
  [{ before: 100, after: null }, ['100 ms', '-', '-'], null],
  [{ before: 0, after: 20 }, ['0 ms', '20 ms', '+20 ms'], Infinity],
  [{ before: 0, after: 0 }, ['0 ms', '0 ms', '0 ms'], 0],
  [{ before: 0, after: null }, ['0 ms', '-', '-'], null],
  [{ before: 10, after: 20 }, ['10 ms', '20 ms', '-'], null],
  [{ before: 100, after: 2000, change: 1900, minimums: ['after'] }, ['100 ms', '≥ 2 s', '≥ +1,900%'], 1900],
  [{ before: 0, after: 2000, minimums: ['after'] }, ['0 ms', '≥ 2 s', '≥ +2,000 ms'], Infinity],
  [{ before: 0, after: 0, minimums: ['after'] }, ['0 ms', '≥ 0 s', '-'], null],
  [{ before: 0, after: 10, minimums: ['before'] }, ['≥ 0 s', '10 ms', '-'], null],
])('the compared values %j are written as %j, with a growth of %j', (values, texts, growth) => {
  const one = { metric: 'p95', before: null, after: null, change: null, ...values };
  expect(comparedMetricRows({ ...COMPARISON, metrics: [one] })).toEqual([['p95', ...texts]]);
  expect([growthOf(one), changeText(one)]).toEqual([growth, texts[2]]);
});

test('a lower bound of a count has no unit', () => {
  const metrics = [
    { metric: 'requests', before: 100, after: 2000, change: 1900, minimums: ['after'] as const },
  ];
  expect(comparedMetricRows({ ...COMPARISON, metrics })).toEqual([
    ['requests', '100', '≥ 2,000', '≥ +1,900%'],
  ]);
});

test('the other side of a comparison is a baseline or the run of a time', () => {
  const sides = [
    { with: 'baseline', runs: 5 },
    { with: 'baseline', runs: 1 },
    { started_at: null },
    {},
  ] as const;
  expect(sides.map((side) => comparisonSideText({ ...COMPARISON, ...side }))).toEqual([
    'the baseline (mean of 5 runs)',
    'the baseline (mean of 1 run)',
    'a run with an unknown start time',
    'the run of 2026-11-20 14:02:11 UTC',
  ]);
});
