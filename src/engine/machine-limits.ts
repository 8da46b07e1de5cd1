/** What this machine and process can hold open at once, and whether that is enough for a run. */
import { report } from 'node:process';
import { problem, type Problem } from '../core/problem.ts';
import { iterationDelayOf } from '../core/load/delay.ts';
import type { JobTarget, LoadJob } from '../core/load/load-job.ts';
import {
  clientCount,
  clientsDue,
  clientsDueBefore,
  intervalOf,
  isOpenModel,
  maxConcurrentClients,
} from '../core/load/pace.ts';
import type { Shard } from '../core/load/shard.ts';
import { classifyAddress } from '../egress/address-kind.ts';
import { listKernelDirectory, readKernelFile } from './kernel-files.ts';

/** Files a run needs besides its connections: threads, timers, logs. */
const SPARE_FILES = 64;

/** Clients of an open model that are surely open at once: those that start within this time, or rest. */
const CONCURRENT_WINDOW_MS = 100;

/** For so long the port of a connection that was closed here stays taken: Linux's TIME_WAIT. */
const PORT_HOLD_MS = 60_000;
/** After so long Linux lets a new connection to the same address have it, where `tcp_tw_reuse` allows that. */
const PORT_REUSE_MS = 1000;
/** The part of the ports that may wait: a client takes one also for as long as its answers take, which nobody knows. */
const MAX_HELD_PORT_RATIO = 0.9;

export interface MachineLimits {
  /** Open files of this process at most, for all threads together; null when unlimited or unknown. */
  readonly files: number | null;
  /** Files that are open now. */
  readonly openFiles: number;
  /** Source ports for connections to one address and port; null when unknown. */
  readonly ports: number | null;
  /** To which addresses a port that waits may be used again after a second. */
  readonly portReuse: 'all' | 'loopback' | 'none';
}

/** What one process can hold open at once, of whatever run. Null: nothing limits it, or nothing is known. */
export interface ConnectionCapacity {
  readonly connections: number | null;
  /** Source ports to one address. */
  readonly ports: number | null;
  /** See `MachineLimits`. */
  readonly portReuse: MachineLimits['portReuse'];
}

/** @param most that somebody allows; null: as many as there is room for */
export function readConnectionCapacity(most: number | null): ConnectionCapacity {
  const { files, openFiles, ports, portReuse } = readMachineLimits();
  const room = files === null ? Infinity : Math.max(0, files - openFiles - SPARE_FILES);
  const connections = Math.min(room, most ?? Infinity);
  return { connections: Number.isFinite(connections) ? connections : null, ports, portReuse };
}

/** Connections that a run surely needs at once. How many more an open model takes is up to the target. */
export function countRequiredConnections(job: LoadJob): number {
  return countConcurrentClients(job) * (isOpenModel(job) ? 1 : hostsOf(job).length);
}

/**
 * Why a run cannot be made here, naming the number needed; null when nothing speaks against it.
 *
 * `reserved`: connections of runs that go on already.
 */
export function findShortage(job: LoadJob, limits: MachineLimits, reserved: number): Problem | null {
  const files = countRequiredConnections(job) + reserved + limits.openFiles + SPARE_FILES;
  if (limits.files !== null && files > limits.files) {
    return problem(
      'LT_RUN_CAPACITY',
      `the run needs ${files} open files, but this process is limited to ${limits.files}`,
      { hint: `raise the limit with "ulimit -n ${files}", or lower "total"` },
    );
  }
  return limits.ports === null ? null : findPortShortage(job, limits, limits.ports);
}

function findPortShortage(job: LoadJob, { portReuse }: MachineLimits, ports: number): Problem | null {
  const { ports: needed, holdMs } = computePortRequirement(job, portReuse);
  if (needed <= ports) return null;
  const shortage = `the run needs ${needed} source ports to one address, but this machine has ${ports}`;
  if (holdMs === 0) {
    return problem('LT_RUN_CAPACITY', shortage, {
      hint: 'widen net.ipv4.ip_local_port_range, or lower "total"',
    });
  }
  const rate = Math.floor(((1000 / intervalOf(job)) * ports * MAX_HELD_PORT_RATIO) / needed);
  const reuse = holdMs === PORT_HOLD_MS ? '; with net.ipv4.tcp_tw_reuse=1 a port is free after 1 s' : '';
  return problem(
    'LT_RUN_CAPACITY',
    `${shortage}: each client opens a connection, and its port stays taken for ${holdMs / 1000} s after it`,
    { hint: `start at most ${rate} clients a second, or widen net.ipv4.ip_local_port_range${reuse}` },
  );
}

export interface PortRequirement {
  readonly ports: number;
  /** For how long a port stays taken after its connection was closed, in ms; 0 where connections are kept. */
  readonly holdMs: number;
}

