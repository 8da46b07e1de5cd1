import { isUtf8 } from 'node:buffer';
import type Libsql from 'libsql';
import AsyncLibsql from 'libsql/promise';
import { fileIdentityOf, removeStateFile, probeFreeSpace } from '../../disk/state-file.ts';
import { COUNT_SUFFIX, openChangeCount, readChangeCount, type ChangeCount } from './change-count.ts';
import { hasValidUtf8 } from './utf8-check.ts';
import { DamagedTextError, MissingDataError, failureOf, type StorageFailure } from './storage-failure.ts';

/**
 * SQLite values that the service stores. Strings must not contain NUL, because the binding truncates strings at NUL.
 */
export type Value = string | number | null;

/** Value that can be bound to a parameter. Buffers are stored unchanged; `Database.blob` reads them. */
type BoundValue = Value | Buffer;
export type Row = Readonly<Record<string, Value>>;

export interface Statement {
  all(...values: readonly Value[]): readonly Row[];
  first(...values: readonly Value[]): Row | null;
  run(...values: readonly BoundValue[]): number;
}

/**
 * Returns the SQL for text columns, cast to bytes. A damaged file can contain invalid UTF-8, on which the binding would
 * abort the process. This module decodes text instead.
 */
export function textColumns(...columns: readonly string[]): string {
  return columns.map((column) => `CAST(${column} AS BLOB) AS ${column}`).join(', ');
}

const PROBE_BYTES = 64 * 1024;
const PROBE_INTERVAL_MS = 1000;

