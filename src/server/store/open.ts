/** Opens the database file: permissions, ownership, pragmas, version. Not what stands in it. */
import { join } from 'node:path';
import Libsql from 'libsql';
import { ProblemError, problem } from '../../core/problem.ts';
import {
  findOwnFileToWrite,
  identityOfFile,
  makeOwnFolder,
  readStartOfOwnFile,
} from '../../disk/own-file.ts';
import { RefusedFile } from '../../disk/refused-file.ts';
import { MIGRATIONS, migrate } from './migrate.ts';
import { isTextSound } from './sound-text.ts';

/** What SQLite stores of ours. Texts hold no NUL: the binding would cut them off there. */
export type Value = string | number | null;
export type Row = Readonly<Record<string, Value>>;

export interface Statement {
  all(...values: readonly Value[]): readonly Row[];
  first(...values: readonly Value[]): Row | null;
  /** Gives the number of rows changed. */
  run(...values: readonly Value[]): number;
}

/** "LTST" in a SQLite header: the file is ours. */
const APPLICATION_ID = 0x4c545354;

/** Where a SQLite header keeps what is read before SQLite may touch the file. Source: SQLite file format, 1.3. */
const HEADER = { magic: 'SQLite format 3\0', length: 100, userVersion: 60, applicationId: 68 } as const;

/** In the data folder. */
export const DATABASE_FILE = 'service.db';
/** What SQLite puts beside it, and opens without a look at what it is. */
const NEIGHBOURS: readonly string[] = ['-wal', '-shm', '-journal'];

/** How long another process may hold the file before it counts as its owner. */
const LOCK_WAIT_MS = 1000;

/** The files of the data folder were deleted or replaced while they were open. */
export class DataGone extends Error {
  readonly code = 'DATA_GONE';

  constructor() {
    super('the data folder was deleted or moved');
  }
}

/** One connection, and the only one: the file stays locked as long as it is open. */
export class Database {
  readonly #connection: Libsql.Database;
  readonly #path: string;
  /** What the names of the files meant when they were opened; null: not known yet. */
  #files: readonly string[] | null = null;
  #open = true;

  constructor(connection: Libsql.Database, path: string) {
    this.#connection = connection;
    this.#path = path;
  }

  /** From here on, nothing is written to files that have lost their names: it would be gone with the process. */
  holdToFiles(): void {
    this.#files = this.#identities();
  }

  #identities(): readonly string[] {
    return [this.#path, `${this.#path}-wal`].map(identityOfFile);
  }

