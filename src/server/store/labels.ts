/**
 * What tests are called, apart from their definitions, which may be long: ten thousand of them are put in groups
 * without reading any.
 */
import type { KeyedTests, Label } from '../../contract/overview-codec.ts';
import type { LoadTestSpec } from '../../core/model/load-test.ts';
import { titleOf } from '../../core/model/test-title.ts';
import { readMark } from '../../core/reconcile/mark.ts';
import { texts, type Database, type Row } from './database.ts';
import { RUN_COLUMNS, runOf } from './results.ts';
import { statusOf, type StoredTest } from './tests.ts';

export interface LabelStore {
  /** In the transaction that keeps the test. */
  add(id: string, spec: LoadTestSpec): void;
  /** Of a single pass, and of a test that is gone: null. */
  get(id: string): Label | null;
  /** Adds those of a database that had none. */
  addMissing(tests: Iterable<Pick<StoredTest, 'id' | 'spec' | 'singlePass'>>): void;
  /** Those whose run was started last come first. Read one at a time. */
  groups(most: number): Iterable<KeyedTests>;
}

const SHOWN = 100;

export function openLabelStore(database: Database): LabelStore {
  const words = texts('title', 'project', 'environment', 'test_key');
  const insert = database.prepare(
    'INSERT INTO labels (test_id, title, project, environment, test_key) VALUES (?, ?, ?, ?, ?)',
  );
  const byId = database.prepare(`SELECT ${words} FROM labels WHERE test_id = ?`);
  const unlabelled = database.prepare(
    `SELECT 1 FROM tests WHERE single_pass = 0 AND test_id NOT IN (SELECT test_id FROM labels) LIMIT 1`,
  );
  // No mark says an empty key, so that tests without one share nothing but that.
  const groups = database.prepare(
    `SELECT max(tests.sequence) AS newest, max(results.sequence) AS latest,
            count(DISTINCT tests.sequence) AS tests, count(results.sequence) AS runs
     FROM labels JOIN tests USING (test_id) LEFT JOIN results USING (test_id)
     GROUP BY project, environment, test_key, iif(test_key = '', test_id, '')
     ORDER BY latest IS NULL, latest DESC, newest DESC LIMIT ?`,
  );
  const newest = database.prepare(
    `SELECT ${texts('test_id', 'status')}, ${words} FROM tests JOIN labels USING (test_id) WHERE sequence = ?`,
  );
  const versions = database.prepare(
    `SELECT ${texts('test_id')} FROM labels JOIN tests USING (test_id)
     WHERE project = ? AND environment = ? AND test_key = ? ORDER BY sequence DESC LIMIT ${SHOWN}`,
  );
  const run = database.prepare(`SELECT ${RUN_COLUMNS} FROM results WHERE sequence = ?`);
  const add: LabelStore['add'] = (id, spec) => {
    const reading = readMark(spec.notes);
    const { project, environment, key } = reading.kind === 'mark' ? reading.mark : NO_MARK;
    insert.run(id, titleOf(spec).replaceAll('\0', '�'), project, environment ?? '', key);
  };
  const lastOf = (sequence: Row[string] | undefined) => {
    const row = typeof sequence === 'number' ? run.first(sequence) : null;
    return row === null ? null : runOf(row);
  };
  return {
    add,
    get(id) {
      const row = byId.first(id);
      return row === null ? null : labelOf(row);
    },
    addMissing(tests) {
      if (unlabelled.first() === null) return;
      database.transact(() => {
        for (const { id, spec, singlePass } of tests) {
          if (!singlePass && byId.first(id) === null) add(id, spec);
        }
      });
    },
    *groups(most) {
      for (const group of groups.all(most)) {
        const row = newest.first(group['newest'] ?? null);
        // Deleted while the list was read.
        if (row === null) continue;
        const { project, environment, key, title } = labelOf(row);
        const all = key === null ? [row] : versions.all(project ?? '', environment ?? '', key);
        yield {
          ...{ title, project, environment, key },
          status: statusOf(row['status']),
          testIds: all.map((version) => String(version['test_id'])),
          tests: Number(group['tests']),
          runs: Number(group['runs']),
          last: lastOf(group['latest']),
        };
      }
    },
  };
}

const NO_MARK = { project: '', environment: null, key: '' };

function labelOf(row: Row): Label {
  const word = (name: string) => (row[name] === '' ? null : String(row[name]));
  return {
    title: String(row['title']),
    project: word('project'),
    environment: word('environment'),
    key: word('test_key'),
  };
}
