/** Turns a host name into addresses that may be dialled. Dials nothing. */
import { lookup } from 'node:dns/promises';
import { canonicalAddress } from './classify.ts';
import { EgressError } from './egress-error.ts';

/** The reason why an address and port are refused, as the end of a sentence; null when they are allowed. */
export type AddressPolicy = (address: string, port: number) => string | null;

const LOOKUP_DEADLINE_MS = 10_000;

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
): Promise<readonly string[]> {
  const literal = canonicalAddress(withoutBrackets(hostname));
  const name = literal ?? nameOf(hostname);
  const addresses = literal === null ? await addressesOf(name, hostname) : [literal];
  for (const address of addresses) {
    const reason = policy(address, port);
    if (reason === null) continue;
    const what = literal === null ? `"${hostname}" resolves to ${address}, which` : `"${hostname}"`;
    throw new EgressError('refused', `${what} ${reason}`);
  }
  return addresses;
}

function withoutBrackets(hostname: string): string {
  return hostname.startsWith('[') && hostname.endsWith(']') ? hostname.slice(1, -1) : hostname;
}

/** A name that only a resolver can read: spellings of addresses that only some parsers know are refused. */
function nameOf(hostname: string): string {
  const url = `http://${hostname}/`;
  const name = hostname.toLowerCase();
  if (
    !URL.canParse(url) ||
    new URL(url).hostname !== name ||
    name === '' ||
    name.endsWith('.') ||
    canonicalAddress(withoutBrackets(name)) !== null
  ) {
    throw new EgressError('bad_name', `"${hostname}" is not a host name in its plain spelling`);
  }
  return name;
}

async function addressesOf(name: string, hostname: string): Promise<readonly string[]> {
  // A lookup cannot be called off; its late answer is dropped.
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new EgressError('timeout', `"${hostname}" was not resolved within ${LOOKUP_DEADLINE_MS} ms`));
    }, LOOKUP_DEADLINE_MS);
  });
  try {
    const found = await Promise.race([lookup(name, { all: true, verbatim: true }), late]);
    const addresses = new Set<string>();
    for (const { address } of found) {
      const canonical = canonicalAddress(address);
      if (canonical === null)
        throw new EgressError('refused', `"${hostname}" resolves to ${address}, which has a zone`);
      addresses.add(canonical);
    }
    if (addresses.size === 0) throw new EgressError('not_found', `"${hostname}" has no address`);
    return [...addresses];
  } catch (error) {
    if (error instanceof EgressError) throw error;
    throw new EgressError('not_found', `"${hostname}" could not be resolved (${codeOf(error)})`, {
      cause: error,
    });
  } finally {
    clearTimeout(timer);
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : 'no reason given';
}
