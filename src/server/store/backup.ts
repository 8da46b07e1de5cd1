/**
 * Copies of the database. A running service holds it for itself, so it makes the copy that another process asks for:
 * the three files below are how they talk, in the data folder, where only its owner may write.
 */
import { join } from 'node:path';
import { makeEmptyOwnFile, readOwnFile, removeOwnFile, replaceOwnFile } from '../../disk/own-file.ts';
import type { ServiceLog } from '../log.ts';
import type { Database } from './database.ts';
import { copyIdleDatabase } from './open.ts';
import { CALLBACK_SECRET } from './secret-file.ts';

/** Holds the id of what is asked for; gone as soon as the service has seen it. */
const REQUEST = 'backup.request';
/** What the service says, with the id that it was asked by. */
const ANSWER = 'backup.answer';
/** What it has made. */
const COPY = 'backup.db';

const LARGEST = 4096;

/** What has to lie beside the database for a service to go on with it, as far as it is there. */
export const KEY_FILES: readonly string[] = ['api-key', CALLBACK_SECRET];

export type BackupAnswer =
  | { readonly kind: 'copied'; readonly path: string }
  | { readonly kind: 'failed'; readonly reason: string };

/** Asks the service that holds a data folder for a copy. What was asked and answered before is forgotten. */
export function requestCopy(dataFolder: string, id: string): void {
  withdrawRequest(dataFolder);
  replaceOwnFile(join(dataFolder, REQUEST), id);
}

/** Takes back what was asked for, and removes what was given. */
export function withdrawRequest(dataFolder: string): void {
  for (const name of [REQUEST, ANSWER, COPY, `${COPY}-journal`]) removeOwnFile(join(dataFolder, name));
}

/** Whether the service has not looked at the request yet. */
export function isRequestWaiting(dataFolder: string): boolean {
  return readOwnFile(join(dataFolder, REQUEST), LARGEST) !== null;
}

/** Null: the service has not answered this request yet. */
export function readAnswer(dataFolder: string, id: string): BackupAnswer | null {
  const text = readOwnFile(join(dataFolder, ANSWER), LARGEST)?.toString('utf8') ?? '';
  const [answered, reason = ''] = text.split('\n');
  if (answered !== id) return null;
  return reason === '' ? { kind: 'copied', path: join(dataFolder, COPY) } : { kind: 'failed', reason };
}

/** Makes the copy that somebody has asked for, if there is one. Never throws: nobody here waits for it. */
export function answerRequest(dataFolder: string, database: Database, log: ServiceLog): void {
  try {
    const id = readOwnFile(join(dataFolder, REQUEST), LARGEST)?.toString('utf8') ?? null;
    if (id === null) return;
    removeOwnFile(join(dataFolder, REQUEST));
    const failure = tryCopy(database, join(dataFolder, COPY));
    if (failure === null) log.info({ event: 'backup-made' });
    else log.error({ event: 'backup-failed', reason: failure });
    replaceOwnFile(join(dataFolder, ANSWER), `${id}\n${failure ?? ''}`);
  } catch (error) {
    log.error({ event: 'backup-failed', reason: textOf(error) });
  }
}

function tryCopy(database: Database, path: string): string | null {
  try {
    removeOwnFile(path);
    // SQLite would make it for everybody.
    makeEmptyOwnFile(path);
    database.copyInto(path);
    return null;
  } catch (error) {
    // What there is of it takes room that may be missing.
    removeOwnFile(path);
    return textOf(error);
  }
}

/**
 * Copies the database of a folder that no service holds, as it is: a later version does not change it.
 *
 * Errors: ProblemError LT_SERVER_DATA.
 */
export async function copyFromIdle(dataFolder: string, path: string): Promise<void> {
  makeEmptyOwnFile(path);
  await copyIdleDatabase(dataFolder, path);
}

/** In one line: it is told in a file of lines. */
function textOf(error: unknown): string {
  const text = error instanceof Error ? error.message : '';
  return text.replaceAll(/\s+/g, ' ').trim() || 'unknown error';
}
