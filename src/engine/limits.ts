/** What this machine and process can hold open at once, and whether that is enough for a run. */
import { report } from 'node:process';
import { problem, type Problem } from '../core/problem.ts';
import type { JobTarget, LoadJob } from '../core/load/job.ts';
import { clientsDue, isOpenModel, mostAtOnce } from '../core/load/pace.ts';
import { kernelList, kernelText } from './kernel-files.ts';

/** Files a run needs besides its connections: threads, timers, logs. */
const SPARE_FILES = 64;

/** Clients of an open model that are surely open at once: those that start within this time. */
const OPEN_AT_ONCE_MS = 100;

export interface MachineLimits {
  /** Open files of this process at most, for all threads together; null when unlimited or unknown. */
  readonly files: number | null;
  /** Files that are open now. */
  readonly openFiles: number;
  /** Source ports for connections to one address and port; null when unknown. */
  readonly ports: number | null;
}

/** Connections that a run surely needs at once. How many more an open model takes is up to the target. */
export function connectionsNeeded(job: LoadJob): number {
  return clientsAtOnce(job) * (isOpenModel(job) ? 1 : hostsOf(job).length);
}

/**
 * Why a run cannot be made here, naming the number needed; null when nothing speaks against it.
 *
 * `reserved`: connections of runs that go on already.
 */
export function findShortage(job: LoadJob, limits: MachineLimits, reserved: number): Problem | null {
  const files = connectionsNeeded(job) + reserved + limits.openFiles + SPARE_FILES;
  if (limits.files !== null && files > limits.files) {
    return problem(
      'LT_RUN_LIMIT',
      `the run needs ${files} open files, but this process is limited to ${limits.files}`,
      { hint: `raise the limit with "ulimit -n ${files}", or lower "total"` },
    );
  }
  const ports = portsNeeded(job);
  if (limits.ports !== null && ports > limits.ports) {
    return problem(
      'LT_RUN_LIMIT',
      `the run needs ${ports} source ports to one address, but this machine has ${limits.ports}`,
      { hint: 'widen net.ipv4.ip_local_port_range, or lower "total"' },
    );
  }
  return null;
}

/** The most connections to one address and port: each of them needs a source port that no other one has. */
function portsNeeded(job: LoadJob): number {
  const needed = new Map<string, number>();
  for (const { addresses, port } of hostsOf(job)) {
    addresses.forEach((address, index) => {
      // Client n dials the address n modulo their number.
      const clients = Math.ceil((clientsAtOnce(job) - index) / addresses.length);
      const key = JSON.stringify([address, port]);
      needed.set(key, (needed.get(key) ?? 0) + Math.max(0, clients));
    });
  }
  return Math.max(0, ...needed.values());
}

function clientsAtOnce(job: LoadJob): number {
  return isOpenModel(job) ? clientsDue(job, OPEN_AT_ONCE_MS) : mostAtOnce(job);
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
  return { files: fileLimit(), openFiles: openFiles(), ports: sourcePorts() };
}

function fileLimit(): number | null {
  const limits = kernelText('/proc/self/limits');
  const soft = limits === null ? reportedFileLimit() : /^Max open files\s+(\S+)/m.exec(limits)?.[1];
  const files = Number(soft);
  return Number.isSafeInteger(files) ? files : null;
}

/** Where there is no /proc. Slow, and knows far more than is wanted. */
function reportedFileLimit(): unknown {
  const all: unknown = report.getReport();
  const limits = fieldOf(all, 'userLimits');
  return fieldOf(fieldOf(limits, 'open_files'), 'soft') ?? fieldOf(fieldOf(limits, 'max_open_files'), 'soft');
}

function fieldOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null
    ? Object.entries(value).find(([name]) => name === key)?.[1]
    : undefined;
}

function openFiles(): number {
  return kernelList('/proc/self/fd')?.length ?? 0;
}

function sourcePorts(): number | null {
  const range = /^(\d+)\s+(\d+)/.exec(kernelText('/proc/sys/net/ipv4/ip_local_port_range') ?? '');
  return range === null ? null : Number(range[2]) - Number(range[1]) + 1;
}
