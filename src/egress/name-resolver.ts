import { lookup, Resolver } from 'node:dns/promises';
import { codeOf } from '../core/unknown-value.ts';
import { EgressError } from './egress-error.ts';

export interface NameResolver {
  /**
   * Returns the IP addresses of a name.
   * @throws EgressError `not_found` or `timeout`.
   */
  resolveAddresses(name: string): Promise<readonly string[]>;
  /**
   * Returns the TXT records of a name, with the chunks of each record joined. Returns an empty list if the
   * name does not exist or has no TXT records. `localhost` and the names under it have none, and are not queried.
   * @throws EgressError `not_found` if the server fails, `timeout` if it does not respond in time.
   */
  resolveTxtRecords(name: string): Promise<readonly string[]>;
}

const RESOLVE_TIMEOUT_MS = 10_000;
/** Timeout for one query to one server, in ms. Each query is tried twice. */
const QUERY_TIMEOUT_MS = 2000;

/**
 * By default, addresses are looked up by the operating system, including its hosts file.
 * @param servers - Servers to query instead, as `address` or `address:port`. `localhost` names are resolved without a
 * query (RFC 6761, section 6.3).
 * @throws EgressError if a server is not an address.
 */
export function createNameResolver(servers: readonly string[] = []): NameResolver {
  const resolver = new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: 2 });
  if (servers.length > 0) setServers(resolver, servers);
  const lookUpAddresses =
    servers.length > 0
      ? async (name: string) => await resolveBothFamilies(resolver, name)
      : async (name: string) =>
          (await lookup(name, { all: true, verbatim: true })).map(({ address }) => address);
  return {
    resolveAddresses: async (name) => await withDeadline(name, async () => await lookUpAddresses(name)),
    resolveTxtRecords: async (name) =>
      await withDeadline(name, async () => {
        if (isLocalhost(name)) return [];
        const records = await resolver.resolveTxt(name).catch(emptyIfAbsent);
        return records.map((chunks) => chunks.join(''));
      }),
  };
}

function setServers(resolver: Resolver, servers: readonly string[]): void {
  try {
    resolver.setServers(servers);
  } catch (error) {
    const message = `"${servers.join(', ')}" contains an invalid name server address; write each address like 127.0.0.1:53`;
    throw new EgressError('bad_name', message, { cause: error });
  }
}

async function resolveBothFamilies(resolver: Resolver, name: string): Promise<readonly string[]> {
  if (isLocalhost(name)) return ['127.0.0.1', '::1'];
  const [ipv4, ipv6] = await Promise.all([
    resolver.resolve4(name).catch(emptyIfAbsent),
    resolver.resolve6(name).catch(emptyIfAbsent),
  ]);
  return [...ipv4, ...ipv6];
}

/** Reports whether a name is `localhost` or is under it. Such names are not queried (RFC 6761, section 6.3). */
function isLocalhost(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost');
}

function emptyIfAbsent(error: unknown): never[] {
  if (['ENOTFOUND', 'ENODATA'].includes(dnsCodeOf(error))) return [];
  throw error;
}

/**
 * Returns the result of a query, or throws after the time limit. Queries cannot be canceled, so a late result is
 * discarded.
 */
async function withDeadline<T>(name: string, resolve: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new EgressError('timeout', `"${name}" was not resolved within ${RESOLVE_TIMEOUT_MS} ms`)),
      RESOLVE_TIMEOUT_MS,
    );
  });
  try {
    return await Promise.race([resolve(), timeout]);
  } catch (error) {
    if (error instanceof EgressError) throw error;
    const kind = dnsCodeOf(error) === 'ETIMEOUT' ? 'timeout' : 'not_found';
    throw new EgressError(kind, `"${name}" could not be resolved (${dnsCodeOf(error)})`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

function dnsCodeOf(error: unknown): string {
  return codeOf(error) ?? 'unknown error';
}
