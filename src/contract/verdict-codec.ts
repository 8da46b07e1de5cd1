/** Encodes run verdicts, an extension of the API. */
import type { BaselineComparison, RunVerdict } from '../core/model/run-verdict.ts';
import type { RunVerdict as Wire } from './generated/run-verdict.ts';

/** Omits source locations, which are meaningful only on the client. */
export function encodeRunVerdict({
  verdict,
  reason,
  thresholds,
  inProgress,
  urlNames = [],
  urlGroups = [],
  baseline = [],
}: RunVerdict): Wire {
  return {
    verdict,
    reason,
    ...(inProgress === true ? { in_progress: true } : {}),
    ...(urlNames.some((name) => name !== null) ? { url_names: [...urlNames] } : {}),
    ...(urlGroups.length > 0
      ? { url_groups: urlGroups.map(({ name, urls }) => ({ name, urls: [...urls] })) }
      : {}),
    ...(baseline.length > 0 ? { baseline: [...baseline] } : {}),
    thresholds: thresholds.map(({ source: _, regression, minSamples, ...threshold }) => ({
      ...threshold,
      ...(minSamples === undefined ? {} : { min_samples: minSamples }),
      ...(regression === undefined ? {} : { regression: encodeRegression(regression) }),
    })),
  };
}

function encodeRegression({ worseBy, baselineRuns, standardDeviation, ...rest }: BaselineComparison) {
  return { ...rest, worse_by: worseBy, baseline_runs: baselineRuns, standard_deviation: standardDeviation };
}
