/* eslint-disable */
/* Written by "npm run generate" from schemas/; never edited. */

/**
 * Extension: what runs, what is due, and how the latest runs ended.
 */
export interface Overview {
  /**
   * RFC 3339: the clock of the service.
   */
  now: string;
  /**
   * Runs that go on.
   */
  running: RunningTest[];
  /**
   * Tests that wait for their time, the earliest first; no more than twenty.
   */
  scheduled: ScheduledTest[];
  /**
   * As the list of keys; no more than two hundred.
   */
  keys: {
    [k: string]: unknown;
  }[];
  apps: AppCounts;
  [k: string]: unknown;
}
export interface RunningTest {
  /**
   * The name of the test, or its first URL without the query.
   */
  title: string;
  /**
   * Of the file that declares it; null: none does.
   */
  project: string | null;
  /**
   * Of that file.
   */
  environment: string | null;
  /**
   * What the file calls it.
   */
  key: string | null;
  /**
   * The test.
   */
  test_id: string;
  /**
   * The run.
   */
  result_id: string;
  /**
   * RFC 3339.
   */
  started_at: string;
  /**
   * For how long it makes load.
   */
  duration_ms: number;
  /**
   * As of the last second, as the test's record has it; null: nothing was told yet.
   */
  progress: {
    [k: string]: unknown;
  } | null;
  [k: string]: unknown;
}
export interface ScheduledTest {
  /**
   * The name of the test, or its first URL without the query.
   */
  title: string;
  /**
   * Of the file that declares it; null: none does.
   */
  project: string | null;
  /**
   * Of that file.
   */
  environment: string | null;
  /**
   * What the file calls it.
   */
  key: string | null;
  /**
   * The test.
   */
  test_id: string;
  /**
   * RFC 3339.
   */
  scheduled_at: string;
  [k: string]: unknown;
}
/**
 * How many there are.
 */
export interface AppCounts {
  /**
   * That may get load.
   */
  verified: number;
  /**
   * That may not yet.
   */
  unverified: number;
  [k: string]: unknown;
}
