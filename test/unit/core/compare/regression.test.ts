import { describe, expect, it } from 'vitest';
import { evaluateResult } from '../../../../src/apply/runs/evaluation.ts';
import { publishedVerdict } from '../../../../src/apply/runs/verdict-publisher.ts';
import { createBaseline } from '../../../../src/contract/baseline-codec.ts';
import {
  changeText,
  falsePositiveRate,
  machineOf,
  pendingRegression,
  worsening,
} from '../../../../src/core/compare/regression-evaluation.ts';
import { evaluateRun, selectDisplayedVerdict } from '../../../../src/core/compare/run-evaluation.ts';
import { testKey } from '../../../../src/core/model/ids.ts';
import type { BaselineState, Regression } from '../../../../src/core/model/regression.ts';
import type { RunResult } from '../../../../src/core/run-record/run-result.ts';
import { STALL_FREE, createPastRun, type ResultChanges } from '../../../support/past-run.ts';
import { declaredTest, thresholdsOf } from '../../../support/declared-state.ts';

const THRESHOLD = { metric: 'p95', allowed: 0.1, limit: '10%', source: null } as const;
const EARLIER = [40, 41, 39, 40, 40.5].map((p95) => createPastRun(p95));

function criteria(state: BaselineState | null, thresholds: Regression['thresholds'] = [THRESHOLD]) {
  return { thresholds: [], regression: { thresholds, baseline: state } };
}

function baselineOf(runs: readonly RunResult[] = EARLIER): BaselineState {
  return { kind: 'read', path: 'baselines/home.json', baseline: createBaseline('0.0', runs) };
}

function measuredBy(machine: Partial<typeof STALL_FREE>, low = 36): ResultChanges {
  const bounds = { p95: { low, high: 40 } };
  const delivery = { model: 'closed', heldShare: 1 } as const;
  return { bounds, delivery, machine: { ...STALL_FREE, ...machine } };
}

