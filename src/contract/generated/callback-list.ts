/* Written by "npm run generate" from schemas/; never edited. */

/**
 * Response of GET /v2/callbacks (extension): callbacks and emails that have not been delivered, newest first.
 */
export type CallbackList = CallbackRecord[];

export interface CallbackRecord {
  /**
   * ID of the callback, which is the same in all attempts and is sent as `x-loadtests-event`.
   */
  callback_id: string;
  /**
   * ID of the test of the run that ended.
   */
  test_id: string;
  /**
   * ID of the result of the run that ended.
   */
  result_id: string;
  /**
   * Type of the notification: "callback" or "email".
   */
  channel: string;
  /**
   * Receiver: the host of the callback URL, or the domain of the email address.
   */
  host: string;
  /**
   * Delivery state. "pending": another attempt follows. "refused": the receiver rejected the callback permanently. "expired": no further attempt is permitted.
   */
  state: string;
  /**
   * Number of attempts that were started, at most eight.
   */
  attempts: number;
  /**
   * Time of the next attempt (RFC 3339); null if no attempt follows.
   */
  next_attempt_at: string | null;
  /**
   * Error code of the latest attempt, such as "timeout", "connect" or "status_500"; null if no attempt has failed.
   */
  last_error: string | null;
  /**
   * Time when the run ended (RFC 3339).
   */
  created_at: string;
  [k: string]: unknown;
}
