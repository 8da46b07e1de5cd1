/**
 * CPU capacity that is currently available to the threads of a run. Node.js 20 ignores the CPU quota of control
 * groups and reports all cores, even in a container that may use only half a core.
 * @see cgroups(7), proc_pid_mountinfo(5); the kernel's admin-guide/cgroup-v2.rst and scheduler/sched-bwc.rst
 */
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path/posix';
import type { JobTarget } from '../core/load/load-job.ts';
import type { CpuCapacity } from '../core/load/thread-count.ts';
import { isLocalAddress } from '../egress/address-policies.ts';
import { readKernelFile } from './kernel-files.ts';

export function readCpuCapacity(
  { targets }: { readonly targets: readonly Pick<JobTarget, 'addresses'>[] },
  threadsInUse: number,
): CpuCapacity {
  const addresses = new Set(targets.flatMap((target) => target.addresses));
  return {
    cores: availableParallelism(),
    quota: readCpuQuota(),
    threadsInUse,
    targetIsLocal: [...addresses].some(isLocalAddress),
  };
}

export type ReadText = (path: string) => string | null;

/**
 * Returns the CPU quota in cores, such as 0.5. The quota is the minimum over all visible control groups that contain
 * the process, in versions 1 and 2. Returns null if no quota is set or none can be read, such as on systems other than
 * Linux.
 */
export function readCpuQuota(read: ReadText = readKernelFile): number | null {
  const groups = linesOf(read('/proc/self/cgroup')).map(parseGroup);
  const mounts = linesOf(read('/proc/self/mountinfo')).map(parseMount);
  const quotas = mounts.flatMap((mount) => {
    const version = mount === null ? null : versionOf(mount);
    const group = groups.find(
      (candidate) => candidate !== null && (version === 2 ? candidate.isV2 : candidate.hasCpu),
    );
    if (mount === null || version === null || !group) return [];
    return directoriesOf(mount, group.path).map((directory) =>
      (version === 2 ? readQuotaV2 : readQuotaV1)(directory, read),
    );
  });
  const limits = quotas.filter((quota) => quota !== null);
  return limits.length === 0 ? null : Math.min(...limits);
}

interface ControlGroup {
  readonly isV2: boolean;
  /** True if the CPU controller is attached to the control group. */
  readonly hasCpu: boolean;
  readonly path: string;
}

/** Parses `1:cpu,cpuacct:/docker/…`. */
function parseGroup(line: string): ControlGroup | null {
  const [, id, controllers = '', path = ''] = /^(\d+):([^:]*):(\/.*)$/.exec(line) ?? [];
  if (id === undefined) return null;
  return { isV2: id === '0' && controllers === '', hasCpu: controllers.split(',').includes('cpu'), path };
}

interface Mount {
  /** Path of the group that is visible at the mount point. */
  readonly root: string;
  readonly point: string;
  readonly type: string;
  readonly options: readonly string[];
}

/** Parses `32 31 0:29 ROOT POINT rw,relatime … - TYPE SOURCE OPTIONS`. */
function parseMount(line: string): Mount | null {
  const [mountPart = '', sourcePart = ''] = line.split(' - ');
  const [, , , root, point] = mountPart.split(' ');
  const [type, , options = ''] = sourcePart.split(' ');
  if (root === undefined || point === undefined || type === undefined) return null;
  return { root: unescapePath(root), point: unescapePath(point), type, options: options.split(',') };
}

function versionOf({ type, options }: Mount): 1 | 2 | null {
  if (type === 'cgroup2') return 2;
  return type === 'cgroup' && options.includes('cpu') ? 1 : null;
}

/** Decodes spaces, tabs, line ends and backslashes, which the kernel writes as octal numbers. */
function unescapePath(path: string): string {
  return path.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}

function directoriesOf({ root, point }: Mount, path: string): readonly string[] {
  const within = relative(root, path);
  // In a container, `path` may be the path on the host. The mount point then shows the group of the container.
  const steps = within === '' || within.startsWith('..') ? [] : within.split('/');
  return [point, ...steps.map((_, index) => join(point, ...steps.slice(0, index + 1)))];
}

/** Reads the quota from a file such as `50000 100000` or `max 100000`. */
function readQuotaV2(directory: string, read: ReadText): number | null {
  const [quota, period] = (read(join(directory, 'cpu.max')) ?? '').trim().split(' ');
  return coresOf(quota, period);
}

/** A quota of −1 means that there is no limit. */
function readQuotaV1(directory: string, read: ReadText): number | null {
  const [quota, period] = ['cpu.cfs_quota_us', 'cpu.cfs_period_us'].map((name) =>
    read(join(directory, name)),
  );
  return coresOf(quota, period);
}

/** Converts a quota and its period, both in µs, to cores; null if there is no valid quota. */
function coresOf(quota: string | null | undefined, period: string | null | undefined): number | null {
  const cores = Number(quota ?? '') / Number(period ?? '');
  return Number.isFinite(cores) && cores > 0 ? cores : null;
}

function linesOf(text: string | null): readonly string[] {
  return (text ?? '').split('\n');
}
