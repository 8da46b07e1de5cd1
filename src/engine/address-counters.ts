/** Counters for each address of a destination: connections, requests, failures and TLS handshakes. */
import { addAddressUses, type AddressUse, type AddressUses } from '../core/load/snapshot.ts';
import type { Destination } from '../egress/dial.ts';

/** Counters of one address since the latest call of `take`. */
export class AddressCounter {
  readonly name: string;
  connections = 0;
  requests = 0;
  failed = 0;
  #tls: Record<string, number> = {};

  constructor(address: string, port: number) {
    this.name = `${address.includes(':') ? `[${address}]` : address}:${port}`;
  }

  /** @param alpn - Protocol that ALPN selected; null if none. */
  countHandshake(version: string | null, alpn: string | null): void {
    const protocol = [version ?? 'TLS', ...(alpn === null ? [] : [alpn])].join(' ');
    this.#tls[protocol] = (this.#tls[protocol] ?? 0) + 1;
  }

  /** Returns and resets the counts; null if nothing was counted. */
  take(): AddressUse | null {
    const { connections, requests, failed } = this;
    const tls = this.#tls;
    if (connections + requests + failed === 0 && Object.keys(tls).length === 0) return null;
    this.connections = 0;
    this.requests = 0;
    this.failed = 0;
    this.#tls = {};
    return { connections, requests, failed, tls };
  }
}

export function createAddressCounters({ addresses, port }: Destination): readonly AddressCounter[] {
  return addresses.map((address) => new AddressCounter(address, port));
}

export function takeAddressUses(counters: readonly AddressCounter[]): AddressUses {
  let uses: AddressUses = {};
  for (const counter of counters) {
    const use = counter.take();
    if (use !== null) uses = addAddressUses(uses, { [counter.name]: use });
  }
  return uses;
}
