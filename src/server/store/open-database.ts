/** Opens the database file: checks permissions, ownership, version and integrity. */
import { join } from 'node:path';
import Libsql from 'libsql';
import { ProblemError, problem } from '../../core/problem.ts';
import { codeOf } from '../../core/unknown-value.ts';
import { hasWritableStateFile, makeStateDirectory, readStateFileStart } from '../../disk/state-file.ts';
import { RefusedFile } from '../../disk/refused-file.ts';
import { MIGRATIONS, migrate } from './migrate.ts';
import { COUNT_SUFFIX } from './change-count.ts';
import { Database, type Row } from './database.ts';
import { failureOf } from './storage-failure.ts';

/** "LTST" in the SQLite header, which identifies a loadtests database. */
const APPLICATION_ID = 0x4c545354;

/**
 * Offsets in the SQLite header of fields that are read before SQLite opens the file.
 * @see SQLite file format, section 1.3.
 */
const HEADER_FIELDS = {
  magic: 'SQLite format 3\0',
  length: 100,
  userVersion: 60,
  applicationId: 68,
} as const;

export const DATABASE_FILE = 'service.db';
/** Suffixes of the files next to the database. SQLite opens these files without checking their type or owner. */
const COMPANION_FILES: readonly string[] = ['-wal', '-shm', '-journal', COUNT_SUFFIX];

/** Maximum time to wait for the lock, in ms. After this time, another process is assumed to use the file. */
const MAX_LOCK_WAIT_MS = 1000;

/**
 * Opens the database of a data directory, and creates it if missing.
 *
 * @throws ProblemError LT_SERVER_DATA if the file cannot be used. A file that belongs to a newer version or another
 * program, or is not a database, is not changed.
 */
export async function openDatabase(dataDirectory: string): Promise<Database> {
  const path = join(dataDirectory, DATABASE_FILE);
  return await withDataProblem(path, async () => {
    makeStateDirectory(dataDirectory);
    const database = await openUnchecked(path);
    try {
      migrateDatabase(database);
      database.countChanges();
      database.watchFiles();
      return database;
    } catch (error) {
      database.abandon();
      throw error;
    }
  });
}

/**
 * Copies the database of a directory into an empty file, without migrating the tables.
 *
 * @throws ProblemError LT_SERVER_DATA if the database cannot be used.
 */
export async function copyIdleDatabase(dataDirectory: string, to: string): Promise<void> {
  const path = join(dataDirectory, DATABASE_FILE);
  await withDataProblem(path, async () => {
    const database = await openUnchecked(path);
    try {
      database.copyInto(to);
    } finally {
      database.close();
    }
  });
}

/**
 * Checks every page of a copy and removes its count of acknowledged changes, so that changes after the backup
 * do not count as lost.
 *
 * @param source - Path of the copied database, for messages.
 * @throws ProblemError LT_SERVER_DATA if the copy is damaged.
 */
export async function finishCopy(path: string, source: string): Promise<void> {
  await withDataProblem(path, () => {
    const connection = new Libsql(path, { timeout: MAX_LOCK_WAIT_MS });
    try {
      // SQLite returns this type.
      const [row] = connection.prepare('PRAGMA integrity_check(1)').all() as readonly Row[];
      if (row?.['integrity_check'] !== 'ok') throw damagedCopyProblem(source);
      const counts = connection.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'acknowledged'").all();
      if (counts.length > 0) connection.exec('DELETE FROM acknowledged');
    } catch (error) {
      throw failureOf(error) === 'damaged' ? damagedCopyProblem(source) : error;
    } finally {
      connection.close();
    }
  });
}

async function withDataProblem<T>(path: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // The command reports the limit on open files itself.
    throw error instanceof ProblemError || failureOf(error) === 'files' ? error : problemOf(error, path);
  }
}

function problemOf(error: unknown, path: string): ProblemError {
  const failure = failureOf(error);
  if (failure === 'damaged') return damagedProblem(path, 'is damaged', error);
  const hint =
    failure === 'full'
      ? 'free disk space for the data directory'
      : codeOf(error)?.startsWith('SQLITE_CANTOPEN') === true
        ? 'check the permissions of the data directory, and the limit on open files (ulimit -n)'
        : null;
  return new ProblemError(problem('LT_SERVER_DATA', reasonOf(error, path), { hint }), { cause: error });
}

export function toDataProblem(dataDirectory: string, error: unknown): ProblemError {
  return problemOf(error, join(dataDirectory, DATABASE_FILE));
}

async function openUnchecked(path: string): Promise<Database> {
  for (const suffix of COMPANION_FILES) checkCompanion(path + suffix);
  checkHeader(path, readStateFileStart(path, HEADER_FIELDS.length));
  return await openChecked(path);
}