describe('runs compared with a baseline', () => {
  it.each([
    [60, 'fail'],
    [40, 'pass'],
    [20, 'pass'],
    [43.5, 'inconclusive'],
  ])('a run with a p95 of %d ms and a baseline of 40 ms has the verdict %s', (p95, verdict) => {
    const evaluation = evaluateRun(criteria(baselineOf()), createPastRun(p95));
    expect(evaluation.verdict).toBe(verdict);
    expect(evaluation.thresholds).toMatchObject([
      {
        metric: 'p95',
        limit: 'at most 10% worse than the baseline',
        value: expect.closeTo(p95, 3) as number,
        verdict,
      },
    ]);
  });

  it('if a run is inconclusive when it is compared alone, it can pass when it is evaluated with the runs of three other rounds', () => {
    const rounds = [43, 42, 42.5, 41.5].map((p95) => createPastRun(p95));
    const [first] = rounds;
    expect(evaluateRun(criteria(baselineOf()), first ?? null).verdict).toBe('inconclusive');
    expect(evaluateRun(criteria(baselineOf()), first ?? null, rounds).thresholds[0]).toMatchObject({
      verdict: 'pass',
      regression: { runs: 4, baselineRuns: 5 },
    });
  });

  it('a verdict on the runs of several rounds is displayed until the baseline changes', () => {
    const run = createPastRun(43);
    const rounds = [42, 42.5, 41.5].map((p95) => createPastRun(p95));
    const { regression } = criteria(baselineOf());
    const evaluated = evaluateRun(criteria(baselineOf()), run, rounds);
    const verdict = publishedVerdict({ urlNames: [], regression }, evaluated);
    const displayed = (baseline: BaselineState | null) =>
      selectDisplayedVerdict(criteria(baseline), { ...run, verdict }).verdict;
    expect(displayed(baselineOf())).toBe('pass');
    expect(displayed(baselineOf([createPastRun(20), ...EARLIER]))).not.toBe('pass');
    expect(displayed(null)).toBe('inconclusive');
  });

  it('a stopped run from another round is excluded from the comparison with the baseline', () => {
    const stopped = createPastRun(400, { abortReason: 'stopped' });
    expect(evaluateRun(criteria(baselineOf()), createPastRun(40), [stopped]).thresholds[0]).toMatchObject({
      verdict: 'pass',
      regression: { runs: 1 },
    });
  });

  it('an inconclusive comparison reports the change, the difference between runs and the number of runs needed', () => {
    const [threshold] = evaluateRun(criteria(baselineOf()), createPastRun(42.5)).thresholds;
    expect(threshold?.reason).toMatch(
      /^6% worse than the baseline's 40\.1 ms, and runs differ by 1\.9%; \d new runs are needed for a verdict: --repeat \d$/,
    );
  });

  it.each([
    [
      'the baseline does not exist',
      { kind: 'missing', path: 'baselines/home.json' },
      'not compared: there was no baseline',
    ],
    [
      'the baseline was recorded with a different load',
      { kind: 'stale', path: 'baselines/home.json' },
      'not compared: the baseline was recorded with a different load',
    ],
    [
      'the runs and the baseline were measured in different ways',
      baselineOf([createPastRun(40, measuredBy({ measurementVersion: 2 }))]),
      'not compared: the runs and the baseline were not all measured in the same way; record a new baseline',
    ],
    [
      'the baseline lacks the metric',
      baselineOf([createPastRun(40, { metrics: {} })]),
      'not compared: at least one run of the baseline does not contain the metric',
    ],
    [
      'each side has one run',
      baselineOf([createPastRun(40)]),
      "50% worse than the baseline's 40 ms, but one new run and one baseline run do not show how much results vary between runs; use --repeat 5",
    ],
  ] as const)('a comparison is inconclusive if %s', (_name, state, reason) => {
    const verdict = evaluateRun(criteria(state), createPastRun(60));
    expect(verdict.verdict).toBe('inconclusive');
    expect(verdict.thresholds[0]).toMatchObject({ verdict: 'inconclusive', reason });
  });

  it('if stalls of the load generator may explain a regression, the verdict is inconclusive', () => {
    const stalled = {
      bounds: { p95: { low: 20, high: 60 } },
      machine: { ...STALL_FREE, longestStall: 180 },
    };
    const verdict = evaluateRun(criteria(baselineOf()), createPastRun(60, stalled));
    expect(verdict.verdict).toBe('inconclusive');
    expect(verdict.thresholds[0]?.reason).toContain('delays of the load generator could change the verdict');
  });

  it.each([
    [
      'another run lacks the metric',
      [createPastRun(60, { metrics: {} })],
      'not compared: at least one result does not contain the metric',
    ],
    [
      'the runs differ by a factor of 1,000',
      [1, 1000, 2, 900].map((p95) => createPastRun(p95)),
      /, and runs differ by \d+%; more than 50 new runs would be needed for a verdict$/,
    ],
  ] as const)('a comparison of several runs is inconclusive if %s', (_name, others, reason) => {
    const [threshold] = evaluateRun(criteria(baselineOf()), createPastRun(60), others).thresholds;
    expect(threshold).toMatchObject({
      verdict: 'inconclusive',
      reason: expect.stringMatching(reason) as string,
    });
  });

  it('a p95 of 0 ms is compared as 0.001 ms', () => {
    const { verdict, thresholds } = evaluateRun(criteria(baselineOf()), createPastRun(0));
    expect(verdict).toBe('pass');
    expect(thresholds[0]?.value).toBeCloseTo(0.001, 9);
  });

  it.each([
    ['without bounds', {}, 'fail', null],
    ['without delays of the load generator', { p95: { low: 54, high: 60 } }, 'fail', null],
    [
      'with delays of the load generator that may explain the change',
      { p95: { low: 30, high: 60 } },
      'inconclusive',
      'delays of the load generator',
    ],
  ])('a slower run %s is evaluated as $2', (_name, bounds, verdict, reason) => {
    const run = createPastRun(60);
    const evaluated = evaluateRun(criteria(baselineOf()), { ...run, record: { ...run.record, bounds } });
    expect(evaluated.verdict).toBe(verdict);
    if (reason !== null) expect(evaluated.thresholds[0]?.reason).toContain(reason);
  });

  it.each([
    ['in one new run', EARLIER, [{}, { p95: { low: 30, high: 60 } }]],
    [
      'in the baseline',
      EARLIER.map((one) => ({ ...one, record: { ...one.record, bounds: {} } })),
      [{ p95: { low: 30, high: 60 } }],
    ],
  ])('a slower run fails if the bounds %s are unknown', (_name, earlier, bounds) => {
    const [first, second] = bounds.map((one) => createPastRun(60, { bounds: one }));
    const { thresholds } = evaluateRun(criteria(baselineOf(earlier)), first ?? null, second && [second]);
    expect(thresholds[0]?.verdict).toBe('fail');
  });

  it('runs and a baseline without data about the load generator are compared', () => {
    const earlier = EARLIER.map((one) => ({ ...one, record: { ...one.record, machine: null } }));
    expect(evaluateRun(criteria(baselineOf(earlier)), createPastRun(60, { machine: null })).verdict).toBe(
      'fail',
    );
  });

  it('a run with an unchanged p95 is inconclusive if delays of the load generator in the baseline may hide a regression', () => {
    const delayed = EARLIER.map((run) => ({ ...run, record: { ...run.record, ...measuredBy({}, 20) } }));
    const evaluated = evaluateRun(criteria(baselineOf(delayed)), createPastRun(40));
    expect(evaluated.verdict).toBe('inconclusive');
    expect(evaluated.thresholds[0]?.reason).toContain('delays of the load generator');
  });

  it('if delays of a saturated load generator may explain a regression, the reason for the verdict states the saturation', () => {
    const run = createPastRun(60);
    const busy = measuredBy({ threadLoads: [{ mean: 0.98, max: 1 }] }, 30);
    const evaluated = evaluateRun(criteria(baselineOf()), { ...run, record: { ...run.record, ...busy } });
    expect(evaluated.thresholds[0]?.reason).toBe(
      "50% worse than the baseline's 40.1 ms: the load generator was saturated: its thread was busy 98% of the time",
    );
  });

  it('if the load generator of another round was saturated, the reason for the verdict states the saturation', () => {
    const bounds = { p95: { low: 30, high: 60 } };
    const run = createPastRun(60, { bounds });
    const busy = createPastRun(60, {
      ...measuredBy({ threadLoads: [{ mean: 0.98, max: 1 }] }),
      bounds,
    });
    const { thresholds } = evaluateRun(criteria(baselineOf()), run, [busy]);
    expect(thresholds[0]?.reason).toBe(
      "50% worse than the baseline's 40.1 ms: the load generator was saturated: its thread was busy 98% of the time",
    );
  });

  it('the latest run of the baseline determines whether the reason names a different machine', () => {
    const reasonOf = (...cores: readonly number[]) => {
      const runs = cores.map((count) => createPastRun(40, measuredBy({ cores: count })));
      return evaluateRun(criteria(baselineOf(runs)), createPastRun(40, measuredBy({}))).reason;
    };
    expect(reasonOf(8, 2)).toBeNull();
    expect(reasonOf(2, 8)).toBe('the baseline was recorded with a different load generator: 8 cores, now 2');
  });

  it('a threshold in a verdict has the location and the trimmed limit of its declaration', () => {
    const source = { file: 'loadtests.yaml', line: 7, column: 24, length: 3, lineText: '' };
    const state = baselineOf([createPastRun(40)]);
    expect(
      evaluateRun(criteria(state, [{ ...THRESHOLD, limit: ' 10% ', source }]), createPastRun(40)).thresholds,
    ).toEqual([
      {
        metric: 'p95',
        limit: 'at most 10% worse than the baseline',
        value: expect.closeTo(40, 9) as number,
        verdict: 'inconclusive',
        reason:
          "the same as the baseline's 40 ms, but one new run and one baseline run do not show how much results vary between runs; use --repeat 5",
        source: { file: 'loadtests.yaml', line: 7, column: 24 },
        regression: {
          worseBy: 0,
          allowed: 10,
          baseline: expect.closeTo(40, 9) as number,
          runs: 1,
          baselineRuns: 1,
          standardDeviation: null,
        },
      },
    ]);
  });

  it('a run can pass against a baseline from a different machine, and the reason names the difference', () => {
    const verdict = evaluateRun(criteria(baselineOf()), createPastRun(40, measuredBy({ cores: 8 })));
    expect(verdict).toMatchObject({
      verdict: 'pass',
      reason: 'the baseline was recorded with a different load generator: 2 cores, now 8',
    });
  });

  it('a failed regression threshold is reported with its location, even if another threshold passes', () => {
    const location = { file: 'loadtests.yaml', line: 7, column: 24, length: 3, lineText: '' };
    const { thresholds } = declaredTest('home', { thresholds: { p95: '< 1s' } }, []);
    const { verdict, problems } = evaluateResult(
      {
        ...thresholdsOf(thresholds),
        key: testKey('home'),
        source: null,
        urlNames: [],
        regression: { thresholds: [{ ...THRESHOLD, source: location }], baseline: baselineOf() },
      },
      createPastRun(60),
    );
    expect(verdict.verdict).toBe('fail');
    expect(problems).toMatchObject([
      {
        code: 'LT_RUN_THRESHOLD',
        message: '"home": p95 is 60 ms, 50% worse than the baseline\'s 40.1 ms; 10% is allowed',
        source: location,
      },
    ]);
  });

  it('the hint about a missing baseline names the command that records a baseline', () => {
    const { problems } = evaluateResult(
      {
        ...criteria({ kind: 'missing', path: 'baselines/home.json' }),
        key: testKey('home'),
        source: null,
        urlNames: [],
      },
      createPastRun(60),
    );
    expect(problems).toMatchObject([
      {
        code: 'LT_RUN_INCONCLUSIVE',
        message: '"home" has no verdict: p95 is not compared: there was no baseline',
        hint: 'run "loadtests baseline home" after runs with good results, and commit the baseline file',
      },
    ]);
  });
});

