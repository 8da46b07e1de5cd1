/** The verdicts of a run and of each of its thresholds. */
import { canonical } from '../canonical.ts';
import type { SourceLocation } from '../source-location.ts';
import type { Interval } from './sample.ts';
import type { ThresholdLabels, UrlGroup } from './threshold.ts';

export type Verdict = 'pass' | 'fail' | 'inconclusive' | 'none';

export interface EvaluatedThreshold extends ThresholdLabels {
  readonly metric: string;
  readonly limit: string;
  /** Declared minimum number of responses for a verdict; absent for the default. */
  readonly minSamples?: number;
  /** Value of the metric; null if the result does not contain it. */
  readonly value: number | null;
  /** Range of the possible values without delays of the load generator; absent if the result does not contain it. */
  readonly bounds?: Interval;
  readonly verdict: 'pass' | 'fail' | 'inconclusive';
  /** Reason for an inconclusive verdict, if the value alone does not explain it. */
  readonly reason?: string;
  /** Location of the threshold in the file; absent if it is not in a file. */
  readonly source?: SourceLocation;
  /** Comparison with the baseline; absent unless this is a regression threshold. */
  readonly regression?: BaselineComparison;
}

/** Changes and the standard deviation are in percent. */
export interface BaselineComparison {
  /** Change in the worse direction; negative if the metric improved. */
  readonly worseBy: number;
  readonly allowed: number;
  /** Mean of the baseline runs. */
  readonly baseline: number;
  /** Number of new runs; 0 for a run that has not ended. */
  readonly runs: number;
  readonly baselineRuns: number;
  /** Run-to-run standard deviation; null if there are too few runs. */
  readonly standardDeviation: number | null;
}

export interface RunVerdict {
  readonly verdict: Verdict;
  readonly thresholds: readonly EvaluatedThreshold[];
  /** Explanation; null if the thresholds alone explain the verdict. */
  readonly reason: string | null;
  /** Names of the URLs in the file, in a published verdict; absent if no URL has a name. */
  readonly urlNames?: readonly (string | null)[];
  /** Groups of URLs in the file, in a published verdict; absent if there are none. */
  readonly urlGroups?: readonly UrlGroup[];
  /** True if the run has not ended, so that only the thresholds are meaningful; absent otherwise. */
  readonly inProgress?: true;
  /** IDs of the results in the baseline, in a published verdict; absent if there is no baseline. */
  readonly baseline?: readonly string[];
}

/** Reports whether two verdicts are equal, regardless of the locations of their thresholds. */
export function haveSameVerdict(one: RunVerdict, other: RunVerdict): boolean {
  return verdictKeyOf(one) === verdictKeyOf(other);
}

function verdictKeyOf({ verdict, reason, thresholds }: RunVerdict): string {
  return canonical({
    verdict,
    reason,
    thresholds: thresholds.map(({ source: _, bounds, regression, ...one }) => ({
      ...one,
      bounds: bounds === undefined ? null : { ...bounds },
      regression: regression === undefined ? null : { ...regression },
    })),
  });
}
