import { expect, it } from 'vitest';
import { machineOf, sampleOf } from '../../../../src/core/compare/regression-evaluation.ts';
import {
  findComparisonWarnings,
  compareMetrics,
  findComparisonObstacles,
} from '../../../../src/core/compare/compared-metrics.ts';
import type { Report } from '../../../../src/core/report/generated/documents.ts';
import { toMarkdown } from '../../../../src/report/markdown-report.ts';
import { sideBySideText } from '../../../../src/report/side-by-side-text.ts';
import { STALL_FREE, createPastRun } from '../../../support/past-run.ts';

const COMPARISON = {
  with: 'baseline',
  ...{ result_id: null, started_at: null, runs: 2, notes: [], verdict: null },
  metrics: [
    { metric: 'p95', before: 40, after: 50, change: 25 },
    { metric: 'error_rate', before: 0, after: null, change: null },
  ],
} as const;

it('each figure has its change in percent, and several runs stand for their mean, as verdicts take it', () => {
  const [before, after] = [[32, 50].map((p95) => sampleOf(createPastRun(p95))), sampleOf(createPastRun(50))];
  expect(compareMetrics(before, after)).toMatchObject([
    { metric: 'p95', before: 40, after: 50, change: 25 },
    { metric: 'requests', before: 100, after: 100, change: 0 },
    { metric: 'requests_per_second' },
  ]);
});

it('what was 0, or is not known, has no change', () => {
  const [before, after] = [{ p95: 0 }, { p95: 1, p99: 2 }].map((metrics) =>
    sampleOf(createPastRun(1, { metrics })),
  );
  if (before === undefined || after === undefined) throw new Error('two samples');
  expect(compareMetrics([before], after)).toEqual([
    { metric: 'p95', before: 0, after: 1, change: null },
    { metric: 'p99', before: null, after: 2, change: null },
  ]);
});

it('another load and another way of measuring are named', () => {
  const run = createPastRun(40);
  const made = machineOf(run);
  const change = { field: '/total', from: 2, to: 3, readable: true } as const;
  expect(findComparisonObstacles([], made, run)).toEqual([]);
  expect(findComparisonObstacles([change], made && { ...made, measurementVersion: 7 }, run)).toEqual([
    'the load is another one: /total 2 → 3',
    'figures were measured in another way: version 7, now 1',
  ]);
});

it('another machine is said, and so is one that nobody knows', () => {
  const run = createPastRun(40);
  const made = machineOf(run);
  expect(findComparisonWarnings(made, run)).toEqual([]);
  expect(findComparisonWarnings(made && { ...made, threads: 2 }, run)).toEqual([
    'the load was made on another machine: 2 threads, now 1',
  ]);
  expect(findComparisonWarnings(null, run)[0]).toContain('does not tell which machine');
  expect(STALL_FREE.threadLoads).toHaveLength(1);
});

it('is told as a table, in text and in Markdown', () => {
  expect(sideBySideText(COMPARISON)).toBe(`Compared with the baseline (mean of 2):
              before    now  change
  p95          40 ms  50 ms    +25%
  error_rate      0%      -       -
`);
  const report: Report = {
    format_version: 1,
    command: 'results',
    exit_code: 0,
    problems: [],
    tests: [],
    project: null,
    environment: null,
    service: 'embedded',
    comparison: COMPARISON,
  };
  expect(toMarkdown(report)).toContain('| p95 | 40 ms | 50 ms | &#43;25% |');
});
