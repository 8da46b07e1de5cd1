/** Settings for the connections of a test to a host: client certificates, certificate authorities and TLS settings. */
import { secretsOf, type KnownText, type Text } from './secret.ts';
import { authorityOf, readUrl } from './url.ts';

export const TLS_VERSIONS = ['1.2', '1.3'] as const;

export type TlsVersion = (typeof TLS_VERSIONS)[number];

export const IP_VERSIONS = [4, 6] as const;

export type IpVersion = (typeof IP_VERSIONS)[number];

export interface ConnectionOptions<Value extends KnownText = Text> {
  /** Client certificate in PEM format, followed by its intermediate certificates. */
  readonly cert?: Value;
  /** Private key of the client certificate in PEM format. */
  readonly key?: Value;
  readonly passphrase?: Value;
  /** Certificates of the authorities that may sign the certificate of the host, in PEM format. */
  readonly ca?: Value;
  /** Server name for SNI and the certificate check. */
  readonly serverName?: string;
  readonly tlsMin?: TlsVersion;
  /** Addresses of the host, used instead of DNS. */
  readonly resolve?: readonly string[];
  readonly ip?: IpVersion;
}

export interface HostConnection<Value extends KnownText = Text> {
  /**
   * Host, in the form of `DeclaredApp.host`. Without a port, the settings apply to all ports that have no entry of
   * their own.
   */
  readonly host: string;
  readonly options: ConnectionOptions<Value>;
}

/** Names, in the file and in the API, of the members whose values may contain secrets. */
export const CONNECTION_TEXTS = ['cert', 'key', 'passphrase', 'ca'] as const;

/** Names of the members that services never return. */
export const HIDDEN_TEXTS = ['key', 'passphrase'] as const;

/** Names, in the file and in the API, of the members that never contain secrets. */
export const CONNECTION_NAMES = {
  serverName: 'server_name',
  tlsMin: 'tls_min',
  resolve: 'resolve',
  ip: 'ip',
} as const;

/** Members that have no effect without TLS. */
export const TLS_MEMBERS = [...CONNECTION_TEXTS, 'serverName', 'tlsMin'] as const;

/** Returns `HOST/NAME`, which identifies a member in `CONNECTION_TEXTS` within the field `connection`. */
export function connectionMember(host: string, name: (typeof CONNECTION_TEXTS)[number]): string {
  return `${host}/${name}`;
}

export function textsOfConnection<Value extends KnownText>(
  options: ConnectionOptions<Value>,
): readonly Value[] {
  return CONNECTION_TEXTS.flatMap((name) => options[name] ?? []);
}

/**
 * Removes all members in `CONNECTION_TEXTS` if one of them contains an unset secret; otherwise returns the settings
 * unchanged.
 */
export function withKnownTexts(options: ConnectionOptions): ConnectionOptions {
  const isKnown = textsOfConnection(options)
    .flatMap(secretsOf)
    .every(({ present }) => present);
  if (isKnown) return options;
  const { cert: _cert, key: _key, passphrase: _passphrase, ca: _ca, ...others } = options;
  return others;
}

export function mapTexts<From extends KnownText, To extends KnownText>(
  options: ConnectionOptions<From>,
  convert: (text: From) => To,
): ConnectionOptions<To> {
  const { cert, key, passphrase, ca, ...others } = options;
  return {
    ...(cert === undefined ? {} : { cert: convert(cert) }),
    ...(key === undefined ? {} : { key: convert(key) }),
    ...(passphrase === undefined ? {} : { passphrase: convert(passphrase) }),
    ...(ca === undefined ? {} : { ca: convert(ca) }),
    ...others,
  };
}

/** Returns the settings for a host and port, otherwise those for the host without a port; null if there are none. */
export function connectionOf<Value extends KnownText>(
  connections: readonly HostConnection<Value>[] | null,
  { authority, bareHost }: { readonly authority: string; readonly bareHost: string },
): ConnectionOptions<Value> | null {
  const entryOf = (name: string) => connections?.find(({ host }) => host === name);
  return (entryOf(authority) ?? entryOf(bareHost))?.options ?? null;
}

/**
 * Returns the `address[:port]` strings that replace the host of a URL; empty if there are none or the URL is invalid.
 */
export function resolvedHostsOf(
  connections: readonly HostConnection<KnownText>[] | null,
  url: string,
): readonly string[] {
  if (connections === null) return [];
  const read = readUrl(url);
  if (read === null) return [];
  const { resolve = [] } = connectionOf(connections, read) ?? {};
  return resolve.flatMap((address) => {
    const host = address.includes(':') ? `[${address}]` : address;
    return authorityOf(`${read.secure ? 'https' : 'http'}://${host}:${read.port}`) ?? [];
  });
}
