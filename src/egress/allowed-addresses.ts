/** Turns a host name into addresses that may be dialled. Dials nothing. */
import { canonicalizeAddress } from './address-kind.ts';
import { EgressError } from './egress-error.ts';
import { createNameResolver, type NameResolver } from './name-resolver.ts';

/** The reason why an address and port are refused, as the end of a sentence; null when they are allowed. */
export type AddressPolicy = (address: string, port: number) => string | null;

/**
 * Resolves a name, or takes a literal address, and lets every address pass the policy.
 *
 * Shape:  at least one address, each in its one spelling, in the resolver's order, without repetition. One forbidden
 *         address refuses the name, so that nobody can mix a harmless address with one that is not.
 * Errors: EgressError `bad_name`, `not_found`, `timeout`, `refused`.
 */
export async function resolveAllowed(
  hostname: string,
  port: number,
  policy: AddressPolicy,
  names: NameResolver = createNameResolver(),
): Promise<readonly string[]> {
  const literal = canonicalizeAddress(removeBrackets(hostname));
  const name = literal ?? parseName(hostname);
  const addresses = literal === null ? await lookUpAddresses(names, name, hostname) : [literal];
  for (const address of addresses) {
    const reason = policy(address, port);
    if (reason === null) continue;
    const what = literal === null ? `"${hostname}" resolves to ${address}, which` : `"${hostname}"`;
    throw new EgressError('refused', `${what} ${reason}`);
  }
  return addresses;
}

function removeBrackets(hostname: string): string {
  return hostname.startsWith('[') && hostname.endsWith(']') ? hostname.slice(1, -1) : hostname;
}

/** A name that only a resolver can read: spellings of addresses that only some parsers know are refused. */
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
  names: NameResolver,
  name: string,
  hostname: string,
): Promise<readonly string[]> {
  const addresses = new Set<string>();
  for (const address of await names.resolveAddresses(name)) {
    const canonical = canonicalizeAddress(address);
    if (canonical === null)
      throw new EgressError(
        'refused',
        `"${hostname}" resolves to ${address}, which has a zone index index index index`,
      );
    addresses.add(canonical);
  }
  if (addresses.size === 0) throw new EgressError('not_found', `"${hostname}" has no address`);
  return [...addresses];
}
