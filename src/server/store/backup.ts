/**
 * Copies of the database. A running service holds it for itself, so it makes the copy that another process asks for:
 * the three files below are how they talk, in the data directory, where only its owner may write.
 */
import { join } from 'node:path';
import {
  createEmptyStateFile,
  readStateFile,
  removeStateFile,
  replaceStateFile,
} from '../../disk/state-file.ts';
import type { ServiceLog } from '../log.ts';
import type { Database } from './database.ts';
import { copyIdleDatabase } from './open-database.ts';
import { CALLBACK_SECRET } from './secret-file.ts';

/** Holds the id of what is asked for; gone as soon as the service has seen it. */
const REQUEST_FILE = 'backup.request';
/** What the service says, with the id that it was asked by. */
const RESPONSE_FILE = 'backup.answer';
/** What it has made. */
const COPY_FILE = 'backup.db';

const MAX_FILE_BYTES = 4096;

/** What has to lie beside the database for a service to go on with it, as far as it is there. */
export const KEY_FILES: readonly string[] = ['api-key', CALLBACK_SECRET];

export type BackupResponse =
  | { readonly kind: 'copied'; readonly path: string }
  | { readonly kind: 'failed'; readonly reason: string };

/** Asks the service that holds a data directory for a copy. What was asked and answered before is forgotten. */
export function requestCopy(dataDirectory: string, id: string): void {
  cancelRequest(dataDirectory);
  replaceStateFile(join(dataDirectory, REQUEST_FILE), id);
}

/** Takes back what was asked for, and removes what was given. */
export function cancelRequest(dataDirectory: string): void {
  for (const name of [REQUEST_FILE, RESPONSE_FILE, COPY_FILE, `${COPY_FILE}-journal`])
    removeStateFile(join(dataDirectory, name));
}

/** Whether the service has not looked at the request yet. */
export function isRequestWaiting(dataDirectory: string): boolean {
  return readStateFile(join(dataDirectory, REQUEST_FILE), MAX_FILE_BYTES) !== null;
}

/** Null: the service has not answered this request yet. */
export function readResponse(dataDirectory: string, id: string): BackupResponse | null {
  const text = readStateFile(join(dataDirectory, RESPONSE_FILE), MAX_FILE_BYTES)?.toString('utf8') ?? '';
  const [answered, reason = ''] = text.split('\n');
  if (answered !== id) return null;
  return reason === ''
    ? { kind: 'copied', path: join(dataDirectory, COPY_FILE) }
    : { kind: 'failed', reason };
}

/** Makes the copy that somebody has asked for, if there is one. Never throws: nobody here waits for it. */
export function handleRequest(dataDirectory: string, database: Database, log: ServiceLog): void {
  try {
    const id = readStateFile(join(dataDirectory, REQUEST_FILE), MAX_FILE_BYTES)?.toString('utf8') ?? null;
    if (id === null) return;
    removeStateFile(join(dataDirectory, REQUEST_FILE));
    const failure = tryCopy(database, join(dataDirectory, COPY_FILE));
    if (failure === null) log.info({ event: 'backup-made' });
    else log.error({ event: 'backup-failed', reason: failure });
    replaceStateFile(join(dataDirectory, RESPONSE_FILE), `${id}\n${failure ?? ''}`);
  } catch (error) {
    log.error({ event: 'backup-failed', reason: errorTextOf(error) });
  }
}

function tryCopy(database: Database, path: string): string | null {
  try {
    removeStateFile(path);
    // SQLite would make it for everybody.
    createEmptyStateFile(path);
    database.copyInto(path);
    return null;
  } catch (error) {
    // What there is of it takes room that may be missing.
    removeStateFile(path);
    return errorTextOf(error);
  }
}

/**
 * Copies the database of a directory that no service holds, as it is: a later version does not change it.
 *
 * Errors: ProblemError LT_SERVER_DATA.
 */
export async function copyIdleData(dataDirectory: string, path: string): Promise<void> {
  createEmptyStateFile(path);
  await copyIdleDatabase(dataDirectory, path);
}

/** In one line: it is told in a file of lines. */
function errorTextOf(error: unknown): string {
  const text = error instanceof Error ? error.message : '';
  return text.replaceAll(/\s+/g, ' ').trim() || 'unknown error';
}
