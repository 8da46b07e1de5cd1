/** A control group of this machine with a quota of CPU time, where one may be made. */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface CpuGroup {
  /** What a shell does to join it. */
  readonly join: string;
  /** To be called once its processes have ended. */
  close(): void;
}

const PERIOD_US = 100_000;
const ROOT = '/sys/fs/cgroup';

/** @param cores 0.5 is half of one. Gives the reason where it may not be made. */
export function openCpuGroup(cores: number): CpuGroup | string {
  const name = `loadtests-test-${process.pid}-${Math.round(cores * 100)}`;
  try {
    const parent = parentOf();
    if (parent === null) return 'needs control groups that limit CPU time, which are not mounted here';
    const directory = join(parent.directory, name);
    mkdirSync(directory);
    const quota = Math.round(cores * PERIOD_US);
    if (parent.version === 2) writeFileSync(join(directory, 'cpu.max'), `${quota} ${PERIOD_US}`);
    else writeFileSync(join(directory, 'cpu.cfs_quota_us'), String(quota));
    const close = () => {
      rmdirSync(directory);
    };
    return { join: `echo $$ > ${join(directory, 'cgroup.procs')} &&`, close };
  } catch (error) {
    return `needs control groups, which may not be made here: ${String(error)}`;
  }
}

function parentOf(): { readonly version: 1 | 2; readonly directory: string } | null {
  const controllers = join(ROOT, 'cgroup.subtree_control');
  if (existsSync(controllers)) {
    return readFileSync(controllers, 'utf8').includes('cpu') ? { version: 2, directory: ROOT } : null;
  }
  const directory = ['cpu', 'cpu,cpuacct'].map((one) => join(ROOT, one)).find((one) => existsSync(one));
  return directory === undefined ? null : { version: 1, directory };
}
