/** What a command needs to know of processes: its own, and those that it starts or meets. */
import { readFileSync } from 'node:fs';
import type { Context } from './context.ts';
import { codeOf } from './errors.ts';

export type ProcessControl = Pick<Context, 'pid' | 'killGroup' | 'isAlive' | 'startOf' | 'onExit'>;

export function createProcessControl(process: NodeJS.Process): ProcessControl {
  return {
    pid: process.pid,
    killGroup: (pid, signal) => {
      try {
        process.kill(-pid, signal);
      } catch {
        // It is gone.
      }
    },
    isAlive: (pid) => {
      try {
        process.kill(pid, 0);
        return true;
      } catch (error) {
        // Alive, but owned by another user.
        return codeOf(error) === 'EPERM';
      }
    },
    startOf: readProcessStart,
    onExit: (action) => {
      process.once('exit', action);
      return () => process.removeListener('exit', action);
    },
  };
}

/** Field 22 of Linux's /proc/PID/stat: ticks since the machine began. The name in field 2 may hold spaces. */
function readProcessStart(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}
