/** Asks for the addresses and texts of names. Judges nothing. */
import { lookup, Resolver } from 'node:dns/promises';
import { EgressError } from './egress-error.ts';

export interface NameResolver {
  /** Errors: EgressError `not_found`, `timeout`. */
  resolveAddresses(name: string): Promise<readonly string[]>;
  /**
   * The TXT records of a name, each as one text: records come in pieces of 255 bytes.
   *
   * Shape:  none for a name that does not exist, or has none.
   * Errors: EgressError `not_found` when the server fails, `timeout`.
   */
  resolveTxtRecords(name: string): Promise<readonly string[]>;
}

const RESOLVE_TIMEOUT_MS = 10_000;
/** One question to one server, which is asked twice. */
const QUERY_TIMEOUT_MS = 2000;

/**
 * The system's own names: its hosts file and its servers.
 *
 * With `servers`, each as `address` or `address:port`, these are asked for everything instead, except `localhost`,
 * which no server may say anything about (RFC 6761, section 6.3).
 *
 * Errors: throws an EgressError for a server that is no address.
 */
export function createNameResolver(servers: readonly string[] = []): NameResolver {
  const resolver = new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: 2 });
  if (servers.length > 0) setServers(resolver, servers);
  const addresses =
    servers.length > 0
      ? async (name: string) => await resolveBothFamilies(resolver, name)
      : async (name: string) =>
          (await lookup(name, { all: true, verbatim: true })).map(({ address }) => address);
  return {
    resolveAddresses: async (name) => await withDeadline(name, async () => await addresses(name)),
    resolveTxtRecords: async (name) =>
      await withDeadline(name, async () => {
        const records = await resolver.resolveTxt(name).catch(emptyIfAbsent);
        return records.map((pieces) => pieces.join(''));
      }),
  };
}

function setServers(resolver: Resolver, servers: readonly string[]): void {
  try {
    resolver.setServers(servers);
  } catch (error) {
    const message = `"${servers.join(', ')}" are not valid name server addresses; write them like 127.0.0.1:53`;
    throw new EgressError('bad_name', message, { cause: error });
  }
}

async function resolveBothFamilies(resolver: Resolver, name: string): Promise<readonly string[]> {
  if (name === 'localhost' || name.endsWith('.localhost')) return ['127.0.0.1', '::1'];
  const [four, six] = await Promise.all([
    resolver.resolve4(name).catch(emptyIfAbsent),
    resolver.resolve6(name).catch(emptyIfAbsent),
  ]);
  return [...four, ...six];
}

/** A name without records is an answer, not a failure. */
function emptyIfAbsent(error: unknown): never[] {
  if (['ENOTFOUND', 'ENODATA'].includes(dnsCodeOf(error))) return [];
  throw error;
}

/** A question cannot be called off; its late answer is dropped. */
async function withDeadline<T>(name: string, ask: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new EgressError('timeout', `"${name}" was not resolved within ${RESOLVE_TIMEOUT_MS} ms`));
    }, RESOLVE_TIMEOUT_MS);
  });
  try {
    return await Promise.race([ask(), late]);
  } catch (error) {
    if (error instanceof EgressError) throw error;
    const kind = dnsCodeOf(error) === 'ETIMEOUT' ? 'timeout' : 'not_found';
    throw new EgressError(kind, `"${name}" could not be resolved (${dnsCodeOf(error)})`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

function dnsCodeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : 'no reason given';
}
