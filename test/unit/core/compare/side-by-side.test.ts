import { expect, it } from 'vitest';
import { machineOf } from '../../../../src/core/compare/regression-evaluation.ts';
import {
  findComparisonWarnings,
  compareMetrics,
  findComparisonObstacles,
} from '../../../../src/core/compare/compared-metrics.ts';
import type { Report } from '../../../../src/core/report/generated/documents.ts';
import { toMarkdown } from '../../../../src/report/markdown-report.ts';
import { sideBySideText } from '../../../../src/report/results-text.ts';
import { createPastRun } from '../../../support/past-run.ts';

const COMPARISON = {
  with: 'baseline',
  result_id: null,
  started_at: null,
  runs: 2,
  notes: [],
  verdict: null,
  metrics: [
    { metric: 'p95', before: 40, after: 50, change: 25 },
    { metric: 'error_rate', before: 0, after: null, change: null },
  ],
} as const;

it('compareMetrics returns changes in percent, relative to the geometric mean of two earlier runs', () => {
  const [before, after] = [[32, 50].map((p95) => createPastRun(p95).record), createPastRun(50).record];
  expect(compareMetrics(before, after)).toMatchObject([
    { metric: 'p95', before: 40, after: 50, change: 25 },
    { metric: 'requests', before: 1000, after: 1000, change: 0 },
    { metric: 'requests_per_second' },
  ]);
});

it('compareMetrics returns the change null for a metric whose earlier value is 0 or unknown', () => {
  const [before, after] = [{ p95: 0 }, { p95: 1, p99: 2 }].map(
    (metrics) => createPastRun(1, { metrics }).record,
  );
  if (before === undefined || after === undefined) throw new Error('two samples expected');
  expect(compareMetrics([before], after)).toEqual([
    { metric: 'p95', before: 0, after: 1, change: null },
    { metric: 'p99', before: null, after: 2, change: null },
  ]);
});

it('findComparisonObstacles lists a different load and a different measurement version', () => {
  const run = createPastRun(40).record;
  const machine = machineOf(run);
  const change = { field: '/total', from: 2, to: 3, readable: true } as const;
  expect(findComparisonObstacles([], machine, run)).toEqual([]);
  expect(findComparisonObstacles([change], machine && { ...machine, measurementVersion: 7 }, run)).toEqual([
    'the load differs: total 2 → 3',
    'the metrics were measured with different methods: measurement version 7, now 1',
  ]);
});

it('a comparison has one warning if the load generators differ, or if one or both are unknown, and none if they are equal', () => {
  const run = createPastRun(40).record;
  const machine = machineOf(run);
  const names = ['run A', 'run B'] as const;
  expect(findComparisonWarnings(machine, run, names)).toEqual([]);
  expect(findComparisonWarnings(machine && { ...machine, threads: 2 }, run, names)).toEqual([
    'the runs used different load generators: 2 threads, now 1',
  ]);
  const unknown = createPastRun(40, { machine: null }).record;
  const reason =
    'results from earlier versions of loadtests and from third-party services can lack this information';
  for (const [before, after, runs] of [
    [null, run, 'run A'],
    [machine, unknown, 'run B'],
    [null, unknown, 'run A and run B'],
  ] as const) {
    expect(findComparisonWarnings(before, after, names)).toEqual([
      `the load generator of ${runs} is unknown: ${reason}`,
    ]);
  }
});

it('a comparison is printed as a table in text and in Markdown', () => {
  expect(sideBySideText(COMPARISON)).toBe(`Compared with the baseline (mean of 2 runs):
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
  expect(toMarkdown(report)).toContain('| p95 | 40 ms | 50 ms | +25% |');
});
