/** Detects load that exceeds the capacity of the machine. */
import { paceOf, type RunnableTest } from '../../core/model/load-test.ts';
import { readUrl } from '../../core/model/url.ts';
import { problem, type Problem } from '../../core/problem.ts';
import type { Action } from '../../core/reconcile/action.ts';
import { EgressError } from '../../egress/egress-error.ts';
import { resolveAllowed } from '../../egress/allowed-addresses.ts';
import { counted, withCommas } from '../../core/counted.ts';
import { clientCostOf, maxThreads, type CpuCapacity } from '../../core/load/thread-count.ts';
import { isOpenModel } from '../../core/model/pace.ts';
import { readCpuCapacity } from '../../engine/cpu-capacity.ts';
import {
  findShortage,
  readMachineLimits,
  type ConnectedLoad,
  type MachineLimits,
} from '../../engine/machine-limits.ts';

interface Machine {
  readonly limits: MachineLimits;
  readonly cpu: (load: ConnectedLoad) => CpuCapacity;
}

export async function findLoadShortages(
  actions: readonly Action[],
  { limits, cpu }: Machine = {
    limits: readMachineLimits(),
    cpu: (load) => readCpuCapacity(load, 0),
  },
): Promise<readonly Problem[]> {
  const found = actions.map(async (action) => {
    if (action.verb !== 'create' && action.verb !== 'replace' && action.verb !== 'run') return [];
    const { key, source, spec } = action.test;
    const shortageAt = (addressesOf: (host: string) => readonly string[]) => {
      const load = loadOf(spec, addressesOf);
      return findShortage(load, limits, 0) ?? findCpuShortage(load, cpu(load));
    };
    // Host names are resolved only if the load exceeds the capacity with one address per host.
    if (shortageAt((host) => [host]) === null) return [];
    const addresses = await resolveHosts(spec);
    const shortage = shortageAt((host) => addresses.get(host) ?? [host]);
    if (shortage === null) return [];
    const { hint, message, code } = shortage;
    return [problem(code, `"${key}": ${message}`, { severity: 'warning', source, hint })];
  });
  return (await Promise.all(found)).flat();
}

/** Returns a problem if starting clients takes more CPU time than the load generator can use; null otherwise. */
function findCpuShortage(load: ConnectedLoad, capacity: CpuCapacity): Problem | null {
  const { clientsPerSecond, cores } = clientCostOf(load);
  const { threads } = maxThreads(capacity);
  if (cores <= threads) return null;
  const what = isOpenModel(load) ? 'starting' : 'opening';
  const noun = isOpenModel(load) ? 'client' : 'connection';
  const rate = counted(Number(clientsPerSecond.toPrecision(2)), noun);
  const possible = withCommas(Number(((clientsPerSecond * threads) / cores).toPrecision(2)));
  return problem(
    'LT_RUN_CAPACITY',
    `${what} about ${rate} per second takes ${cores.toFixed(1)} cores, but the load generator can use ${threads}`,
    {
      hint: isOpenModel(load)
        ? `start at most about ${possible} clients per second, share connections with "connections: 200", or use "loadtests serve" with workers`
        : `open at most about ${possible} connections per second with a longer ramp, or use "loadtests serve" with workers`,
    },
  );
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

/** Omits hosts that cannot be resolved. */
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
