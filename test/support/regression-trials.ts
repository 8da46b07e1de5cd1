/** Simulates comparisons with a known truth, and counts the verdicts of the regression test. */
import {
  maxRegression,
  verdictOfRegression,
  testRegression,
} from '../../src/core/compare/regression-test.ts';
import { Random } from '../../src/core/random.ts';

export interface RegressionTrial {
  readonly name: string;
  readonly fresh: number;
  readonly baseline: number;
  /**
   * Standard deviations of the logarithms, between single runs and between sessions (other days or similar
   * machines).
   */
  readonly runDeviation: number;
  readonly sessionDeviation: number;
}

export const TRIALS: readonly RegressionTrial[] = [
  { name: '5 new runs, 5 in the baseline', fresh: 5, baseline: 5, runDeviation: 0.05, sessionDeviation: 0 },
  { name: '1 new run, 5 in the baseline', fresh: 1, baseline: 5, runDeviation: 0.05, sessionDeviation: 0 },
  {
    name: '5 and 5, in different sessions',
    fresh: 5,
    baseline: 5,
    runDeviation: 0.05,
    sessionDeviation: 0.03,
  },
];

export const ALLOWED_REGRESSION = 0.1;
export const SIMULATED_SHIFT = 0.2;

/** In percent of all comparisons. */
export interface ErrorRates {
  /** Fails without a change. */
  readonly falsePositives: number;
  /** Fails after a regression of 20%. */
  readonly truePositives: number;
  /** Passes after a regression of 20%. */
  readonly falseNegatives: number;
}

export function simulateTrial(
  trial: RegressionTrial,
  options: { readonly rounds: number; readonly seed: number },
): ErrorRates {
  const same = countVerdicts(trial, 0, options);
  const worse = countVerdicts(trial, SIMULATED_SHIFT, options);
  const percent = (count: number): number => (100 * count) / options.rounds;
  return {
    falsePositives: percent(same.fail),
    truePositives: percent(worse.fail),
    falseNegatives: percent(worse.pass),
  };
}

function countVerdicts(
  { fresh, baseline, runDeviation, sessionDeviation }: RegressionTrial,
  shift: number,
  { rounds, seed }: { readonly rounds: number; readonly seed: number },
) {
  const random = new Random(seed);
  const counts = { pass: 0, fail: 0, inconclusive: 0 };
  const side = (runs: number, level: number): number[] => {
    const session = level + sessionDeviation * randomNormal(random);
    return Array.from({ length: runs }, () => Math.exp(session + runDeviation * randomNormal(random)));
  };
  for (let round = 0; round < rounds; round++) {
    const sides = { current: side(fresh, Math.log1p(shift)), baseline: side(baseline, 0) };
    const result = testRegression({ ...sides, worseDirection: 'more' });
    if (result !== null) counts[verdictOfRegression(result, maxRegression('more', ALLOWED_REGRESSION))]++;
  }
  return counts;
}

/** Returns a normally distributed number (Box-Muller method). */
function randomNormal(random: Random): number {
  const uniform = (): number => (random.word() + 0.5) / 2 ** 32;
  return Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}

/** Formats the table of the documentation. */
export function formatTrialTable(): string {
  const rows = TRIALS.map((trial) => {
    const { falsePositives, truePositives, falseNegatives } = simulateTrial(trial, {
      rounds: 20_000,
      seed: 1,
    });
    const cells = [falsePositives, truePositives, falseNegatives].map((rate) => `${rate.toFixed(1)}%`);
    return `| ${[trial.name, ...cells].join(' | ')} |\n`;
  });
  const head = ['runs', 'false positives', 'true positives', 'false negatives'];
  return `| ${head.join(' | ')} |\n| ${head.map(() => '---').join(' | ')} |\n${rows.join('')}`;
}
