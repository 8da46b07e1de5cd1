/**
 * The CPU time that control groups leave to this process. Node.js 20 does not know of it: it counts the cores on which
 * a process may run, all of which a container with a quota of half a core has.
 *
 * Source: cgroups(7), proc_pid_mountinfo(5); the kernel's admin-guide/cgroup-v2.rst and scheduler/sched-bwc.rst.
 */
import { join, relative } from 'node:path/posix';
import { readKernelFile } from './kernel-files.ts';

/** The text of a file; null where it cannot be read. */
export type ReadText = (path: string) => string | null;

/**
 * In cores: 0.5 is half of one. Null where nothing limits it, or nothing is known, as on other systems than Linux.
 *
 * Shape: the least of all groups that the process lies in, and of both versions of control groups.
 */
export function readCpuQuota(read: ReadText = readKernelFile): number | null {
  const groups = linesOf(read('/proc/self/cgroup')).map(parseGroup);
  const mounts = linesOf(read('/proc/self/mountinfo')).map(parseMount);
  const quotas = mounts.flatMap((mount) => {
    const version = mount === null ? null : versionOf(mount);
    const group = groups.find((one) => one !== null && (version === 2 ? one.isV2 : one.hasCpu));
    if (mount === null || version === null || !group) return [];
    return directoriesOf(mount, group.path).map((directory) =>
      (version === 2 ? readQuotaV2 : readQuotaV1)(directory, read),
    );
  });
  const known = quotas.filter((quota) => quota !== null);
  return known.length === 0 ? null : Math.min(...known);
}

interface ControlGroup {
  readonly isV2: boolean;
  /** Of version 1: whether it limits CPU time. */
  readonly hasCpu: boolean;
  readonly path: string;
}

/** `1:cpu,cpuacct:/docker/…` */
function parseGroup(line: string): ControlGroup | null {
  const [, id, controllers = '', path = ''] = /^(\d+):([^:]*):(\/.*)$/.exec(line) ?? [];
  if (id === undefined) return null;
  return { isV2: id === '0' && controllers === '', hasCpu: controllers.split(',').includes('cpu'), path };
}

interface Mount {
  /** The group that one sees at its point. */
  readonly root: string;
  readonly point: string;
  readonly type: string;
  readonly options: readonly string[];
}

/** `32 31 0:29 ROOT POINT rw,relatime … - TYPE SOURCE OPTIONS` */
function parseMount(line: string): Mount | null {
  const [place = '', kind = ''] = line.split(' - ');
  const [, , , root, point] = place.split(' ');
  const [type, , options = ''] = kind.split(' ');
  if (root === undefined || point === undefined || type === undefined) return null;
  return { root: unescapePath(root), point: unescapePath(point), type, options: options.split(',') };
}

function versionOf({ type, options }: Mount): 1 | 2 | null {
  if (type === 'cgroup2') return 2;
  return type === 'cgroup' && options.includes('cpu') ? 1 : null;
}

/** Blanks, line ends and backslashes stand there as octal numbers. */
function unescapePath(path: string): string {
  return path.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}

/** The directory of a group and of all those that it lies in, as far as they are mounted. */
function directoriesOf({ root, point }: Mount, path: string): readonly string[] {
  const within = relative(root, path);
  // In a container the path may be as its host sees it; what is mounted is the container's own group then.
  const steps = within === '' || within.startsWith('..') ? [] : within.split('/');
  return [point, ...steps.map((_, index) => join(point, ...steps.slice(0, index + 1)))];
}

/** `50000 100000`, or `max 100000` */
function readQuotaV2(directory: string, read: ReadText): number | null {
  const [quota, period] = (read(join(directory, 'cpu.max')) ?? '').trim().split(' ');
  return coresOf(quota, period);
}

/** A quota of -1 is none. */
function readQuotaV1(directory: string, read: ReadText): number | null {
  const [quota, period] = ['cpu.cfs_quota_us', 'cpu.cfs_period_us'].map((name) =>
    read(join(directory, name)),
  );
  return coresOf(quota, period);
}

/** Of two numbers of µs. */
function coresOf(quota: string | null | undefined, period: string | null | undefined): number | null {
  const cores = Number(quota ?? '') / Number(period ?? '');
  return Number.isFinite(cores) && cores > 0 ? cores : null;
}

function linesOf(text: string | null): readonly string[] {
  return (text ?? '').split('\n');
}
