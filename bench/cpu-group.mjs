/** Control groups with a CPU quota, if the system allows them. */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onExit } from './cleanup.mjs';

const ROOT = '/sys/fs/cgroup';
const PERIOD_US = 100_000;

/**
 * Creates a control group.
 *
 * @param cores - Quota in cores; 0.5 is half a core.
 * @returns `{ within, close }`, of which `within` returns a command that runs in the group; or a string with
 * the reason for which no group was created.
 */
export function openCpuGroup(cores) {
  const parent = parentOf();
  if (parent === null) return 'no control group controller for CPU time is mounted';
  const directory = join(parent.directory, `loadtests-bench-${process.pid}`);
  try {
    mkdirSync(directory);
    const quota = Math.round(cores * PERIOD_US);
    if (parent.version === 2) writeFileSync(join(directory, 'cpu.max'), `${quota} ${PERIOD_US}`);
    else writeFileSync(join(directory, 'cpu.cfs_quota_us'), String(quota));
  } catch (error) {
    return `a control group cannot be created: ${error.message}`;
  }
  return {
    within: (command) => [
      ...['sh', '-c', 'echo $$ > "$0" && exec "$@"', join(directory, 'cgroup.procs')],
      ...command,
    ],
    close: onExit(() => rmdirSync(directory)),
  };
}

function parentOf() {
  const controllers = join(ROOT, 'cgroup.subtree_control');
  if (existsSync(controllers)) {
    return readFileSync(controllers, 'utf8').includes('cpu') ? { version: 2, directory: ROOT } : null;
  }
  const directory = ['cpu', 'cpu,cpuacct'].map((one) => join(ROOT, one)).find(existsSync);
  return directory === undefined ? null : { version: 1, directory };
}
