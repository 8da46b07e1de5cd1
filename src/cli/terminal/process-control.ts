import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { codeOf } from '../../core/unknown-value.ts';
import type { Context } from './context.ts';

export type ProcessControl = Pick<Context, 'pid' | 'killGroup' | 'isAlive' | 'startOf' | 'onExit'>;

export function createProcessControl(process: NodeJS.Process): ProcessControl {
  return {
    pid: process.pid,
    killGroup: (pid, signal) => {
      try {
        process.kill(-pid, signal);
      } catch {
        // The group has already ended.
      }
    },
    isAlive: (pid) => {
      try {
        process.kill(pid, 0);
        return true;
      } catch (error) {
        // EPERM means that the process is running but belongs to another user.
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

/** Runs the action at the exit of the process, unless the returned function has been called and has run it before. */
export function onceAtExit({ onExit }: Pick<Context, 'onExit'>, action: () => void): () => void {
  const unregister = onExit(action);
  return () => {
    unregister();
    action();
  };
}

export async function untilAborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}

/**
 * Returns the start time of a process in clock ticks since boot; null if it cannot be read. On Linux, the start time is
 * field 22 of `/proc/PID/stat`. The program name in field 2 may contain spaces and parentheses.
 */
function readProcessStart(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}
