/** Codec of the connections of a test to its hosts, a map by host. */
import {
  CONNECTION_NAMES,
  CONNECTION_TEXTS,
  HIDDEN_TEXTS,
  TLS_VERSIONS,
  mapTexts,
  type ConnectionOptions,
  type HostConnection,
} from '../core/model/connection.ts';
import { ReturnedText, revealText, type KnownText } from '../core/model/secret.ts';
import { isObject } from '../core/unknown-value.ts';
import type { ConnectionEntry } from './generated/test-create.ts';

type WireConnection = Record<string, ConnectionEntry>;

export function encodeConnection(connections: readonly HostConnection[]): WireConnection {
  return Object.fromEntries(
    connections.map(({ host, options }) => {
      const { serverName, tlsMin, ...texts } = mapTexts(options, revealText);
      const entry: ConnectionEntry = {
        ...texts,
        ...(serverName === undefined ? {} : { [CONNECTION_NAMES.serverName]: serverName }),
        ...(tlsMin === undefined ? {} : { [CONNECTION_NAMES.tlsMin]: tlsMin }),
      };
      return [host, entry];
    }),
  );
}

/** Encodes connections without the members that responses never contain. */
export function encodeListedConnection(connections: readonly HostConnection[]): Record<string, unknown> {
  const listed = Object.entries(encodeConnection(connections)).map(([host, entry]) => [
    host,
    Object.fromEntries(Object.entries(entry).filter(([name]) => !HIDDEN_TEXTS.some((one) => one === name))),
  ]);
  return Object.fromEntries(listed) as Record<string, unknown>;
}

export function decodeConnection(wire: WireConnection): readonly HostConnection[] {
  return Object.entries(wire).map(([host, { server_name: serverName, tls_min: tlsMin, ...texts }]) => ({
    host,
    options: {
      ...texts,
      ...(serverName === undefined ? {} : { serverName }),
      ...(tlsMin === undefined ? {} : { tlsMin }),
    },
  }));
}

/** Reads listed connections; null if absent, or if the service uses the field for something else. */
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
  const options: ConnectionOptions<KnownText> = {
    ...Object.fromEntries(texts),
    ...(typeof serverName === 'string' ? { serverName } : {}),
    ...(tlsMin === undefined ? {} : { tlsMin }),
  };
  return Object.keys(options).length < Object.keys(entry).length ? null : options;
}
