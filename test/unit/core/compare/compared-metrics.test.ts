import { describe, expect, test } from 'vitest';
import type { BaselineMachine } from '../../../../src/core/model/baseline.ts';
import {
  compareMetrics,
  findComparisonObstacles,
  findComparisonWarnings,
} from '../../../../src/core/compare/compared-metrics.ts';
import { areComparable, parseRunName, runName } from '../../../../src/core/compare/run-names.ts';
import { otherMachineText } from '../../../../src/core/compare/regression-evaluation.ts';
import type { ResultMetric } from '../../../../src/core/model/threshold.ts';
import { createPastRun } from '../../../support/past-run.ts';

type Metrics = Readonly<Partial<Record<ResultMetric, number>>>;

const sample = (metrics: Metrics) => ({ metrics, bounds: null, times: null });

const MACHINE: BaselineMachine = {
  cores: 2,
  threads: 1,
  node: 'v20.19.0',
  measurementVersion: 1,
  version: '0.1.0',
};

describe('compared metrics', () => {
  test.each<[string, readonly Metrics[], Metrics, readonly (number | null)[] | null]>([
    ['one earlier run', [{ p95: 40 }], { p95: 50 }, [40, 50, 25]],
    ['a smaller value', [{ requests: 100 }], { requests: 75 }, [100, 75, -25]],
    ['a value that only the later run has', [{}], { p95: 50 }, [null, 50, null]],
    ['a value that only the earlier run has', [{ p95: 40 }], {}, [40, null, null]],
    ['a value that no run has', [{}], {}, null],
    ['no earlier run', [], { p95: 50 }, [null, 50, null]],
    ['an earlier value of 0', [{ error: 0 }], { error: 5 }, [0, 5, null]],
    ['times, which are averaged geometrically', [{ p95: 10 }, { p95: 40 }], { p95: 30 }, [20, 30, 50]],
    [
      'request rates, which are averaged geometrically',
      [{ requests_per_second: 10 }, { requests_per_second: 40 }],
      { requests_per_second: 10 },
      [20, 10, -50],
    ],
    [
      'counts, which are averaged arithmetically',
      [{ requests: 10 }, { requests: 40 }],
      { requests: 50 },
      [25, 50, 100],
    ],
    ['times with 0, which are averaged arithmetically', [{ min: 0 }, { min: 40 }], { min: 30 }, [20, 30, 50]],
    ['a value that one of the earlier runs lacks', [{ p95: 10 }, {}], { p95: 30 }, [null, 30, null]],
  ])(
    'for %s, compareMetrics returns the row $3 (earlier value, later value and change in percent; null for no row)',
    (_name, before, after, expected) => {
      const compared = compareMetrics(before.map(sample), sample(after));
      const rows = compared.map((one) => [
        one.before,
        one.after,
        one.change && Number(one.change.toFixed(6)),
      ]);
      expect(rows).toEqual(expected === null ? [] : [expected]);
    },
  );

  test('the geometric mean of earlier response times is rounded to thousandths of a millisecond', () => {
    const [compared] = compareMetrics([sample({ p95: 1 }), sample({ p95: 2 })], sample({ p95: 1 }));
    expect(compared?.before).toBe(1.414);
  });
});

describe('lower bounds in comparisons', () => {
  const run = (metrics: Metrics, more: object = {}) => ({ ...sample(metrics), timeout: 2000, ...more });
  const timedOut = { timeout_error: 1, p95: 2050, p50: 100 };
  const rowsOf = (...given: Parameters<typeof compareMetrics>) =>
    compareMetrics(...given)
      .filter(({ metric }) => metric !== 'timeout_error')
      .map(({ metric, before, after, change, minimums = [] }) => [
        metric,
        before,
        after,
        change,
        ...minimums,
      ]);

  test('if requests that timed out may determine a percentile, a comparison shows the timeout as the lower bound of the percentile', () => {
    expect(rowsOf([run(timedOut)], run({ p95: 50, p50: 50 }))).toEqual([
      ['p50', 100, 50, -50],
      ['p95', 2000, 50, null, 'before'],
    ]);
    expect(rowsOf([run({ p95: 1000 })], run(timedOut))).toEqual([
      ['p50', null, 100, null],
      ['p95', 1000, 2000, 100, 'after'],
    ]);
  });

  test('the change of a metric is unknown if its new value is a lower bound that is not above the earlier value', () => {
    expect(rowsOf([run({ p95: 2000 })], run({ timeout_error: 1, p95: 2050 }))).toEqual([
      ['p95', 2000, 2000, null, 'after'],
    ]);
  });

  test('compareMetrics returns no lower bounds of times for a mean of several runs or a run with an unknown timeout', () => {
    expect(rowsOf([run(timedOut), run(timedOut)], run({}))).toEqual([
      ['p50', 100, null, null],
      ['p95', 2050, null, null],
    ]);
    expect(rowsOf([run(timedOut, { timeout: null })], run({}))).toEqual([
      ['p50', 100, null, null],
      ['p95', 2050, null, null],
    ]);
  });

  test('the counts of a run with lost data are lower bounds in a comparison, but its rates are not', () => {
    const counts = { requests: 10, requests_per_second: 2, error_rate: 5 };
    for (const lost of [{ abortReason: 'partial' }, { knownUntil: 5000 }])
      expect(rowsOf([run(counts)], run(counts, lost))).toEqual([
        ['error_rate', 5, 5, 0],
        ['requests', 10, 10, null, 'after'],
        ['requests_per_second', 2, 2, 0],
      ]);
    expect(rowsOf([run({ requests: 10 }), run({ requests: 10 }, { knownUntil: 5000 })], run({}))).toEqual([
      ['requests', 10, null, null, 'before'],
    ]);
  });
});

