/** One connection to the database file: what reads it, writes it, and knows when that goes wrong. */
import { isUtf8 } from 'node:buffer';
import type Libsql from 'libsql';
import AsyncLibsql from 'libsql/promise';
import { fileIdentityOf, removeStateFile, probeFreeSpace } from '../../disk/state-file.ts';
import { COUNT_SUFFIX, openChangeCount, readChangeCount, type ChangeCount } from './change-count.ts';
import { hasValidUtf8 } from './utf8-check.ts';
import { DamagedTextError, MissingDataError, failureOf, type StorageFailure } from './storage-failure.ts';

/** What SQLite stores of ours. Texts hold no NUL: the binding would cut them off there. */
export type Value = string | number | null;

/** Bytes are written as they are, and read by `Database.blob` alone. */
type BoundValue = Value | Buffer;
export type Row = Readonly<Record<string, Value>>;

export interface Statement {
  all(...values: readonly Value[]): readonly Row[];
  first(...values: readonly Value[]): Row | null;
  /** Gives the number of rows changed. */
  run(...values: readonly BoundValue[]): number;
}

/**
 * Columns of text, as they have to be read: the binding ends the process on text that is no UTF-8, which a damaged
 * file may hold at any time. So it gets bytes, and they are checked here.
 */
export function textColumns(...columns: readonly string[]): string {
  return columns.map((column) => `CAST(${column} AS BLOB) AS ${column}`).join(', ');
}

/** More than a change takes of a disk's last room, and so little that nobody notices. */
const PROBE_BYTES = 64 * 1024;
const PROBE_INTERVAL_MS = 1000;

