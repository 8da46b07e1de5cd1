/* Written by "npm run generate" from schemas/; never edited. */

/**
 * Response of GET /v2/comparison (extension): a comparison of runs with the earliest of them.
 */
export interface RunComparison {
  /**
   * Compared runs, earliest first.
   */
  runs: ComparedRun[];
  [k: string]: unknown;
}
export interface ComparedRun {
  /**
   * ID of the test.
   */
  test_id: string;
  /**
   * ID of the result.
   */
  result_id: string;
  /**
   * Label of the run: `A`, `B`, … in chronological order.
   */
  label: string;
  /**
   * Key of the test; for a test without a key, its name or its first URL without the query.
   */
  title: string;
  /**
   * The run as in reports: `started_at`, `state`, `verdict`, `metrics` and more.
   */
  report: {
    [k: string]: unknown;
  };
  /**
   * Metrics that this run or the earliest run has. Empty for the earliest run.
   */
  metrics: MetricChange[];
  /**
   * Reasons why the run cannot be compared with the earliest run. Empty if it can.
   */
  obstacles: string[];
  /**
   * Warnings about a comparison that is possible.
   */
  warnings: string[];
  [k: string]: unknown;
}
export interface MetricChange {
  /**
   * Name of the metric, as in thresholds.
   */
  metric: string;
  /**
   * Value of the earliest run, in the unit of the metric; null if unknown.
   */
  before: number | null;
  /**
   * Value of this run, in the unit of the metric; null if unknown.
   */
  after: number | null;
  /**
   * Change in percent of `before`; null if it cannot be computed.
   */
  change: number | null;
  [k: string]: unknown;
}
