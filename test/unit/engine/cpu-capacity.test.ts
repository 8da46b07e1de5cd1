/** CPU quotas of control groups, read from file trees of real systems. */
import { describe, expect, test } from 'vitest';
import { readCpuQuota } from '../../../src/engine/cpu-capacity.ts';

type Files = Readonly<Record<string, string>>;

const V1_MOUNTS = `30 23 0:27 / /sys/fs/cgroup ro,nosuid - tmpfs tmpfs ro,mode=755
31 30 0:28 / /sys/fs/cgroup/cpu,cpuacct rw,nosuid shared:9 - cgroup cgroup rw,cpu,cpuacct
32 30 0:29 / /sys/fs/cgroup/cpuset rw,nosuid shared:10 - cgroup cgroup rw,cpuset
`;
const V2_MOUNTS = `22 1 254:0 / / rw - ext4 /dev/vda1 rw
30 23 0:26 / /sys/fs/cgroup rw,nosuid,nodev shared:9 - cgroup2 cgroup2 rw,nsdelegate
`;

/** Files of a version 1 group; quota and period in µs. */
function quotaFilesV1(directory: string, quota: number, period = 100_000): Files {
  return {
    [`${directory}/cpu.cfs_quota_us`]: `${quota}\n`,
    [`${directory}/cpu.cfs_period_us`]: `${period}\n`,
  };
}

function filesOf(cgroup: string, mountinfo: string, ...groups: readonly Files[]): Files {
  return Object.assign(
    { '/proc/self/cgroup': cgroup, '/proc/self/mountinfo': mountinfo },
    ...groups,
  ) as Files;
}

const SYSTEMS: readonly (readonly [versions: string, files: Files, quota: number | null])[] = [
  ['an unknown version without files', {}, null],
  [
    'version 2 without a quota',
    filesOf('0::/\n', V2_MOUNTS, { '/sys/fs/cgroup/cpu.max': 'max 100000\n' }),
    null,
  ],
  [
    'version 2 in a container',
    filesOf('0::/\n', V2_MOUNTS, { '/sys/fs/cgroup/cpu.max': '50000 100000\n' }),
    0.5,
  ],
  [
    'version 2 with a quota on a parent group',
    filesOf('0::/user.slice/user-1000.slice/run.scope\n', V2_MOUNTS, {
      '/sys/fs/cgroup/user.slice/cpu.max': '150000 100000\n',
      '/sys/fs/cgroup/user.slice/user-1000.slice/cpu.max': '400000 100000\n',
      '/sys/fs/cgroup/user.slice/user-1000.slice/run.scope/cpu.max': 'max 100000\n',
    }),
    1.5,
  ],
  [
    'version 2 with the lowest quota on the group of the process',
    filesOf('0::/a/b\n', V2_MOUNTS, {
      '/sys/fs/cgroup/a/cpu.max': '400000 100000\n',
      '/sys/fs/cgroup/a/b/cpu.max': '20000 10000\n',
    }),
    2,
  ],
  [
    'version 2 with a quota on another group',
    filesOf('0::/a\n', V2_MOUNTS, { '/sys/fs/cgroup/b/cpu.max': '20000 100000\n' }),
    null,
  ],
  [
    'version 1 without a quota',
    filesOf('3:cpu,cpuacct:/\n', V1_MOUNTS, quotaFilesV1('/sys/fs/cgroup/cpu,cpuacct', -1)),
    null,
  ],
  [
    'version 1 with the lowest quota on the group of the process',
    filesOf(
      '4:cpuset:/x\n3:cpuacct,cpu:/lxc/a\n',
      V1_MOUNTS,
      quotaFilesV1('/sys/fs/cgroup/cpu,cpuacct', -1),
      quotaFilesV1('/sys/fs/cgroup/cpu,cpuacct/lxc', 800_000),
      quotaFilesV1('/sys/fs/cgroup/cpu,cpuacct/lxc/a', 125_000, 50_000),
    ),
    2.5,
  ],
  [
    'version 1 in a container whose group path is the path on the host',
    filesOf(
      '3:cpu,cpuacct:/docker/0a1b\n',
      V1_MOUNTS.replace('0:28 / ', '0:28 /docker/0a1b '),
      quotaFilesV1('/sys/fs/cgroup/cpu,cpuacct', 75_000),
    ),
    0.75,
  ],
  [
    'version 2 in a container whose group is outside of the mount',
    filesOf('0::/../other\n', V2_MOUNTS, { '/sys/fs/cgroup/cpu.max': '300000 100000\n' }),
    3,
  ],
  [
    'both versions with the CPU controller in version 1',
    filesOf(
      '1:cpu:/x\n0::/\n',
      `${V1_MOUNTS}41 30 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n`,
      quotaFilesV1('/sys/fs/cgroup/cpu,cpuacct/x', 50_000),
    ),
    0.5,
  ],
  [
    'version 2 in a directory with a space in its name',
    filesOf('0::/\n', V2_MOUNTS.replace('/sys/fs/cgroup', '/mnt/my\\040groups'), {
      '/mnt/my groups/cpu.max': '100000 100000\n',
    }),
    1,
  ],
  ['version 2 with an empty file', filesOf('0::/\n', V2_MOUNTS, { '/sys/fs/cgroup/cpu.max': '\n' }), null],
  [
    'an unknown version in malformed files',
    filesOf('what\n0::/\n', 'is\nthis\n', { '/cpu.max': '5 5' }),
    null,
  ],
];

describe('readCpuQuota', () => {
  test.each(SYSTEMS.map(([versions, files, quota]) => [quota, versions, files] as const))(
    'readCpuQuota returns %j for control groups of %s',
    (expected, _name, files) => {
      expect(readCpuQuota((path) => files[path] ?? null)).toBe(expected);
    },
  );

  test('readCpuQuota returns a positive number of cores or null for this process', () => {
    const quota = readCpuQuota();
    expect(quota === null || quota > 0).toBe(true);
  });
});
