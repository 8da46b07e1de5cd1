/* Written by "npm run generate" from schemas/; never edited. */

/**
 * What is wrong with an answer that is not as the test expects.
 */
export type Unexpected = {
  /**
   * What was expected.
   */
  error: string;
  /**
   * What came instead, credentials masked; null for nothing.
   */
  came: string | null;
  [k: string]: unknown;
} | null;

/**
 * Answer of POST /v2/passes: one client, one pass, each exchange in words. An extension.
 */
export interface PassMade {
  /**
   * Outcome marker: "success" or "error".
   */
  message: string;
  /**
   * In the order in which they ended.
   */
  exchanges: ExchangeRecord[];
  [k: string]: unknown;
}
export interface ExchangeRecord {
  /**
   * Which of the test's urls it belongs to.
   */
  url_index: number;
  /**
   * Where it went.
   */
  url: string;
  /**
   * Method.
   */
  request_type: string;
  /**
   * Whether it follows a redirect.
   */
  redirected: boolean;
  /**
   * Whether it was sent once more, since the server had closed the connection before any byte of an answer.
   */
  resent: boolean;
  /**
   * Request line and headers, credentials and cookies masked.
   */
  request_head: string;
  /**
   * At most 4 KiB of it.
   */
  request_body: string;
  /**
   * Null without a complete answer.
   */
  status: number | null;
  /**
   * Status line and headers, cookies masked.
   */
  response_head: string;
  /**
   * Bytes, headers included.
   */
  data_received: number;
  /**
   * A word of the ledger.
   */
  error: string | null;
  /**
   * Whether it counts as a success.
   */
  success: boolean;
  unexpected: Unexpected;
  times: ExchangeTimes;
  /**
   * Taken from the answer's headers.
   */
  variables: {
    [k: string]: string;
  };
  [k: string]: unknown;
}
/**
 * Milliseconds; null where that part did not take place.
 */
export interface ExchangeTimes {
  /**
   * Connecting.
   */
  connect: number | null;
  /**
   * The TLS handshake.
   */
  tls: number | null;
  /**
   * From sending to the first byte.
   */
  wait: number | null;
  /**
   * Everything together.
   */
  total: number;
  [k: string]: unknown;
}
