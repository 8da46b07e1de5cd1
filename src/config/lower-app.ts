/** Lowering of `apps` to normalized hosts and their verification. */
import type { DeclaredApp, Publish } from '../core/model/app.ts';
import { appKey } from '../core/model/ids.ts';
import { pointerOf } from '../core/pointer.ts';
import { quote } from '../core/quote.ts';
import { milliseconds } from '../core/units.ts';
import type { AppsEntry, VerificationEntry } from './generated/config-file.ts';
import { authorityOf } from '../core/model/url.ts';
import { parseHost } from './hosts.ts';
import { addOtherHosts, lowerConnection, type AppConnection } from './lower-connection.ts';
import {
  fieldOf,
  lowerDuration,
  lowerFlag,
  addError,
  addWarning,
  type LoweringContext,
} from './quantities.ts';

export const DEFAULT_WAIT_MS = milliseconds(120_000);

export function lowerAppConnections(to: LoweringContext, apps: AppsEntry): readonly AppConnection[] {
  return Object.entries(apps).flatMap(([key, entry]): AppConnection[] => {
    if (typeof entry === 'string' || entry.connection === undefined) return [];
    const read = parseHost(entry.app ?? '');
    const pointer = pointerOf(['apps', key, 'connection']);
    const connection = lowerConnection(to, entry.connection, pointer);
    if ('fault' in read) return [];
    addOtherHosts(to, read.host, connection);
    return [{ host: read.host, ...connection }];
  });
}

export function lowerApps(
  to: LoweringContext,
  apps: AppsEntry,
  connections: readonly AppConnection[],
): DeclaredApp[] {
  const keys = new Map<string, string>();
  return Object.entries(apps).flatMap(([key, entry]): DeclaredApp[] => {
    const at = pointerOf(['apps', key]);
    const pointer = typeof entry === 'string' ? at : `${at}/app`;
    const text = typeof entry === 'string' ? entry : entry.app;
    const verification = typeof entry === 'string' ? {} : (entry.verification ?? {});
    const rest = lowerVerification(to, verification, `${at}/verification`);
    if (text === undefined) {
      if (to.isComplete(at))
        addError(
          to,
          'LT_CONFIG_SHAPE',
          `the app "${key}" has no "app"; set "app" to its host`,
          to.locations.key(at),
        );
      return [];
    }
    const read = parseHost(text);
    if ('fault' in read) {
      addError(to, 'LT_CONFIG_VALUE', `${quote(text)} ${read.fault}`, pointer);
      return [];
    }
    if (read.droppedPort !== null) {
      addWarning(
        to,
        `the port ${read.droppedPort} of ${quote(text)} is a default port and has no effect; write "${read.host}"`,
        pointer,
      );
    }
    const other = keys.get(read.host);
    if (other !== undefined) {
      addError(
        to,
        'LT_CONFIG_VALUE',
        `"${read.host}" is already the host of the app "${other}"; remove one of the two apps`,
        pointer,
      );
    }
    keys.set(read.host, key);
    const own = connections.find(({ host }) => host === read.host);
    const connection = own === undefined ? null : { ...own.options, ...own.addresses[0]?.options };
    return [{ key: appKey(key), host: read.host, ...rest, connection, source: to.locations.key(at) }];
  });
}

/**
 * Returns the hosts of apps that are written as URLs. Errors are reported for these URLs, so requests to these hosts
 * must not also report a missing app.
 */
export function hostsOfUrls(apps: AppsEntry): string[] {
  return Object.values(apps).flatMap((entry) => {
    const text = typeof entry === 'string' ? entry : (entry.app ?? '');
    return authorityOf(text) ?? [];
  });
}

function lowerVerification(
  to: LoweringContext,
  entry: VerificationEntry,
  at: string,
): Pick<DeclaredApp, 'method' | 'publish' | 'wait'> {
  const method = entry.method ?? 'http';
  if (method !== 'http' && method !== 'dns') {
    addWarning(
      to,
      `"${method}" is not a known verification method ("http" or "dns"); loadtests passes it to the service unchanged`,
      `${at}/method`,
    );
  }
  const wait = lowerDuration(to, fieldOf(entry, 'wait', at), { bare: null, unit: 'ms', min: 0 });
  return { method, publish: lowerPublish(to, entry, at), wait: wait ?? DEFAULT_WAIT_MS };
}

function lowerPublish(to: LoweringContext, entry: VerificationEntry, at: string): Publish {
  const manual = lowerFlag(to, fieldOf(entry, 'manual', at)) ?? false;
  const { directory, command } = entry;
  const ways = [directory !== undefined, command !== undefined, manual].filter(Boolean);
  if (ways.length > 1) {
    addError(
      to,
      'LT_CONFIG_VALUE',
      '"directory", "command" and "manual" cannot be combined; keep one of them',
      to.locations.key(at),
    );
  }
  for (const [key, text] of [['directory', directory] as const, ['command', command] as const]) {
    if (text?.includes('\0') === true)
      addError(to, 'LT_CONFIG_VALUE', `"${key}" contains a NUL character; remove it`, `${at}/${key}`);
  }
  if (directory !== undefined) return { kind: 'directory', directory };
  if (command !== undefined) return { kind: 'command', command };
  return { kind: 'manual' };
}
