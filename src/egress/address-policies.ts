import { networkInterfaces } from 'node:os';
import {
  addressOwnerOf,
  canonicalizeAddress,
  classifyAddress,
  isAddressBlock,
  isInAddressBlocks,
  listKindsInBlock,
  type AddressKind,
} from './address-kind.ts';
import { EgressError } from './egress-error.ts';
import { resolveAllowed, type AddressPolicy } from './allowed-addresses.ts';

/**
 * Creates the policy of a service that runs within a command of one user. Allows all addresses that the user can reach
 * anyway, except for the addresses and ports that every service refuses.
 */
export function createInProcessPolicy(): AddressPolicy {
  return createPolicy(() => null);
}

const ALLOWABLE_KINDS: ReadonlySet<AddressKind> = new Set(['private', 'public', 'loopback']);

/**
 * Creates the policy of a service in `serve` mode, which several users may share.
 * @param options - `allowPrivate` lists the blocks of private addresses to allow, as `address/bits`. `loopback` is true
 * if the service accepts connections only from loopback. In that case, loopback addresses are allowed, because the
 * users are on the same machine.
 * @throws EgressError for an invalid block, or a block without any address that may receive load.
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
    const reason = `"${block}" contains only ${kinds.join(' and ')} addresses, which must not receive load`;
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

type DialableKind = 'loopback' | 'private' | 'special' | 'public';

/**
 * Creates a policy with the rules of every service. These rules refuse ports of other protocols, addresses that expose
 * credentials of the machine, and addresses that do not identify a single machine.
 */
function createPolicy(refusalOf: (kind: DialableKind, address: string) => string | null): AddressPolicy {
  return (address, port) => {
    if (BLOCKED_PORTS.has(port))
      return `is not allowed with port ${port}, because this port is reserved for another protocol`;
    const kind = classifyAddress(address);
    switch (kind) {
      case null:
        return 'is not an address';
      case 'link-local':
      case 'metadata':
      case 'unspecified':
      case 'multicast':
      case 'translated':
        return `is never allowed (${kind} address)`;
      case 'loopback':
      case 'private':
      case 'special':
      case 'public':
        return refusalOf(kind, address);
    }
  };
}

export interface Endpoint {
  readonly address: string;
  readonly port: number;
}

/**
 * Extends a policy to refuse the endpoints of the service itself and of its dependencies. The endpoints are read at
 * each call, because they may change.
 * @param own - Endpoints to refuse. `ports` are refused on every address of the local host. Each of
 * `endpoints` is refused at its address or, if that address is local, on every address of the local host.
 */
export function excludeOwnEndpoints(
  policy: AddressPolicy,
  own: { readonly ports: () => readonly number[]; readonly endpoints: () => readonly Endpoint[] },
): AddressPolicy {
  return (address, port) => {
    const isOwnAddress = (other: string): boolean =>
      canonicalizeAddress(other) === canonicalizeAddress(address) ||
      (isLocalAddress(other) && isLocalAddress(address));
    const isOwn =
      (own.ports().includes(port) && isLocalAddress(address)) ||
      own.endpoints().some((endpoint) => endpoint.port === port && isOwnAddress(endpoint.address));
    return isOwn
      ? `is not allowed with port ${port}, because loadtests or one of its dependencies uses this port`
      : policy(address, port);
  };
}

export function isLocalAddress(address: string): boolean {
  const kind = classifyAddress(address);
  if (kind === 'loopback' || kind === 'unspecified') return true;
  const canonical = canonicalizeAddress(address);
  return interfaceAddresses().some((own) => canonicalizeAddress(own.replace(/%.*$/, '')) === canonical);
}

/** Returns the addresses of the network interfaces, which may change. */
export function interfaceAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address));
}

/** Resolves a name without a policy. Returns an empty list if this fails. */
export async function resolveEndpoints(hostname: string, port: number): Promise<readonly Endpoint[]> {
  const addresses = await resolveAllowed(hostname, port, () => null).catch(() => []);
  return addresses.map((address) => ({ address, port }));
}

/** Returns a key for the machine of an address: one key for all local addresses, or the key of the owner. */
export function machineOf(address: string): string {
  return isLocalAddress(address) ? 'local host' : addressOwnerOf(address);
}

/**
 * Ports of other protocols, including Redis and memcached, which interpret HTTP bytes as commands.
 * @see Fetch standard, "port blocking"
 */
const BLOCKED_PORTS: ReadonlySet<number> = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
  526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049,
  3659, 4045, 4190, 5060, 5061, 6000, 6379, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080, 11211,
]);
