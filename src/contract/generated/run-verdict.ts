/* Written by "npm run generate" from schemas/; never edited. */

/**
 * JSON body of PUT /v2/tests/{test_id}/results/{result_id}/verdict: the verdict on a run, as its client evaluated it. The service stores and shows it; it has no other effect. An extension.
 */
export interface RunVerdict {
  /**
   * The verdict on all thresholds together; `none` if there are none.
   */
  verdict: 'pass' | 'fail' | 'inconclusive' | 'none';
  /**
   * Why there is no verdict.
   */
  reason?: string | null;
  /**
   * Each threshold with its value.
   *
   * @maxItems 1000
   */
  thresholds: EvaluatedLimit[];
}
export interface EvaluatedLimit {
  /**
   * Name of the metric.
   */
  metric: string;
  /**
   * Name of the URL, for a threshold on one URL.
   */
  url?: string;
  /**
   * As written in the file.
   */
  limit: string;
  /**
   * Null if the result lacks the metric.
   */
  value: number | null;
  /**
   * The values between which the metric lies.
   */
  bounds?: {
    /**
     * In the unit of the metric.
     */
    low: number;
    /**
     * Null if it is unknown.
     */
    high: number | null;
  };
  /**
   * The verdict on this threshold.
   */
  verdict: 'pass' | 'fail' | 'inconclusive';
  /**
   * Why it is inconclusive.
   */
  reason?: string;
  regression?: EvaluatedRegression;
}
/**
 * The comparison with the baseline, for a regression threshold. All shares are percentages.
 */
export interface EvaluatedRegression {
  /**
   * By how many percent the metric is worse than the baseline; negative if it is better.
   */
  worse_by: number;
  /**
   * By how many percent it may be worse.
   */
  allowed: number;
  /**
   * The mean of the baseline, in the unit of the metric.
   */
  baseline: number;
  /**
   * Number of new runs.
   */
  runs: number;
  /**
   * Number of runs in the baseline.
   */
  baseline_runs: number;
  /**
   * Standard deviation between runs, in percent; null if there are too few runs.
   */
  standard_deviation: number | null;
}