/** One connection, and the only one: the file stays locked as long as it is open. */
export class Database {
  readonly #connection: Libsql.Database;
  readonly #path: string;
  /** What the names of the files meant when they were opened; null: not known yet. */
  #files: readonly string[] | null = null;
  /** Changes that are acknowledged; null: they are not counted yet. */
  #acknowledged: { count: number; readonly file: ChangeCount; readonly update: Libsql.Statement } | null =
    null;
  /** Of the last statement; one that wrote something ends it, but for damage. */
  #failure: StorageFailure | null = null;
  /** What a trial of the disk has shown, and when, by the monotonic clock. */
  #probe: { readonly at: number; readonly failure: StorageFailure | null } = {
    at: Number.NEGATIVE_INFINITY,
    failure: null,
  };
  /** Statements that have changed something. */
  #changes = 0;
  #isOpen = true;

  constructor(connection: Libsql.Database, path: string) {
    this.#connection = connection;
    this.#path = path;
  }

  /** How many changes it has lost that were acknowledged. */
  lostChanges(): number {
    return Math.max(0, (readChangeCount(this.#path) ?? 0) - (this.#readStoredCount() ?? Infinity));
  }

  /** Null: it is a backup, or of an earlier version, and knows nothing of the file beside it. */
  #readStoredCount(): number | null {
    const table = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'acknowledged'";
    if (this.prepare(table).first() === null) return null;
    const count = this.prepare('SELECT changes FROM acknowledged').first()?.['changes'];
    return typeof count === 'number' ? count : null;
  }

  /** From here on, changes are counted. */
  countChanges(): void {
    const inside = this.#readStoredCount();
    const count = inside ?? 0;
    if (inside === null) this.exec('INSERT INTO acknowledged (changes) VALUES (0)');
    // A file that is there has to find a number in the database, whatever becomes of the log.
    if (inside === null || readChangeCount(this.#path) === null)
      this.prepare('PRAGMA wal_checkpoint(TRUNCATE)').all();
    const update = this.#connection.prepare('UPDATE acknowledged SET changes = ?');
    this.#acknowledged = { count, file: openChangeCount(this.#path, count), update };
  }

  /** From here on, nothing is written to files that have lost their names: it would be gone with the process. */
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

  /** Whether a transaction goes on. Asked of a closed connection, libsql ends the process. */
  #isInTransaction(): boolean {
    return this.#isOpen && this.#connection.inTransaction;
  }

  /**
   * What keeps it from keeping things, or from giving what it has kept, as far as can be known now; null: nothing. What
   * has failed before is tried again, and so is whether there is room, once a second at most.
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
      // A change of nothing but the count of changes.
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

  /** @param sql whose columns of text, where it reads any, are written by `texts` */
  prepare(sql: string): Statement {
    const statement = this.#connection.prepare(sql);
    if (statement.columns().some(({ type }) => type === 'TEXT'))
      throw new Error(`Bug: reads unchecked text: ${sql}`);
    // libsql's `get` leaves the statement open, which would hold the lock; `all` runs it to its end.
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

  /** The bytes of the one column of a query's first row; null: there is none. */
  blob(sql: string, ...values: readonly Value[]): Buffer | null {
    const [row] = this.#recordFailure(() => this.#connection.prepare(sql).all(...values));
    const [cell] = Object.values((row ?? {}) as Readonly<Record<string, Value | ArrayBuffer>>); // as the column is
    return cell instanceof ArrayBuffer ? Buffer.from(cell) : null;
  }

  /**
   * Whether every page and every text is as it was written; other work of the process goes on meanwhile.
   *
   * @param indexes whether those are compared with their tables too, which takes longer
   */
  async isIntact(indexes: boolean): Promise<boolean> {
    const check = indexes ? 'integrity_check' : 'quick_check';
    // As a number: what is told of damage may quote text that is damaged too.
    const sql = `CREATE TEMP TABLE verdict AS SELECT ${check} = 'ok' AS sound FROM pragma_${check}(1, 'main')`;
    // The same connection, on a thread of its own: another one would have to wait for the lock.
    // oxlint-disable-next-line typescript/unbound-method -- it gets the connection as `this`
    await Reflect.apply(AsyncLibsql.prototype.exec, this.#connection, [sql]);
    const verdict = this.prepare('SELECT sound FROM temp.verdict').first();
    this.exec('DROP TABLE temp.verdict');
    return verdict?.['sound'] === 1 && (await hasValidUtf8(this.#connection));
  }

  /** Runs all of it or nothing. The work must be synchronous, so that no other request comes between. */
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
      // SQLite itself has rolled back after some errors (a full disk); a second time would hide the first error.
      if (this.#isInTransaction()) this.#connection.exec('ROLLBACK');
      throw error;
    }
  }

  /** Writes a whole copy, as it is at this moment, to a file that is empty. Takes a second for some 100 MB. */
  copyInto(path: string): void {
    this.#throwIfMissing();
    this.#connection.prepare('VACUUM INTO ?').run(path);
  }

  /** Closes it as it is: `close` would write to a file that may not be ours to write. */
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
    // Prepared statements keep the connection, and with it the file's lock, until they are collected.
    // Leaving WAL gives up the locks at once, and leaves one whole file.
    try {
      const touch = () => this.prepare('SELECT count(*) FROM sqlite_schema').all();
      this.prepare('PRAGMA locking_mode = NORMAL').all();
      touch(); // SQLite lets go of a lock only when it next reads.
      const mode = this.prepare('PRAGMA journal_mode = DELETE').first();
      touch();
      if (mode?.['journal_mode'] === 'delete') removeStateFile(this.#path + COUNT_SUFFIX);
    } catch {
      // No room, or no directory any more. What stands in the log is read at the next start.
    } finally {
      this.#connection.close();
    }
  }
}

function rowOf(row: unknown): Row {
  const cells = Object.entries(row as Readonly<Record<string, Value | ArrayBuffer>>); // as the columns are
  return Object.fromEntries(
    cells.map(([name, cell]) => [name, cell instanceof ArrayBuffer ? decodeText(cell) : cell]),
  );
}

function decodeText(bytes: ArrayBuffer): string {
  if (!isUtf8(bytes)) throw new DamagedTextError();
  return Buffer.from(bytes).toString();
}
