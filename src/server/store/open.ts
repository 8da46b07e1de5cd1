/** Opens the database file: permissions, ownership, pragmas, version. Not what stands in it. */
import { join } from 'node:path';
import Libsql from 'libsql';
import { ProblemError, problem } from '../../core/problem.ts';
import { findOwnFileToWrite, makeOwnFolder, readStartOfOwnFile } from '../../disk/own-file.ts';
import { RefusedFile } from '../../disk/refused-file.ts';
import { MIGRATIONS, migrate } from './migrate.ts';
import { COUNT_ENDING } from './change-count.ts';
import { Database, type Row } from './database.ts';
import { codeText, failureOf } from './storage-failure.ts';

/** "LTST" in a SQLite header: the file is ours. */
const APPLICATION_ID = 0x4c545354;

/** Where a SQLite header keeps what is read before SQLite may touch the file. Source: SQLite file format, 1.3. */
const HEADER = { magic: 'SQLite format 3\0', length: 100, userVersion: 60, applicationId: 68 } as const;

/** In the data folder. */
export const DATABASE_FILE = 'service.db';
/** What lies beside it. SQLite opens its own without a look at what they are. */
const NEIGHBOURS: readonly string[] = ['-wal', '-shm', '-journal', COUNT_ENDING];

/** How long another process may hold the file before it counts as its owner. */
const LOCK_WAIT_MS = 1000;

/**
 * Opens the database of a data folder, or makes it.
 *
 * Errors: ProblemError LT_SERVER_DATA. A file of a newer version, of another program or no database is not touched.
 */
export async function openDatabase(dataFolder: string): Promise<Database> {
  const path = join(dataFolder, DATABASE_FILE);
  return await toldAsProblem(path, async () => {
    makeOwnFolder(dataFolder);
    const database = await openAsItIs(path);
    try {
      bringUpToDate(database);
      database.countChanges();
      database.holdToFiles();
      return database;
    } catch (error) {
      database.abandon();
      throw error;
    }
  });
}

/**
 * Copies the database of a folder into an empty file. Its tables stay as an earlier version has left them.
 *
 * Errors: ProblemError LT_SERVER_DATA.
 */
export async function copyIdleDatabase(dataFolder: string, to: string): Promise<void> {
  const path = join(dataFolder, DATABASE_FILE);
  await toldAsProblem(path, async () => {
    const database = await openAsItIs(path);
    try {
      database.copyInto(to);
    } finally {
      database.close();
    }
  });
}

/**
 * Reads every page of a copy, and lets it stand for itself: what was acknowledged after it was made is not lost by
 * whoever goes on with it.
 *
 * Errors: ProblemError LT_SERVER_DATA.
 */
export async function finishCopy(path: string): Promise<void> {
  await toldAsProblem(path, () => {
    const connection = new Libsql(path, { timeout: LOCK_WAIT_MS });
    try {
      const [row] = connection.prepare('PRAGMA integrity_check(1)').all() as readonly Row[]; // as SQLite has it
      if (row?.['integrity_check'] !== 'ok') throw damaged(path, 'is damaged');
      const counts = connection.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'acknowledged'").all();
      if (counts.length > 0) connection.exec('DELETE FROM acknowledged');
    } finally {
      connection.close();
    }
  });
}

async function toldAsProblem<T>(path: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof ProblemError ? error : problemOf(error, path);
  }
}

function problemOf(error: unknown, path: string): ProblemError {
  const hint = failureOf(error) === 'full' ? 'make room there' : null;
  return new ProblemError(problem('LT_SERVER_DATA', reasonOf(error, path), { hint }), { cause: error });
}

/** Errors of a data folder that come up once it is open. */
export function cannotUse(dataFolder: string, error: unknown): ProblemError {
  return problemOf(error, join(dataFolder, DATABASE_FILE));
}

async function openAsItIs(path: string): Promise<Database> {
  for (const ending of NEIGHBOURS) checkNeighbour(path + ending);
  checkHeader(path, readStartOfOwnFile(path, HEADER.length));
  return await openChecked(path);
}

