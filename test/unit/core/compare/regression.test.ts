import { describe, expect, it } from 'vitest';
import { evaluateResult } from '../../../../src/apply/evaluation.ts';
import { createBaseline } from '../../../../src/contract/baseline-codec.ts';
import { changeText, falsePositiveRate } from '../../../../src/core/compare/regression-evaluation.ts';
import { evaluateRun } from '../../../../src/core/run-evaluation.ts';
import { testKey } from '../../../../src/core/model/ids.ts';
import type { BaselineState, Regression } from '../../../../src/core/model/regression.ts';
import type { RunResult } from '../../../../src/core/model/run-result.ts';
import { STALL_FREE, createPastRun } from '../../../support/past-run.ts';
import { declaredTest, thresholdsOf } from '../../../support/declared-state.ts';

const LIMIT = { metric: 'p95', allowed: 0.1, limit: '10%', source: null } as const;
const EARLIER = [40, 41, 39, 40, 40.5].map((p95) => createPastRun(p95));

function against(state: BaselineState | null, thresholds: Regression['thresholds'] = [LIMIT]) {
  return { thresholds: [], regression: { thresholds, baseline: state } };
}

function kept(runs: readonly RunResult[] = EARLIER): BaselineState {
  return { kind: 'read', path: 'baselines/home.json', baseline: createBaseline('0.0', runs) };
}

function measuredBy(machine: Partial<typeof STALL_FREE>, low = 36): Partial<RunResult> {
  const bounds = { p95: { low, high: 40 } };
  const delivery = { model: 'closed', heldShare: 1 } as const;
  return { generator: { bounds, delivery, machine: { ...STALL_FREE, ...machine }, abortCertain: null } };
}

