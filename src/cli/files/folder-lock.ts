/**
 * One owner of a thing at a time: a file that names the process, made in one step with its content.
 *
 * A lock of a process that is gone is taken over, so nothing can be left stuck.
 */
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { problem, ProblemError } from '../../core/problem.ts';
import { formatDuration, type Milliseconds } from '../../core/units.ts';
import { codeOf } from '../terminal/errors.ts';

export interface LockRequest {
  readonly folder: string;
  /** Of the lock's file. */
  readonly name: string;
  readonly pid: number;
  /** What tells this process from a later one of the same number; null where the system does not say. */
  readonly startOf: (pid: number) => string | null;
  readonly isAlive: (pid: number) => boolean;
}

/** How others reach the owner, once they can. */
export interface OwnerAddress {
  readonly url: string;
  readonly key: string;
}

export interface FolderLock {
  /** Tells others how to reach the owner. */
  publish(address: OwnerAddress): void;
  /** Safe to call twice. */
  release(): void;
}

/** Who holds a lock. `address`: null until it was published. */
export interface LockHolder {
  readonly pid: number | null;
  readonly address: OwnerAddress | null;
}

/** The lock, or who holds it. */
export function tryLock(request: LockRequest): FolderLock | LockHolder {
  const path = join(request.folder, request.name);
  const own = { pid: request.pid, start: request.startOf(request.pid) };
  for (;;) {
    if (link(path, JSON.stringify(own), request.pid)) return createLock(path, own);
    const holder = readHolder(path);
    if (holder === null || isThere(holder, request)) {
      return { pid: holder?.pid ?? null, address: holder?.address ?? null };
    }
    takeAway(path, request.pid);
  }
}

/** Who holds a lock, without trying to take it. Null: nobody does. */
export function findHolder(request: LockRequest): LockHolder | null {
  const holder = readHolder(join(request.folder, request.name));
  if (holder === null || !isThere(holder, request)) return null;
  return { pid: holder.pid, address: holder.address };
}

export function isLock(given: FolderLock | LockHolder): given is FolderLock {
  return 'release' in given;
}

/** How long to wait, and who is told that it has to be waited at all. */
export interface Patience {
  readonly timeout: Milliseconds;
  readonly signal: AbortSignal;
  readonly onWait: (waiting: Waiting) => void;
}

export interface Waiting {
  readonly holder: LockHolder;
  /** One sentence: for whom, and how long at most. */
  readonly text: string;
}

/** Waits for the lock. Errors: ProblemError LT_CLI_LOCKED after the timeout, or when the signal fires. */
export async function waitForLock(
  request: LockRequest,
  { timeout, signal, onWait }: Patience,
): Promise<FolderLock> {
  const deadline = Date.now() + timeout;
  for (let told = false; ; told = true) {
    const given = tryLock(request);
    if (isLock(given)) return given;
    if (Date.now() >= deadline || signal.aborted) throw lockedError(request.folder, given, timeout);
    if (!told) onWait(waitingFor(request.folder, given, timeout));
    await sleep(100, undefined, { signal }).catch(() => undefined);
  }
}

export function waitingFor(folder: string, holder: LockHolder, timeout: Milliseconds): Waiting {
  const text = `"${folder}" is in use by ${nameOf(holder)}; waiting up to ${formatDuration(timeout)}`;
  return { holder, text };
}

export function lockedError(folder: string, holder: LockHolder, timeout: Milliseconds): ProblemError {
  const text = `"${folder}" is still in use by ${nameOf(holder)} after ${formatDuration(timeout)}`;
  return new ProblemError(problem('LT_CLI_LOCKED', text));
}

function nameOf({ pid }: LockHolder): string {
  return pid === null ? 'another process' : `process ${pid}`;
}

interface LockContent extends LockHolder {
  readonly start: string | null;
}

function createLock(path: string, own: { pid: number; start: string | null }): FolderLock {
  return {
    publish: (address) => {
      // The name is ours; renaming over it shows others the old content or the new one, whole.
      const draft = `${path}.${own.pid}`;
      writeFileSync(draft, JSON.stringify({ ...own, ...address }), { mode: 0o600 });
      renameSync(draft, path);
    },
    release: () => {
      const holder = readHolder(path);
      if (holder?.pid === own.pid && holder.start === own.start) rmSync(path, { force: true });
    },
  };
}

// A link fails when the name exists, and the file it names is whole: no reader ever sees half a lock.
function link(path: string, content: string, pid: number): boolean {
  const draft = `${path}.${pid}`;
  writeFileSync(draft, content, { mode: 0o600 });
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function isThere(holder: LockContent, request: LockRequest): boolean {
  // What names nobody is somebody's all the same.
  if (holder.pid === null) return true;
  if (!request.isAlive(holder.pid)) return false;
  // The number may have gone to another process since.
  return holder.start === null || holder.start === request.startOf(holder.pid);
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

/** Null: there is no lock, or it is not readable as one. */
function readHolder(path: string): LockContent | null {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (typeof value !== 'object' || value === null) return null;
    const { pid, start, url, key } = value as Partial<Record<string, unknown>>;
    return {
      pid: typeof pid === 'number' && Number.isInteger(pid) && pid > 0 ? pid : null,
      start: typeof start === 'string' ? start : null,
      address: typeof url === 'string' && typeof key === 'string' ? { url, key } : null,
    };
  } catch {
    return null;
  }
}
