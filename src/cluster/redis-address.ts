/** Parsing of the Redis address that an operator configures. */
import { Secret } from '../core/model/secret.ts';
import { problem, ProblemError } from '../core/problem.ts';

export interface HostAndPort {
  readonly host: string;
  readonly port: number;
}

export type RedisLocation =
  | { readonly kind: 'server'; readonly server: HostAndPort; readonly tls: boolean }
  /** Sentinels, which report the address of the current primary. */
  | {
      readonly kind: 'sentinel';
      readonly sentinels: readonly HostAndPort[];
      readonly name: string;
      readonly tls: boolean;
      /**
       * Password of the sentinels; null if none is set. The user and password before the `@` are those of the Redis
       * server.
       */
      readonly password: Secret | null;
    }
  | { readonly kind: 'socket'; readonly path: string };

export interface RedisAddress {
  readonly location: RedisLocation;
  /** User name; null selects the user `default`. */
  readonly user: string | null;
  readonly password: Secret | null;
  readonly database: number;
  /** Address without credentials, for messages. */
  readonly displayAddress: string;
}

const ADDRESS_FORMS =
  'redis://HOST:PORT, rediss://HOST:PORT (TLS), redis+sentinel://HOST:PORT,HOST:PORT/NAME, rediss+sentinel://… or unix:///PATH';

const DEFAULT_REDIS_PORT = 6379;
const DEFAULT_SENTINEL_PORT = 26_379;

/**
 * Parses `redis://user:password@host:port/database` and the other forms in `ADDRESS_FORMS`. `?sentinel_password=…` sets
 * the password of the sentinels.
 *
 * @throws ProblemError LT_CLUSTER_REDIS if the address is invalid. The message omits the address, which may contain a
 * password.
 */
export function parseRedisAddress(text: string): RedisAddress {
  const parts = /^([a-z+]+):\/\/([^/?#]*)([^?#]*)(?:\?([^#]*))?$/.exec(text.trim());
  if (parts === null) throw createAddressError('is not a valid URL');
  const [, scheme = '', authority = '', path = '', query = ''] = parts;
  const at = authority.lastIndexOf('@');
  const hosts = authority.slice(at + 1);
  const { user, password } = parseCredentials(authority.slice(0, Math.max(at, 0)));
  const parameters = new URLSearchParams(query);
  for (const name of parameters.keys()) {
    if (name !== 'sentinel_password' || !scheme.endsWith('+sentinel'))
      throw createAddressError('has an unsupported parameter');
  }
  const credentials = { user, password: toSecret(password) };
  if (scheme === 'unix') {
    if (hosts !== '' || path.length < 2)
      throw createAddressError('must contain a path but no host, as in unix:///run/redis.sock');
    return {
      ...credentials,
      location: { kind: 'socket', path: decodeComponent(path) },
      database: 0,
      displayAddress: `unix://${path}`,
    };
  }
  const tls = scheme.startsWith('rediss');
  const displayAddress = `${scheme}://${hosts}`;
  if (scheme === 'redis' || scheme === 'rediss') {
    const server = parseHostAndPort(hosts, DEFAULT_REDIS_PORT);
    const database = parseDatabase(path.slice(1));
    return { ...credentials, location: { kind: 'server', server, tls }, database, displayAddress };
  }
  if (scheme !== 'redis+sentinel' && scheme !== 'rediss+sentinel')
    throw createAddressError('has an unsupported scheme');
  const sentinels = hosts.split(',').map((host) => parseHostAndPort(host, DEFAULT_SENTINEL_PORT));
  const [name = '', database = '', ...rest] = path.slice(1).split('/');
  if (name === '' || rest.length > 0)
    throw createAddressError(
      'must name the server that the sentinels monitor, as in redis+sentinel://HOST:26379/NAME',
    );
  const location = {
    kind: 'sentinel' as const,
    sentinels,
    name: decodeComponent(name),
    tls,
    password: toSecret(parameters.get('sentinel_password')),
  };
  return {
    ...credentials,
    location,
    database: parseDatabase(database),
    displayAddress: `${displayAddress}/${name}`,
  };
}

/** True if an address, even an invalid one, contains a password. */
export function holdsPassword(text: string): boolean {
  return /:\/\/[^/?#]*:[^/?#]*@/.test(text) || text.includes('sentinel_password=');
}

function parseCredentials(text: string): { readonly user: string | null; readonly password: string | null } {
  if (text === '') return { user: null, password: null };
  const colon = text.indexOf(':');
  if (colon < 0) throw createAddressError('has a user without a password');
  const user = decodeComponent(text.slice(0, colon));
  return { user: user === '' ? null : user, password: decodeComponent(text.slice(colon + 1)) };
}

function toSecret(password: string | null): Secret | null {
  return password === null ? null : new Secret('LOADTESTS_REDIS', password);
}

function parseHostAndPort(text: string, defaultPort: number): HostAndPort {
  const [, bracketed, plain, digits] = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:[\]]+))(?::(\d+))?$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  const port = digits === undefined ? defaultPort : Number(digits);
  if (host === undefined || port < 1 || port > 65_535)
    throw createAddressError('has an invalid host or port');
  return { host, port };
}

function parseDatabase(text: string): number {
  if (!/^\d{0,4}$/.test(text)) throw createAddressError('has an invalid database number');
  return Number(text);
}

function decodeComponent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw createAddressError('has invalid percent-encoding');
  }
}

function createAddressError(predicate: string): ProblemError {
  const hint = `use ${ADDRESS_FORMS}; percent-encode characters such as "/", "?", "#" and "@" in a password`;
  return new ProblemError(problem('LT_CLUSTER_REDIS', `the Redis address ${predicate}`, { hint }));
}
