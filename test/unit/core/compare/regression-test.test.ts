import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { tQuantile } from '../../../../src/core/compare/t-quantile.ts';
import {
  maxRegression,
  runsToDecide,
  verdictOfRegression,
  testRegression,
  type RegressionSamples,
} from '../../../../src/core/compare/regression-test.ts';
import { simulateTrial, formatTrialTable, TRIALS } from '../../../support/regression-trials.ts';

const MAX_CHANGE = maxRegression('more', 0.1);

function verdictOf(
  current: readonly number[],
  baseline: readonly number[],
  worseDirection: RegressionSamples['worseDirection'] = 'more',
) {
  const estimate = testRegression({ current, baseline, worseDirection });
  return estimate === null ? null : verdictOfRegression(estimate, maxRegression(worseDirection, 0.1));
}

describe('the t quantile', () => {
  it.each([
    [1, 6.3138],
    [2, 2.92],
    [3, 2.3534],
    [4, 2.1318],
    [5, 2.015],
    [6, 1.9432],
    [8, 1.8595],
    [10, 1.8125],
    [20, 1.7247],
    [30, 1.6973],
    [120, 1.6577],
  ])('tQuantile(%i) agrees with statistical tables to three decimal places', (degrees, expected) => {
    expect(tQuantile(degrees)).toBeCloseTo(expected, 3);
  });

  it.each([
    [5, 2.0150484],
    [6, 1.9431803],
    [8, 1.859548],
    [10, 1.8124611],
    [20, 1.7247182],
    [30, 1.6972609],
  ])('tQuantile(%i) differs from the exact quantile by less than one ten-thousandth', (degrees, exact) => {
    expect(Math.abs(tQuantile(degrees) - exact)).toBeLessThan(0.0001);
  });

  it('the t quantile decreases as the degrees of freedom increase, and is infinite for zero degrees of freedom', () => {
    for (let degrees = 1; degrees < 200; degrees++) {
      expect(tQuantile(degrees + 1)).toBeLessThan(tQuantile(degrees));
    }
    expect(tQuantile(0)).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('the regression test', () => {
  const steady = [100, 101, 99, 100, 100];

  it('a comparison fails if the change is larger than allowed and statistically significant', () => {
    expect(verdictOf([120, 121, 119, 122, 118], steady)).toBe('fail');
  });

  it('a comparison passes if the new runs and the baseline runs have equal means', () => {
    expect(verdictOf([100, 102, 98, 99, 101], steady)).toBe('pass');
  });

  it('a comparison is inconclusive if the runs on each side differ by a factor of two or more', () => {
    expect(verdictOf([80, 140, 100, 160, 90], [70, 150, 100, 130, 95])).toBe('inconclusive');
  });

  it('a value 20% below the baseline fails if less is worse, and passes if more is worse; a value 20% above passes if less is worse', () => {
    expect(verdictOf([80, 81, 79], steady, 'less')).toBe('fail');
    expect(verdictOf([120, 121, 119], steady, 'less')).toBe('pass');
    expect(verdictOf([80, 81, 79], steady, 'more')).toBe('pass');
  });

  it('with an allowed change of 5%, a value may fall to 95% or rise to 105% of its baseline', () => {
    expect(Math.exp(-maxRegression('less', 0.05))).toBeCloseTo(0.95, 12);
    expect(Math.exp(maxRegression('more', 0.05))).toBeCloseTo(1.05, 12);
  });

  it('a change of 8.5% is inconclusive if 10% is allowed, even if all baseline runs are identical', () => {
    expect(verdictOf([100], [100, 100, 100])).toBe('pass');
    expect(verdictOf([108.5], [100, 100, 100])).toBe('inconclusive');
  });

  it('a change of 15% is inconclusive if two baseline runs and one new run cannot prove it', () => {
    const estimate = testRegression({ current: [115], baseline: [100, 100], worseDirection: 'more' });
    expect(estimate?.standardDeviation).toBeCloseTo(0, 12);
    expect(verdictOf([115], [100, 100])).toBe('inconclusive');
    expect(verdictOf([118], [100, 100])).toBe('fail');
  });

  it('a comparison of one new run and one baseline run is inconclusive', () => {
    const estimate = testRegression({ current: [300], baseline: [100], worseDirection: 'more' });
    expect(estimate?.standardDeviation).toBeNull();
    expect(verdictOf([300], [100])).toBe('inconclusive');
  });

  it.each([
    [[0], [100, 100]],
    [[100], [0, 100]],
    [[], [100]],
    [[100], []],
    [[Number.NaN], [100, 100]],
  ])('the new runs %j and the baseline runs %j cannot be compared', (current, baseline) => {
    expect(verdictOf(current, baseline)).toBeNull();
  });

  it('runsToDecide returns the smallest number of new runs that results in a verdict, or null if no number does', () => {
    const estimate = { change: 0.02, standardDeviation: 0.08, runs: { current: 1, baseline: 5 } };
    const runs = runsToDecide(estimate, MAX_CHANGE) ?? 0;
    expect(verdictOfRegression({ ...estimate, runs: { ...estimate.runs, current: runs } }, MAX_CHANGE)).toBe(
      'pass',
    );
    expect(
      verdictOfRegression({ ...estimate, runs: { ...estimate.runs, current: runs - 1 } }, MAX_CHANGE),
    ).toBe('inconclusive');
    expect(runsToDecide({ ...estimate, change: MAX_CHANGE }, MAX_CHANGE)).toBeNull();
    const needed = Array.from({ length: 2000 }, (_, index) =>
      runsToDecide({ ...estimate, standardDeviation: index / 10_000 }, MAX_CHANGE),
    );
    expect(Math.max(...needed.map((one) => one ?? 0))).toBe(50);
  });

  const values = fc.array(fc.double({ min: 0.001, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 8 });

  it('the estimated change does not depend on the unit of the values', () => {
    fc.assert(
      fc.property(values, values, fc.constantFrom(0.001, 60, 1000), (current, baseline, unit) => {
        const estimate = testRegression({ current, baseline, worseDirection: 'more' });
        const scaled = [current, baseline].map((side) => side.map((one) => one * unit));
        const [now = [], before = []] = scaled;
        const other = testRegression({ current: now, baseline: before, worseDirection: 'more' });
        expect(other?.change).toBeCloseTo(estimate?.change ?? Number.NaN, 9);
      }),
    );
  });

  it('a comparison fails only if the change for the worse is larger than allowed', () => {
    fc.assert(
      fc.property(
        values,
        values,
        fc.double({ min: 0.001, max: 1, noNaN: true }),
        (current, baseline, allowed) => {
          const estimate = testRegression({ current, baseline, worseDirection: 'more' });
          if (estimate === null) return;
          const verdict = verdictOfRegression(estimate, maxRegression('more', allowed));
          if (estimate.change <= 0) expect(verdict).not.toBe('fail');
          if (verdict === 'fail') expect(estimate.change).toBeGreaterThan(maxRegression('more', allowed));
        },
      ),
    );
  });
});

describe('simulated comparisons with an allowed change of 10% and a regression of 20%', () => {
  const [fiveRuns, oneRun, sessions] = TRIALS.map((trial) => simulateTrial(trial, { rounds: 4000, seed: 7 }));

  it('simulated comparisons of 5 new runs with 5 baseline runs detect over 99% of regressions, with under 0.6% false positives', () => {
    expect(fiveRuns?.falsePositives).toBeLessThan(0.6);
    expect(fiveRuns?.truePositives).toBeGreaterThan(99);
    expect(fiveRuns?.falseNegatives).toBeLessThan(0.1);
  });

  it('simulated comparisons of 1 new run with 5 baseline runs detect over 80% of regressions, with under 4% false positives', () => {
    expect(oneRun?.falsePositives).toBeLessThan(4);
    expect(oneRun?.truePositives).toBeGreaterThan(80);
    expect(oneRun?.falseNegatives).toBeLessThan(0.5);
  });

  it('simulated comparisons of 5 new runs with 5 baseline runs from a different session detect over 91% of regressions, with under 6% false positives', () => {
    expect(sessions?.falsePositives).toBeLessThan(6);
    expect(sessions?.truePositives).toBeGreaterThan(91);
    expect(sessions?.falseNegatives).toBeLessThan(2);
  });
});

it('the guide to thresholds contains the current table of error rates from scripts/regression-table.mjs', () => {
  const page = readFileSync(new URL('../../../../docs/guides/thresholds.md', import.meta.url), 'utf8');
  const cells = (text: string) => text.replaceAll(/ +|-+/g, ' ');
  expect(cells(page)).toContain(cells(formatTrialTable()));
});