function checkCompanion(path: string): void {
  try {
    hasWritableStateFile(path);
  } catch (error) {
    throw new ProblemError(problem('LT_SERVER_DATA', reasonOf(error, path)), { cause: error });
  }
}

/**
 * Checks that the file is a database of this program in a supported version.
 * @param header - Empty if the file is new.
 */
function checkHeader(path: string, header: Buffer): void {
  if (header.length === 0) return;
  if (header.length < HEADER_FIELDS.length || header.toString('latin1', 0, 16) !== HEADER_FIELDS.magic) {
    throw damagedProblem(path, 'is not a database');
  }
  checkOwner(
    path,
    header.readUInt32BE(HEADER_FIELDS.userVersion),
    header.readUInt32BE(HEADER_FIELDS.applicationId),
  );
}

function checkOwner(path: string, version: number, application: number): void {
  if (application !== APPLICATION_ID && (version !== 0 || application !== 0)) {
    throw damagedProblem(path, 'belongs to another program');
  }
  if (version > MIGRATIONS.length) {
    const message = `the database "${path}" has version ${version}; this program supports versions up to ${MIGRATIONS.length}`;
    throw new ProblemError(problem('LT_SERVER_DATA', message, { hint: 'use a newer version of loadtests' }));
  }
}

async function openChecked(path: string): Promise<Database> {
  const unclean = [`${path}-wal`, path + COUNT_SUFFIX].map(hasWritableStateFile).includes(true);
  const database = new Database(new Libsql(path, { timeout: MAX_LOCK_WAIT_MS }), path);
  try {
    await lockAndCheck(path, database, unclean);
    return database;
  } catch (error) {
    database.abandon();
    throw error;
  }
}

/**
 * Locks the database, and checks that it belongs to this program, has a supported version and is intact.
 * @param unclean - True if the last process did not close the database.
 */
async function lockAndCheck(path: string, database: Database, unclean: boolean): Promise<void> {
  const pragma = (text: string) => database.prepare(`PRAGMA ${text}`).first();
  // Sets WAL mode, reads once, and then sets exclusive locking. The lock can be released in WAL mode only with this
  // order.
  pragma('journal_mode = WAL');
  pragma('schema_version');
  pragma('locking_mode = EXCLUSIVE');
  database.exec('PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; BEGIN EXCLUSIVE; COMMIT');
  // The write-ahead log may contain a newer version of the header.
  checkOwner(path, versionOf(database), Number(pragma('application_id')?.['application_id']));
  if (!(await database.isIntact(unclean))) throw damagedProblem(path, 'is damaged');
  const lost = database.lostChanges();
  if (lost > 0) throw incompleteProblem(path, lost);
}

function migrateDatabase(database: Database): void {
  const version = versionOf(database);
  if (version === 0) database.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
  migrate(database, version);
}

function versionOf(database: Database): number {
  return Number(database.prepare('PRAGMA user_version').first()?.['user_version']);
}

function damagedProblem(path: string, state: string, cause?: unknown): ProblemError {
  const hint = 'restore a backup, or move the file away to start with an empty database';
  return new ProblemError(problem('LT_SERVER_DATA', `the file "${path}" ${state}`, { hint }), { cause });
}

function damagedCopyProblem(source: string): ProblemError {
  const hint = 'check the disk, and try again; if the copy is damaged again, use an earlier backup';
  return new ProblemError(problem('LT_SERVER_DATA', `the copy of "${source}" is damaged`, { hint }));
}

/** An incomplete database is refused, because `plan` would create the lost tests again. */
function incompleteProblem(path: string, lost: number): ProblemError {
  const changes = lost === 1 ? 'change that was' : `${lost} changes that were`;
  const message = `the database "${path}" lacks the last ${changes} acknowledged: its log, "${path}-wal", was deleted, truncated or damaged`;
  const hint = `restore a backup; to continue without the lost changes, delete "${path}${COUNT_SUFFIX}"`;
  return new ProblemError(problem('LT_SERVER_DATA', message, { hint }));
}

function reasonOf(error: unknown, path: string): string {
  const name = `the database file "${path}"`;
  if (error instanceof RefusedFile) return `${name} cannot be used: ${error.message}`;
  const code = codeOf(error) ?? '';
  if (failureOf(error) === 'full') return `${name} cannot be written: no space left on the disk`;
  if (code.startsWith('SQLITE_BUSY')) return `${name} is in use by another process`;
  return `${name} cannot be opened${code === '' ? '' : ` (${code})`}`;
}
