/** Control groups with a quota of CPU time, where this machine lets us make them. */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { atEnd } from './cleanup.mjs';

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
  const directory = join(parent.directory, `loadtests-bench-${process.pid}`);
  try {
    mkdirSync(directory);
    const quota = Math.round(cores * PERIOD_US);
    if (parent.version === 2) writeFileSync(join(directory, 'cpu.max'), `${quota} ${PERIOD_US}`);
    else writeFileSync(join(directory, 'cpu.cfs_quota_us'), String(quota));
  } catch (error) {
    return `control groups may not be made: ${error.message}`;
  }
  return {
    within: (command) => [
      ...['sh', '-c', 'echo $$ > "$0" && exec "$@"', join(directory, 'cgroup.procs')],
      ...command,
    ],
    close: atEnd(() => rmdirSync(directory)),
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
