/** Load that this machine cannot generate, known before the service refuses it. */
import { paceOf, type RunnableTest } from '../../core/model/load-test.ts';
import { readUrl } from '../../core/model/url.ts';
import { problem, type Problem } from '../../core/problem.ts';
import type { Action } from '../../core/reconcile/action.ts';
import { EgressError } from '../../egress/egress-error.ts';
import { resolveAllowed } from '../../egress/allowed-addresses.ts';
import {
  findShortage,
  readMachineLimits,
  type ConnectedLoad,
  type MachineLimits,
} from '../../engine/machine-limits.ts';

/** Returns a warning for each test of a plan that needs more open files or source ports than this machine has. */
export async function findLoadShortages(
  actions: readonly Action[],
  limits: MachineLimits = readMachineLimits(),
): Promise<readonly Problem[]> {
  const found = actions.map(async (action) => {
    if (action.verb !== 'create' && action.verb !== 'replace' && action.verb !== 'run') return [];
    const { key, source, spec } = action.test;
    const shortageAt = (addressesOf: (host: string) => readonly string[]) =>
      findShortage(loadOf(spec, addressesOf), limits, 0);
    // A name is resolved only if a single address would be too few.
    if (shortageAt((host) => [host]) === null) return [];
    const addresses = await resolveHosts(spec);
    const shortage = shortageAt((host) => addresses.get(host) ?? [host]);
    if (shortage === null) return [];
    const { hint, message, code } = shortage;
    return [problem(code, `"${key}": ${message}`, { severity: 'warning', source, hint })];
  });
  return (await Promise.all(found)).flat();
}

function loadOf(spec: RunnableTest['spec'], addressesOf: (host: string) => readonly string[]): ConnectedLoad {
  const targets = spec.targets.flatMap(({ url, delay }) => {
    const read = readUrl(url);
    if (read === null) return [];
    const { secure, bareHost, port } = read;
    return [{ secure, hostname: bareHost, port, addresses: addressesOf(bareHost), delay }];
  });
  return { ...paceOf(spec), targets };
}

/** Returns the addresses of the hosts of a test. A host that cannot be resolved has none. */
async function resolveHosts(spec: RunnableTest['spec']): Promise<ReadonlyMap<string, readonly string[]>> {
  const hosts = new Map(
    spec.targets.flatMap(({ url }) => {
      const read = readUrl(url);
      return read === null ? [] : [[read.bareHost, read.port] as const];
    }),
  );
  const resolved = Array.from(hosts, async ([host, port]) => {
    try {
      return [[host, await resolveAllowed(host, port, () => null)] as const];
    } catch (error) {
      if (error instanceof EgressError) return [];
      throw error;
    }
  });
  return new Map((await Promise.all(resolved)).flat());
}
