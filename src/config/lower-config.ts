/** Lowering of the validated file to the desired state: typed quantities, resolved names, and semantic checks. */
import { testAddress, testKey, type Address, type TestKey } from '../core/model/ids.ts';
import { HOSTED_CAPABILITIES, embeddedCapabilities, type Capabilities } from '../core/model/capabilities.ts';
import type { LocateField } from '../core/field-reference.ts';
import type { DeclaredTest } from '../core/model/load-test.ts';
import type { DesiredState, Limits } from '../core/model/state.ts';
import { pointerOf } from '../core/pointer.ts';
import { quote } from '../core/quote.ts';
import { resultOf, type Result } from '../core/result.ts';
import type { ConfigFile, LimitsEntry } from './generated/config-file.ts';
import { parseHost } from './hosts.ts';
import { lowerAppConnections, lowerApps, hostsOfUrls } from './lower-app.ts';
import { lowerService, lowerWebServer, type ServiceConfig, type WebServerConfig } from './lower-service.ts';
import { fieldLocatorOf, lowerTest } from './lower-test.ts';
import type { IsComplete } from './partial-tree.ts';
import type { UploadReaders } from './included-files.ts';
import { fieldOf, lowerDuration, lowerInteger, addError, type LoweringContext } from './quantities.ts';
import type { TreeLocations } from './config-tree.ts';

export interface LoweredConfig {
  readonly desired: DesiredState;
  readonly service: ServiceConfig;
  readonly webServer: WebServerConfig | null;
  readonly fieldLocators: ReadonlyMap<Address, LocateField>;
}

export interface LowerOptions extends UploadReaders {
  readonly locations: TreeLocations;
  readonly isComplete: IsComplete;
  /** Keys of all tests in the file, including invalid tests, which are not lowered. */
  readonly testKeys: ReadonlySet<string>;
  readonly environment: string | null;
  readonly remoteByEnvironment: boolean;
}

export function lowerConfig(file: ConfigFile, options: LowerOptions): Result<LoweredConfig> {
  const to: LoweringContext = {
    locations: options.locations,
    isComplete: options.isComplete,
    readRows: options.readRows,
    readBodyFile: options.readBodyFile,
    problems: [],
  };
  const service = lowerService(to, file.service ?? {});
  const webServer = file.web_server === undefined ? null : lowerWebServer(to, file.web_server);
  const appConnections = lowerAppConnections(to, file.apps ?? {});
  const apps = lowerApps(to, file.apps ?? {}, appConnections);
  const entries = Object.entries(file.tests ?? {});
  const hosts = new Set([...apps.map((app) => app.host), ...hostsOfUrls(file.apps ?? {})]);
  const remote = service.baseUrl !== null || options.remoteByEnvironment;
  const embedded = embeddedCapabilities(hosts);
  const localCapabilities: Capabilities = to.isComplete('/apps')
    ? embedded
    : { ...embedded, canCall: () => true };
  const context = {
    hosts: to.isComplete('/apps') ? hosts : null,
    capabilities: remote ? HOSTED_CAPABILITIES : localCapabilities,
    testKeys: options.testKeys,
    environment: options.environment,
    appConnections,
    reportedConnections: new Set<string>(),
  };
  const tests = entries.map(([key, entry]) => lowerTest(to, key, entry, context));
  checkCycles(to, tests);
  checkIds(to, tests);
  const desired: DesiredState = {
    project: file.project,
    environment: options.environment,
    apps,
    tests,
    moved: lowerMoved(to, file.moved ?? {}, context.testKeys),
    limits: lowerLimits(to, file.limits ?? {}),
  };
  const fieldLocators = new Map(
    entries.map(([key, entry]) => {
      const at = pointerOf(['tests', key]);
      return [
        testAddress(testKey(key)),
        fieldLocatorOf(to.locations, entry, { at, appConnections: context.appConnections }),
      ] as const;
    }),
  );
  return resultOf({ desired, service, webServer, fieldLocators }, to.problems);
}

/**
 * Reports each cycle of dependencies once, at the entry of `needs` that closes the cycle. The search is iterative,
 * because a long chain could overflow the call stack.
 */
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
      const pointer = pointerOf(['tests', top.key, 'needs', top.next]);
      top.next++;
      if (onPath.has(needed)) {
        const keys = path.map(({ key }) => key);
        const cycle = cycleText(keys.slice(keys.indexOf(needed)));
        addError(
          to,
          'LT_CONFIG_CYCLE',
          `"needs" is circular: ${cycle}; remove one of these entries`,
          pointer,
        );
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
        `"${adopt}" is already the "id" of the test "${other}"; remove "id" from one of the two tests`,
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
      const message = `${quote(current)} is not a test in this file; write entries of "moved" as "new key: old key"`;
      addError(to, 'LT_CONFIG_REFERENCE', message, to.locations.key(at));
    }
    if (current === former)
      addError(to, 'LT_CONFIG_VALUE', `"${current}" is moved to itself; remove the entry`, at);
    else if (known.has(former)) {
      addError(
        to,
        'LT_CONFIG_VALUE',
        `"${former}" is still a test in this file, so it was not renamed; remove the entry`,
        at,
      );
    }
    const other = sources.get(former);
    if (other !== undefined)
      addError(
        to,
        'LT_CONFIG_VALUE',
        `"${former}" is already renamed to "${other}"; remove one of the entries`,
        at,
      );
    sources.set(former, current);
  }
  return keys;
}

/** Returns the first key in a chain of renames that belongs to a test; null if there is none. */
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

/** Normalizes a host pattern like the host of a URL: in ASCII and without a default port. */
function lowerHostPattern(text: string): string {
  const [, wildcard = '', host = ''] = /^((?:\*\.)?)([^*]+)$/.exec(text) ?? [];
  const read = parseHost(host);
  return host === '' || 'fault' in read ? text : wildcard + read.host;
}

export function lowerLimits(to: LoweringContext, entry: LimitsEntry): Limits {
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
    maxConnections: lowerInteger(to, fieldOf(entry, 'max_connections', at), { min: 1 }),
    maxDuration: lowerDuration(to, fieldOf(entry, 'max_duration', at), { bare: 's', unit: 'ms', min: 1 }),
    hosts: hosts ?? null,
  };
}
