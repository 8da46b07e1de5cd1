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

const MOST = maxRegression('more', 0.1);

function judged(
  current: readonly number[],
  baseline: readonly number[],
  worseDirection: RegressionSamples['worseDirection'] = 'more',
) {
  const seen = testRegression({ current, baseline, worseDirection });
  return seen === null ? null : verdictOfRegression(seen, maxRegression(worseDirection, 0.1));
}

describe('the quantile of t', () => {
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
  ])('of %i degrees of freedom is that of the tables', (degrees, known) => {
    expect(tQuantile(degrees)).toBeCloseTo(known, 3);
  });

  it('falls as runs are added, and says nothing without any to spare', () => {
    for (let degrees = 1; degrees < 200; degrees++) {
      expect(tQuantile(degrees + 1)).toBeLessThan(tQuantile(degrees));
    }
    expect(tQuantile(0)).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('a comparison with a baseline', () => {
  const steady = [100, 101, 99, 100, 100];

  it('fails where the figure is worse by more than is allowed, and by more than chance', () => {
    expect(judged([120, 121, 119, 122, 118], steady)).toBe('fail');
  });

  it('passes where nothing changed', () => {
    expect(judged([100, 102, 98, 99, 101], steady)).toBe('pass');
  });

  it('is inconclusive where runs differ more than what is to be seen', () => {
    expect(judged([80, 140, 100, 160, 90], [70, 150, 100, 130, 95])).toBe('inconclusive');
  });

  it('counts less of a rate as worse, and more as better', () => {
    expect(judged([80, 81, 79], steady, 'less')).toBe('fail');
    expect(judged([120, 121, 119], steady, 'less')).toBe('pass');
    expect(judged([80, 81, 79], steady, 'more')).toBe('pass');
  });

  it('lets a rate fall by the share that was allowed', () => {
    expect(Math.exp(-maxRegression('less', 0.05))).toBeCloseTo(0.95, 12);
    expect(Math.exp(maxRegression('more', 0.05))).toBeCloseTo(1.05, 12);
  });

  it('takes runs that agree to the last digit for no better than 2 %', () => {
    expect(judged([100], [100, 100, 100])).toBe('pass');
    expect(judged([108.5], [100, 100, 100])).toBe('inconclusive');
  });

  it('decides nothing from one run and one run', () => {
    const seen = testRegression({ current: [300], baseline: [100], worseDirection: 'more' });
    expect(seen?.standardDeviation).toBeNull();
    expect(judged([300], [100])).toBe('inconclusive');
  });

  it.each([
    [[0], [100, 100]],
    [[100], [0, 100]],
    [[], [100]],
    [[100], []],
    [[Number.NaN], [100, 100]],
  ])('says nothing of %j beside %j', (fresh, baseline) => {
    expect(judged(fresh, baseline)).toBeNull();
  });

  it('names the number of new runs that would decide, if one would', () => {
    const seen = { change: 0.02, standardDeviation: 0.08, runs: { current: 1, baseline: 5 } };
    const runs = runsToDecide(seen, MOST) ?? 0;
    expect(verdictOfRegression({ ...seen, runs: { ...seen.runs, current: runs } }, MOST)).toBe('pass');
    expect(verdictOfRegression({ ...seen, runs: { ...seen.runs, current: runs - 1 } }, MOST)).toBe(
      'inconclusive',
    );
    expect(runsToDecide({ ...seen, change: MOST }, MOST)).toBeNull();
  });

  const metrics = fc.array(fc.double({ min: 0.001, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 8 });

  it('says the same in every unit', () => {
    fc.assert(
      fc.property(metrics, metrics, fc.constantFrom(0.001, 60, 1000), (current, baseline, unit) => {
        const seen = testRegression({ current, baseline, worseDirection: 'more' });
        const scaled = [current, baseline].map((side) => side.map((one) => one * unit));
        const [now = [], before = []] = scaled;
        const other = testRegression({ current: now, baseline: before, worseDirection: 'more' });
        expect(other?.change).toBeCloseTo(seen?.change ?? Number.NaN, 9);
      }),
    );
  });

  it('never both fails and passes, and never fails what is better', () => {
    fc.assert(
      fc.property(
        metrics,
        metrics,
        fc.double({ min: 0.001, max: 1, noNaN: true }),
        (current, baseline, allowed) => {
          const seen = testRegression({ current, baseline, worseDirection: 'more' });
          if (seen === null) return;
          const verdict = verdictOfRegression(seen, maxRegression('more', allowed));
          if (seen.change <= 0) expect(verdict).not.toBe('fail');
          if (verdict === 'fail') expect(seen.change).toBeGreaterThan(maxRegression('more', allowed));
        },
      ),
    );
  });
});

describe('comparisons whose truth is known, 10 % allowed and 20 % worse', () => {
  const [equal, single, sessions] = TRIALS.map((trial) => simulateTrial(trial, { rounds: 4000, seed: 7 }));

  it('of 5 and 5 runs are right nearly always', () => {
    expect(equal?.falsePositives).toBeLessThan(0.6);
    expect(equal?.truePositives).toBeGreaterThan(99);
    expect(equal?.falseNegatives).toBeLessThan(0.1);
  });

  it('of 1 and 5 runs raise few false alarms, and find most', () => {
    expect(single?.falsePositives).toBeLessThan(4);
    expect(single?.truePositives).toBeGreaterThan(80);
    expect(single?.falseNegatives).toBeLessThan(0.5);
  });

  it('of sessions that differ by themselves are wrong somewhat more often', () => {
    expect(sessions?.falsePositives).toBeLessThan(6);
    expect(sessions?.truePositives).toBeGreaterThan(91);
    expect(sessions?.falseNegatives).toBeLessThan(2);
  });
});

it('the documents have the table that the trials give: scripts/comparing-table.mjs writes it', () => {
  const page = readFileSync(new URL('../../../../docs/guides/thresholds.md', import.meta.url), 'utf8');
  const cells = (text: string) => text.replaceAll(/ +|-+/g, ' ');
  expect(cells(page)).toContain(cells(formatTrialTable()));
});
