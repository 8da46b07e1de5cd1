/** Error codes of failures that may be caused by the load generator instead of the target. */

/** Error codes of connections that the peer closed or reset. */
export const CLOSE_CODES: ReadonlySet<string> = new Set(['closed', 'ECONNRESET', 'EPIPE']);

/**
 * Keys of `network` and `protocol` in the ledger that a stall may cause: a target closes a connection if the client
 * sends or reads nothing for too long. A stall cannot cause any other key, such as `ECONNREFUSED`, an error of TLS, or
 * a response that is not valid HTTP.
 */
export const UNCERTAIN_CODES: readonly string[] = [
  ...CLOSE_CODES,
  'closed_before_answer',
  'ECONNABORTED',
  'ETIMEDOUT',
  'truncated',
];
