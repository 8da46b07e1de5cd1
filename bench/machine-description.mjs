/** Description of the machine on which the benchmark runs. */
import { cpus, loadavg, release, totalmem, type } from 'node:os';

export function describeMachine() {
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryMiB: Math.round(totalmem() / 1024 / 1024),
    kernel: `${type()} ${release()}`,
    node: process.version,
  };
}

/**
 * Returns a warning if other processes use the machine, because the results are then not comparable with
 * those of other days.
 */
export function busyWarning() {
  const [minute] = loadavg();
  return minute > 0.5
    ? `other processes use this machine (load ${minute.toFixed(1)}): the results will vary`
    : null;
}
