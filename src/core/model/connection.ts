/** How the requests of a test connect to a host: client certificates, certificate authorities and TLS settings. */
import type { KnownText, Text } from './secret.ts';

export const TLS_VERSIONS = ['1.2', '1.3'] as const;

export type TlsVersion = (typeof TLS_VERSIONS)[number];

/** Settings of the connections to a host. Absent members are not set. */
export interface ConnectionOptions<Value extends KnownText = Text> {
  /** Client certificate in PEM format, followed by its intermediate certificates. */
  readonly cert?: Value;
  /** Private key of the client certificate in PEM format. Services never return it. */
  readonly key?: Value;
  /** Passphrase of the private key. Services never return it. */
  readonly passphrase?: Value;
  /** Certificates of the authorities that may sign the certificate of the host, in PEM format. */
  readonly ca?: Value;
  /** Name for SNI and the certificate check. */
  readonly serverName?: string;
  /** Lowest accepted TLS version. */
  readonly tlsMin?: TlsVersion;
}

/** A host of a test with the settings of its connections. */
export interface HostConnection<Value extends KnownText = Text> {
  /** Host as apps name it; without a port, it stands for all ports of the host. */
  readonly host: string;
  readonly options: ConnectionOptions<Value>;
}

/** Names of the members that contain text, which may be secret, in the file and in the API. */
export const CONNECTION_TEXTS = ['cert', 'key', 'passphrase', 'ca'] as const;

/** Names of the members whose values services never return. */
export const HIDDEN_TEXTS = ['key', 'passphrase'] as const;

/** Names of the other members, in the file and in the API. */
export const CONNECTION_NAMES = { serverName: 'server_name', tlsMin: 'tls_min' } as const;

/** Returns the name of a text of a host, as a member of the field. */
export function connectionMember(host: string, name: (typeof CONNECTION_TEXTS)[number]): string {
  return `${host}/${name}`;
}

/** Converts the texts of the settings. */
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

/** Returns the settings for a host and port; if there are none, those for all ports of the host. */
export function connectionOf<Value extends KnownText>(
  connections: readonly HostConnection<Value>[] | null,
  { authority, bareHost }: { readonly authority: string; readonly bareHost: string },
): ConnectionOptions<Value> | null {
  const entryOf = (name: string) => connections?.find(({ host }) => host === name);
  return (entryOf(authority) ?? entryOf(bareHost))?.options ?? null;
}