describe('request rates of closed tests', () => {
  const rate = { ...THRESHOLD, metric: 'requests_per_second' } as const;

  it.each([
    [20, 'pass'],
    [60, 'fail'],
  ])(
    'at %d ms per request, the request rate of a closed test has the verdict %s if the baseline took 40 ms per request',
    (p95, verdict) => {
      expect(evaluateRun(criteria(baselineOf(), [rate]), createPastRun(p95)).verdict).toBe(verdict);
    },
  );

  it.each([
    ['an upper bound of 26 requests per second', 26, 'inconclusive'],
    ['an unknown upper bound', null, 'inconclusive'],
    ['an upper bound of 17 requests per second', 17, 'fail'],
  ])('with %s, a request rate below the baseline is evaluated as $2', (_name, high, verdict) => {
    const withRate = (run: RunResult, low: number, high: number | null): RunResult => ({
      ...run,
      record: { ...run.record, bounds: { requests_per_second: { low, high } } },
    });
    const earlier = EARLIER.map((one) => {
      const own = one.record.metrics.requests_per_second ?? 0;
      return withRate(one, own, own);
    });
    const run = withRate(createPastRun(60), 16, high);
    expect(evaluateRun(criteria(baselineOf(earlier), [rate]), run).verdict).toBe(verdict);
  });

  it.each([
    ['fails if the upper bound of the baseline is unknown', 60, 17, null, 'fail'],
    ['fails if the upper bounds of the baseline are unknown, and it has none', 60, undefined, null, 'fail'],
    ['is inconclusive if all upper bounds are unknown', 60, null, null, 'inconclusive'],
    ['fails if only its upper bound is known to be unknown', 60, null, undefined, 'fail'],
    ['equal to the baseline passes if its upper bound is unknown', 40, null, 25, 'pass'],
    ['equal to the baseline passes if the upper bound of the baseline is unknown', 40, 25, null, 'pass'],
  ])('a request rate %s', (_name, p95, high, highBefore, verdict) => {
    const withBound = (run: RunResult, end: number | null | undefined): RunResult => ({
      ...run,
      record: {
        ...run.record,
        bounds: end === undefined ? {} : { requests_per_second: { low: 0, high: end } },
      },
    });
    const earlier = EARLIER.map((one) => withBound(one, highBefore));
    const run = withBound(createPastRun(p95), high);
    expect(evaluateRun(criteria(baselineOf(earlier), [rate]), run).verdict).toBe(verdict);
  });

  it('a request rate of 0 is not compared', () => {
    const stopped = createPastRun(40, { metrics: { p95: 40, requests: 1, requests_per_second: 0 } });
    const [evaluated] = evaluateRun(criteria(baselineOf(), [rate]), stopped).thresholds;
    expect(evaluated).toMatchObject({
      verdict: 'inconclusive',
      reason: 'not compared: the metric is 0 in at least one run',
    });
  });

  it('a request rate of half the baseline is reported as 50% worse', () => {
    const [evaluated] = evaluateRun(criteria(baselineOf(), [rate]), createPastRun(80)).thresholds;
    expect(evaluated?.regression?.worseBy).toBeCloseTo(50, 0);
  });
});

