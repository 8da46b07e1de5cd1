/** ConfigFile to what is wanted: text becomes quantities, names are looked up, and every meaning is checked. */
import { testKey, type TestKey } from '../core/model/ids.ts';
import { HOSTED_CAPABILITIES, embeddedCapabilities } from '../core/model/capabilities.ts';
import type { DeclaredTest } from '../core/model/load-test.ts';
import type { DesiredState, Limits } from '../core/model/state.ts';
import { pointerOf } from '../core/pointer.ts';
import { resultOf, type Result } from '../core/result.ts';
import type { ConfigFile, LimitsEntry } from './generated/config-file.ts';
import { parseHost } from './hosts.ts';
import { lowerApps, hostsOfUrls } from './lower-app.ts';
import { lowerService, lowerWebServer, type ServiceConfig, type WebServerConfig } from './lower-service.ts';
import { lowerTest } from './lower-test.ts';
import type { IsComplete } from './partial-tree.ts';
import type { ReadRows } from './included-files.ts';
import { fieldOf, lowerDuration, lowerWhole, quote, addError, type LoweringContext } from './quantities.ts';
import type { TreeLocations } from './config-tree.ts';

export interface LoweredConfig {
  readonly desired: DesiredState;
  readonly service: ServiceConfig | null;
  readonly webServer: WebServerConfig | null;
}

export interface LowerOptions {
  readonly locations: TreeLocations;
  readonly isComplete: IsComplete;
  readonly readRows: ReadRows;
  /** Of all tests of the file, also of those that are not to be lowered. */
  readonly testKeys: ReadonlySet<string>;
  readonly environment: string | null;
  /** LOADTESTS_BASE_URL names a service where the file names none. */
  readonly remoteByEnvironment: boolean;
}

export function lowerConfig(file: ConfigFile, options: LowerOptions): Result<LoweredConfig> {
  const to: LoweringContext = {
    locations: options.locations,
    isComplete: options.isComplete,
    readRows: options.readRows,
    problems: [],
  };
  const service = file.service === undefined ? null : lowerService(to, file.service);
  const webServer = file.web_server === undefined ? null : lowerWebServer(to, file.web_server);
  const apps = lowerApps(to, file.apps ?? {});
  const entries = Object.entries(file.tests ?? {});
  const hosts = new Set([...apps.map((app) => app.host), ...hostsOfUrls(file.apps ?? {})]);
  const remote = (service !== null && service.baseUrl !== null) || options.remoteByEnvironment;
  const embedded = embeddedCapabilities(hosts);
  const abilitiesHere = to.isComplete('/apps') ? embedded : { ...embedded, mayCall: () => true };
  const around = {
    hosts: to.isComplete('/apps') ? hosts : null,
    capabilities: remote ? HOSTED_CAPABILITIES : abilitiesHere,
    testKeys: options.testKeys,
  };
  const tests = entries.map(([key, entry]) => lowerTest(to, key, entry, around));
  checkCycles(to, tests);
  checkIds(to, tests);
  const desired: DesiredState = {
    project: file.project,
    environment: options.environment,
    apps,
    tests,
    moved: lowerMoved(to, file.moved ?? {}, around.testKeys),
    limits: lowerLimits(to, file.limits ?? {}),
  };
  return resultOf({ desired, service, webServer }, to.problems);
}

/** Each circle is told once, at the "needs" that closes it. Walks with a stack of its own: chains may be long. */
function checkCycles(to: LoweringContext, tests: readonly DeclaredTest[]): void {
  const needsOf = new Map(tests.map((test) => [test.key, test.needs]));
  const done = new Set<string>();
  for (const { key: start } of tests) {
    const path = [{ key: start, next: 0 }];
    const onPath = new Set([start]);
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const needed = done.has(top.key) ? undefined : needsOf.get(top.key)?.[top.next];
      if (needed === undefined) {
        done.add(top.key);
        onPath.delete(top.key);
        path.pop();
        continue;
      }
      const place = pointerOf(['tests', top.key, 'needs', top.next]);
      top.next++;
      if (onPath.has(needed)) {
        const keys = path.map(({ key }) => key);
        const circle = cycleText(keys.slice(keys.indexOf(needed)));
        addError(to, 'LT_CONFIG_CYCLE', `"needs" is circular: ${circle}; remove one of them`, place);
      } else if (!done.has(needed) && needsOf.has(needed)) {
        path.push({ key: needed, next: 0 });
        onPath.add(needed);
      }
    }
  }
}

