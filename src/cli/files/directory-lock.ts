/**
 * One owner of a thing at a time: a file that names the process, made in one step with its content.
 *
 * A lock of a process that is gone is taken over, so nothing can be left stuck.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { problem, ProblemError } from '../../core/problem.ts';
import { formatDuration, type Milliseconds } from '../../core/units.ts';
import {
  createStateFile,
  moveStateFile,
  readStateFile,
  readSecretFile,
  removeStateFile,
  replaceStateFile,
} from '../../disk/state-file.ts';
import { RefusedFile } from '../../disk/refused-file.ts';
import { reasonOf } from '../terminal/errors.ts';

export interface LockRequest {
  readonly directory: string;
  /** Of the lock's file. */
  readonly name: string;
  readonly pid: number;
  /** What tells this process from a later one of the same number; null where the system does not say. */
  readonly startOf: (pid: number) => string | null;
  readonly isAlive: (pid: number) => boolean;
}

/**
 * How others reach the owner, once they can.
 *
 * Shape: the lock itself tells the URL only, which is on this machine. The key lies beside it, for its owner alone: who
 *        answers there must know it, and who asks too.
 */
export interface OwnerAddress {
  readonly url: string;
  readonly key: string;
}

const LOOPBACK_URL = /^http:\/\/127\.0\.0\.1:\d{1,5}$/;
/** Far more than a lock or a key needs. */
const MAX_LOCK_BYTES = 4096;

export interface DirectoryLock {
  /** Tells others how to reach the owner. */
  publish(address: OwnerAddress): void;
  /** Safe to call twice. */
  release(): void;
}

/** Who holds a lock. `address`: null until it was published. */
export interface LockHolder {
  readonly pid: number | null;
  readonly address: OwnerAddress | null;
  /** The lock's file. */
  readonly file: string;
}

/** The lock, or who holds it. Errors: ProblemError LT_CLI_PATH, also below. */
export function tryLock(request: LockRequest): DirectoryLock | LockHolder {
  const path = join(request.directory, request.name);
  const own = { pid: request.pid, start: request.startOf(request.pid) };
  for (;;) {
    if (createStateFile(path, JSON.stringify(own))) return createLock(path, own);
    const holder = readHolder(path);
    if (holder === 'absent') continue;
    if (holder !== null && isHolderAlive(holder, request)) return lockHolderOf(holder, path);
    removeStaleLock(path, request.pid);
  }
}

/** Who holds a lock, without trying to take it. Null: nobody does. */
export function findHolder(request: LockRequest): LockHolder | null {
  const path = join(request.directory, request.name);
  const holder = readHolder(path);
  if (holder === null || holder === 'absent' || !isHolderAlive(holder, request)) return null;
  return lockHolderOf(holder, path);
}

function lockHolderOf({ pid, address }: LockContent, file: string): LockHolder {
  return { pid, address, file };
}

export function isLock(given: DirectoryLock | LockHolder): given is DirectoryLock {
  return 'release' in given;
}

/** How long to wait, and who is told that it has to be waited at all. */
export interface LockWait {
  readonly timeout: Milliseconds;
  readonly signal: AbortSignal;
  readonly onWait: (waiting: LockWaitNotice) => void;
}

export interface LockWaitNotice {
  readonly holder: LockHolder;
  /** One sentence: for whom, and how long at most. */
  readonly text: string;
}

/** Waits for the lock. Errors: ProblemError LT_CLI_LOCKED after the timeout, or when the signal fires. */
export async function waitForLock(
  request: LockRequest,
  { timeout, signal, onWait }: LockWait,
): Promise<DirectoryLock> {
  const deadline = Date.now() + timeout;
  for (let told = false; ; told = true) {
    const given = tryLock(request);
    if (isLock(given)) return given;
    if (Date.now() >= deadline || signal.aborted) throw lockedError(request.directory, given, timeout);
    if (!told) onWait(lockWaitNotice(request.directory, given, timeout));
    await sleep(100, undefined, { signal }).catch(() => undefined);
  }
}

export function lockWaitNotice(directory: string, holder: LockHolder, timeout: Milliseconds): LockWaitNotice {
  const text = `"${directory}" is in use by ${holderNameOf(holder)}; waiting up to ${formatDuration(timeout)}`;
  return { holder, text };
}

export function lockedError(directory: string, holder: LockHolder, timeout: Milliseconds): ProblemError {
  const text = `"${directory}" is still in use by ${holderNameOf(holder)} after ${formatDuration(timeout)}`;
  return new ProblemError(problem('LT_CLI_LOCKED', text, { hint: `the lock is the file "${holder.file}"` }));
}

function holderNameOf({ pid }: LockHolder): string {
  return pid === null ? 'another process' : `process ${pid}`;
}

interface LockContent extends Omit<LockHolder, 'file'> {
  readonly start: string | null;
}

function createLock(path: string, own: { pid: number; start: string | null }): DirectoryLock {
  return {
    publish: ({ url, key }) => {
      replaceStateFile(keyFileOf(path), key);
      // The name is ours; others see the old content or the new one, whole.
      replaceStateFile(path, JSON.stringify({ ...own, url }));
    },
    release: () => {
      const holder = readHolder(path);
      if (holder === null || holder === 'absent') return;
      if (holder.pid !== own.pid || holder.start !== own.start) return;
      removeStateFile(keyFileOf(path));
      removeStateFile(path);
    },
  };
}

function keyFileOf(path: string): string {
  return path.replace(/\.lock$/, '.key');
}

function isHolderAlive(holder: LockContent, request: LockRequest): boolean {
  // A lock is made whole, so what names nobody was torn by a crash of the machine.
  if (holder.pid === null) return false;
  if (!request.isAlive(holder.pid)) return false;
  // The number may have gone to another process since; and who does not say when it started is none of ours.
  return holder.start === request.startOf(holder.pid);
}

/** Renaming is a race that one process wins; the others find the name gone. */
function removeStaleLock(path: string, pid: number): void {
  const away = `${path}.stale.${pid}`;
  if (moveStateFile(path, away)) removeStateFile(away);
}

/** Null: it is not readable as a lock. */
function readHolder(path: string): LockContent | null | 'absent' {
  const text = readText(path);
  if (text === null) return 'absent';
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) return null;
    const { pid, start, url } = value as Partial<Record<string, unknown>>;
    return {
      pid: typeof pid === 'number' && Number.isInteger(pid) && pid > 0 ? pid : null,
      start: typeof start === 'string' ? start : null,
      address: typeof url === 'string' && LOOPBACK_URL.test(url) ? addressOf(url, path) : null,
    };
  } catch {
    return null;
  }
}

/** Null: it is not there. */
function readText(path: string): string | null {
  try {
    return readStateFile(path, MAX_LOCK_BYTES)?.toString('utf8') ?? null;
  } catch (error) {
    const hint = error instanceof RefusedFile ? 'delete it if no other command runs in this directory' : null;
    const message = `"${path}" cannot be used as a lock: ${reasonOf(error)}`;
    throw new ProblemError(problem('LT_CLI_PATH', message, { hint }));
  }
}

/** Null: there is no key that we may read and nobody else. */
function addressOf(url: string, path: string): OwnerAddress | null {
  try {
    const key = readSecretFile(keyFileOf(path), MAX_LOCK_BYTES)?.toString('utf8') ?? '';
    return key === '' ? null : { url, key };
  } catch {
    return null;
  }
}
