/**
 * Copies the database. A running service locks its database, so other processes must request a copy from the service,
 * through three files in the data directory.
 */
import { join } from 'node:path';
import { messageOf } from '../../core/unknown-value.ts';
import {
  createEmptyStateFile,
  readStateFile,
  removeStateFile,
  replaceStateFile,
} from '../../disk/state-file.ts';
import type { ServiceLog } from '../log.ts';
import type { Database } from './database.ts';
import { copyIdleDatabase } from './open-database.ts';
import { CALLBACK_SECRET, DECOY_SECRET } from './secret-file.ts';

/** File with the ID of the request. The service removes the file after reading the ID. */
const REQUEST_FILE = 'backup.request';
/** File with the response of the service and the ID of the request. */
const RESPONSE_FILE = 'backup.response';
const COPY_FILE = 'backup.db';

const MAX_FILE_BYTES = 4096;

/** Names of the other files in the data directory that a restored service needs. */
export const KEY_FILES: readonly string[] = ['api-key', 'worker-secret', CALLBACK_SECRET, DECOY_SECRET];

export type BackupResponse =
  | { readonly kind: 'copied'; readonly path: string }
  | { readonly kind: 'failed'; readonly reason: string };

/** Discards any earlier request, response and copy. */
export function requestCopy(dataDirectory: string, id: string): void {
  cancelRequest(dataDirectory);
  replaceStateFile(join(dataDirectory, REQUEST_FILE), id);
}

export function cancelRequest(dataDirectory: string): void {
  for (const name of [REQUEST_FILE, RESPONSE_FILE, COPY_FILE, `${COPY_FILE}-journal`])
    removeStateFile(join(dataDirectory, name));
}

export function isRequestWaiting(dataDirectory: string): boolean {
  return readStateFile(join(dataDirectory, REQUEST_FILE), MAX_FILE_BYTES) !== null;
}

/** Returns the response to the request with the given ID; null if the service has not responded yet. */
export function readResponse(dataDirectory: string, id: string): BackupResponse | null {
  const text = readStateFile(join(dataDirectory, RESPONSE_FILE), MAX_FILE_BYTES)?.toString('utf8') ?? '';
  const [requestId, reason = ''] = text.split('\n');
  if (requestId !== id) return null;
  return reason === ''
    ? { kind: 'copied', path: join(dataDirectory, COPY_FILE) }
    : { kind: 'failed', reason };
}

/**
 * Creates the requested copy, if any. Never throws: failures are logged and returned to the requesting
 * process.
 */
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
    // SQLite could create a file that other users can read, so a private file is created first.
    createEmptyStateFile(path);
    database.copyInto(path);
    return null;
  } catch (error) {
    removeStateFile(path);
    return errorTextOf(error);
  }
}

/**
 * Copies the database of a directory that no service uses, without migrating the database.
 *
 * @throws ProblemError LT_SERVER_DATA if the database cannot be used.
 */
export async function copyIdleData(dataDirectory: string, path: string): Promise<void> {
  createEmptyStateFile(path);
  await copyIdleDatabase(dataDirectory, path);
}

/** Returns an error message on one line, because the response file is line-based. */
function errorTextOf(error: unknown): string {
  return messageOf(error).replaceAll(/\s+/g, ' ').trim() || 'unknown error';
}
