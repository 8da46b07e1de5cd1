/** Lowering of `connection` of apps and tests. */
import {
  CONNECTION_NAMES,
  CONNECTION_TEXTS,
  IP_VERSIONS,
  TLS_MEMBERS,
  TLS_VERSIONS,
  connectionOf,
  type ConnectionOptions,
  type HostConnection,
} from '../core/model/connection.ts';
import { withoutUndefined } from '../core/present-fields.ts';
import type { FieldPath } from '../core/field-reference.ts';
import type { TargetSpec } from '../core/model/load-test.ts';
import { TEST_FIELDS } from '../core/model/test-fields.ts';
import { isLiteralAddress, readUrl } from '../core/model/url.ts';
import { pointerOf } from '../core/pointer.ts';
import { quote } from '../core/quote.ts';
import type { ConnectionEntry } from './generated/config-file.ts';
import { asSecret, textAtPointer } from './lower-target.ts';
import { addError, type LoweringContext } from './quantities.ts';

export interface LoweredConnection {
  readonly pointer: string;
  readonly entry: ConnectionEntry;
  /** Settings for all hosts, without addresses. */
  readonly options: ConnectionOptions;
  /** Settings for single hosts, which contain only addresses. */
  readonly addresses: readonly HostConnection[];
}

export interface AppConnection extends LoweredConnection {
  readonly host: string;
}

export function lowerConnection(
  to: LoweringContext,
  entry: ConnectionEntry,
  pointer: string,
): LoweredConnection {
  const addresses = Object.entries(entry.resolve ?? {}).map(([host, value]) => ({
    host: host.toLowerCase(),
    options: { resolve: typeof value === 'string' ? [value] : value },
  }));
  return { pointer, entry, options: lowerOptions(to, entry, pointer), addresses };
}

function lowerOptions(to: LoweringContext, entry: ConnectionEntry, pointer: string): ConnectionOptions {
  const texts = CONNECTION_TEXTS.flatMap((name) => {
    if (entry[name] === undefined) return [];
    const text = textAtPointer(to, `${pointer}/${name}`);
    return [[name, name === 'key' || name === 'passphrase' ? asSecret(name, text) : text] as const];
  });
  const { server_name: serverName, tls_min: tlsMin, ip } = entry;
  const version = TLS_VERSIONS.find((one) => one === String(tlsMin));
  if (tlsMin !== undefined && version === undefined) {
    const message = `${quote(String(tlsMin))} is not a supported TLS version; write "1.2" or "1.3"`;
    addError(to, 'LT_CONFIG_VALUE', message, `${pointer}/${CONNECTION_NAMES.tlsMin}`);
  }
  const ipVersion = IP_VERSIONS.find((one) => String(one) === String(ip));
  if (ip !== undefined && ipVersion === undefined) {
    const message = `${quote(String(ip))} is not an IP version; write 4 or 6`;
    addError(to, 'LT_CONFIG_VALUE', message, `${pointer}/${CONNECTION_NAMES.ip}`);
  }
  return {
    ...Object.fromEntries(texts),
    ...withoutUndefined({ serverName, tlsMin: version, ip: ipVersion }),
  };
}

/**
 * Returns the connections of a test, without settings that have no effect; null if no settings remain. For each host,
 * fields of the test override fields of the app.
 */
export function mergeConnections(
  own: LoweredConnection | null,
  apps: readonly AppConnection[],
  { targets, hosts }: { readonly targets: readonly TargetSpec[]; readonly hosts: ReadonlySet<string> },
): readonly HostConnection[] | null {
  const urls = targets.flatMap(({ url }) => readUrl(url) ?? []);
  const used = new Map(
    urls.map((url) => [
      hosts.has(url.authority) || !hosts.has(url.bareHost) ? url.authority : url.bareHost,
      url,
    ]),
  );
  const connections = [...used].flatMap(([host, url]): HostConnection[] => {
    const app = apps.find((one) => one.host === host);
    const isSecure = urls.some(({ bareHost, secure }) => secure && bareHost === url.bareHost);
    const isAddress = isLiteralAddress(host);
    const options = {
      ...(app === undefined ? {} : { ...app.options, ...connectionOf(app.addresses, url) }),
      ...own?.options,
      ...connectionOf(own?.addresses ?? [], url),
    };
    const effective = Object.entries(options).filter(
      ([name]) => (isSecure || !TLS_MEMBERS.some((one) => one === name)) && (name !== 'ip' || !isAddress),
    );
    return effective.length === 0 ? [] : [{ host, options: Object.fromEntries(effective) }];
  });
  return connections.length === 0 ? null : connections;
}

