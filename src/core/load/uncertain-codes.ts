/** Error codes of failures that may be caused by the load generator instead of the target. */

/** Error codes of connections that the peer closed or reset. */
export const CLOSE_CODES: ReadonlySet<string> = new Set(['closed', 'ECONNRESET', 'EPIPE']);

/**
 * Keys in `network` and `protocol` of the ledger for errors that a stall of the load generator may cause. For example,
 * a target closes a connection if the client sends or reads nothing for too long. Other keys, such as `ECONNREFUSED`,
 * TLS errors and invalid HTTP, count as certain.
 */
export const UNCERTAIN_CODES: readonly string[] = [
  ...CLOSE_CODES,
  'closed_before_answer',
  'ECONNABORTED',
  'ETIMEDOUT',
  'truncated',
];
