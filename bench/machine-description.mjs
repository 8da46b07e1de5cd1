/** What the figures were measured on. */
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

/** A machine that does other things while it measures tells nothing that can be compared with another day's. */
export function busyWarning() {
  const [minute] = loadavg();
  return minute > 0.5 ? `this machine is busy (load ${minute.toFixed(1)}): expect noise` : null;
}