/** Connection that locks the database file until the connection is closed. */
export class Database {
  readonly #connection: Libsql.Database;
  readonly #path: string;
  /** Identities of the files when watching began; null while the files are not watched. */
  #files: readonly string[] | null = null;
  /** Count of acknowledged changes; null until changes are counted. */
  #acknowledged: { count: number; readonly file: ChangeCount; readonly update: Libsql.Statement } | null =
    null;
  /** Latest storage failure; null if there is none. A successful write clears a failure other than `damaged`. */
  #failure: StorageFailure | null = null;
  /** Result of the last disk probe and its time by the monotonic clock. */
  #probe: { readonly at: number; readonly failure: StorageFailure | null } = {
    at: Number.NEGATIVE_INFINITY,
    failure: null,
  };
  /** Counter of data changes. Rolled-back changes and test writes are also counted. */
  #changes = 0;
  #isOpen = true;

  constructor(connection: Libsql.Database, path: string) {
    this.#connection = connection;
    this.#path = path;
  }

  /** Returns the number of acknowledged changes that the database has lost. */
  lostChanges(): number {
    return Math.max(0, (readChangeCount(this.#path) ?? 0) - (this.#readStoredCount() ?? Infinity));
  }

  /**
   * Returns the count in the database; null if there is none, as in a backup or in a database of an earlier version.
   */
  #readStoredCount(): number | null {
    const table = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'acknowledged'";
    if (this.prepare(table).first() === null) return null;
    const count = this.prepare('SELECT changes FROM acknowledged').first()?.['changes'];
    return typeof count === 'number' ? count : null;
  }

  countChanges(): void {
    const stored = this.#readStoredCount();
    const count = stored ?? 0;
    if (stored === null) this.exec('INSERT INTO acknowledged (changes) VALUES (0)');
    // Moves the log into the database file before the count file is created, so that the database contains a count even
    // if its log is lost.
    if (stored === null || readChangeCount(this.#path) === null)
      this.prepare('PRAGMA wal_checkpoint(TRUNCATE)').all();
    const update = this.#connection.prepare('UPDATE acknowledged SET changes = ?');
    this.#acknowledged = { count, file: openChangeCount(this.#path, count), update };
  }

  /**
   * Starts refusing writes to files that were deleted or replaced, because such writes would be lost when the
   * process exits.
   */
  watchFiles(): void {
    this.#files = this.#identities();
  }

  #identities(): readonly string[] {
    return [this.#path, `${this.#path}-wal`].map(fileIdentityOf);
  }

  #areFilesMissing(): boolean {
    const now = this.#identities();
    return this.#files?.some((file, index) => file !== '' && file !== now[index]) === true;
  }

  #throwIfMissing(): void {
    if (!this.#isInTransaction() && this.#areFilesMissing()) throw new MissingDataError();
  }

  /**
   * Reports whether a transaction is open. Checks `#isOpen` first, because libsql would abort the process on a closed
   * connection.
   */
  #isInTransaction(): boolean {
    return this.#isOpen && this.#connection.inTransaction;
  }

  /**
   * Returns the current storage failure; null if there is none. At most once per second, probes the free disk space
   * and, after an earlier failure, retries a write.
   */
  failure(): StorageFailure | null {
    if (this.#areFilesMissing()) return 'gone';
    if (this.#failure === 'damaged') return 'damaged';
    const at = performance.now();
    if (at - this.#probe.at >= PROBE_INTERVAL_MS) this.#probe = { at, failure: this.#probeDisk() };
    return this.#failure ?? this.#probe.failure;
  }

  #probeDisk(): StorageFailure | null {
    try {
      // The transaction changes only the count of changes.
      if (this.#failure !== null) this.transact(() => this.#changes++);
      probeFreeSpace(`${this.#path}-trial`, PROBE_BYTES);
      return null;
    } catch (error) {
      return failureOf(error) ?? 'unusable';
    }
  }

  #recordFailure<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (this.#failure !== 'damaged') this.#failure = failureOf(error) ?? this.#failure;
      throw error;
    }
  }

  exec(sql: string): void {
    this.#connection.exec(sql);
  }

  /** @param sql - A statement whose text columns, if any, come from `textColumns`. */
  prepare(sql: string): Statement {
    const statement = this.#connection.prepare(sql);
    if (statement.columns().some(({ type }) => type === 'TEXT'))
      throw new Error(`Bug: a statement reads a text column that is not cast to bytes: ${sql}`);
    // Uses `all`, because the `get` method of libsql leaves the statement open and the lock held.
    const all = (...values: readonly Value[]) =>
      this.#recordFailure(() => statement.all(...values).map(rowOf));
    return {
      all,
      first: (...values) => all(...values)[0] ?? null,
      run: (...values) => {
        const change = () => {
          const { changes } = statement.run(...values);
          if (changes > 0) this.#changes++;
          return changes;
        };
        return this.#isInTransaction() ? this.#recordFailure(change) : this.transact(change);
      },
    };
  }

  /** Returns the BLOB in the first row of a query with one column; null if there is no row or no BLOB. */
  blob(sql: string, ...values: readonly Value[]): Buffer | null {
    const [row] = this.#recordFailure(() => this.#connection.prepare(sql).all(...values));
    // The columns of a row have one of these types.
    const [cell] = Object.values((row ?? {}) as Readonly<Record<string, Value | ArrayBuffer>>);
    return cell instanceof ArrayBuffer ? Buffer.from(cell) : null;
  }

  /**
   * Reports whether every page and every string is intact, without blocking other work of the process.
   *
   * @param indexes - True to also compare indexes with their tables, which takes longer.
   */
  async isIntact(indexes: boolean): Promise<boolean> {
    const check = indexes ? 'integrity_check' : 'quick_check';
    // Reads the result as a number, because a description of damage may quote damaged text.
    const sql = `CREATE TEMP TABLE verdict AS SELECT ${check} = 'ok' AS sound FROM pragma_${check}(1, 'main')`;
    // Runs on this connection, in a separate thread: another connection would wait for the lock.
    // oxlint-disable-next-line typescript/unbound-method -- called with the connection as `this`
    await Reflect.apply(AsyncLibsql.prototype.exec, this.#connection, [sql]);
    const verdict = this.prepare('SELECT sound FROM temp.verdict').first();
    this.exec('DROP TABLE temp.verdict');
    return verdict?.['sound'] === 1 && (await hasValidUtf8(this.#connection));
  }

  /** Runs `work` in a transaction. `work` must be synchronous, so that no other request runs in between. */
  transact<T>(work: () => T): T {
    return this.#recordFailure(() => this.#transact(work));
  }

  #transact<T>(work: () => T): T {
    this.#throwIfMissing();
    this.#connection.exec('BEGIN IMMEDIATE');
    const before = this.#changes;
    try {
      const value = work();
      const counted = this.#changes > before ? this.#acknowledged : null;
      counted?.update.run(counted.count + 1);
      this.#connection.exec('COMMIT');
      if (counted !== null) counted.file.write(++counted.count);
      if (this.#changes > before && this.#failure !== 'damaged') this.#failure = null;
      return value;
    } catch (error) {
      // After some errors, such as a full disk, SQLite has already rolled back. A second rollback would hide
      // the error.
      if (this.#isInTransaction()) this.#connection.exec('ROLLBACK');
      throw error;
    }
  }

  /** Copies the current state to an empty file. Blocks the process during the copy. */
  copyInto(path: string): void {
    this.#throwIfMissing();
    this.#connection.prepare('VACUUM INTO ?').run(path);
  }

  /** Closes the connection without the writes of `close`, for a file that the service must not change. */
  abandon(): void {
    this.#isOpen = false;
    this.#acknowledged?.file.close();
    this.#connection.close();
  }

  /** Safe to call twice. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#files = null;
    this.#acknowledged?.file.close();
    // Prepared statements keep the connection open and the file locked until they are garbage collected.
    // Leaving WAL mode releases the locks immediately and results in a single complete file.
    try {
      const touch = () => this.prepare('SELECT count(*) FROM sqlite_schema').all();
      this.prepare('PRAGMA locking_mode = NORMAL').all();
      touch(); // SQLite releases a lock only on the next read.
      const mode = this.prepare('PRAGMA journal_mode = DELETE').first();
      touch();
      if (mode?.['journal_mode'] === 'delete') removeStateFile(this.#path + COUNT_SUFFIX);
    } catch {
      // The disk may be full, or the directory missing. The next start reads the log.
    } finally {
      this.#connection.close();
    }
  }
}

function rowOf(row: unknown): Row {
  const cells = Object.entries(row as Readonly<Record<string, Value | ArrayBuffer>>); // Columns have one of these types.
  return Object.fromEntries(
    cells.map(([name, cell]) => [name, cell instanceof ArrayBuffer ? decodeText(cell) : cell]),
  );
}

function decodeText(bytes: ArrayBuffer): string {
  if (!isUtf8(bytes)) throw new DamagedTextError();
  return Buffer.from(bytes).toString();
}
