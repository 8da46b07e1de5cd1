/* Written by "npm run generate" from schemas/; never edited. */

/**
 * Extension: the progress of a run, or its end.
 */
export interface ResultProgress {
  /**
   * True while the run lasts. If false, `result` is the stored result and does not change.
   */
  in_progress: boolean;
  /**
   * Time from the start to the end of the last complete second; null before the first one and after the end of the run.
   */
  elapsed_ms: number | null;
  /**
   * Duration of the test.
   */
  duration_ms: number;
  /**
   * Current connections; null after the end of the run.
   */
  connections: number | null;
  /**
   * The run as in reports: `state`, `verdict`, `reason`, `thresholds`, `metrics` and more. The verdict is the published one.
   */
  report: {
    [k: string]: unknown;
  };
  /**
   * The result up to now, in the form of the list of results, with `error_samples`.
   */
  result: {
    [k: string]: unknown;
  };
  /**
   * The complete entries of the timeline that end after `after` seconds. They replace all entries that a client has from the first of them onward, because entries of long runs cover longer spans.
   */
  timeline: {
    [k: string]: unknown;
  }[];
  [k: string]: unknown;
}