describe('a run beside the baseline', () => {
  it.each([
    [60, 'fail'],
    [40, 'pass'],
    [20, 'pass'],
    [43.5, 'inconclusive'],
  ])('of 40 ms, with %d ms, is judged: %s', (p95, verdict) => {
    const judgement = evaluateRun(against(kept()), createPastRun(p95));
    expect(judgement.verdict).toBe(verdict);
    expect(judgement.thresholds).toMatchObject([
      {
        metric: 'p95',
        limit: 'at most 10% worse than the baseline',
        value: expect.closeTo(p95, 3) as number,
        verdict,
      },
    ]);
  });

  it('is judged together with the other runs of its rounds', () => {
    const rounds = [43, 42, 42.5, 41.5].map((p95) => createPastRun(p95));
    const [first] = rounds;
    expect(evaluateRun(against(kept()), first ?? null).verdict).toBe('inconclusive');
    expect(evaluateRun(against(kept()), first ?? null, rounds).thresholds[0]).toMatchObject({
      verdict: 'pass',
      regression: { runs: 4, baselineRuns: 5 },
    });
  });

  it('does not count the runs of its rounds that did not go as declared', () => {
    const stopped = createPastRun(400, { abortReason: 'stopped' });
    expect(evaluateRun(against(kept()), createPastRun(40), [stopped]).thresholds[0]).toMatchObject({
      verdict: 'pass',
      regression: { runs: 1 },
    });
  });

  it('says what differs, how much runs do, and how many would decide', () => {
    const [limit] = evaluateRun(against(kept()), createPastRun(42.5)).thresholds;
    expect(limit?.reason).toMatch(
      /^6% worse than the baseline's 40\.1 ms, and runs differ by 1\.9%; \d new runs would decide, with --repeat \d$/,
    );
  });

  it.each([
    [
      'there is none',
      { kind: 'missing', path: 'baselines/home.json' },
      'not compared: there is no baseline yet',
    ],
    [
      'it is of another load',
      { kind: 'stale', path: 'baselines/home.json' },
      'not compared: the baseline is of another load',
    ],
    [
      'it was measured in another way',
      kept(EARLIER.map((run) => ({ ...run, ...measuredBy({ measurementVersion: 2 }) }))),
      'not compared: the baseline was measured in another way',
    ],
    [
      'it lacks the figure',
      kept([createPastRun(40, { metrics: {} })]),
      'not compared: the baseline does not have it',
    ],
    [
      'there is one run on each side',
      kept([createPastRun(40)]),
      "50% worse than the baseline's 40 ms, and nobody knows how much runs differ: there is 1 new and 1 in the baseline; --repeat 5 tells",
    ],
  ] as const)('has no verdict where %s', (_name, state, reason) => {
    const verdict = evaluateRun(against(state), createPastRun(60));
    expect(verdict.verdict).toBe('inconclusive');
    expect(verdict.thresholds[0]).toMatchObject({ verdict: 'inconclusive', reason });
  });

  it('has no verdict where only this machine may have made it worse', () => {
    const standing = {
      bounds: { p95: { low: 20, high: 60 } },
      machine: { ...STALL_FREE, longestStandstill: 180 },
    };
    const run = createPastRun(60);
    const { generator } = run;
    if (generator === null) throw new Error('a run of the rig is measured');
    const verdict = evaluateRun(against(kept()), { ...run, generator: { ...generator, ...standing } });
    expect(verdict.verdict).toBe('inconclusive');
    expect(verdict.thresholds[0]?.reason).toContain('stood still too often');
  });

  it('says where the baseline comes from another machine', () => {
    const verdict = evaluateRun(against(kept()), createPastRun(40, measuredBy({ cores: 8 })));
    expect(verdict).toMatchObject({
      verdict: 'pass',
      reason: 'the baseline was made on another machine: 2 cores, now 8',
    });
  });

  it('fails beside a threshold that passes, and is named with its place', () => {
    const place = { file: 'loadtests.yaml', line: 7, column: 24, length: 3, lineText: '' };
    const { thresholds } = declaredTest('home', { thresholds: { p95: '< 1s' } }, []);
    const { verdict, problems } = evaluateResult(
      {
        ...thresholdsOf(thresholds),
        ...{ key: testKey('home'), source: null },
        regression: { thresholds: [{ ...LIMIT, source: place }], baseline: kept() },
      },
      createPastRun(60),
    );
    expect(verdict.verdict).toBe('fail');
    expect(problems).toMatchObject([
      {
        code: 'LT_RUN_THRESHOLD',
        message: '"home": p95 is 60 ms, 50% worse than the baseline\'s 40.1 ms; 10% is allowed',
        source: place,
      },
    ]);
  });

  it('says how to make a baseline where there is none', () => {
    const { problems } = evaluateResult(
      { ...against({ kind: 'missing', path: 'baselines/home.json' }), key: testKey('home'), source: null },
      createPastRun(60),
    );
    expect(problems).toMatchObject([
      {
        code: 'LT_RUN_INCONCLUSIVE',
        message: '"home" has no verdict: p95 is not compared: there is no baseline yet',
        hint: 'make one of runs that are as they should be, and commit it: loadtests baseline home',
      },
    ]);
  });
});

describe('a rate of a closed test', () => {
  const rate = { ...LIMIT, metric: 'requests_per_second' } as const;

  it.each([
    [20, 'pass'],
    [60, 'fail'],
  ])('at %d ms a request: %s', (p95, verdict) => {
    expect(evaluateRun(against(kept(), [rate]), createPastRun(p95)).verdict).toBe(verdict);
  });

  it('is told as people say it: half of it is 50 % worse', () => {
    const [judged] = evaluateRun(against(kept(), [rate]), createPastRun(80)).thresholds;
    expect(judged?.regression?.worseBy).toBeCloseTo(50, 0);
  });
});

it('a change is told in words', () => {
  expect(changeText('p95', { worseBy: 12.34, baseline: 40.2 })).toBe("12% worse than the baseline's 40.2 ms");
  expect(changeText('p95', { worseBy: -3.06, baseline: 40.2 })).toBe(
    "3.1% better than the baseline's 40.2 ms",
  );
  expect(changeText('requests_per_second', { worseBy: 0.01, baseline: 1200 })).toBe(
    "as the baseline's 1,200/s",
  );
});

it('the chance of a false alarm is told of more than five limits', () => {
  expect(falsePositiveRate(5)).toBeNull();
  expect(falsePositiveRate(6)).toBe(14);
});