  #refuseIfGone(): void {
    if (this.#files === null || this.#connection.inTransaction) return;
    const now = this.#identities();
    if (this.#files.some((file, index) => file !== '' && file !== now[index])) throw new DataGone();
  }

  exec(sql: string): void {
    this.#connection.exec(sql);
  }

  prepare(sql: string): Statement {
    const statement = this.#connection.prepare(sql);
    // libsql's `get` leaves the statement open, which would hold the lock; `all` runs it to its end.
    const all = (...values: readonly Value[]) => statement.all(...values) as readonly Row[]; // as the columns are
    return {
      all,
      first: (...values) => all(...values)[0] ?? null,
      run: (...values) => {
        this.#refuseIfGone();
        return statement.run(...values).changes;
      },
    };
  }

  /** Whether everything in it can be read. */
  isTextSound(): boolean {
    return isTextSound(this.#connection);
  }

  /** Runs all of it or nothing. The work must be synchronous, so that no other request comes between. */
  transact<T>(work: () => T): T {
    this.#refuseIfGone();
    this.#connection.exec('BEGIN IMMEDIATE');
    try {
      const value = work();
      this.#connection.exec('COMMIT');
      return value;
    } catch (error) {
      // SQLite itself has rolled back after some errors (a full disk); a second time would hide the first error.
      if (this.#connection.inTransaction) this.#connection.exec('ROLLBACK');
      throw error;
    }
  }

  /** Writes a whole copy, as it is at this moment, to a file that is empty. Takes a second for some 100 MB. */
  copyInto(path: string): void {
    this.prepare('VACUUM INTO ?').run(path);
  }

  /** Closes it as it is: `close` would write to a file that may not be ours to write. */
  abandon(): void {
    this.#open = false;
    this.#connection.close();
  }

  /** Safe to call twice. */
  close(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#files = null;
    // Prepared statements keep the connection, and with it the file's lock, until they are collected.
    // Leaving WAL gives up the locks at once, and leaves one whole file.
    try {
      const touch = () => this.prepare('SELECT count(*) FROM sqlite_schema').all();
      this.prepare('PRAGMA locking_mode = NORMAL').all();
      touch(); // SQLite lets go of a lock only when it next reads.
      this.prepare('PRAGMA journal_mode = DELETE').all();
      touch();
    } catch {
      // No room, or no folder any more. What stands in the log is read at the next start.
    } finally {
      this.#connection.close();
    }
  }
}

/**
 * Opens the database of a data folder, or makes it.
 *
 * Errors: ProblemError LT_SERVER_DATA. A file of a newer version, of another program or no database is not touched.
 */
export function openDatabase(dataFolder: string): Database {
  const path = join(dataFolder, DATABASE_FILE);
  return toldAsProblem(path, () => {
    makeOwnFolder(dataFolder);
    const database = openAsItIs(path);
    try {
      bringUpToDate(database);
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
export function copyIdleDatabase(dataFolder: string, to: string): void {
  const path = join(dataFolder, DATABASE_FILE);
  toldAsProblem(path, () => {
    const database = openAsItIs(path);
    try {
      database.copyInto(to);
    } finally {
      database.close();
    }
  });
}

/** Reads every page of a database that nobody uses. Errors: ProblemError LT_SERVER_DATA. */
export function checkWhole(path: string): void {
  toldAsProblem(path, () => {
    const connection = new Libsql(path, { timeout: LOCK_WAIT_MS });
    try {
      const [row] = connection.prepare('PRAGMA integrity_check(1)').all() as readonly Row[]; // as SQLite has it
      if (row?.['integrity_check'] !== 'ok') throw damaged(path, 'is damaged');
    } finally {
      connection.close();
    }
  });
}

function toldAsProblem<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof ProblemError ? error : problemOf(error, path);
  }
}

function problemOf(error: unknown, path: string): ProblemError {
  const hint = isFull(error) ? 'make room there, or choose another folder with --data' : null;
  return new ProblemError(problem('LT_SERVER_DATA', reasonOf(error, path), { hint }), { cause: error });
}

/** Errors of a data folder that come up once it is open. */
export function cannotUse(dataFolder: string, error: unknown): ProblemError {
  return problemOf(error, join(dataFolder, DATABASE_FILE));
}

/** Whether something could not be written because there is no room. */
export function isFull(error: unknown): boolean {
  return FULL.some((code) => codeText(error) === code);
}

/** The last one: there is no room for the index of the log. */
const FULL: readonly string[] = ['SQLITE_FULL', 'ENOSPC', 'EDQUOT', 'SQLITE_IOERR_SHMSIZE'];

function codeText(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

function openAsItIs(path: string): Database {
  for (const ending of NEIGHBOURS) checkNeighbour(path + ending);
  checkHeader(path, readStartOfOwnFile(path, HEADER.length));
  return openChecked(path);
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

function openChecked(path: string): Database {
  const unclean = findOwnFileToWrite(`${path}-wal`);
  const database = new Database(new Libsql(path, { timeout: LOCK_WAIT_MS }), path);
  try {
    takeAndCheck(path, database, unclean);
    return database;
  } catch (error) {
    database.abandon();
    throw error;
  }
}

/** @param unclean whether a process that used it did not close it */
function takeAndCheck(path: string, database: Database, unclean: boolean): void {
  const pragma = (text: string) => database.prepare(`PRAGMA ${text}`).first();
  // In WAL and read once, exclusive then: only in this order can the lock be given up again while in WAL.
  pragma('journal_mode = WAL');
  pragma('schema_version');
  pragma('locking_mode = EXCLUSIVE');
  database.exec('PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; BEGIN EXCLUSIVE; COMMIT');
  // The header may be older than what a write-ahead log holds.
  checkOwner(path, versionOf(database), Number(pragma('application_id')?.['application_id']));
  // As a number: what is told of damage may quote text that is damaged too.
  const check = unclean ? 'integrity_check' : 'quick_check';
  const verdict = database.prepare(`SELECT ${check} = 'ok' AS sound FROM pragma_${check}(1)`).first();
  if (verdict?.['sound'] !== 1 || !database.isTextSound()) throw damaged(path, 'is damaged');
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
  const hint = 'move the file, or choose another folder with --data';
  return new ProblemError(problem('LT_SERVER_DATA', `the database "${path}" ${what}`, { hint }));
}

function reasonOf(error: unknown, path: string): string {
  const name = `the database "${path}"`;
  if (error instanceof RefusedFile) return `${name} cannot be used: ${error.message}`;
  const code = codeText(error);
  if (isFull(error)) return `${name} cannot be written: no space left on the disk`;
  if (code.startsWith('SQLITE_BUSY')) return `${name} is in use by another process`;
  if (code.startsWith('SQLITE_NOTADB') || code.startsWith('SQLITE_CORRUPT')) return `${name} is damaged`;
  return `${name} cannot be opened${code === '' ? '' : ` (${code})`}`;
}
