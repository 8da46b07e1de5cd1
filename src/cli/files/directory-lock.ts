/**
 * Lock file that reserves a resource for one process. The file is created atomically, and contains the ID and the start
 * time of the process. The lock of a process that has ended is stale, and another process can take the lock.
 */
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { problem, ProblemError } from '../../core/problem.ts';
import { formatDuration, type Milliseconds } from '../../core/units.ts';
import { codeOf, isObject } from '../../core/unknown-value.ts';
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
  readonly name: string;
  readonly pid: number;
  /**
   * Returns the start time of a process; null if it cannot be read. The time distinguishes processes with the same ID.
   */
  readonly startOf: (pid: number) => string | null;
  readonly isAlive: (pid: number) => boolean;
}

/**
 * Address at which other commands reach the holder of a lock. The lock file contains only the loopback URL. The key is
 * in a separate file that only the same user can read. Both sides of a connection must prove that they have the key.
 */
export interface OwnerAddress {
  readonly url: string;
  readonly key: string;
}

const LOOPBACK_URL = /^http:\/\/127\.0\.0\.1:\d{1,5}$/;
const MAX_LOCK_BYTES = 4096;

export interface DirectoryLock {
  publish(address: OwnerAddress): void;
  /** Does nothing if this process no longer holds the lock. */
  release(): void;
}

/** `address` is null if no address is published or the key cannot be read. */
export interface LockHolder {
  readonly pid: number | null;
  readonly address: OwnerAddress | null;
  readonly file: string;
}

/**
 * Returns the lock. If a running process holds the lock, returns that process.
 * @throws ProblemError LT_CLI_PATH if the lock file cannot be used.
 */
export function tryLock(request: LockRequest): DirectoryLock | LockHolder {
  const path = join(request.directory, request.name);
  const own = { pid: request.pid, start: request.startOf(request.pid) };
  try {
    for (;;) {
      // The file need not be flushed, because a system crash makes the lock stale.
      if (createStateFile(path, JSON.stringify(own), { flush: false })) return createLock(path, own);
      const holder = readHolder(path);
      if (holder === 'absent') continue;
      if (holder !== null && isHolderAlive(holder, request)) return lockHolderOf(holder, path);
      removeStaleLock(path, request.pid);
    }
  } catch (error) {
    throw toLockError(path, error);
  }
}

/** Returns the running process that holds the lock; null if the lock is free. */
export function findHolder(request: LockRequest): LockHolder | null {
  const path = join(request.directory, request.name);
  const holder = readHolder(path);
  if (holder === null || holder === 'absent' || !isHolderAlive(holder, request)) return null;
  return lockHolderOf(holder, path);
}

function lockHolderOf({ pid, address }: LockContent, file: string): LockHolder {
  return { pid, address, file };
}

export function isLock(result: DirectoryLock | LockHolder): result is DirectoryLock {
  return 'release' in result;
}

/** `onWait` is called once, when the wait starts. */
export interface LockWait {
  readonly timeout: Milliseconds;
  readonly signal: AbortSignal;
  readonly onWait: (waiting: LockWaitNotice) => void;
}

export interface LockWaitNotice {
  readonly holder: LockHolder;
  readonly text: string;
}

/**
 * Returns the lock as soon as no other process holds it.
 * @throws ProblemError LT_CLI_LOCKED after the timeout; LT_CLI_INTERRUPTED if the signal aborts.
 */
export async function waitForLock(
  request: LockRequest,
  { timeout, signal, onWait }: LockWait,
): Promise<DirectoryLock> {
  const deadline = Date.now() + timeout;
  for (let notified = false; ; notified = true) {
    const result = tryLock(request);
    if (isLock(result)) return result;
    if (Date.now() >= deadline || signal.aborted)
      throw lockedError(request.directory, result, { timeout, signal });
    if (!notified) onWait(lockWaitNotice(request.directory, result, timeout));
    await sleep(100, undefined, { signal }).catch(() => undefined);
  }
}

/**
 * Waits for a lock and blocks the thread. Suitable only for locks that are held briefly.
 * @throws ProblemError LT_CLI_LOCKED after the timeout.
 */
