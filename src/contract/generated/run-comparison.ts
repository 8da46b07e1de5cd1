/* Written by "npm run generate" from schemas/; never edited. */

/**
 * Extension: a comparison of runs, each with the earliest one.
 */
export interface RunComparison {
  /**
   * The earliest run first.
   */
  runs: ComparedRun[];
  [k: string]: unknown;
}
export interface ComparedRun {
  /**
   * Identifier of the test.
   */
  test_id: string;
  /**
   * Identifier of the result.
   */
  result_id: string;
  /**
   * `A`, `B`, … in chronological order.
   */
  label: string;
  /**
   * The name of the test, or its first URL without the query.
   */
  title: string;
  /**
   * The run as in reports: `started_at`, `state`, `verdict`, `metrics` and more.
   */
  report: {
    [k: string]: unknown;
  };
  /**
   * Each metric that this run or the earliest one has; empty for the earliest run.
   */
  metrics: MetricChange[];
  /**
   * Reasons why the run cannot be compared with the earliest one; empty if it can.
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
   * Value of the earliest run; null if unknown.
   */
  before: number | null;
  /**
   * Value of this run; null if unknown.
   */
  after: number | null;
  /**
   * Change in percent of `before`; null if it cannot be computed.
   */
  change: number | null;
  [k: string]: unknown;
}