/**
 * The most source ports that connections to one address and port take at the same time: no two may have the same one.
 *
 * In the open models each client has a new connection and is the one who closes it, so that its port waits. That a target
 * which closes first would keep the port from waiting is not known before.
 *
 * @param shares those that are made here; by default all of the run
 */
export function computePortRequirement(
  job: LoadJob,
  reuse: MachineLimits['portReuse'],
  shards: readonly Shard[] = [{ threadIndex: 0, first: 0, stride: 1, clients: clientCount(job) }],
): PortRequirement {
  const needs = new Map<string, PortRequirement>();
  for (const { addresses, port } of hostsOf(job)) {
    addresses.forEach((address, index) => {
      const holdMs = isOpenModel(job) ? portHoldTimeOf(address, reuse) : 0;
      const all = isOpenModel(job)
        ? countPeakClients(job, iterationDelayOf(job.targets, 'min') + holdMs)
        : maxConcurrentClients(job);
      const clients = shards.reduce(
        (sum, shard) =>
          sum + countClientsOfAddress(index, addresses.length, shard, Math.ceil(all / shard.stride)),
        0,
      );
      const key = JSON.stringify([address, port]);
      needs.set(key, { ports: (needs.get(key)?.ports ?? 0) + clients, holdMs });
    });
  }
  const none: PortRequirement = { ports: 0, holdMs: 0 };
  return [...needs.values()].reduce((most, one) => (one.ports > most.ports ? one : most), none);
}

/**
 * How many of the first so many clients of a share dial one of several addresses: client n of the run dials the address
 * n modulo their number, so that a share may leave some of them out.
 */
function countClientsOfAddress(
  index: number,
  addresses: number,
  { first, stride, clients }: Shard,
  most: number,
): number {
  const own = Math.min(clients, most);
  const isIts = (client: number): boolean => (first + client * stride) % addresses === index;
  let begins = 0;
  while (begins < addresses && !isIts(begins)) begins++;
  if (begins === addresses) return 0;
  let every = 1;
  while (!isIts(begins + every)) every++;
  return Math.max(0, Math.ceil((own - begins) / every));
}

/** The most clients of an open test that start within a span of time, looked for from each second on. */
function countPeakClients(job: LoadJob, span: number): number {
  let most = 0;
  for (let from = 0; from === 0 || from + span <= job.duration; from += 1000) {
    most = Math.max(most, clientsDueBefore(job, from + span) - clientsDueBefore(job, from));
    // An even pace is the same in all spans.
    if (job.ramps === null) break;
  }
  return most;
}

function portHoldTimeOf(address: string, reuse: MachineLimits['portReuse']): number {
  const reused = reuse === 'all' || (reuse === 'loopback' && classifyAddress(address) === 'loopback');
  return reused ? PORT_REUSE_MS : PORT_HOLD_MS;
}

function countConcurrentClients(job: LoadJob): number {
  if (!isOpenModel(job)) return maxConcurrentClients(job);
  const delays = iterationDelayOf(job.targets, 'min');
  const atFirst = clientsDue(job, CONCURRENT_WINDOW_MS);
  return delays === 0 ? atFirst : Math.max(atFirst, countPeakClients(job, delays));
}

/** A client has one connection to each. */
function hostsOf(job: LoadJob): readonly JobTarget[] {
  const hosts = new Map(
    job.targets.map((target) => {
      const { secure, hostname, port, addresses } = target;
      return [JSON.stringify([secure, hostname, port, addresses]), target] as const;
    }),
  );
  return [...hosts.values()];
}

/** Reads the limits as they are now. */
export function readMachineLimits(): MachineLimits {
  return {
    files: readFileLimit(),
    openFiles: countOpenFiles(),
    ports: countSourcePorts(),
    portReuse: readPortReuse(),
  };
}

function readFileLimit(): number | null {
  const limits = readKernelFile('/proc/self/limits');
  const soft = limits === null ? readReportedFileLimit() : /^Max open files\s+(\S+)/m.exec(limits)?.[1];
  const files = Number(soft);
  return Number.isSafeInteger(files) ? files : null;
}

/** Where there is no /proc. Slow, and knows far more than is wanted. */
function readReportedFileLimit(): unknown {
  const all: unknown = report.getReport();
  const limits = fieldOf(all, 'userLimits');
  return fieldOf(fieldOf(limits, 'open_files'), 'soft') ?? fieldOf(fieldOf(limits, 'max_open_files'), 'soft');
}

function fieldOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null
    ? Object.entries(value).find(([name]) => name === key)?.[1]
    : undefined;
}

function countOpenFiles(): number {
  return listKernelDirectory('/proc/self/fd')?.length ?? 0;
}

function countSourcePorts(): number | null {
  const range = /^(\d+)\s+(\d+)/.exec(readKernelFile('/proc/sys/net/ipv4/ip_local_port_range') ?? '');
  return range === null ? null : Number(range[2]) - Number(range[1]) + 1;
}

/** Linux knows old segments of a connection from new ones by their timestamps, so without them no port is used again. */
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