export function waitForLockSync(request: LockRequest, timeout: Milliseconds): DirectoryLock {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (const deadline = Date.now() + timeout; ;) {
    const result = tryLock(request);
    if (isLock(result)) return result;
    if (Date.now() >= deadline) throw lockedError(request.directory, result, { timeout });
    Atomics.wait(pause, 0, 0, 2);
  }
}

export function lockWaitNotice(directory: string, holder: LockHolder, timeout: Milliseconds): LockWaitNotice {
  const text = `"${directory}" is in use by ${holderNameOf(holder)}; waiting up to ${formatDuration(timeout)}`;
  return { holder, text };
}

/** Returns the error of a wait that ended without the lock, after its timeout or because the signal aborted. */
export function lockedError(
  directory: string,
  holder: LockHolder,
  { timeout, signal }: { readonly timeout: Milliseconds; readonly signal?: AbortSignal },
): ProblemError {
  if (signal?.aborted === true) {
    const text = `interrupted while "${directory}" was in use by ${holderNameOf(holder)}`;
    return new ProblemError(problem('LT_CLI_INTERRUPTED', text));
  }
  const text = `"${directory}" is still in use by ${holderNameOf(holder)} (maximum wait: ${formatDuration(timeout)})`;
  const others = /writer-\w+\.lock$/.test(holder.file)
    ? 'commands of other projects and environments do not wait for this lock; '
    : '';
  const hint = `wait until ${holderNameOf(holder)} ends, or increase --lock-timeout; ${others}the lock file is "${holder.file}"`;
  return new ProblemError(problem('LT_CLI_LOCKED', text, { hint }));
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
  // A file without a process ID is damaged, for example by a system crash, because lock files are written atomically.
  if (holder.pid === null) return false;
  if (!request.isAlive(holder.pid)) return false;
  // A different start time means that a later process has the same ID.
  return holder.start === request.startOf(holder.pid);
}

/** Renames a stale lock file before removing it, because only one of several processes can rename the file. */
function removeStaleLock(path: string, pid: number): void {
  const away = `${path}.stale.${pid}`;
  if (moveStateFile(path, away)) removeStateFile(away);
}

/**
 * Returns the content of a lock file; `absent` if the file does not exist; null if it does not contain a JSON object.
 */
function readHolder(path: string): LockContent | null | 'absent' {
  const text = readText(path);
  if (text === null) return 'absent';
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value)) return null;
    const { pid, start, url } = value;
    return {
      pid: typeof pid === 'number' && Number.isInteger(pid) && pid > 0 ? pid : null,
      start: typeof start === 'string' ? start : null,
      address: typeof url === 'string' && LOOPBACK_URL.test(url) ? addressOf(url, path) : null,
    };
  } catch {
    return null;
  }
}

function readText(path: string): string | null {
  try {
    return readStateFile(path, MAX_LOCK_BYTES)?.toString('utf8') ?? null;
  } catch (error) {
    throw toLockError(path, error);
  }
}

function toLockError(path: string, error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  const message = `"${path}" cannot be used as a lock file: ${reasonOf(error)}`;
  return new ProblemError(problem('LT_CLI_PATH', message, { hint: lockHint(path, error) }));
}

function lockHint(path: string, error: unknown): string | null {
  if (error instanceof RefusedFile)
    return 'delete the lock file if no other command is running in this directory';
  if (codeOf(error) === 'ENOSPC') return 'free space on the disk, and run the command again';
  if (codeOf(error) !== 'EACCES') return null;
  return `the directory may belong to another user, such as root in a container; change the owner of "${dirname(path)}" to your user`;
}

/**
 * Returns the address with its key; null if the key cannot be read, for example because other users can read the file.
 */
function addressOf(url: string, path: string): OwnerAddress | null {
  try {
    const key = readSecretFile(keyFileOf(path), MAX_LOCK_BYTES)?.toString('utf8') ?? '';
    return key === '' ? null : { url, key };
  } catch {
    return null;
  }
}
