/* Written by "npm run generate" from schemas/; never edited. */

/**
 * Response of GET /v2/tests/{test_id}/results/{result_id}/progress (extension): the progress of a run, or its result after it has ended.
 */
export interface ResultProgress {
  /**
   * True while the run is in progress. If false, `result` is the stored result and does not change.
   */
  in_progress: boolean;
  /**
   * Time in ms from the start to the end of the last complete second; null before the end of the first second and after the end of the run.
   */
  elapsed_ms: number | null;
  /**
   * Duration of the load in ms.
   */
  duration_ms: number;
  /**
   * Number of open connections; null after the end of the run.
   */
  connections: number | null;
  /**
   * ID of the result to which the client has published the thresholds in `report`: this result, or, if the client has published none, the latest result of the test with a verdict. Absent if there are no thresholds, and after the end of the run.
   */
  thresholds_of?: string;
  /**
   * The run as in reports: `state`, `verdict`, `reason`, `thresholds`, `metrics` and more. The verdict is the published one. While the run is in progress, `thresholds` have the current values and no verdict (`inconclusive`).
   */
  report: {
    [k: string]: unknown;
  };
  /**
   * The current result in the form of the list of results, with `error_samples` and, while the run is in progress, `urls` and `flows` without histograms. The `timeline` of a URL has one value per entry of `timeline` in this response.
   */
  result: {
    [k: string]: unknown;
  };
  /**
   * Complete entries of the timeline that end after `after` seconds. They replace all entries that a client has from the first of them onward, because entries of long runs cover longer spans.
   */
  timeline: {
    [k: string]: unknown;
  }[];
  [k: string]: unknown;
}
