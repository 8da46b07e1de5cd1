/** What can go wrong on the way out, in one shape for every user of the network. */

/**
 * | kind          | what happened                                        |
 * | ------------- | ---------------------------------------------------- |
 * | `refused`     | a policy forbids the address or port; nothing dialled |
 * | `bad_name`    | not a host name or address                           |
 * | `not_found`   | the name has no address, or the resolver failed      |
 * | `connect`     | no connection                                        |
 * | `tls`         | no secure connection                                 |
 * | `timeout`     | the deadline passed                                  |
 * | `protocol`    | what came is not an HTTP answer                      |
 */
export type EgressFailure = 'refused' | 'bad_name' | 'not_found' | 'connect' | 'tls' | 'timeout' | 'protocol';

export class EgressError extends Error {
  readonly kind: EgressFailure;
  /** One sentence without secrets; says which name or address and why. */
  readonly reason: string;

  constructor(kind: EgressFailure, reason: string, options?: { cause?: unknown }) {
    super(reason, options);
    this.name = 'EgressError';
    this.kind = kind;
    this.reason = reason;
  }
}
