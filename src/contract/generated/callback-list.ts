/* Written by "npm run generate" from schemas/; never edited. */

/**
 * Extension: callbacks and mails that were not delivered, newest first.
 */
export type CallbackList = CallbackRecord[];

export interface CallbackRecord {
  /**
   * Stays the same over all attempts; sent as x-loadtests-event.
   */
  callback_id: string;
  /**
   * The test whose run has ended.
   */
  test_id: string;
  /**
   * The result of that run.
   */
  result_id: string;
  /**
   * "callback" or "email".
   */
  channel: string;
  /**
   * Who was to be told: the host of the URL, or the domain of the address.
   */
  host: string;
  /**
   * "pending": will be tried; "refused": the receiver wants it never again; "expired": was tried as often as it may be.
   */
  state: string;
  /**
   * Attempts begun so far, of eight.
   */
  attempts: number;
  /**
   * RFC 3339; null when there will be none.
   */
  next_attempt_at: string | null;
  /**
   * Why the latest attempt failed, in a word: "timeout", "connect", "status_500" …
   */
  last_error: string | null;
  /**
   * RFC 3339: when the run ended.
   */
  created_at: string;
  [k: string]: unknown;
}
