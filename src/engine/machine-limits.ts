/** Limits of this machine and process for open connections, and checks that the limits are sufficient for a run. */
import { counted, withCommas } from '../core/counted.ts';
import { report } from 'node:process';
import { problem, type Problem } from '../core/problem.ts';
import { iterationDelayOf } from '../core/model/delay.ts';
import { lanesOf } from '../core/model/group.ts';
import { connectionsPerClient, iterationShares, iterationsOf, startLength } from '../core/model/iteration.ts';
import type { JobTarget, LoadJob } from '../core/load/load-job.ts';
import {
  clientCount,
  clientsDue,
  clientsDueBefore,
  intervalOf,
  isOpenModel,
  maxConcurrentClients,
} from '../core/model/pace.ts';
import type { LoadSpec } from '../core/model/peak-load.ts';
import { shareOf, type Shard } from '../core/load/shard.ts';
import { objectOf } from '../core/unknown-value.ts';
import { classifyAddress } from '../egress/address-kind.ts';
import { listKernelDirectory, readKernelFile } from './kernel-files.ts';

/** Number of open files that a run needs in addition to its connections, such as for threads and logs. */
const SPARE_FILES = 64;

/** Open models: clients that start within this time window are assumed to be connected at the same time. */
const CONCURRENT_WINDOW_MS = 100;

/** Time for which Linux keeps a port in TIME_WAIT after this side has closed the connection. */
const PORT_HOLD_MS = 60_000;
/** Time after which Linux may reuse the port for the same address, if `tcp_tw_reuse` allows it. */
const PORT_REUSE_MS = 1000;
/** Fraction of the ports that may be in TIME_WAIT at the suggested client rate; the rest is for waiting clients. */
const MAX_HELD_PORT_RATIO = 0.9;

export type ConnectedLoad = Omit<LoadSpec, 'targets'> &
  Pick<LoadJob, 'connections'> & {
    readonly targets: readonly Pick<JobTarget, 'secure' | 'hostname' | 'port' | 'addresses' | 'delay'>[];
  };

export interface MachineLimits {
  /** Maximum number of open files of this process, including all threads; null if unlimited or unknown. */
  readonly files: number | null;
  readonly openFiles: number;
  /** Number of source ports for connections to one address and port; null if unknown. */
  readonly ports: number | null;
  /** Addresses for which a port in TIME_WAIT is reused after one second. */
  readonly portReuse: 'all' | 'loopback' | 'none';
}

/** Limits on the connections that one process can open. Null means unlimited or unknown. */
export interface ConnectionCapacity {
  readonly connections: number | null;
  readonly ports: number | null;
  readonly portReuse: MachineLimits['portReuse'];
}

/** @param limit - Maximum number of connections, set by the operator; null if unlimited. */
export function readConnectionCapacity(limit: number | null): ConnectionCapacity {
  const { files, openFiles, ports, portReuse } = readMachineLimits();
  const available = files === null ? Infinity : Math.max(0, files - openFiles - SPARE_FILES);
  const connections = Math.min(available, limit ?? Infinity);
  return { connections: Number.isFinite(connections) ? connections : null, ports, portReuse };
}

/**
 * Returns the minimum number of concurrent connections that a run requires. Slow responses in an open model may require
 * more.
 */
export function countRequiredConnections(job: ConnectedLoad): number {
  const hosts = hostsOf(job);
  const ofClient = hosts.reduce((sum, host) => sum + lanesTo(job, host), 0);
  const needed = countConcurrentClients(job) * (isOpenModel(job) ? connectionsPerClient(job) : ofClient);
  return job.connections === null ? needed : Math.min(needed, job.connections * hosts.length);
}

/**
 * Returns the reason why the load generator cannot perform a run; null if it can.
 * @param reserved - Number of connections reserved for the runs in progress.
 */
export function findShortage(job: ConnectedLoad, limits: MachineLimits, reserved: number): Problem | null {
  const files = countRequiredConnections(job) + reserved + limits.openFiles + SPARE_FILES;
  if (limits.files !== null && files > limits.files) {
    return problem(
      'LT_RUN_CAPACITY',
      `with this run, the process needs ${withCommas(files)} open files, but the limit is ${withCommas(limits.files)}`,
      { hint: `raise the limit with "ulimit -n ${files}", or lower "total"` },
    );
  }
  return limits.ports === null ? null : findPortShortage(job, limits, limits.ports);
}

