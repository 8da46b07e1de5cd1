/** Tests in the database. */
import type { TestCreate } from '../../contract/generated/test-create.ts';
import type { Database, Row } from './open.ts';

export type TestStatus = 'running' | 'complete';

export interface StoredTest {
  readonly id: string;
  /** The app of the first URL: the test goes when it goes. */
  readonly appId: string;
  /** The body of the create, as it came. */
  readonly definition: TestCreate;
  readonly status: TestStatus;
}

export interface TestStore {
  insert(test: StoredTest, at: number): void;
  /** In the order of creation. */
  list(): readonly StoredTest[];
  get(id: string): StoredTest | null;
  ofApp(appId: string): readonly string[];
  setStatus(id: string, status: TestStatus): void;
}

export function openTestStore(database: Database): TestStore {
  const columns = 'test_id, app_id, definition, status';
  const insert = database.prepare(
    'INSERT INTO tests (test_id, app_id, definition, status, created_at_ms) VALUES (?, ?, ?, ?, ?)',
  );
  const list = database.prepare(`SELECT ${columns} FROM tests ORDER BY sequence`);
  const byId = database.prepare(`SELECT ${columns} FROM tests WHERE test_id = ?`);
  const ofApp = database.prepare('SELECT test_id FROM tests WHERE app_id = ?');
  const status = database.prepare('UPDATE tests SET status = ? WHERE test_id = ?');
  return {
    insert(test, at) {
      insert.run(test.id, test.appId, JSON.stringify(test.definition), test.status, at);
    },
    list: () => list.all().map(testOf),
    get(id) {
      const row = byId.first(id);
      return row === null ? null : testOf(row);
    },
    ofApp: (appId) => ofApp.all(appId).map((row) => String(row['test_id'])),
    setStatus(id, word) {
      status.run(word, id);
    },
  };
}

function testOf(row: Row): StoredTest {
  return {
    id: String(row['test_id']),
    appId: String(row['app_id']),
    definition: JSON.parse(String(row['definition'])) as TestCreate, // validated before it was written
    status: row['status'] === 'running' ? 'running' : 'complete',
  };
}
