/** A control group with a CPU quota, if the system allows one. */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface CpuGroup {
  /** Shell command that joins the group. */
  readonly join: string;
  /** Removes the group; called after its processes have ended. */
  close(): void;
}

const PERIOD_US = 100_000;
const ROOT = '/sys/fs/cgroup';

/**
 * Creates a control group.
 * @param cores - quota; 0.5 is half a core
 * @returns the group, or the reason for which it cannot be created
 */
export function openCpuGroup(cores: number): CpuGroup | string {
  const name = `loadtests-test-${process.pid}-${Math.round(cores * 100)}`;
  try {
    const parent = parentOf();
    if (parent === null) return 'no control group controller for CPU time is mounted';
    const directory = join(parent.directory, name);
    mkdirSync(directory);
    const quota = Math.round(cores * PERIOD_US);
    if (parent.version === 2) writeFileSync(join(directory, 'cpu.max'), `${quota} ${PERIOD_US}`);
    else writeFileSync(join(directory, 'cpu.cfs_quota_us'), String(quota));
    const close = () => rmdirSync(directory);
    return { join: `echo $$ > ${join(directory, 'cgroup.procs')} &&`, close };
  } catch (error) {
    return `a control group cannot be created: ${String(error)}`;
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