it('changeText states the change relative to the baseline, or "the same" if the change is below 0.1%', () => {
  expect(changeText('p95', { worseBy: 12.34, baseline: 40.2 })).toBe("12% worse than the baseline's 40.2 ms");
  expect(changeText('p95', { worseBy: -3.06, baseline: 40.2 })).toBe(
    "3.1% better than the baseline's 40.2 ms",
  );
  expect(changeText('p95', { worseBy: 0.1, baseline: 40.2 })).toBe("0.1% worse than the baseline's 40.2 ms");
  expect(changeText('p95', { worseBy: -0.099, baseline: 40.2 })).toBe("the same as the baseline's 40.2 ms");
  expect(changeText('requests_per_second', { worseBy: 0.01, baseline: 1200 })).toBe(
    "the same as the baseline's 1,200/s",
  );
});

it.each([
  ['p95', 60, 40, 50],
  ['p95', 20, 40, -50],
  ['requests_per_second', 30, 40, 25],
  ['requests_per_second', 50, 40, -25],
  ['p95', 60, 0, 0],
])('worsening("%s", %d, %d) returns %d percent', (metric, value, baseline, percent) => {
  expect(worsening(metric, value, baseline)).toBeCloseTo(percent, 9);
});

it('a threshold of a pending run has the value of the baseline if the baseline can be used', () => {
  const pending = { value: null, verdict: 'inconclusive' };
  const mixed = baselineOf([createPastRun(40), createPastRun(40, measuredBy({ measurementVersion: 2 }))]);
  const unusable: readonly (BaselineState | null)[] = [
    null,
    { kind: 'missing', path: 'a.json' },
    { kind: 'stale', path: 'a.json' },
    mixed,
    baselineOf([createPastRun(40, { metrics: {} })]),
  ];
  for (const state of unusable) expect(pendingRegression(THRESHOLD, state)).toEqual(pending);
  expect(pendingRegression(THRESHOLD, baselineOf([createPastRun(20), createPastRun(80)]))).toEqual({
    ...pending,
    comparison: {
      worseBy: 0,
      allowed: 10,
      baseline: expect.closeTo(40, 9) as number,
      runs: 0,
      baselineRuns: 2,
      standardDeviation: null,
    },
  });
});

it('machineOf returns 0 and empty strings for members that a record lacks, and null without a load generator', () => {
  const unknown = { ...STALL_FREE, cores: null, node: null, measurementVersion: null };
  expect(machineOf(createPastRun(40, { generator: null, machine: unknown }).record)).toEqual({
    cores: 0,
    threads: 1,
    node: '',
    measurementVersion: 0,
    version: null,
  });
  expect(machineOf(createPastRun(40, { machine: null }).record)).toBeNull();
});

it('falsePositiveRate returns null for five regression thresholds, and 14 for six', () => {
  expect(falsePositiveRate(5)).toBeNull();
  expect(falsePositiveRate(6)).toBe(14);
});
