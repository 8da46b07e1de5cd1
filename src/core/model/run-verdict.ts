/** A verdict on a run, and what became of each of its limits. Judging is in ../judge.ts. */
import { canonical } from '../canonical.ts';
import type { Interval } from '../load/run-report.ts';
import type { SourceLocation } from '../source-location.ts';

export type Verdict = 'pass' | 'fail' | 'inconclusive' | 'none';

export interface EvaluatedThreshold {
  readonly metric: string;
  /** Of a limit on one URL: what it is called. */
  readonly url?: string;
  readonly limit: string;
  /** Null: the result does not have the figure. */
  readonly value: number | null;
  /** Where the figure lies whatever the generator did to it; left out where the result does not tell. */
  readonly bounds?: Interval;
  readonly verdict: 'pass' | 'fail' | 'inconclusive';
  /** Why it is inconclusive, where the figure alone does not tell. */
  readonly reason?: string;
  /** Where the file has it; left out where no file does. */
  readonly source?: SourceLocation;
  /** Of a limit on the change since the baseline: what that is. */
  readonly regression?: BaselineComparison;
}

/** What came of a comparison with the baseline. Shares in percent. */
export interface BaselineComparison {
  /** How much worse it is; below 0: better. */
  readonly worseBy: number;
  readonly allowed: number;
  /** The mean figure of the baseline. */
  readonly baseline: number;
  readonly runs: number;
  readonly baselineRuns: number;
  /** How much single runs differ from one another; null where there are too few to tell. */
  readonly standardDeviation: number | null;
}

export interface RunVerdict {
  readonly verdict: Verdict;
  readonly thresholds: readonly EvaluatedThreshold[];
  /** Why, in words, where the thresholds alone do not tell. */
  readonly reason: string | null;
}

/** Whether two say the same; where the file has their limits does not matter. */
export function haveSameVerdict(one: RunVerdict, other: RunVerdict): boolean {
  return verdictKeyOf(one) === verdictKeyOf(other);
}

function verdictKeyOf({ verdict, reason, thresholds }: RunVerdict): string {
  return canonical({
    ...{ verdict, reason },
    thresholds: thresholds.map(({ source: _, bounds, regression, ...one }) => ({
      ...one,
      bounds: bounds === undefined ? null : { ...bounds },
      regression: regression === undefined ? null : { ...regression },
    })),
  });
}
