/** The `backup` command: copies the data of `serve` to a directory that `serve --data` can use. */
import { randomBytes } from 'node:crypto';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { problem, ProblemError } from '../../core/problem.ts';
import { formatDuration, seconds, type Milliseconds } from '../../core/units.ts';
import {
  copyStateFile,
  hasStateFile,
  hasStateDirectory,
  makeStateDirectory,
  moveStateDirectory,
  removeStateDirectory,
  syncStateDirectory,
  syncStateFile,
} from '../../disk/state-file.ts';
import { formatCommandLine } from '../terminal/command-line.ts';
import { lstatIfExists } from '../../disk/regular-file.ts';
import { allowedRootForPath, resolveNewInside } from '../../disk/untrusted-file.ts';
import {
  copyIdleData,
  isRequestWaiting,
  KEY_FILES,
  readResponse,
  requestCopy,
  cancelRequest,
} from '../../server/store/backup.ts';
import { DATABASE_FILE, finishCopy } from '../../server/store/open-database.ts';
import { serviceDirectoryOf } from '../files/data-directory.ts';
import { isLock, tryLock, waitForLock, type LockHolder, type LockRequest } from '../files/directory-lock.ts';
import type { Context } from '../terminal/context.ts';
import { reasonOf } from '../terminal/errors.ts';
import type { OutputFlags } from '../terminal/flags.ts';
import { createOutcome, type Outcome } from '../terminal/outcome.ts';
import { onceAtExit } from '../terminal/process-control.ts';
import { writeNote } from '../terminal/report.ts';

export interface BackupFlags extends OutputFlags {
  readonly data?: string;
  readonly lockTimeout?: Milliseconds;
}

/** `timeout` limits the wait until the copy starts. */
interface BackupSource {
  readonly directory: string;
  readonly service: LockRequest;
  readonly timeout: Milliseconds;
}

export async function backup(context: Context, dir: string, flags: BackupFlags): Promise<Outcome> {
  const { pid, startOf, isAlive, interruption } = context;
  const directory = serviceDirectoryOf(context, flags.data);
  const timeout = flags.lockTimeout ?? seconds(30);
  checkHasData(directory);
  const to = destinationOf(context.directory, dir);
  const lockOf = (name: string): LockRequest => ({ directory, name, pid, startOf, isAlive });
  // The lock prevents concurrent backups, because the service writes its response to files with fixed names.
  const lock = await waitForLock(lockOf('backup.lock'), {
    timeout,
    signal: interruption.signal,
    onWait: ({ text }) => writeNote(context, text),
  });
  const draft = `${to}.${randomBytes(4).toString('hex')}.part`;
  const cleanUp = onceAtExit(context, () => {
    removeStateDirectory(draft);
    cancelRequest(directory);
    lock.release();
  });
  try {
    makeStateDirectory(draft);
    // The parent directory must be flushed after the move. If that is not possible, this call fails before data is
    // copied.
    syncStateDirectory(dirname(draft));
    await copyDatabase(
      context,
      { directory, service: lockOf('service.lock'), timeout },
      join(draft, DATABASE_FILE),
    );
    const keys = KEY_FILES.filter((name) => copyStateFile(join(directory, name), join(draft, name)));
    const files = [DATABASE_FILE, ...keys];
    await finishCopy(join(draft, DATABASE_FILE), join(directory, DATABASE_FILE));
    for (const name of files) syncStateFile(join(draft, name));
    checkNotExists(to);
    moveStateDirectory(draft, to);
    return createOutcome({ text: backupText(to, keys), body: { command: 'backup', directory: to, files } });
  } catch (error) {
    if (error instanceof ProblemError) throw error;
    throw new ProblemError(problem('LT_CLI_DISK', `"${to}" cannot be written: ${reasonOf(error)}`));
  } finally {
    cleanUp();
  }
}

