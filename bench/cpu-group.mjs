/** Control groups with a quota of CPU time, where this machine lets us make them. */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { atEnd } from './leftovers.mjs';

const ROOT = '/sys/fs/cgroup';
const PERIOD_US = 100_000;

/**
 * `cores`: 0.5 is half of one.
 *
 * Gives `{ within, close }`, of which `within` makes a command one of the group; or a text that says what is missing.
 */
export function openCpuGroup(cores) {
  const parent = parentOf();
  if (parent === null) return 'control groups that limit CPU time are not mounted';
  const folder = join(parent.folder, `loadtests-bench-${process.pid}`);
  try {
    mkdirSync(folder);
    const quota = Math.round(cores * PERIOD_US);
    if (parent.version === 2) writeFileSync(join(folder, 'cpu.max'), `${quota} ${PERIOD_US}`);
    else writeFileSync(join(folder, 'cpu.cfs_quota_us'), String(quota));
  } catch (error) {
    return `control groups may not be made: ${error.message}`;
  }
  return {
    within: (command) => [
      ...['sh', '-c', 'echo $$ > "$0" && exec "$@"', join(folder, 'cgroup.procs')],
      ...command,
    ],
    close: atEnd(() => rmdirSync(folder)),
  };
}

function parentOf() {
  const controllers = join(ROOT, 'cgroup.subtree_control');
  if (existsSync(controllers)) {
    return readFileSync(controllers, 'utf8').includes('cpu') ? { version: 2, folder: ROOT } : null;
  }
  const folder = ['cpu', 'cpu,cpuacct'].map((one) => join(ROOT, one)).find(existsSync);
  return folder === undefined ? null : { version: 1, folder };
}
