/** What control groups leave of the CPU, read from trees of their files as systems have them. */
import { describe, expect, test } from 'vitest';
import { readCpuQuota } from '../../../src/engine/cpu-quota.ts';

type Files = Readonly<Record<string, string>>;

const V1_MOUNTS = `30 23 0:27 / /sys/fs/cgroup ro,nosuid - tmpfs tmpfs ro,mode=755
31 30 0:28 / /sys/fs/cgroup/cpu,cpuacct rw,nosuid shared:9 - cgroup cgroup rw,cpu,cpuacct
32 30 0:29 / /sys/fs/cgroup/cpuset rw,nosuid shared:10 - cgroup cgroup rw,cpuset
`;
const V2_MOUNTS = `22 1 254:0 / / rw - ext4 /dev/vda1 rw
30 23 0:26 / /sys/fs/cgroup rw,nosuid,nodev shared:9 - cgroup2 cgroup2 rw,nsdelegate
`;

/** Files of a group of version 1, quota and period in µs. */
function v1(directory: string, quota: number, period = 100_000): Files {
  return {
    [`${directory}/cpu.cfs_quota_us`]: `${quota}\n`,
    [`${directory}/cpu.cfs_period_us`]: `${period}\n`,
  };
}

function system(cgroup: string, mountinfo: string, ...groups: readonly Files[]): Files {
  return Object.assign(
    { '/proc/self/cgroup': cgroup, '/proc/self/mountinfo': mountinfo },
    ...groups,
  ) as Files;
}

const SYSTEMS: readonly (readonly [string, Files, number | null])[] = [
  ['another system, without these files', {}, null],
  [
    'version 2 without a limit',
    system('0::/\n', V2_MOUNTS, { '/sys/fs/cgroup/cpu.max': 'max 100000\n' }),
    null,
  ],
  [
    'a container of version 2',
    system('0::/\n', V2_MOUNTS, { '/sys/fs/cgroup/cpu.max': '50000 100000\n' }),
    0.5,
  ],
  [
    'version 2, where a group around it is the one that limits',
    system('0::/user.slice/user-1000.slice/run.scope\n', V2_MOUNTS, {
      '/sys/fs/cgroup/user.slice/cpu.max': '150000 100000\n',
      '/sys/fs/cgroup/user.slice/user-1000.slice/cpu.max': '400000 100000\n',
      '/sys/fs/cgroup/user.slice/user-1000.slice/run.scope/cpu.max': 'max 100000\n',
    }),
    1.5,
  ],
  [
    'version 2, limited in its own group most',
    system('0::/a/b\n', V2_MOUNTS, {
      '/sys/fs/cgroup/a/cpu.max': '400000 100000\n',
      '/sys/fs/cgroup/a/b/cpu.max': '20000 10000\n',
    }),
    2,
  ],
  [
    'version 2, where another group is limited',
    system('0::/a\n', V2_MOUNTS, { '/sys/fs/cgroup/b/cpu.max': '20000 100000\n' }),
    null,
  ],
  [
    'version 1 without a limit',
    system('3:cpu,cpuacct:/\n', V1_MOUNTS, v1('/sys/fs/cgroup/cpu,cpuacct', -1)),
    null,
  ],
  [
    'version 1 with a group of its own',
    system(
      '4:cpuset:/x\n3:cpuacct,cpu:/lxc/a\n',
      V1_MOUNTS,
      v1('/sys/fs/cgroup/cpu,cpuacct', -1),
      v1('/sys/fs/cgroup/cpu,cpuacct/lxc', 800_000),
      v1('/sys/fs/cgroup/cpu,cpuacct/lxc/a', 125_000, 50_000),
    ),
    2.5,
  ],
  [
    'a container of version 1, whose group is named as its host sees it',
    system(
      '3:cpu,cpuacct:/docker/0a1b\n',
      V1_MOUNTS.replace('0:28 / ', '0:28 /docker/0a1b '),
      v1('/sys/fs/cgroup/cpu,cpuacct', 75_000),
    ),
    0.75,
  ],
  [
    'a container whose group lies outside of what is mounted',
    system('0::/../other\n', V2_MOUNTS, { '/sys/fs/cgroup/cpu.max': '300000 100000\n' }),
    3,
  ],
  [
    'both versions at once, with the CPU in version 1',
    system(
      '1:cpu:/x\n0::/\n',
      `${V1_MOUNTS}41 30 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n`,
      v1('/sys/fs/cgroup/cpu,cpuacct/x', 50_000),
    ),
    0.5,
  ],
  [
    'a directory with a blank in its name',
    system('0::/\n', V2_MOUNTS.replace('/sys/fs/cgroup', '/mnt/my\\040groups'), {
      '/mnt/my groups/cpu.max': '100000 100000\n',
    }),
    1,
  ],
  ['files that say nothing', system('0::/\n', V2_MOUNTS, { '/sys/fs/cgroup/cpu.max': '\n' }), null],
  ['files that make no sense', system('what\n0::/\n', 'is\nthis\n', { '/cpu.max': '5 5' }), null],
];

describe('the quota of CPU time', () => {
  test.each(SYSTEMS)('%s', (_name, files, expected) => {
    expect(readCpuQuota((path) => files[path] ?? null)).toBe(expected);
  });

  test('can be read of this process: a number of cores, or none', () => {
    const quota = readCpuQuota();
    expect(quota === null || quota > 0).toBe(true);
  });
});
