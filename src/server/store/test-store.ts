import { allTargetsOf } from '../../core/model/phase.ts';
import { serializeTest, parseStoredTest } from '../../contract/test-codec.ts';
import type { IgnoredFields } from '../../contract/test-normalization.ts';
import { filesOfTarget, type LoadTestSpec } from '../../core/model/load-test.ts';
import { textColumns, type Database, type Row } from './database.ts';

/** Status of a test; `pending` means scheduled. */
export type TestStatus = 'pending' | 'running' | 'complete';

export interface StoredTest {
  readonly id: string;
  /** ID of the app of the first URL. Deleting this app deletes the test. */
  readonly appId: string;
  readonly spec: LoadTestSpec;
  readonly ignored: IgnoredFields;
  readonly status: TestStatus;
  /** Start time of a pending test, in milliseconds since the epoch; null for other tests. */
  readonly dueAt: number | null;
  /** True for a test that sends a single iteration. The stored fields of such a test contain no secrets. */
  readonly singleIteration: boolean;
}

export interface DueTest extends StoredTest {
  readonly dueAt: number;
}

export interface TestStore {
  insert(test: StoredTest, at: number): void;
  exceeds(bytes: number): boolean;
  /** Returns tests in order of creation, except single iterations that have ended. */
  list(): Iterable<StoredTest>;
  get(id: string): StoredTest | null;
  /** Sets the status of a test and removes the test from the schedule. */
  setStatus(id: string, status: Exclude<TestStatus, 'pending'>): void;
  /** Returns pending tests that are due at a given time, earliest first. */
  listDue(at: number, limit: number): readonly DueTest[];
  /** Returns scheduled tests, earliest first. */
  listScheduled(limit: number): readonly { readonly id: string; readonly dueAt: number }[];
  /** Deletes the ended single iterations that were created before a given time, and their results. */
  deleteIterations(before: number): void;
}

const LIST_BATCH_SIZE = 8;

export function openTestStore(database: Database): TestStore {
  const columns = `${textColumns('test_id', 'app_id', 'definition', 'status')}, due_at_ms, single_pass`;
  const insert = database.prepare(
    'INSERT INTO tests (test_id, app_id, definition, status, due_at_ms, single_pass, created_at_ms) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const use = database.prepare('INSERT INTO payload_uses (test_id, sha256) VALUES (?, ?)');
  const list = database.prepare(
    `SELECT sequence, ${columns} FROM tests
     WHERE sequence > ? AND (single_pass = 0 OR status <> 'complete') ORDER BY sequence LIMIT ?`,
  );
  const size = database.prepare('SELECT total(octet_length(definition)) AS bytes FROM tests');
  const forget = database.prepare(
    `DELETE FROM tests WHERE single_pass = 1 AND status = 'complete' AND created_at_ms < ?`,
  );
  const byId = database.prepare(`SELECT ${columns} FROM tests WHERE test_id = ?`);
  const status = database.prepare('UPDATE tests SET status = ?, due_at_ms = NULL WHERE test_id = ?');
  const due = database.prepare(
    `SELECT ${columns} FROM tests WHERE due_at_ms <= ? ORDER BY due_at_ms, sequence LIMIT ?`,
  );
  const waiting = database.prepare(
    `SELECT ${textColumns('test_id')}, due_at_ms FROM tests WHERE due_at_ms IS NOT NULL ORDER BY due_at_ms, sequence LIMIT ?`,
  );
  /**
   * Upper bound of the total size in bytes; null until the size is first read. Deleted tests and tests of rolled-back
   * transactions count until the size is read again.
   */
  let maxSize: number | null = null;
  return {
    insert(test, at) {
      const { id, appId, spec, ignored, status: testStatus, dueAt, singleIteration } = test;
      const definition = serializeTest(spec, ignored);
      insert.run(id, appId, definition, testStatus, dueAt, singleIteration ? 1 : 0, at);
      for (const sha256 of filesOf(spec)) use.run(id, sha256);
      if (maxSize !== null) maxSize += Buffer.byteLength(definition);
    },
    exceeds(bytes) {
      if (maxSize === null || maxSize > bytes) maxSize = Number(size.first()?.['bytes']);
      return maxSize > bytes;
    },
    *list() {
      let last = 0;
      for (;;) {
        const rows = list.all(last, LIST_BATCH_SIZE);
        for (const row of rows) {
          last = Number(row['sequence']);
          yield testOf(row);
        }
        if (rows.length < LIST_BATCH_SIZE) return;
      }
    },
    get(id) {
      const row = byId.first(id);
      return row === null ? null : testOf(row);
    },
    setStatus(id, testStatus) {
      status.run(testStatus, id);
    },
    deleteIterations(before) {
      forget.run(before);
    },
    listDue: (at, limit) =>
      due.all(at, limit).map((row) => ({ ...testOf(row), dueAt: Number(row['due_at_ms']) })),
    listScheduled: (limit) =>
      waiting.all(limit).map((row) => ({ id: String(row['test_id']), dueAt: Number(row['due_at_ms']) })),
  };
}

function filesOf(spec: LoadTestSpec): ReadonlySet<string> {
  return new Set(
    allTargetsOf(spec)
      .flatMap(filesOfTarget)
      .map(({ sha256 }) => sha256),
  );
}

function testOf(row: Row): StoredTest {
  const dueAt = row['due_at_ms'];
  return {
    id: String(row['test_id']),
    appId: String(row['app_id']),
    ...parseStoredTest(String(row['definition'])),
    status: statusOf(row['status']),
    dueAt: typeof dueAt === 'number' ? dueAt : null,
    singleIteration: row['single_pass'] === 1,
  };
}

export function statusOf(value: Row[string] | undefined): TestStatus {
  return value === 'running' || value === 'pending' ? value : 'complete';
}
