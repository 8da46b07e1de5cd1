/** Tests in the database. */
import { serializeTest, parseStoredTest } from '../../contract/test-codec.ts';
import type { IgnoredFields } from '../../contract/test-normalization.ts';
import type { LoadTestSpec } from '../../core/model/load-test.ts';
import { textColumns, type Database, type Row } from './database.ts';

/** `pending`: waits for its time. */
export type TestStatus = 'pending' | 'running' | 'complete';

export interface StoredTest {
  readonly id: string;
  /** The app of the first URL: the test goes when it goes. */
  readonly appId: string;
  readonly spec: LoadTestSpec;
  readonly ignored: IgnoredFields;
  readonly status: TestStatus;
  /** When a pending test is to start, in ms since the epoch; null for every other. */
  readonly dueAt: number | null;
  /** Made to send one pass, and nothing else: of what that held, only the URLs are kept. */
  readonly singleIteration: boolean;
}

/** A test whose time has come. */
export interface DueTest extends StoredTest {
  readonly dueAt: number;
}

export interface TestStore {
  insert(test: StoredTest, at: number): void;
  /** Whether all tests together take more than so many bytes. */
  exceeds(bytes: number): boolean;
  /** In the order of creation, without single passes that have ended. Read a few at a time. */
  list(): Iterable<StoredTest>;
  get(id: string): StoredTest | null;
  /** Also takes it off the schedule: a test that is not pending waits for nothing. */
  setStatus(id: string, status: Exclude<TestStatus, 'pending'>): void;
  /** Pending tests that were due at an instant, the earliest first. */
  listDue(at: number, limit: number): readonly DueTest[];
  /** Tests that wait for their time, the earliest first. */
  listScheduled(limit: number): readonly { readonly id: string; readonly dueAt: number }[];
  /** Removes single passes that began before an instant and have ended, with their results. */
  deleteIterations(before: number): void;
}

/** Tests of up to 2 MB each that are in memory at once while a list is made. */
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
  /** Not less than what is there: tests that are deleted, or not inserted after all, count until it is read again. */
  let sizeAtMost: number | null = null;
  return {
    insert(test, at) {
      const { id, appId, spec, ignored, status: word, dueAt, singleIteration } = test;
      const definition = serializeTest(spec, ignored);
      insert.run(id, appId, definition, word, dueAt, singleIteration ? 1 : 0, at);
      for (const sha256 of filesOf(spec)) use.run(id, sha256);
      if (sizeAtMost !== null) sizeAtMost += Buffer.byteLength(definition);
    },
    exceeds(bytes) {
      if (sizeAtMost === null || sizeAtMost > bytes) sizeAtMost = Number(size.first()?.['bytes']);
      return sizeAtMost > bytes;
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
    setStatus(id, word) {
      status.run(word, id);
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

/** The payload files that it names. */
function filesOf({ targets }: LoadTestSpec): ReadonlySet<string> {
  return new Set(targets.flatMap(({ payloadFile }) => (payloadFile === null ? [] : [payloadFile.sha256])));
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

export function statusOf(word: Row[string] | undefined): TestStatus {
  return word === 'running' || word === 'pending' ? word : 'complete';
}
