/* Written by "npm run generate" from schemas/; never edited. */

/**
 * Extension: how far a run has come, or how it ended.
 */
export interface ResultProgress {
  /**
   * False: `result` is what is kept of the run, and nothing more comes.
   */
  goes_on: boolean;
  /**
   * Since the start, as of the last second that is complete; null where nothing was told yet, and of a run that has ended.
   */
  elapsed_ms: number | null;
  /**
   * For how long the test makes load.
   */
  duration_ms: number;
  /**
   * Connections now; null of a run that has ended.
   */
  connections: number | null;
  /**
   * The run as reports tell it: `state`, `verdict`, `reason`, `thresholds`, `figures` and more; the verdict is the one that the service was told.
   */
  told: {
    [k: string]: unknown;
  };
  /**
   * The result so far, as the list of results has it at the end, with `error_samples`.
   */
  result: {
    [k: string]: unknown;
  };
  /**
   * The entries of the result's timeline that are complete and end after `after` seconds. They replace what a client has from the first of them on: long runs are told in longer spans.
   */
  timeline: {
    [k: string]: unknown;
  }[];
  [k: string]: unknown;
}