function findPortShortage(job: ConnectedLoad, { portReuse }: MachineLimits, ports: number): Problem | null {
  const { ports: needed, holdMs } = computePortRequirement(job, portReuse);
  if (needed <= ports) return null;
  const shortage = `the run needs ${withCommas(needed)} source ports to one address, but the load generator has ${withCommas(ports)}`;
  if (holdMs === 0) {
    return problem('LT_RUN_CAPACITY', shortage, {
      hint: 'widen net.ipv4.ip_local_port_range, or lower "total"',
    });
  }
  const rate = Math.floor(((1000 / intervalOf(job)) * ports * MAX_HELD_PORT_RATIO) / needed);
  const slower = rate === 0 ? '' : `start at most ${counted(rate, 'client')} per second, `;
  const reuse = holdMs === PORT_HOLD_MS ? '; with net.ipv4.tcp_tw_reuse=1, a port is free after 1 s' : '';
  return problem(
    'LT_RUN_CAPACITY',
    `${shortage}: each client opens a connection, and its port stays in use for ${holdMs / 1000} s after the connection closes`,
    {
      hint: `${slower}share connections with "connections: 200", or widen net.ipv4.ip_local_port_range${reuse}`,
    },
  );
}

export interface PortRequirement {
  readonly ports: number;
  /** Time that a port stays in use after its connection is closed, in ms; 0 for persistent connections. */
  readonly holdMs: number;
}

/**
 * Returns the source ports that a run requires for the address and port with the highest requirement. Connections to
 * the same address and port cannot share a source port.
 *
 * In the open models, unless connections are shared, each client opens and closes its own connection, so the port of
 * the connection enters TIME_WAIT.
 * @param shards - The shards of this process; by default, the whole run.
 */
export function computePortRequirement(
  job: ConnectedLoad,
  reuse: MachineLimits['portReuse'],
  shards: readonly Shard[] = [{ threadIndex: 0, first: 0, stride: 1, clients: clientCount(job) }],
): PortRequirement {
  const needs = new Map<string, PortRequirement>();
  for (const host of hostsOf(job)) {
    const { addresses, port } = host;
    const lanes = lanesTo(job, host);
    if (job.connections !== null) {
      const pool = shards.reduce((sum, shard) => sum + shareOf(shard, job.connections ?? 0), 0);
      for (const address of addresses) {
        const key = JSON.stringify([address, port]);
        needs.set(key, { ports: (needs.get(key)?.ports ?? 0) + pool, holdMs: 0 });
      }
      continue;
    }
    const share = isOpenModel(job) ? shareOfHost(job, host) : 1;
    addresses.forEach((address, index) => {
      const holdMs = isOpenModel(job) ? portHoldTimeOf(address, reuse) : 0;
      const all = isOpenModel(job)
        ? countPeakClients(job, iterationDelayOf(job, 'min') + holdMs)
        : maxConcurrentClients(job);
      const clients = shards.reduce(
        (sum, shard) =>
          sum +
          countClientsOfAddress(index, addresses.length, shard, Math.ceil((all * share) / shard.stride)),
        0,
      );
      const key = JSON.stringify([address, port]);
      needs.set(key, { ports: (needs.get(key)?.ports ?? 0) + clients * lanes, holdMs });
    });
  }
  const none: PortRequirement = { ports: 0, holdMs: 0 };
  return [...needs.values()].reduce(
    (max, requirement) => (requirement.ports > max.ports ? requirement : max),
    none,
  );
}

/**
 * Returns how many of the first `activeClients` clients of a shard connect to the address with the given index.
 * Client n of the run connects to address n modulo the number of addresses, so a shard may use only some of the
 * addresses.
 */
function countClientsOfAddress(
  index: number,
  addresses: number,
  { first, stride, clients }: Shard,
  activeClients: number,
): number {
  const activeShardClients = Math.min(clients, activeClients);
  const dialsAddress = (client: number): boolean => (first + client * stride) % addresses === index;
  let firstMatch = 0;
  while (firstMatch < addresses && !dialsAddress(firstMatch)) firstMatch++;
  if (firstMatch === addresses) return 0;
  let period = 1;
  while (!dialsAddress(firstMatch + period)) period++;
  return Math.max(0, Math.ceil((activeShardClients - firstMatch) / period));
}

