/**
 * One owner per data folder: a file that names the process, made in one step with its content.
 *
 * A lock of a process that is gone is taken over, so nothing can be left stuck.
 */
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { problem, ProblemError } from '../core/problem.ts';
import { formatDuration, type Milliseconds } from '../core/units.ts';

export interface FolderLock {
  release(): void;
}

interface Request {
  readonly folder: string;
  readonly pid: number;
  readonly isAlive: (pid: number) => boolean;
  readonly timeout: Milliseconds;
  readonly signal: AbortSignal;
}

/** Errors: ProblemError LT_CLI_LOCKED after the timeout. */
export async function lockFolder(request: Request): Promise<FolderLock> {
  const path = join(request.folder, 'lock');
  const own = JSON.stringify({ pid: request.pid, since: new Date().toISOString() });
  const deadline = Date.now() + request.timeout;
  for (;;) {
    if (tryLock(path, own, request.pid))
      return {
        release: () => {
          releaseLock(path, own);
        },
      };
    const holder = holderOf(path);
    if (holder !== null && !request.isAlive(holder)) {
      takeAway(path, request.pid);
      continue;
    }
    if (Date.now() >= deadline || request.signal.aborted) throw held(request, holder);
    await sleep(100, undefined, { signal: request.signal }).catch(() => undefined);
  }
}

// A link fails when the name exists, and the file it names is whole: no reader ever sees half a lock.
function tryLock(path: string, own: string, pid: number): boolean {
  const draft = `${path}.${pid}`;
  writeFileSync(draft, own, { mode: 0o600 });
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Renaming is a race that one process wins; the others find the name gone. */
function takeAway(path: string, pid: number): void {
  const away = `${path}.stale.${pid}`;
  try {
    renameSync(path, away);
    rmSync(away, { force: true });
  } catch {
    // Somebody else was faster.
  }
}

function holderOf(path: string): number | null {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    const pid = typeof value === 'object' && value !== null && 'pid' in value ? value.pid : null;
    return typeof pid === 'number' && Number.isInteger(pid) && pid > 0 ? pid : null;
  } catch {
    return null;
  }
}

function releaseLock(path: string, own: string): void {
  try {
    if (readFileSync(path, 'utf8') === own) rmSync(path);
  } catch {
    // It is gone already.
  }
}

function held(request: Request, holder: number | null): ProblemError {
  const who = holder === null ? 'another process' : `process ${holder}`;
  return new ProblemError(
    problem(
      'LT_CLI_LOCKED',
      `"${request.folder}" is in use by ${who}, also after ${formatDuration(request.timeout)}`,
    ),
  );
}