function cycleText(keys: readonly string[]): string {
  const shown = keys.length > 8 ? [...keys.slice(0, 4), '…', ...keys.slice(-3)] : keys;
  return [...shown, keys[0] ?? ''].join(' → ');
}

function checkIds(to: LoweringContext, tests: readonly DeclaredTest[]): void {
  const owners = new Map<string, string>();
  for (const { key, adopt } of tests) {
    if (adopt === null) continue;
    const other = owners.get(adopt);
    if (other !== undefined) {
      addError(
        to,
        'LT_CONFIG_VALUE',
        `"${adopt}" is already adopted by "${other}"`,
        pointerOf(['tests', key, 'id']),
      );
    }
    owners.set(adopt, key);
  }
}

function lowerMoved(
  to: LoweringContext,
  moved: Readonly<Record<string, string>>,
  known: ReadonlySet<string>,
): DesiredState['moved'] {
  const sources = new Map<string, string>();
  const nextOf = new Map(Object.entries(moved).map(([current, former]) => [former, current]));
  const keys = new Map<TestKey, TestKey>();
  for (const [current, former] of Object.entries(moved)) {
    const at = pointerOf(['moved', current]);
    const last = endOfChain(current, nextOf, known);
    if (last !== null) keys.set(testKey(former), testKey(last));
    else {
      const message = `${quote(current)} is not a test of this file; write "moved" from new key to old key`;
      addError(to, 'LT_CONFIG_REFERENCE', message, to.locations.key(at));
    }
    if (current === former)
      addError(to, 'LT_CONFIG_VALUE', `"${current}" is moved to itself; remove the line`, at);
    else if (known.has(former)) {
      addError(
        to,
        'LT_CONFIG_VALUE',
        `"${former}" is still a test of this file, so it cannot have been renamed`,
        at,
      );
    }
    const other = sources.get(former);
    if (other !== undefined)
      addError(to, 'LT_CONFIG_VALUE', `"${former}" was already renamed to "${other}"`, at);
    sources.set(former, current);
  }
  return keys;
}

/** The key that a test has now, whatever it was called in between; null: no test has it. */
function endOfChain(
  key: string,
  nextOf: ReadonlyMap<string, string>,
  known: ReadonlySet<string>,
): string | null {
  const seen = new Set<string>();
  for (let now: string | undefined = key; now !== undefined && !seen.has(now); now = nextOf.get(now)) {
    if (known.has(now)) return now;
    seen.add(now);
  }
  return null;
}

/** A host is spelt as in the URLs that it is compared with: in ASCII, and without a port that a scheme implies. */
function lowerHostPattern(text: string): string {
  const [, wildcard = '', host = ''] = /^((?:\*\.)?)([^*]+)$/.exec(text) ?? [];
  const read = parseHost(host);
  return host === '' || 'fault' in read ? text : wildcard + read.host;
}

function lowerLimits(to: LoweringContext, entry: LimitsEntry): Limits {
  const at = '/limits';
  const hosts = entry.hosts?.map((text, index) => {
    const pattern = lowerHostPattern(text.toLowerCase());
    if (!/^[a-z0-9.*:_[\]-]+$/.test(pattern)) {
      addError(
        to,
        'LT_CONFIG_VALUE',
        `${quote(text)} is not a valid host; write "host", "host:port" or a pattern such as "*.example.com"`,
        `${at}/hosts/${index}`,
      );
    }
    return pattern;
  });
  return {
    maxConnections: lowerWhole(to, fieldOf(entry, 'max_connections', at), { min: 1 }),
    maxDuration: lowerDuration(to, fieldOf(entry, 'max_duration', at), { bare: 's', unit: 'ms', min: 1 }),
    hosts: hosts ?? null,
  };
}
