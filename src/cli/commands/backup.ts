/** A copy of the data of `serve`, that `serve --data` goes on with. */
import { randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';
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
  syncStateFile,
} from '../../disk/state-file.ts';
import { lstatIfExists } from '../../disk/regular-file.ts';
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
import { writeNote } from '../terminal/report.ts';

export interface BackupFlags extends OutputFlags {
  readonly data?: string;
  readonly lockTimeout?: Milliseconds;
}

/** Where a copy comes from, and how long to wait for whoever has to make it. */
interface BackupSource {
  readonly directory: string;
  readonly service: LockRequest;
  readonly timeout: Milliseconds;
}

export async function backup(context: Context, dir: string, flags: BackupFlags): Promise<Outcome> {
  const { pid, startOf, isAlive, interruption } = context;
  const directory = serviceDirectoryOf(context, flags.data);
  const to = resolve(context.directory, dir);
  const timeout = flags.lockTimeout ?? seconds(30);
  checkHasData(directory);
  checkNotExists(to);
  const lockOf = (name: string): LockRequest => ({ directory, name, pid, startOf, isAlive });
  // One at a time: the service answers in files of fixed names.
  const lock = await waitForLock(lockOf('backup.lock'), {
    timeout,
    signal: interruption.signal,
    onWait: ({ text }) => {
      writeNote(context, text);
    },
  });
  const draft = `${to}.${randomBytes(4).toString('hex')}.part`;
  const tidyUp = () => {
    removeStateDirectory(draft);
    cancelRequest(directory);
    lock.release();
  };
  const takeBack = context.onExit(tidyUp);
  try {
    makeStateDirectory(draft);
    await copyDatabase(
      context,
      { directory, service: lockOf('service.lock'), timeout },
      join(draft, DATABASE_FILE),
    );
    const keys = KEY_FILES.filter((name) => copyStateFile(join(directory, name), join(draft, name)));
    const files = [DATABASE_FILE, ...keys];
    await finishCopy(join(draft, DATABASE_FILE));
    for (const name of files) syncStateFile(join(draft, name));
    // A directory of this name is a whole copy.
    checkNotExists(to);
    moveStateDirectory(draft, to);
    return createOutcome({ text: backupText(to, keys), body: { command: 'backup', directory: to, files } });
  } catch (error) {
    if (error instanceof ProblemError) throw error;
    throw new ProblemError(problem('LT_CLI_DISK', `"${to}" cannot be written: ${reasonOf(error)}`));
  } finally {
    takeBack();
    tidyUp();
  }
}

function checkHasData(directory: string): void {
  try {
    if (hasStateDirectory(directory) && hasStateFile(join(directory, DATABASE_FILE))) return;
  } catch (error) {
    throw new ProblemError(problem('LT_CLI_PATH', `"${directory}" cannot be read: ${reasonOf(error)}`));
  }
  const hint = 'name the data directory of "loadtests serve" with --data';
  throw new ProblemError(
    problem('LT_CLI_PATH', `"${directory}" does not contain the data of a service`, { hint }),
  );
}

function checkNotExists(to: string): void {
  if (lstatIfExists(to) === null) return;
  const hint = 'name a directory that does not exist yet; a backup never writes over anything';
  throw new ProblemError(problem('LT_CLI_PATH', `"${to}" already exists`, { hint }));
}

const POLL_INTERVAL_MS = 50;

/** From the service that holds the data, else from the files themselves. Whoever holds them may change meanwhile. */
async function copyDatabase(context: Context, source: BackupSource, to: string): Promise<void> {
  const { directory, service, timeout } = source;
  const { signal } = context.interruption;
  const id = randomBytes(16).toString('hex');
  const deadline = Date.now() + timeout;
  for (let asked = false; ;) {
    const given = tryLock(service);
    if (isLock(given)) {
      try {
        await copyIdleData(directory, to);
        return;
      } finally {
        given.release();
      }
    }
    if (!asked) requestCopy(directory, id);
    asked = true;
    const response = readResponse(directory, id);
    if (response?.kind === 'failed') throw copyFailedError(directory, response.reason);
    if (response?.kind === 'copied') {
      copyStateFile(response.path, to);
      return;
    }
    // One that has begun ends, or its process does.
    if (signal.aborted || (Date.now() >= deadline && isRequestWaiting(directory)))
      throw backupTimeoutError(given, source);
    await sleep(POLL_INTERVAL_MS, undefined, { signal }).catch(() => undefined);
  }
}

function copyFailedError(directory: string, reason: string): ProblemError {
  const hint = 'the data directory needs room for a second copy of the database';
  const message = `the service could not copy the database in "${directory}": ${reason}`;
  return new ProblemError(problem('LT_CLI_DISK', message, { hint }));
}

function backupTimeoutError({ pid }: LockHolder, { directory, timeout }: BackupSource): ProblemError {
  const who = pid === null ? 'the process' : `process ${pid}`;
  const message = `${who} that holds "${directory}" did not begin a backup within ${formatDuration(timeout)}`;
  const hint = 'it may be starting, or an earlier version; once it is stopped, this command copies its files';
  return new ProblemError(problem('LT_CLI_LOCKED', message, { hint }));
}

function backupText(to: string, keys: readonly string[]): string {
  const names = [DATABASE_FILE, ...keys].join(', ');
  const without = keys.includes('api-key') ? '' : 'The API key is not in it: the data directory has none.\n';
  return `Wrote ${to}: ${names}\n${without}To restore it: loadtests serve --data ${to}\n`;
}
