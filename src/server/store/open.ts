/** Opens the database file: permissions, ownership, pragmas, version. Not what stands in it. */
import { join } from 'node:path';
import Libsql from 'libsql';
import { ProblemError, problem } from '../../core/problem.ts';
import { findOwnFile, makeOwnFolder, readStartOfOwnFile } from '../../disk/own-file.ts';
import { RefusedFile } from '../../disk/refused-file.ts';
import { MIGRATIONS, migrate } from './migrate.ts';

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

const FILE_NAME = 'service.db';
/** What SQLite puts beside it, and opens without a look at what it is. */
const NEIGHBOURS: readonly string[] = ['-wal', '-shm', '-journal'];

/** How long another process may hold the file before it counts as its owner. */
const LOCK_WAIT_MS = 1000;

/** One connection, and the only one: the file stays locked as long as it is open. */
export class Database {
  readonly #connection: Libsql.Database;
  #open = true;

  constructor(connection: Libsql.Database) {
    this.#connection = connection;
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
      run: (...values) => statement.run(...values).changes,
    };
  }

  /** Runs all of it or nothing. The work must be synchronous, so that no other request comes between. */
  transact<T>(work: () => T): T {
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

  /** Safe to call twice. */
  close(): void {
    if (!this.#open) return;
    this.#open = false;
    // Prepared statements keep the connection, and with it the file's lock, until they are collected.
    // Leaving WAL gives up the locks at once, and leaves one whole file.
    try {
      const touch = () => this.prepare('SELECT count(*) FROM sqlite_schema').all();
      this.prepare('PRAGMA locking_mode = NORMAL').all();
      touch(); // SQLite lets go of a lock only when it next reads.
      this.prepare('PRAGMA journal_mode = DELETE').all();
      touch();
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
  const path = join(dataFolder, FILE_NAME);
  try {
    makeOwnFolder(dataFolder);
    for (const ending of NEIGHBOURS) checkNeighbour(path + ending);
    checkHeader(path, readStartOfOwnFile(path, HEADER.length));
    return openChecked(path);
  } catch (error) {
    if (error instanceof ProblemError) throw error;
    throw new ProblemError(problem('LT_SERVER_DATA', reasonOf(error, path)), { cause: error });
  }
}

function checkNeighbour(path: string): void {
  try {
    findOwnFile(path);
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
  const connection = new Libsql(path, { timeout: LOCK_WAIT_MS });
  try {
    return checked(path, new Database(connection));
  } catch (error) {
    // Not Database.close: that would write to a file that is not ours to write.
    connection.close();
    throw error;
  }
}

function checked(path: string, database: Database): Database {
  const pragma = (text: string) => database.prepare(`PRAGMA ${text}`).first();
  // In WAL and read once, exclusive then: only in this order can the lock be given up again while in WAL.
  pragma('journal_mode = WAL');
  pragma('schema_version');
  pragma('locking_mode = EXCLUSIVE');
  database.exec('PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; BEGIN EXCLUSIVE; COMMIT');
  // The header may be older than what a write-ahead log holds.
  const version = Number(pragma('user_version')?.['user_version']);
  checkOwner(path, version, Number(pragma('application_id')?.['application_id']));
  const verdict = pragma('quick_check(1)')?.['quick_check'];
  if (verdict !== 'ok') throw damaged(path, 'is damaged');
  if (version === 0) database.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
  migrate(database, version);
  return database;
}

function damaged(path: string, what: string): ProblemError {
  const hint = 'move the file, or choose another folder with --data';
  return new ProblemError(problem('LT_SERVER_DATA', `the database "${path}" ${what}`, { hint }));
}

function reasonOf(error: unknown, path: string): string {
  const name = `the database "${path}"`;
  if (error instanceof RefusedFile) return `${name} cannot be used: ${error.message}`;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code.startsWith('SQLITE_BUSY')) return `${name} is in use by another process`;
  if (code.startsWith('SQLITE_NOTADB') || code.startsWith('SQLITE_CORRUPT')) return `${name} is damaged`;
  return `${name} cannot be opened${code === '' ? '' : ` (${code})`}`;
}
