/** Where a Redis is, as an operator writes it. */
import { Secret } from '../core/model/secret.ts';
import { problem, ProblemError } from '../core/problem.ts';

export interface HostAndPort {
  readonly host: string;
  readonly port: number;
}

export type RedisPlace =
  | { readonly kind: 'server'; readonly server: HostAndPort; readonly tls: boolean }
  /** Some of these know which server has the data now. */
  | {
      readonly kind: 'sentinel';
      readonly sentinels: readonly HostAndPort[];
      readonly name: string;
      readonly tls: boolean;
      /** Of the sentinels themselves; the user and password of the address are those of the server. */
      readonly password: Secret | null;
    }
  | { readonly kind: 'socket'; readonly path: string };

export interface RedisAddress {
  readonly place: RedisPlace;
  /** Null: the user `default`. */
  readonly user: string | null;
  readonly password: Secret | null;
  readonly database: number;
  /** The address without credentials, for people. */
  readonly shown: string;
}

const FORMS =
  'redis://HOST:PORT, rediss://HOST:PORT (TLS), redis+sentinel://HOST:PORT,HOST:PORT/NAME, rediss+sentinel://… or unix:///PATH';

const REDIS_PORT = 6379;
const SENTINEL_PORT = 26_379;

/**
 * Reads `redis://user:password@host:port/database` and the other forms. A `?sentinel_password=…` is for the sentinels.
 *
 * Errors: ProblemError LT_CLUSTER_REDIS, without the text, which may hold a password.
 */
export function readRedisAddress(text: string): RedisAddress {
  const parts = /^([a-z+]+):\/\/([^/?#]*)([^?#]*)(?:\?([^#]*))?$/.exec(text.trim());
  if (parts === null) throw notAnAddress('is not a valid URL');
  const [, scheme = '', authority = '', path = '', query = ''] = parts;
  const at = authority.lastIndexOf('@');
  const hosts = authority.slice(at + 1);
  const { user, password } = credentialsIn(authority.slice(0, Math.max(at, 0)));
  const parameters = new URLSearchParams(query);
  for (const name of parameters.keys()) {
    if (name !== 'sentinel_password' || !scheme.endsWith('+sentinel'))
      throw notAnAddress('has a parameter that is not known');
  }
  const who = { user, password: secretOf(password) };
  if (scheme === 'unix') {
    if (authority !== '' || path.length < 2)
      throw notAnAddress('must name a file, such as unix:///run/redis.sock');
    return { ...who, place: { kind: 'socket', path: decoded(path) }, database: 0, shown: `unix://${path}` };
  }
  const tls = scheme.startsWith('rediss');
  const shown = `${scheme}://${hosts}`;
  if (scheme === 'redis' || scheme === 'rediss') {
    const server = hostAndPort(hosts, REDIS_PORT);
    const database = databaseIn(path.slice(1));
    return { ...who, place: { kind: 'server', server, tls }, database, shown };
  }
  if (scheme !== 'redis+sentinel' && scheme !== 'rediss+sentinel')
    throw notAnAddress('is not of a known kind');
  const sentinels = hosts.split(',').map((host) => hostAndPort(host, SENTINEL_PORT));
  const [name = '', database = '', ...rest] = path.slice(1).split('/');
  if (name === '' || rest.length > 0)
    throw notAnAddress(
      'must name the server that the sentinels watch, as in redis+sentinel://HOST:26379/NAME',
    );
  const place = {
    ...{ kind: 'sentinel' as const, sentinels, name: decoded(name), tls },
    password: secretOf(parameters.get('sentinel_password')),
  };
  return { ...who, place, database: databaseIn(database), shown: `${shown}/${name}` };
}

/** Whether an address, well written or not, has a password that command lines must not show. */
export function holdsPassword(text: string): boolean {
  return /:\/\/[^/?#]*:[^/?#]*@/.test(text) || text.includes('sentinel_password=');
}

function credentialsIn(text: string): { readonly user: string | null; readonly password: string | null } {
  if (text === '') return { user: null, password: null };
  const colon = text.indexOf(':');
  if (colon < 0) throw notAnAddress('has a user without a password');
  const user = decoded(text.slice(0, colon));
  return { user: user === '' ? null : user, password: decoded(text.slice(colon + 1)) };
}

function secretOf(password: string | null): Secret | null {
  return password === null ? null : new Secret('LOADTESTS_REDIS', password);
}

function hostAndPort(text: string, otherwise: number): HostAndPort {
  const [, bracketed, plain, digits] = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:[\]]+))(?::(\d+))?$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  const port = digits === undefined ? otherwise : Number(digits);
  if (host === undefined || port < 1 || port > 65_535) throw notAnAddress('has no valid host and port');
  return { host, port };
}

function databaseIn(text: string): number {
  if (!/^\d{0,4}$/.test(text)) throw notAnAddress('has a database that is not a number');
  return Number(text);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw notAnAddress('has a part that is not percent-encoded');
  }
}

function notAnAddress(what: string): ProblemError {
  const hint = `write ${FORMS}; characters such as "/", "?", "#" and "@" in a password are percent-encoded`;
  return new ProblemError(problem('LT_CLUSTER_REDIS', `the address of Redis ${what}`, { hint }));
}
