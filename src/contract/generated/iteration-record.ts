/* Written by "npm run generate" from schemas/; never edited. */

/**
 * How the response violates an expectation of the test; null if it does not.
 */
export type Unexpected = {
  /**
   * The expectation that failed.
   */
  error: string;
  /**
   * The actual value, with credentials masked; null if there is none.
   */
  actual: string | null;
  [k: string]: unknown;
} | null;

/**
 * Response of POST /v2/iterations: one iteration of one client, with each exchange. An extension.
 */
export interface IterationRecord {
  /**
   * Outcome marker: "success" or "error".
   */
  message: string;
  /**
   * The exchanges, in the order in which they ended.
   */
  exchanges: ExchangeRecord[];
  [k: string]: unknown;
}
export interface ExchangeRecord {
  /**
   * Index in the test's `urls`.
   */
  url_index: number;
  /**
   * The URL that was requested.
   */
  url: string;
  /**
   * Method.
   */
  request_type: string;
  /**
   * True if the request follows a redirect.
   */
  redirected: boolean;
  /**
   * True if the request was sent again because the server closed the connection before the first byte of a response.
   */
  resent: boolean;
  /**
   * Request line and headers as sent, with credentials and cookies masked.
   */
  request_header: string;
  /**
   * The first 4 KiB of the body.
   */
  request_body: string;
  /**
   * Status code; null without a complete response.
   */
  status: number | null;
  /**
   * Status line and headers as received, with cookies masked.
   */
  response_header: string;
  /**
   * Bytes, headers included.
   */
  data_received: number;
  /**
   * Name of the error in the ledger; null without an error.
   */
  error: string | null;
  /**
   * True if the request counts as a success.
   */
  success: boolean;
  unexpected: Unexpected;
  times: ExchangeTimes;
  /**
   * Variables set from the headers of the response.
   */
  variables: {
    [k: string]: string;
  };
  [k: string]: unknown;
}
/**
 * Times in milliseconds; null for a phase that did not take place.
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
   * The whole exchange.
   */
  total: number;
  [k: string]: unknown;
}