function checkNeighbour(path: string): void {
  try {
    findOwnFileToWrite(path);
  } catch (error) {
    throw new ProblemError(problem('LT_SERVER_DATA', reasonOf(error, path)), { cause: error });
  }
}

/** `header`: empty of a new file. */
function checkHeader(path: string, header: Buffer): void {
  if (header.length === 0) return;
  if (header.length < HEADER.length || header.toString('latin1', 0, 16) !== HEADER.magic) {
    throw damaged(path, 'is not a database');
  }
  checkOwner(path, header.readUInt32BE(HEADER.userVersion), header.readUInt32BE(HEADER.applicationId));
}

function checkOwner(path: string, version: number, application: number): void {
  if (application !== APPLICATION_ID && (version !== 0 || application !== 0)) {
    throw damaged(path, 'belongs to another program');
  }
  if (version > MIGRATIONS.length) {
    const message = `the database "${path}" has version ${version}; this program supports versions up to ${MIGRATIONS.length}`;
    throw new ProblemError(problem('LT_SERVER_DATA', message, { hint: 'use a newer version of loadtests' }));
  }
}

async function openChecked(path: string): Promise<Database> {
  const unclean = [`${path}-wal`, path + COUNT_ENDING].map(findOwnFileToWrite).includes(true);
  const database = new Database(new Libsql(path, { timeout: LOCK_WAIT_MS }), path);
  try {
    await takeAndCheck(path, database, unclean);
    return database;
  } catch (error) {
    database.abandon();
    throw error;
  }
}

/** @param unclean whether a process that used it did not close it */
async function takeAndCheck(path: string, database: Database, unclean: boolean): Promise<void> {
  const pragma = (text: string) => database.prepare(`PRAGMA ${text}`).first();
  // In WAL and read once, exclusive then: only in this order can the lock be given up again while in WAL.
  pragma('journal_mode = WAL');
  pragma('schema_version');
  pragma('locking_mode = EXCLUSIVE');
  database.exec('PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; BEGIN EXCLUSIVE; COMMIT');
  // The header may be older than what a write-ahead log holds.
  checkOwner(path, versionOf(database), Number(pragma('application_id')?.['application_id']));
  if (!(await database.isSound(unclean))) throw damaged(path, 'is damaged');
  const lost = database.lostChanges();
  if (lost > 0) throw incomplete(path, lost);
}

function bringUpToDate(database: Database): void {
  const version = versionOf(database);
  if (version === 0) database.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
  migrate(database, version);
}

function versionOf(database: Database): number {
  return Number(database.prepare('PRAGMA user_version').first()?.['user_version']);
}

function damaged(path: string, what: string): ProblemError {
  const hint = 'restore a backup, or move the file away to begin anew';
  return new ProblemError(problem('LT_SERVER_DATA', `the database "${path}" ${what}`, { hint }));
}

/** Started all the same, it would be taken for whole, by `plan` too: what is missing would be created again. */
function incomplete(path: string, lost: number): ProblemError {
  const changes = lost === 1 ? 'change that was' : `${lost} changes that were`;
  const message = `the database "${path}" lacks the last ${changes} acknowledged: its log, "${path}-wal", was deleted, cut off or damaged`;
  const hint = `restore a backup; to go on without what is lost, delete "${path}${COUNT_ENDING}"`;
  return new ProblemError(problem('LT_SERVER_DATA', message, { hint }));
}

function reasonOf(error: unknown, path: string): string {
  const name = `the database "${path}"`;
  if (error instanceof RefusedFile) return `${name} cannot be used: ${error.message}`;
  const code = codeText(error);
  if (failureOf(error) === 'full') return `${name} cannot be written: no space left on the disk`;
  if (code.startsWith('SQLITE_BUSY')) return `${name} is in use by another process`;
  if (failureOf(error) === 'damaged') return `${name} is damaged`;
  return `${name} cannot be opened${code === '' ? '' : ` (${code})`}`;
}