/** Reports settings of a test that affect none of its hosts: the first unused option and all unused addresses. */
export function addUnusedSettings(
  to: LoweringContext,
  { options, addresses, pointer }: LoweredConnection,
  merged: readonly HostConnection[] | null,
  urls: readonly string[],
): void {
  const names: Readonly<Record<string, string>> = CONNECTION_NAMES;
  const unused = Object.keys(options).filter(
    (member) => merged?.some((one) => Object.hasOwn(one.options, member)) !== true,
  );
  const [first] = unused;
  if (first !== undefined) {
    const reason =
      first === 'ip' ? 'all hosts of the test are IP addresses' : 'no URL of the test begins with https://';
    const name = names[first] ?? first;
    const message = `"${name}" has no effect, because ${reason}; remove it`;
    addError(to, 'LT_CONFIG_VALUE', message, to.locations.key(`${pointer}/${name}`));
  }
  const read = urls.flatMap((url) => readUrl(url) ?? []);
  for (const address of addresses) {
    if (read.some((url) => connectionOf([address], url) !== null)) continue;
    addUnknownHost(to, pointer, address.host, 'no URL of the test has this host');
  }
}

/** Reports addresses of hosts other than that of the app. */
export function addOtherHosts(
  to: LoweringContext,
  host: string,
  { addresses, pointer }: LoweredConnection,
): void {
  for (const address of addresses) {
    if (address.host === host) continue;
    addUnknownHost(to, pointer, address.host, `the host of the app is ${quote(host)}`);
  }
}

function addUnknownHost(to: LoweringContext, pointer: string, host: string, reason: string): void {
  const message = `the entry ${quote(host)} of "resolve" has no effect, because ${reason}; correct the host or remove the entry`;
  addError(
    to,
    'LT_CONFIG_VALUE',
    message,
    to.locations.key(pointer + pointerOf([CONNECTION_NAMES.resolve, host])),
  );
}

/**
 * Returns the pointer of the setting, in the test or in an app, from which a member of a merged connection comes.
 * @param at - Pointer of the test.
 */
export function connectionPointer(
  own: ConnectionEntry | undefined,
  apps: readonly AppConnection[],
  { path, at }: { readonly path: FieldPath; readonly at: string },
): string {
  const [, host, member = ''] = path;
  const name = String(member);
  const app = apps.find((one) => one.host === host);
  /** Returns the path of the member in an entry; null if the entry does not contain the member. */
  const pathIn = (entry: ConnectionEntry | undefined): readonly string[] | null => {
    if (name !== CONNECTION_NAMES.resolve)
      return entry !== undefined && Object.hasOwn(entry, name) ? [name] : null;
    const key = Object.keys(entry?.resolve ?? {}).find((one) => isPartOf(String(host), one.toLowerCase()));
    return key === undefined ? null : [name, key];
  };
  const ownPath = pathIn(own);
  const appPath = ownPath === null && app !== undefined ? pathIn(app.entry) : null;
  if (app !== undefined && appPath !== null) return app.pointer + pointerOf(appPath);
  return at + pointerOf([TEST_FIELDS.connection.name, ...(ownPath ?? [name])]);
}

/** Reports whether a host equals another host, with or without an additional port. */
function isPartOf(host: string, other: string): boolean {
  return host === other || host.startsWith(`${other}:`);
}
