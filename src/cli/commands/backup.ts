/** A copy of the data of `serve`, that `serve --data` goes on with. */
import { randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { problem, ProblemError } from '../../core/problem.ts';
import { formatDuration, seconds, type Milliseconds } from '../../core/units.ts';
import {
  copyOwnFile,
  findOwnFile,
  findOwnFolder,
  makeOwnFolder,
  moveOwnFolder,
  removeOwnFolder,
  syncOwnFile,
} from '../../disk/own-file.ts';
import { lookAt } from '../../disk/regular-file.ts';
import {
  copyFromIdle,
  isRequestWaiting,
  KEY_FILES,
  readAnswer,
  requestCopy,
  withdrawRequest,
} from '../../server/store/backup.ts';
import { DATABASE_FILE, finishCopy } from '../../server/store/open.ts';
import { serviceFolder } from '../files/data-folder.ts';
import { isLock, tryLock, waitForLock, type LockHolder, type LockRequest } from '../files/folder-lock.ts';
import type { Context } from '../terminal/context.ts';
import { reasonOf } from '../terminal/errors.ts';
import type { OutputFlags } from '../terminal/flags.ts';
import { outcome, type Outcome } from '../terminal/outcome.ts';
import { note } from '../terminal/report.ts';

export interface BackupFlags extends OutputFlags {
  readonly data?: string;
  readonly lockTimeout?: Milliseconds;
}

/** Where a copy comes from, and how long to wait for whoever has to make it. */
interface Source {
  readonly folder: string;
  readonly service: LockRequest;
  readonly timeout: Milliseconds;
}

export async function backup(context: Context, dir: string, flags: BackupFlags): Promise<Outcome> {
  const { pid, startOf, isAlive, interruption } = context;
  const folder = serviceFolder(context, flags.data);
  const to = resolve(context.folder, dir);
  const timeout = flags.lockTimeout ?? seconds(30);
  refuseUnlessData(folder);
  refuseIfThere(to);
  const lockOf = (name: string): LockRequest => ({ folder, name, pid, startOf, isAlive });
  // One at a time: the service answers in files of fixed names.
  const lock = await waitForLock(lockOf('backup.lock'), {
    timeout,
    signal: interruption.signal,
    onWait: ({ text }) => {
      note(context, text);
    },
  });
  const draft = `${to}.${randomBytes(4).toString('hex')}.part`;
  const tidyUp = () => {
    removeOwnFolder(draft);
    withdrawRequest(folder);
    lock.release();
  };
  const takeBack = context.onExit(tidyUp);
  try {
    makeOwnFolder(draft);
    await copyDatabase(
      context,
      { folder, service: lockOf('service.lock'), timeout },
      join(draft, DATABASE_FILE),
    );
    const keys = KEY_FILES.filter((name) => copyOwnFile(join(folder, name), join(draft, name)));
    const files = [DATABASE_FILE, ...keys];
    await finishCopy(join(draft, DATABASE_FILE));
    for (const name of files) syncOwnFile(join(draft, name));
    // A folder of this name is a whole copy.
    refuseIfThere(to);
    moveOwnFolder(draft, to);
    return outcome({ text: textOf(to, keys), body: { command: 'backup', folder: to, files } });
  } catch (error) {
    if (error instanceof ProblemError) throw error;
    throw new ProblemError(problem('LT_CLI_DISK', `"${to}" cannot be written: ${reasonOf(error)}`));
  } finally {
    takeBack();
    tidyUp();
  }
}

function refuseUnlessData(folder: string): void {
  try {
    if (findOwnFolder(folder) && findOwnFile(join(folder, DATABASE_FILE))) return;
  } catch (error) {
    throw new ProblemError(problem('LT_CLI_PATH', `"${folder}" cannot be read: ${reasonOf(error)}`));
  }
  const hint = 'name the data folder of "loadtests serve" with --data';
  throw new ProblemError(
    problem('LT_CLI_PATH', `"${folder}" does not contain the data of a service`, { hint }),
  );
}

function refuseIfThere(to: string): void {
  if (lookAt(to) === null) return;
  const hint = 'name a folder that does not exist yet; a backup never writes over anything';
  throw new ProblemError(problem('LT_CLI_PATH', `"${to}" already exists`, { hint }));
}

const PAUSE_MS = 50;

/** From the service that holds the data, else from the files themselves. Whoever holds them may change meanwhile. */
async function copyDatabase(context: Context, source: Source, to: string): Promise<void> {
  const { folder, service, timeout } = source;
  const { signal } = context.interruption;
  const id = randomBytes(16).toString('hex');
  const deadline = Date.now() + timeout;
  for (let asked = false; ;) {
    const given = tryLock(service);
    if (isLock(given)) {
      try {
        await copyFromIdle(folder, to);
        return;
      } finally {
        given.release();
      }
    }
    if (!asked) requestCopy(folder, id);
    asked = true;
    const answer = readAnswer(folder, id);
    if (answer?.kind === 'failed') throw notCopied(folder, answer.reason);
    if (answer?.kind === 'copied') {
      copyOwnFile(answer.path, to);
      return;
    }
    // One that has begun ends, or its process does.
    if (signal.aborted || (Date.now() >= deadline && isRequestWaiting(folder)))
      throw notAnswered(given, source);
    await sleep(PAUSE_MS, undefined, { signal }).catch(() => undefined);
  }
}

function notCopied(folder: string, reason: string): ProblemError {
  const hint = 'the data folder needs room for a second copy of the database';
  const message = `the service could not copy the database in "${folder}": ${reason}`;
  return new ProblemError(problem('LT_CLI_DISK', message, { hint }));
}

function notAnswered({ pid }: LockHolder, { folder, timeout }: Source): ProblemError {
  const who = pid === null ? 'the process' : `process ${pid}`;
  const message = `${who} that holds "${folder}" did not begin a backup within ${formatDuration(timeout)}`;
  const hint = 'it may be starting, or an earlier version; once it is stopped, this command copies its files';
  return new ProblemError(problem('LT_CLI_LOCKED', message, { hint }));
}

function textOf(to: string, keys: readonly string[]): string {
  const names = [DATABASE_FILE, ...keys].join(', ');
  const without = keys.includes('api-key') ? '' : 'The API key is not in it: the data folder has none.\n';
  return `Wrote ${to}: ${names}\n${without}To restore it: loadtests serve --data ${to}\n`;
}
