/** Plays comparisons whose truth is known, and counts what the rule says of them. */
import { mostWorsening, verdictOfWorsening, worseningOf } from '../../src/core/compare/worsening.ts';
import { Random } from '../../src/core/load/random.ts';

export interface Trial {
  readonly name: string;
  readonly fresh: number;
  readonly baseline: number;
  /** Of single runs, and of whole sessions: of other days or machines that look alike. As logarithms. */
  readonly spread: number;
  readonly sessions: number;
}

export const TRIALS: readonly Trial[] = [
  { name: '5 new runs, 5 in the baseline', fresh: 5, baseline: 5, spread: 0.05, sessions: 0 },
  { name: '1 new run, 5 in the baseline', fresh: 1, baseline: 5, spread: 0.05, sessions: 0 },
  { name: '5 and 5, made in other sessions', fresh: 5, baseline: 5, spread: 0.05, sessions: 0.03 },
];

export const ALLOWED = 0.1;
export const SHIFT = 0.2;

/** In percent of all comparisons. */
export interface Rates {
  /** Nothing changed, and it fails. */
  readonly falseAlarms: number;
  /** It got worse by 20 %, and it fails. */
  readonly found: number;
  /** It got worse by 20 %, and it passes. */
  readonly wronglyPassed: number;
}

export function ratesOf(trial: Trial, given: { readonly rounds: number; readonly seed: number }): Rates {
  const same = countsOf(trial, 0, given);
  const worse = countsOf(trial, SHIFT, given);
  const percent = (count: number): number => (100 * count) / given.rounds;
  return {
    falseAlarms: percent(same.fail),
    found: percent(worse.fail),
    wronglyPassed: percent(worse.pass),
  };
}

function countsOf(
  { fresh, baseline, spread, sessions }: Trial,
  shift: number,
  { rounds, seed }: { readonly rounds: number; readonly seed: number },
) {
  const random = new Random(seed);
  const counts = { pass: 0, fail: 0, inconclusive: 0 };
  const side = (runs: number, level: number): number[] => {
    const session = level + sessions * normal(random);
    return Array.from({ length: runs }, () => Math.exp(session + spread * normal(random)));
  };
  for (let round = 0; round < rounds; round++) {
    const sides = { fresh: side(fresh, Math.log1p(shift)), baseline: side(baseline, 0) };
    const seen = worseningOf({ ...sides, worse: 'more' });
    if (seen !== null) counts[verdictOfWorsening(seen, mostWorsening('more', ALLOWED))]++;
  }
  return counts;
}

/** Source: Box and Muller. */
function normal(random: Random): number {
  const uniform = (): number => (random.word() + 0.5) / 2 ** 32;
  return Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}

/** As the documents have it. */
export function tableOfTrials(): string {
  const rows = TRIALS.map((trial) => {
    const { falseAlarms, found, wronglyPassed } = ratesOf(trial, { rounds: 20_000, seed: 1 });
    const cells = [falseAlarms, found, wronglyPassed].map((rate) => `${rate.toFixed(1)}%`);
    return `| ${[trial.name, ...cells].join(' | ')} |\n`;
  });
  const head = ['runs', 'false alarms', 'found', 'wrongly passed'];
  return `| ${head.join(' | ')} |\n| ${head.map(() => '---').join(' | ')} |\n${rows.join('')}`;
}
