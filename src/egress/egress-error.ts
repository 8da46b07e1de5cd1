/**
 * Kind of a failure:
 *
 * - `refused`: the URL, address, port or peer is not allowed
 * - `bad_name`: not a host name or address
 * - `not_found`: the name has no address, or the resolver failed
 * - `connect`: the connection could not be established
 * - `tls`: the TLS handshake failed
 * - `timeout`: the deadline passed
 * - `protocol`: the response is incomplete or not valid HTTP
 */
export type EgressFailure = 'refused' | 'bad_name' | 'not_found' | 'connect' | 'tls' | 'timeout' | 'protocol';

export class EgressError extends Error {
  readonly kind: EgressFailure;
  /** Text with the name or address and the cause. Contains no secrets. */
  readonly reason: string;

  constructor(kind: EgressFailure, reason: string, options?: { cause?: unknown }) {
    super(reason, options);
    this.name = 'EgressError';
    this.kind = kind;
    this.reason = reason;
  }
}
