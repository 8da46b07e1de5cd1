/* Written by "npm run generate" from schemas/; never edited. */

/**
 * Extension: the verdict of whoever started a run, for show: the service draws nothing from it.
 */
export interface Judgement {
  /**
   * Of all thresholds together; none where there are none.
   */
  verdict: 'pass' | 'fail' | 'inconclusive' | 'none';
  /**
   * Why there is no verdict.
   */
  reason?: string | null;
  /**
   * Each with its value.
   *
   * @maxItems 1000
   */
  thresholds: JudgedLimit[];
}
export interface JudgedLimit {
  /**
   * Name of the figure.
   */
  metric: string;
  /**
   * Of a limit on one URL: what it is called.
   */
  url?: string;
  /**
   * As written in the file.
   */
  limit: string;
  /**
   * Null: the result does not have the figure.
   */
  value: number | null;
  /**
   * The values between which the figure lies.
   */
  bounds?: {
    /**
     * In the unit of the figure.
     */
    low: number;
    /**
     * Null: nothing is known of it.
     */
    high: number | null;
  };
  /**
   * Of this threshold.
   */
  verdict: 'pass' | 'fail' | 'inconclusive';
  /**
   * Why it is inconclusive.
   */
  reason?: string;
  regression?: JudgedRegression;
}
/**
 * Of a limit on the change since the baseline: what came of the comparison. Shares are in percent.
 */
export interface JudgedRegression {
  /**
   * How much worse the figure is; below 0: better.
   */
  worse: number;
  /**
   * How much worse it may be.
   */
  allowed: number;
  /**
   * The mean of the baseline, in the unit of the figure.
   */
  baseline: number;
  /**
   * New runs.
   */
  runs: number;
  /**
   * Runs of the baseline.
   */
  baseline_runs: number;
  /**
   * How much single runs differ from one another; null where there are too few to tell.
   */
  spread: number | null;
}
