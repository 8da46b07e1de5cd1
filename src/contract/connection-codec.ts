/** The API represents the connections as a map by host. */
import {
  CONNECTION_NAMES,
  CONNECTION_TEXTS,
  HIDDEN_TEXTS,
  IP_VERSIONS,
  TLS_VERSIONS,
  mapTexts,
  type ConnectionOptions,
  type HostConnection,
} from '../core/model/connection.ts';
import { withoutUndefined } from '../core/present-fields.ts';
import { ReturnedText, revealText, type KnownText } from '../core/model/secret.ts';
import { isObject } from '../core/unknown-value.ts';
import type { ConnectionEntry } from './generated/test-create.ts';

type WireConnection = Record<string, ConnectionEntry>;

export function encodeConnection(connections: readonly HostConnection[]): WireConnection {
  return Object.fromEntries(connections.map(({ host, options }) => [host, encodeConnectionOptions(options)]));
}

export function encodeConnectionOptions(options: ConnectionOptions): ConnectionEntry {
  const { serverName, tlsMin, resolve, ...same } = mapTexts(options, revealText);
  const hasAddresses = resolve !== undefined && resolve.length > 0;
  return withoutUndefined({
    ...same,
    [CONNECTION_NAMES.serverName]: serverName,
    [CONNECTION_NAMES.tlsMin]: tlsMin,
    resolve: hasAddresses ? [...resolve] : undefined,
  });
}

/** Encodes connections without the members that responses must not contain. */
export function encodeListedConnection(connections: readonly HostConnection[]): Record<string, unknown> {
  const listed = Object.entries(encodeConnection(connections)).map(([host, entry]) => [
    host,
    Object.fromEntries(Object.entries(entry).filter(([name]) => !HIDDEN_TEXTS.some((one) => one === name))),
  ]);
  return Object.fromEntries(listed) as Record<string, unknown>;
}

export function decodeConnection(wire: WireConnection): readonly HostConnection[] {
  return Object.entries(wire).map(([host, entry]) => ({ host, options: decodeConnectionOptions(entry) }));
}

export function decodeConnectionOptions({
  server_name: serverName,
  tls_min: tlsMin,
  ...same
}: ConnectionEntry): ConnectionOptions<string> {
  return withoutUndefined({ ...same, serverName, tlsMin });
}

/** Returns null if the field is absent, or if the service uses the field for another purpose. */
export function readConnection(value: unknown): readonly HostConnection<KnownText>[] | null {
  if (!isObject(value)) return null;
  const read = Object.entries(value).map(([host, entry]) => {
    const options = isObject(entry) ? readOptions(entry) : null;
    return options && { host, options };
  });
  const known = read.filter((one) => one !== null);
  return known.length === 0 || known.length < read.length ? null : known;
}

function readOptions(entry: Readonly<Record<string, unknown>>): ConnectionOptions<KnownText> | null {
  const texts = CONNECTION_TEXTS.flatMap((name) =>
    typeof entry[name] === 'string' ? [[name, new ReturnedText(entry[name])] as const] : [],
  );
  const serverName = entry[CONNECTION_NAMES.serverName];
  const tlsMin = TLS_VERSIONS.find((version) => version === entry[CONNECTION_NAMES.tlsMin]);
  const resolve = entry[CONNECTION_NAMES.resolve];
  const ip = IP_VERSIONS.find((version) => version === entry[CONNECTION_NAMES.ip]);
  const isList = Array.isArray(resolve) && resolve.every((address) => typeof address === 'string');
  const options: ConnectionOptions<KnownText> = {
    ...Object.fromEntries(texts),
    ...(typeof serverName === 'string' ? { serverName } : {}),
    ...(tlsMin === undefined ? {} : { tlsMin }),
    ...(isList ? { resolve } : {}),
    ...(ip === undefined ? {} : { ip }),
  };
  return Object.keys(options).length < Object.keys(entry).length ? null : options;
}