describe('obstacles to comparisons, and warnings', () => {
  const run = createPastRun(40).record;
  const unknown = createPastRun(40, { machine: null }).record;
  const changes = [
    { field: '/total', from: 10, to: 20 },
    { field: '/name', from: null, to: 'a' },
  ] as unknown as Parameters<typeof findComparisonObstacles>[0];

  test.each([
    ['equal loads', [], MACHINE, run, []],
    ['different loads', changes, MACHINE, run, ['the load differs: total 10 → 20, name (not set) → "a"']],
    [
      'different methods of measurement',
      [],
      { ...MACHINE, measurementVersion: 3 },
      run,
      ['the metrics were measured with different methods: measurement version 3, now 1'],
    ],
    ['an earlier load generator that is unknown', [], null, run, []],
    ['a later load generator that is unknown', [], { ...MACHINE, measurementVersion: 3 }, unknown, []],
  ])(
    'findComparisonObstacles lists the expected obstacles for %s',
    (_name, differences, machine, after, obstacles) => {
      expect(findComparisonObstacles(differences, machine, after)).toEqual(obstacles);
    },
  );

  const notIdentified = (runs: string) =>
    `the load generator of ${runs} is unknown: results from earlier versions of loadtests and from third-party services can lack this information`;

  test.each([
    ['the same load generator', MACHINE, run, []],
    ['an earlier load generator that is unknown', null, run, [notIdentified('run A')]],
    ['a later load generator that is unknown', MACHINE, unknown, [notIdentified('run B')]],
    ['two load generators that are unknown', null, unknown, [notIdentified('run A and run B')]],
    [
      'different load generators',
      { ...MACHINE, cores: 1 },
      run,
      ['the runs used different load generators: 1 core, now 2'],
    ],
  ])('findComparisonWarnings lists the expected warnings for %s', (_name, machine, after, warnings) => {
    expect(findComparisonWarnings(machine, after, ['run A', 'run B'])).toEqual(warnings);
  });

  test.each<[string, BaselineMachine | null, BaselineMachine | null, string | null]>([
    ['equal load generators', MACHINE, MACHINE, null],
    ['different versions of Node.js', MACHINE, { ...MACHINE, node: 'v22.0.0' }, null],
    ['an unknown earlier load generator', null, MACHINE, null],
    ['an unknown later load generator', MACHINE, null, null],
    ['two unknown load generators', null, null, null],
    [
      'different numbers of cores and threads',
      MACHINE,
      { ...MACHINE, cores: 8, threads: 7 },
      '2 cores, now 8; 1 thread, now 7',
    ],
    ['different numbers of threads', MACHINE, { ...MACHINE, threads: 2 }, '1 thread, now 2'],
  ])('otherMachineText returns $3 for %s', (_name, before, now, text) => {
    expect(otherMachineText(before, now)).toBe(text);
  });
});

describe('names of runs', () => {
  test('runName formats the test t1 and the result r1 as t1:r1, and parseRunName parses this name', () => {
    const named = { test: 't1', result: 'r1' };
    expect(runName(named)).toBe('t1:r1');
    expect(parseRunName(runName(named))).toEqual(named);
  });

  test('an empty string is not a valid name of a run', () => {
    expect(parseRunName('')).toBeNull();
    expect(areComparable([''])).toBe(false);
  });
});
