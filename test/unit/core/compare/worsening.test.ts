import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { tQuantile } from '../../../../src/core/compare/t-quantile.ts';
import {
  mostWorsening,
  runsToDecide,
  verdictOfWorsening,
  worseningOf,
  type Sides,
} from '../../../../src/core/compare/worsening.ts';
import { ratesOf, tableOfTrials, TRIALS } from '../../../rig/worsening-trials.ts';

const MOST = mostWorsening('more', 0.1);

function judged(fresh: readonly number[], baseline: readonly number[], worse: Sides['worse'] = 'more') {
  const seen = worseningOf({ fresh, baseline, worse });
  return seen === null ? null : verdictOfWorsening(seen, mostWorsening(worse, 0.1));
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
    expect(Math.exp(-mostWorsening('less', 0.05))).toBeCloseTo(0.95, 12);
    expect(Math.exp(mostWorsening('more', 0.05))).toBeCloseTo(1.05, 12);
  });

  it('takes runs that agree to the last digit for no better than 2 %', () => {
    expect(judged([100], [100, 100, 100])).toBe('pass');
    expect(judged([108.5], [100, 100, 100])).toBe('inconclusive');
  });

  it('decides nothing from one run and one run', () => {
    const seen = worseningOf({ fresh: [300], baseline: [100], worse: 'more' });
    expect(seen?.spread).toBeNull();
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
    const seen = { change: 0.02, spread: 0.08, runs: { fresh: 1, baseline: 5 } };
    const runs = runsToDecide(seen, MOST) ?? 0;
    expect(verdictOfWorsening({ ...seen, runs: { ...seen.runs, fresh: runs } }, MOST)).toBe('pass');
    expect(verdictOfWorsening({ ...seen, runs: { ...seen.runs, fresh: runs - 1 } }, MOST)).toBe(
      'inconclusive',
    );
    expect(runsToDecide({ ...seen, change: MOST }, MOST)).toBeNull();
  });

  const figures = fc.array(fc.double({ min: 0.001, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 8 });

  it('says the same in every unit', () => {
    fc.assert(
      fc.property(figures, figures, fc.constantFrom(0.001, 60, 1000), (fresh, baseline, unit) => {
        const seen = worseningOf({ fresh, baseline, worse: 'more' });
        const scaled = [fresh, baseline].map((side) => side.map((one) => one * unit));
        const [now = [], before = []] = scaled;
        const other = worseningOf({ fresh: now, baseline: before, worse: 'more' });
        expect(other?.change).toBeCloseTo(seen?.change ?? Number.NaN, 9);
      }),
    );
  });

  it('never both fails and passes, and never fails what is better', () => {
    fc.assert(
      fc.property(
        figures,
        figures,
        fc.double({ min: 0.001, max: 1, noNaN: true }),
        (fresh, baseline, allowed) => {
          const seen = worseningOf({ fresh, baseline, worse: 'more' });
          if (seen === null) return;
          const verdict = verdictOfWorsening(seen, mostWorsening('more', allowed));
          if (seen.change <= 0) expect(verdict).not.toBe('fail');
          if (verdict === 'fail') expect(seen.change).toBeGreaterThan(mostWorsening('more', allowed));
        },
      ),
    );
  });
});

describe('comparisons whose truth is known, 10 % allowed and 20 % worse', () => {
  const [equal, single, sessions] = TRIALS.map((trial) => ratesOf(trial, { rounds: 4000, seed: 7 }));

  it('of 5 and 5 runs are right nearly always', () => {
    expect(equal?.falseAlarms).toBeLessThan(0.6);
    expect(equal?.found).toBeGreaterThan(99);
    expect(equal?.wronglyPassed).toBeLessThan(0.1);
  });

  it('of 1 and 5 runs raise few false alarms, and find most', () => {
    expect(single?.falseAlarms).toBeLessThan(4);
    expect(single?.found).toBeGreaterThan(80);
    expect(single?.wronglyPassed).toBeLessThan(0.5);
  });

  it('of sessions that differ by themselves are wrong somewhat more often', () => {
    expect(sessions?.falseAlarms).toBeLessThan(6);
    expect(sessions?.found).toBeGreaterThan(91);
    expect(sessions?.wronglyPassed).toBeLessThan(2);
  });
});

it('the documents have the table that the trials give: scripts/comparing-table.mjs writes it', () => {
  const page = readFileSync(new URL('../../../../docs/comparing.md', import.meta.url), 'utf8');
  const cells = (text: string) => text.replaceAll(/ +|-+/g, ' ');
  expect(cells(page)).toContain(cells(tableOfTrials()));
});
