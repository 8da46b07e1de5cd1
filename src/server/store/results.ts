/** Results in the database: as the records that are given out, so that later versions still understand them. */
import type { KeptResult } from '../../contract/result-codec.ts';
import type { Database, Row } from './open.ts';

export interface StoredRun {
  readonly id: string;
  readonly testId: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** Null while the run goes on. Its detail is null in lists. */
  readonly kept: { readonly record: string; readonly detail: string | null } | null;
}

/** What stays of a run when its report is apart. */
export type EndedRun = Pick<StoredRun, 'id' | 'testId' | 'startedAt'>;

export interface ResultStore {
  insert(run: EndedRun): void;
  finish(id: string, kept: KeptResult): void;
  /** Newest first, without detail. */
  list(testId: string): readonly StoredRun[];
  /** With detail. */
  get(testId: string, id: string): StoredRun | null;
  latest(testId: string): StoredRun | null;
  /** Runs that a process left behind. */
  unfinished(): readonly StoredRun[];
}

export function openResultStore(database: Database): ResultStore {
  const columns = 'result_id, test_id, started_at_ms, record';
  const insert = database.prepare('INSERT INTO results (result_id, test_id, started_at_ms) VALUES (?, ?, ?)');
  const finish = database.prepare('UPDATE results SET record = ?, detail = ? WHERE result_id = ?');
  const list = database.prepare(`SELECT ${columns} FROM results WHERE test_id = ? ORDER BY sequence DESC`);
  const latest = database.prepare(
    `SELECT ${columns} FROM results WHERE test_id = ? ORDER BY sequence DESC LIMIT 1`,
  );
  const get = database.prepare(`SELECT ${columns}, detail FROM results WHERE test_id = ? AND result_id = ?`);
  const unfinished = database.prepare(
    `SELECT ${columns} FROM results WHERE record IS NULL ORDER BY sequence`,
  );
  const one = (row: Row | null) => (row === null ? null : runOf(row));
  return {
    insert(run) {
      insert.run(run.id, run.testId, run.startedAt);
    },
    finish(id, { record, detail }) {
      finish.run(record, detail, id);
    },
    list: (testId) => list.all(testId).map(runOf),
    get: (testId, id) => one(get.first(testId, id)),
    latest: (testId) => one(latest.first(testId)),
    unfinished: () => unfinished.all().map(runOf),
  };
}

function runOf(row: Row): StoredRun {
  const { record, detail } = row;
  return {
    id: String(row['result_id']),
    testId: String(row['test_id']),
    startedAt: Number(row['started_at_ms']),
    kept: typeof record === 'string' ? { record, detail: typeof detail === 'string' ? detail : null } : null,
  };
}