function checkHasData(directory: string): void {
  try {
    if (hasStateDirectory(directory) && hasStateFile(join(directory, DATABASE_FILE))) return;
  } catch (error) {
    throw new ProblemError(problem('LT_CLI_PATH', `"${directory}" cannot be read: ${reasonOf(error)}`));
  }
  const hint = 'pass the data directory of "loadtests serve" with --data';
  throw new ProblemError(
    problem('LT_CLI_PATH', `"${directory}" does not contain the data of a service`, { hint }),
  );
}

/**
 * Returns the real path of the backup. Rejects an existing path, and a path outside the directory from
 * `allowedRootForPath`.
 */
function destinationOf(directory: string, dir: string): string {
  try {
    checkNotExists(resolve(directory, dir));
    return resolveNewInside(allowedRootForPath(dir, directory), resolve(directory, dir));
  } catch (error) {
    if (error instanceof ProblemError) throw error;
    const hint = 'choose another directory; if the path contains a symbolic link, use the real path';
    const message = `"${resolve(directory, dir)}" cannot be written: ${reasonOf(error)}`;
    throw new ProblemError(problem('LT_CLI_PATH', message, { hint }));
  }
}

function checkNotExists(to: string): void {
  if (lstatIfExists(to) === null) return;
  const hint = 'choose a directory that does not exist; a backup never overwrites files';
  throw new ProblemError(problem('LT_CLI_PATH', `"${to}" already exists`, { hint }));
}

const POLL_INTERVAL_MS = 50;

/**
 * If a service uses the data directory, the service creates the copy; otherwise, this function does. Tries the lock
 * repeatedly, because its holder may change.
 */
async function copyDatabase(context: Context, source: BackupSource, to: string): Promise<void> {
  const { directory, service, timeout } = source;
  const { signal } = context.interruption;
  const id = randomBytes(16).toString('hex');
  const deadline = Date.now() + timeout;
  for (let requested = false; ;) {
    const lockOrHolder = tryLock(service);
    if (isLock(lockOrHolder)) {
      try {
        await copyIdleData(directory, to);
        return;
      } finally {
        lockOrHolder.release();
      }
    }
    if (!requested) requestCopy(directory, id);
    requested = true;
    const response = readResponse(directory, id);
    if (response?.kind === 'failed') throw copyFailedError(directory, response.reason);
    if (response?.kind === 'copied') {
      copyStateFile(response.path, to);
      return;
    }
    // The timeout does not interrupt a copy that the service has started.
    if (signal.aborted || (Date.now() >= deadline && isRequestWaiting(directory)))
      throw backupTimeoutError(lockOrHolder, source);
    await sleep(POLL_INTERVAL_MS, undefined, { signal }).catch(() => undefined);
  }
}

function copyFailedError(directory: string, reason: string): ProblemError {
  const hint =
    'make sure that the data directory is writable and has enough free space for a copy of the database';
  const message = `the service could not copy the database in "${directory}": ${reason}`;
  return new ProblemError(problem('LT_CLI_DISK', message, { hint }));
}

function backupTimeoutError({ pid }: LockHolder, { directory, timeout }: BackupSource): ProblemError {
  const owner =
    pid === null ? `the process that uses "${directory}"` : `process ${pid}, which uses "${directory}",`;
  const message = `${owner} did not start a backup within ${formatDuration(timeout)}`;
  const hint =
    'try again later; if the process runs an older version of loadtests, stop the process and run the backup again';
  return new ProblemError(problem('LT_CLI_LOCKED', message, { hint }));
}

function backupText(to: string, keys: readonly string[]): string {
  const names = [DATABASE_FILE, ...keys].join(', ');
  const without = keys.includes('api-key')
    ? ''
    : 'The backup has no API key, because the data directory does not contain one.\n';
  return `Wrote ${to}: ${names}\n${without}To restore the backup: ${formatCommandLine(['serve', '--data', to])}\n`;
}
