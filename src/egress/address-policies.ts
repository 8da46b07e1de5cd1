/** Which addresses may be dialled, for each way of running. Data in, a rule out. */
import { networkInterfaces } from 'node:os';
import {
  canonicalizeAddress,
  classifyAddress,
  isAddressBlock,
  isInAddressBlocks,
  listKindsInBlock,
  networkOf,
  type AddressKind,
} from './address-kind.ts';
import { EgressError } from './egress-error.ts';
import type { AddressPolicy } from './allowed-addresses.ts';

/**
 * For a service that lives as long as one command of one user: what that user could reach anyway, but for what no
 * service dials.
 */
export function createInProcessPolicy(): AddressPolicy {
  return createPolicy(() => null);
}

const ALLOWABLE_KINDS: ReadonlySet<AddressKind> = new Set(['private', 'public', 'loopback']);

/**
 * For a service that others may use.
 *
 * Shape: `allowPrivate` are blocks as `address/bits`; they open private addresses only. `loopback`: the service
 *        is called from loopback only, so loopback is its users' own machine.
 * Errors: throws an EgressError for a block that is none, or of which no address may get load.
 */
export function createServePolicy(options: {
  readonly allowPrivate: readonly string[];
  readonly loopback: boolean;
}): AddressPolicy {
  for (const block of options.allowPrivate) {
    if (!isAddressBlock(block)) {
      throw new EgressError('bad_name', `"${block}" is not a valid address range; write it like 10.0.0.0/8`);
    }
    const kinds = [...listKindsInBlock(block)];
    if (kinds.some((kind) => ALLOWABLE_KINDS.has(kind))) continue;
    const reason = `"${block}" holds ${kinds.join(' and ')} addresses only, which load is never sent to`;
    throw new EgressError('bad_name', reason);
  }
  return createPolicy((kind, address) => {
    switch (kind) {
      case 'special':
        return 'is in a range reserved for special purposes';
      case 'loopback':
        return options.loopback ? null : 'is a loopback address of the service itself';
      case 'private':
        return isInAddressBlocks(address, options.allowPrivate)
          ? null
          : 'is a private address; the operator can allow its range with --allow-private';
      case 'public':
        return null;
    }
  });
}

/** Kinds of addresses that somebody may dial. */
type DialableKind = 'loopback' | 'private' | 'special' | 'public';

/**
 * A policy with what no service dials, whoever asks: ports of other protocols, addresses that answer with the
 * machine's own credentials, and those that mean no one machine.
 */
function createPolicy(judge: (kind: DialableKind, address: string) => string | null): AddressPolicy {
  return (address, port) => {
    if (BLOCKED_PORTS.has(port)) return `with port ${port} is reserved for another protocol`;
    const kind = classifyAddress(address);
    switch (kind) {
      case null:
        return 'is not an address';
      case 'link-local':
      case 'metadata':
      case 'unspecified':
      case 'multicast':
      case 'translated':
        return `is a ${kind} address, which is never allowed`;
      case 'loopback':
      case 'private':
      case 'special':
      case 'public':
        return judge(kind, address);
    }
  };
}

export interface Endpoint {
  readonly address: string;
  readonly port: number;
}

/**
 * Adds to a policy that the service never dials itself or what it depends on, which is asked for each time: it may change.
 *
 * Shape: `ports` are refused on every address of this machine, and so are those of `endpoints` that lie on it.
 */
export function excludeOwnEndpoints(
  policy: AddressPolicy,
  own: { readonly ports: () => readonly number[]; readonly endpoints: () => readonly Endpoint[] },
): AddressPolicy {
  return (address, port) => {
    const isOurs = (one: string): boolean =>
      canonicalizeAddress(one) === canonicalizeAddress(address) ||
      (isLocalAddress(one) && isLocalAddress(address));
    const ours =
      (own.ports().includes(port) && isLocalAddress(address)) ||
      own.endpoints().some((one) => one.port === port && isOurs(one.address));
    return ours ? `with port ${port} belongs to the service itself` : policy(address, port);
  };
}

/** Whether an address leads to this machine. */
export function isLocalAddress(address: string): boolean {
  const kind = classifyAddress(address);
  if (kind === 'loopback' || kind === 'unspecified') return true;
  const canonical = canonicalizeAddress(address);
  // Looked up at each call: interfaces come and go.
  return Object.values(networkInterfaces()).some((list) =>
    (list ?? []).some((one) => canonicalizeAddress(one.address.replace(/%.*$/, '')) === canonical),
  );
}

/**
 * The machine that an address leads to, as far as its text tells: for what counts by machine.
 *
 * Shape: all addresses of this machine are one. Of IPv6, whoever has a machine has a network of /64, and as many
 *        addresses as he likes. Equal texts mean one machine; they are shown to nobody.
 */
export function machineOf(address: string): string {
  if (isLocalAddress(address)) return 'this machine';
  const canonical = canonicalizeAddress(address) ?? address;
  return canonical.includes(':') ? networkOf(canonical) : canonical;
}

/** Source: Fetch standard, "port blocking"; with Redis and memcached, which also take HTTP bytes for commands. */
const BLOCKED_PORTS: ReadonlySet<number> = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
  526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049,
  3659, 4045, 4190, 5060, 5061, 6000, 6379, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080, 11211,
]);
