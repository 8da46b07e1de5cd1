/** Lowering of `connection` of apps and tests. The only module that merges the fields of an app and a test. */
import {
  CONNECTION_NAMES,
  CONNECTION_TEXTS,
  TLS_VERSIONS,
  type ConnectionOptions,
  type HostConnection,
} from '../core/model/connection.ts';
import type { FieldPath } from '../core/field-reference.ts';
import type { TargetSpec } from '../core/model/load-test.ts';
import { Secret, type Text } from '../core/model/secret.ts';
import { TEST_FIELDS } from '../core/model/test-fields.ts';
import { readUrl } from '../core/model/url.ts';
import { pointerOf } from '../core/pointer.ts';
import type { ConnectionEntry } from './generated/config-file.ts';
import { textAtPointer } from './lower-target.ts';
import { addError, quote, type LoweringContext } from './quantities.ts';

/** `connection` of an app. */
export interface AppConnection {
  readonly host: string;
  /** Pointer of the field. */
  readonly pointer: string;
  readonly entry: ConnectionEntry;
  readonly options: ConnectionOptions;
}

export function lowerConnection(
  to: LoweringContext,
  entry: ConnectionEntry,
  pointer: string,
): ConnectionOptions {
  const texts = CONNECTION_TEXTS.flatMap((name) => {
    if (entry[name] === undefined) return [];
    const text = textAtPointer(to, `${pointer}/${name}`);
    return [[name, name === 'key' || name === 'passphrase' ? toSecret(name, text) : text] as const];
  });
  const { server_name: serverName, tls_min: tlsMin } = entry;
  const version = TLS_VERSIONS.find((one) => one === String(tlsMin));
  if (tlsMin !== undefined && version === undefined) {
    const message = `${quote(String(tlsMin))} is not a supported TLS version; write "1.2" or "1.3"`;
    addError(to, 'LT_CONFIG_VALUE', message, `${pointer}/${CONNECTION_NAMES.tlsMin}`);
  }
  return {
    ...Object.fromEntries(texts),
    ...(serverName === undefined ? {} : { serverName }),
    ...(version === undefined ? {} : { tlsMin: version }),
  };
}

/** Returns a text as a secret, so that a key from a file is never displayed. */
function toSecret(name: string, text: Text): Text {
  return typeof text === 'string' ? { parts: [new Secret(name, text)] } : text;
}

/**
 * Returns the connections of a test: the fields of the app of each host, overridden by those of the test.
 * @param apps - `connection` of the apps
 * @param hosts - hosts of all apps
 */
export function mergeConnections(
  own: ConnectionOptions | null,
  apps: readonly AppConnection[],
  { targets, hosts }: { readonly targets: readonly TargetSpec[]; readonly hosts: ReadonlySet<string> },
): readonly HostConnection[] | null {
  const used = new Map<string, { secure: boolean }>();
  for (const { url } of targets) {
    const read = readUrl(url);
    if (read === null) continue;
    const host = hosts.has(read.authority) || !hosts.has(read.bareHost) ? read.authority : read.bareHost;
    used.set(host, { secure: read.secure || (used.get(host)?.secure ?? false) });
  }
  const connections = [...used].flatMap(([host, { secure }]): HostConnection[] => {
    const options = { ...apps.find((app) => app.host === host)?.options, ...own };
    return secure && Object.keys(options).length > 0 ? [{ host, options }] : [];
  });
  return connections.length === 0 ? null : connections;
}

/** Reports the first setting of a test whose URLs use no TLS. */
export function addUnusedConnection(to: LoweringContext, own: ConnectionOptions, pointer: string): void {
  const [member] = Object.keys(own);
  if (member === undefined) return;
  const names: Readonly<Record<string, string>> = CONNECTION_NAMES;
  const name = names[member] ?? member;
  const message = `"${name}" has no effect, because no URL of the test begins with https://; remove it`;
  addError(to, 'LT_CONFIG_VALUE', message, to.locations.key(`${pointer}/${name}`));
}

/**
 * Returns the pointer of a member of a merged connection, in the test or in the app.
 * @param at - pointer of the test
 */
export function connectionPointer(
  own: ConnectionEntry | undefined,
  apps: readonly AppConnection[],
  { path, at }: { readonly path: FieldPath; readonly at: string },
): string {
  const [, host, member = ''] = path;
  const name = String(member);
  const app = apps.find((one) => one.host === host);
  const isOwn = own !== undefined && Object.hasOwn(own, name);
  const inApp = app !== undefined && !isOwn && Object.hasOwn(app.entry, name);
  return (inApp ? app.pointer : at + pointerOf([TEST_FIELDS.connection.name])) + pointerOf([name]);
}
