/** Report members for evaluated thresholds. */
import type { BaselineComparison, EvaluatedThreshold as ThresholdVerdict } from '../model/run-verdict.ts';
import type { AgainstBaseline, EvaluatedThreshold } from './generated/documents.ts';

export function toEvaluatedThreshold({
  regression,
  minSamples,
  ...threshold
}: ThresholdVerdict): EvaluatedThreshold {
  return {
    ...threshold,
    ...(minSamples === undefined ? {} : { min_samples: minSamples }),
    ...(regression === undefined ? {} : { regression: againstBaseline(regression) }),
  };
}

function againstBaseline({
  worseBy,
  baselineRuns,
  standardDeviation,
  ...rest
}: BaselineComparison): AgainstBaseline {
  return { ...rest, worse_by: worseBy, baseline_runs: baselineRuns, standard_deviation: standardDeviation };
}
