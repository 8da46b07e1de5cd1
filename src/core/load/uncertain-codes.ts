/** Error codes of connections that the peer closed or reset. */
export const CLOSE_CODES: ReadonlySet<string> = new Set(['closed', 'ECONNRESET', 'EPIPE']);

/**
 * Keys in `network` and `protocol` of the ledger for errors that a stall of the load generator may cause. For example,
 * a target may close a connection if the client sends or reads nothing for too long.
 */
export const UNCERTAIN_CODES: readonly string[] = [
  ...CLOSE_CODES,
  'closed_before_answer',
  'ECONNABORTED',
  'ETIMEDOUT',
  'truncated',
];
