import type { JobConnection } from '../core/load/load-job.ts';
import { canonicalizeAddress } from './address-kind.ts';
import { EgressError } from './egress-error.ts';
import { createNameResolver, type NameResolver } from './name-resolver.ts';

/** Returns the reason why an address and port are refused, as the end of a sentence; null if they are allowed. */
export type AddressPolicy = (address: string, port: number) => string | null;

interface ResolutionOptions {
  readonly names?: NameResolver;
  /** Connection settings, such as addresses or an IP version; null for the defaults. */
  readonly connection?: JobConnection | null;
}

/**
 * Resolves a name or parses a literal address, and checks every address against the policy. Returns at least one
 * address, in canonical form and in the resolver's order, without duplicates.
 * If any address is forbidden, the name is refused, so that an allowed address cannot hide a forbidden one. For a name,
 * addresses in `connection` are used instead of a lookup, and an IP version filters the addresses.
 * @throws EgressError `bad_name`, `not_found`, `timeout` or `refused`.
 */
export async function resolveAllowed(
  hostname: string,
  port: number,
  policy: AddressPolicy,
  { names = createNameResolver(), connection = null }: ResolutionOptions = {},
): Promise<readonly string[]> {
  const literal = canonicalizeAddress(removeBrackets(hostname));
  const name = literal ?? parseName(hostname);
  const { resolve, ip } = connection ?? {};
  const source: NameResolver['resolveAddresses'] =
    resolve === undefined
      ? async (one) => await names.resolveAddresses(one)
      : async () => await Promise.resolve(resolve);
  const addresses = literal === null ? await lookUpAddresses(source, name, hostname) : [literal];
  for (const address of addresses) {
    const reason = policy(address, port);
    if (reason === null) continue;
    const subject = literal === null ? `"${hostname}" resolves to ${address}, which` : `"${hostname}"`;
    throw new EgressError('refused', `${subject} ${reason}`);
  }
  const used =
    literal === null && ip !== undefined
      ? addresses.filter((address) => address.includes(':') === (ip === 6))
      : addresses;
  if (used.length === 0) throw new EgressError('not_found', `"${hostname}" has no IPv${ip ?? ''} address`);
  return used;
}

function removeBrackets(hostname: string): string {
  return hostname.startsWith('[') && hostname.endsWith(']') ? hostname.slice(1, -1) : hostname;
}

/** Returns a host name in lower case. Refuses notations that only some parsers interpret as addresses. */
function parseName(hostname: string): string {
  const url = `http://${hostname}/`;
  const name = hostname.toLowerCase();
  if (
    !URL.canParse(url) ||
    new URL(url).hostname !== name ||
    name === '' ||
    name.endsWith('.') ||
    canonicalizeAddress(removeBrackets(name)) !== null
  ) {
    throw new EgressError('bad_name', `"${hostname}" is not a valid host name`);
  }
  return name;
}

async function lookUpAddresses(
  resolve: NameResolver['resolveAddresses'],
  name: string,
  hostname: string,
): Promise<readonly string[]> {
  const addresses = new Set<string>();
  for (const address of await resolve(name)) {
    const canonical = canonicalizeAddress(address);
    if (canonical === null)
      throw new EgressError('refused', `"${hostname}" resolves to ${address}, which has a zone index`);
    addresses.add(canonical);
  }
  if (addresses.size === 0)
    throw new EgressError('not_found', `"${hostname}" does not resolve to an address`);
  return [...addresses];
}
