/* Written by "npm run generate" from schemas/; never edited. */

/**
 * Violated expectation of the test; null if the response meets all expectations.
 */
export type Unexpected = {
  /**
   * Expectation that the response violates.
   */
  error: string;
  /**
   * Actual value, with credentials masked; null if the response has no such value.
   */
  actual: string | null;
  [k: string]: unknown;
} | null;

/**
 * Response of POST /v2/iterations (extension): one iteration of one client, with each exchange.
 */
export interface IterationRecord {
  /**
   * Outcome of the request: "success" or "error".
   */
  message: string;
  /**
   * Seed of the random numbers of the iteration.
   */
  seed?: number;
  /**
   * Requests after the first 100 exchanges. They were sent too. Absent if there are none.
   */
  omitted?: {
    /**
     * Number of these requests.
     */
    requests: number;
    /**
     * Number of these requests that failed.
     */
    failed: number;
    [k: string]: unknown;
  };
  /**
   * Exchanges of the iteration, in the order in which they ended.
   */
  exchanges: ExchangeRecord[];
  [k: string]: unknown;
}
export interface ExchangeRecord {
  /**
   * Phase of the request: `setup` or `teardown`. Absent for requests of the iteration.
   */
  phase?: 'setup' | 'teardown';
  /**
   * Index of the URL in the `urls` of the test or of its phase, starting with 0.
   */
  url_index: number;
  /**
   * Requested URL.
   */
  url: string;
  /**
   * Request method.
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
   * Request line and headers as sent, with credentials and cookies masked. Empty if the request was not sent.
   */
  request_header: string;
  /**
   * First 4 KiB of the request body.
   */
  request_body: string;
  /**
   * Status code of the response; null if no complete response was received.
   */
  status: number | null;
  /**
   * Status line and headers as received, with cookies masked.
   */
  response_header: string;
  /**
   * First 256 KiB of the decoded response body, with credentials masked; null if it is not text, exceeds 1 MiB, or cannot be decoded.
   */
  response_body: string | null;
  /**
   * Received bytes, including headers.
   */
  data_received: number;
  /**
   * Key of the error in the ledger; null if there was no error.
   */
  error: string | null;
  /**
   * True if the request counts as a success.
   */
  success: boolean;
  unexpected: Unexpected;
  times: ExchangeTimes;
  /**
   * Variables taken from the headers of the response: name to value.
   */
  variables: {
    [k: string]: string;
  };
  [k: string]: unknown;
}
/**
 * Durations of the exchange in ms. A duration is null if its phase did not take place.
 */
export interface ExchangeTimes {
  /**
   * Time to establish the TCP connection, in ms; null if an open connection was used or no connection was established.
   */
  connect: number | null;
  /**
   * Time of the TLS handshake, in ms; null if none was completed.
   */
  tls: number | null;
  /**
   * Time from sending the request to the first byte of the response, in ms; null if there was no response.
   */
  wait: number | null;
  /**
   * Total duration of the exchange, in ms.
   */
  total: number;
  [k: string]: unknown;
}
