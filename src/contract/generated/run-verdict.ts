/* Written by "npm run generate" from schemas/; never edited. */

/**
 * JSON body of PUT /v2/tests/{test_id}/results/{result_id}/verdict (extension): the verdict on a run, as evaluated by its client. The service stores and displays the verdict. It has no other effect.
 */
export interface RunVerdict {
  /**
   * Verdict on all thresholds together; `none` if there is no verdict.
   */
  verdict: 'pass' | 'fail' | 'inconclusive' | 'none';
  /**
   * Reason for the verdict, in words, if the thresholds do not show it; null otherwise.
   */
  reason?: string | null;
  /**
   * True to publish the thresholds of a run that has not ended. The service returns them with the progress of the run and does not store them; after the end of the run, it ignores them. Default: false.
   */
  in_progress?: boolean;
  /**
   * Names of the URLs in the file, in the order of the URLs of the result; null for a URL without a name. Absent if no URL has a name.
   *
   * @maxItems 10000
   */
  url_names?: (string | null)[];
  /**
   * Groups of URLs in the file, in its order. Absent if there are none.
   *
   * @maxItems 1000
   */
  url_groups?: VerdictUrlGroup[];
  /**
   * IDs of the results in the baseline with which the run was compared, earliest first. Absent if the test has no baseline.
   *
   * @maxItems 1000
   */
  baseline?: string[];
  /**
   * Thresholds, each with its value and verdict.
   *
   * @maxItems 1000
   */
  thresholds: EvaluatedLimit[];
}
export interface VerdictUrlGroup {
  /**
   * Name of the group.
   */
  name: string;
  /**
   * Indexes of the URLs, from 0.
   *
   * @maxItems 10000
   */
  urls: number[];
}
export interface EvaluatedLimit {
  /**
   * Name of the metric.
   */
  metric: string;
  /**
   * Name of the URL, for a threshold on one URL. Absent for thresholds on the whole run.
   */
  url?: string;
  /**
   * Name of the flow, for a threshold on one flow. Absent for other thresholds.
   */
  flow?: string;
  /**
   * Name of the group of URLs, for a threshold on one group. Absent for other thresholds.
   */
  group?: string;
  /**
   * Threshold, as written in the file.
   */
  limit: string;
  /**
   * Declared minimum number of responses for a verdict. Absent for the default of the metric.
   */
  min_samples?: number;
  /**
   * Value in the unit of the metric; null if the result does not have the metric.
   */
  value: number | null;
  /**
   * Bounds between which the true value is. Absent if the result has no bounds.
   */
  bounds?: {
    /**
     * Lower bound, in the unit of the metric.
     */
    low: number;
    /**
     * Upper bound, in the unit of the metric; null if unknown.
     */
    high: number | null;
  };
  /**
   * Verdict on this threshold.
   */
  verdict: 'pass' | 'fail' | 'inconclusive';
  /**
   * Reason why the threshold is inconclusive. Absent if the value shows it.
   */
  reason?: string;
  regression?: EvaluatedRegression;
}
/**
 * Comparison with the baseline, for a regression threshold. All shares are percentages.
 */
export interface EvaluatedRegression {
  /**
   * Difference from the baseline in percent: positive if the metric is worse, negative if it is better. 0 if `runs` is 0.
   */
  worse_by: number;
  /**
   * Maximum permitted worsening, in percent.
   */
  allowed: number;
  /**
   * Mean of the baseline, in the unit of the metric.
   */
  baseline: number;
  /**
   * Number of new runs; 0 for a run that has not ended.
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