/** Returns the maximum number of clients that start within `span` ms, for spans that begin at full seconds. */
function countPeakClients(job: ConnectedLoad, span: number): number {
  let max = 0;
  for (let from = 0; from === 0 || from + span <= job.duration; from += 1000) {
    max = Math.max(max, clientsDueBefore(job, from + span) - clientsDueBefore(job, from));
    // With a constant rate, all spans are equal.
    if (job.ramps === null) break;
  }
  return max;
}

function portHoldTimeOf(address: string, reuse: MachineLimits['portReuse']): number {
  const isReusable = reuse === 'all' || (reuse === 'loopback' && classifyAddress(address) === 'loopback');
  return isReusable ? PORT_REUSE_MS : PORT_HOLD_MS;
}

function countConcurrentClients(job: ConnectedLoad): number {
  if (!isOpenModel(job)) return maxConcurrentClients(job);
  const delays = iterationDelayOf(job, 'min');
  const atStart = clientsDue(job, CONCURRENT_WINDOW_MS);
  return delays === 0 ? atStart : Math.max(atStart, countPeakClients(job, delays));
}

function hostsOf(job: ConnectedLoad): ConnectedLoad['targets'] {
  return [...new Map(job.targets.map((target) => [hostKey(target), target])).values()];
}

/** Returns the number of connections of a client to a host: more than one if the client sends requests in parallel. */
function lanesTo(job: ConnectedLoad, host: ConnectedLoad['targets'][number]): number {
  const lanes = lanesOf(job).filter((_, index) => {
    const target = job.targets[index];
    return target !== undefined && hostKey(target) === hostKey(host);
  });
  return new Set(lanes).size;
}

function hostKey({ secure, hostname, port, addresses }: ConnectedLoad['targets'][number]): string {
  return JSON.stringify([secure, hostname, port, addresses]);
}

/** Returns the fraction of iterations that contain requests to a host. */
function shareOfHost(job: ConnectedLoad, host: ConnectedLoad['targets'][number]): number {
  if (job.flows === null) return 1;
  const key = hostKey(host);
  if (job.targets.slice(0, startLength(job)).some((target) => hostKey(target) === key)) return 1;
  const shares = iterationShares(job);
  const containing = iterationsOf(job).filter(({ first, end }) =>
    job.targets.slice(first, end).some((target) => hostKey(target) === key),
  );
  return containing.reduce((sum, { flow }) => sum + (shares[flow] ?? 0), 0);
}

export function readMachineLimits(): MachineLimits {
  return {
    files: readFileLimit(),
    openFiles: listKernelDirectory('/proc/self/fd')?.length ?? 0,
    ports: countSourcePorts(),
    portReuse: readPortReuse(),
  };
}

function readFileLimit(): number | null {
  const limits = readKernelFile('/proc/self/limits');
  const softLimit = limits === null ? readReportedFileLimit() : /^Max open files\s+(\S+)/m.exec(limits)?.[1];
  const files = Number(softLimit);
  return Number.isSafeInteger(files) ? files : null;
}

/** Reads the open-file limit from a diagnostic report. Slow, so intended only for systems without /proc. */
function readReportedFileLimit(): unknown {
  const diagnosticReport: unknown = report.getReport();
  const limits = fieldOf(diagnosticReport, 'userLimits');
  return fieldOf(fieldOf(limits, 'open_files'), 'soft') ?? fieldOf(fieldOf(limits, 'max_open_files'), 'soft');
}

function fieldOf(value: unknown, key: string): unknown {
  return objectOf(value)[key];
}

function countSourcePorts(): number | null {
  const range = /^(\d+)\s+(\d+)/.exec(readKernelFile('/proc/sys/net/ipv4/ip_local_port_range') ?? '');
  return range === null ? null : Number(range[2]) - Number(range[1]) + 1;
}

/**
 * Returns the addresses for which Linux reuses ports in TIME_WAIT. Without TCP timestamps, which distinguish old and
 * new connections, Linux does not reuse such ports.
 */
function readPortReuse(): MachineLimits['portReuse'] {
  const setting = (name: string) => readKernelFile(`/proc/sys/net/ipv4/${name}`)?.trim();
  if (setting('tcp_timestamps') === '0') return 'none';
  switch (setting('tcp_tw_reuse') ?? '') {
    case '1':
      return 'all';
    case '2':
      return 'loopback';
    default:
      return 'none';
  }
}
