/** Store of results in the database, in the format of the API, so that later versions can still read them. */
import type { StoredRun } from '../../contract/overview-codec.ts';
import type { ResultDocument } from '../../contract/result-codec.ts';
import { textColumns, type Database, type Row } from './database.ts';

export type RunIdentity = Pick<StoredRun, 'id' | 'testId' | 'startedAt'>;

export type RetentionPolicy =
  | { readonly kind: 'age'; readonly ms: number }
  /** Maximum number of results; at least 1. */
  | { readonly kind: 'count'; readonly max: number };

const PRUNE_BATCH_SIZE = 500;

export const RUN_COLUMNS = `${textColumns('result_id', 'test_id', 'record', 'judgement', 'started_by', 'note')}, started_at_ms`;

const LIST_BATCH_SIZE = 20;

export interface ResultStore {
  insert(run: RunIdentity & Partial<Pick<StoredRun, 'startedBy'>>): void;
  finish(id: string, document: ResultDocument): void;
  setVerdict(id: string, verdict: string): void;
  /** Null removes the note. */
  setNote(id: string, note: string | null): void;
  /** Stores a checkpoint and replaces any earlier one. Has no effect if the run has ended or was deleted. */
  putCheckpoint(id: string, document: ResultDocument): void;
  getCheckpoint(id: string): ResultDocument | null;
  /** Returns the results of a test without `detail`, newest first. */
  list(testId: string): Iterable<StoredRun>;
  get(testId: string, id: string): StoredRun | null;
  latest(testId: string): StoredRun | null;
  latestWithVerdict(testId: string): StoredRun | null;
  testOf(id: string): string | null;
  /**
   * Deletes ended results that exceed the policy until `enough`, called after each deletion, returns true. Retains the
   * last ended result of each test and results with pending notices.
   *
   * @returns Number of deleted results.
   */
  prune(policy: RetentionPolicy, now: number, enough: () => boolean): number;
  /** Returns the runs that have not ended, in the order in which they started. */
  unfinished(): readonly StoredRun[];
}

export function openResultStore(database: Database): ResultStore {
  const columns = RUN_COLUMNS;
  const insert = database.prepare(
    'INSERT INTO results (result_id, test_id, started_at_ms, started_by) VALUES (?, ?, ?, ?)',
  );
  const finish = database.prepare('UPDATE results SET record = ?, detail = ? WHERE result_id = ?');
  const updateVerdict = database.prepare('UPDATE results SET judgement = ? WHERE result_id = ?');
  const updateNote = database.prepare('UPDATE results SET note = ? WHERE result_id = ?');
  const checkpoint = database.prepare(
    `INSERT INTO checkpoints (result_id, record, detail)
     SELECT result_id, ?, ? FROM results WHERE result_id = ? AND record IS NULL
     ON CONFLICT (result_id) DO UPDATE SET record = excluded.record, detail = excluded.detail`,
  );
  const checkpointOf = database.prepare(
    `SELECT ${textColumns('record', 'detail')} FROM checkpoints WHERE result_id = ?`,
  );
  const forget = ['checkpoints', 'runs_elsewhere'].map((table) =>
    database.prepare(`DELETE FROM ${table} WHERE result_id = ?`),
  );
  const list = database.prepare(
    `SELECT sequence, ${columns} FROM results WHERE test_id = ? AND sequence < ? ORDER BY sequence DESC LIMIT ?`,
  );
  const latest = database.prepare(
    `SELECT ${columns} FROM results WHERE test_id = ? ORDER BY sequence DESC LIMIT 1`,
  );
  const latestWithVerdict = database.prepare(
    `SELECT ${columns} FROM results WHERE test_id = ? AND judgement IS NOT NULL ORDER BY sequence DESC LIMIT 1`,
  );
  const get = database.prepare(
    `SELECT ${columns}, ${textColumns('detail')} FROM results WHERE test_id = ? AND result_id = ?`,
  );
  const testOf = database.prepare(`SELECT ${textColumns('test_id')} FROM results WHERE result_id = ?`);
  const unfinished = database.prepare(
    `SELECT ${columns} FROM results WHERE record IS NULL ORDER BY sequence`,
  );
  const hasNoPendingNotice = "result_id NOT IN (SELECT result_id FROM notices WHERE state = 'pending')";
  // Excludes the newest ended result of each test, even if a newer run has not ended.
  const tooOld = database.prepare(
    `SELECT sequence FROM results AS old WHERE started_at_ms < ? AND record IS NOT NULL AND ${hasNoPendingNotice}
       AND EXISTS (SELECT 1 FROM results AS newer
         WHERE newer.test_id = old.test_id AND newer.sequence > old.sequence AND newer.record IS NOT NULL)
     ORDER BY started_at_ms LIMIT ${PRUNE_BATCH_SIZE}`,
  );
  // Reads the tests in the order of an index, and stops at the limit.
  const tooMany = database.prepare(
    `SELECT old.sequence FROM
       (SELECT test_id FROM results GROUP BY test_id HAVING count(*) > ?1) AS crowded
       JOIN results AS old ON old.test_id = crowded.test_id AND old.record IS NOT NULL AND old.${hasNoPendingNotice}
         AND old.sequence < (
           SELECT sequence FROM results WHERE test_id = crowded.test_id AND record IS NOT NULL
           ORDER BY sequence DESC LIMIT 1 OFFSET ?1 - 1)
     LIMIT ${PRUNE_BATCH_SIZE}`,
  );
  const excess = (policy: RetentionPolicy, now: number) =>
    policy.kind === 'age' ? tooOld.all(now - policy.ms) : tooMany.all(policy.max);
  const remove = database.prepare('DELETE FROM results WHERE sequence = ?');
  const toRun = (row: Row | null) => (row === null ? null : runOf(row));
  return {
    insert(run) {
      insert.run(run.id, run.testId, run.startedAt, run.startedBy ?? null);
    },
    finish(id, { record, detail }) {
      finish.run(record, detail, id);
      for (const statement of forget) statement.run(id);
    },
    setVerdict(id, verdict) {
      updateVerdict.run(verdict, id);
    },
    setNote(id, note) {
      updateNote.run(note, id);
    },
    putCheckpoint(id, { record, detail }) {
      checkpoint.run(record, detail, id);
    },
    getCheckpoint(id) {
      const row = checkpointOf.first(id);
      return row === null ? null : { record: String(row['record']), detail: String(row['detail']) };
    },
    *list(testId) {
      let last = Number.MAX_SAFE_INTEGER;
      for (;;) {
        const rows = list.all(testId, last, LIST_BATCH_SIZE);
        for (const row of rows) {
          last = Number(row['sequence']);
          yield runOf(row);
        }
        if (rows.length < LIST_BATCH_SIZE) return;
      }
    },
    get: (testId, id) => toRun(get.first(testId, id)),
    latest: (testId) => toRun(latest.first(testId)),
    latestWithVerdict: (testId) => toRun(latestWithVerdict.first(testId)),
    testOf(id) {
      const row = testOf.first(id);
      return row === null ? null : String(row['test_id']);
    },
    prune: (policy, now, enough) =>
      database.transact(() => {
        let pruned = 0;
        for (const row of excess(policy, now)) {
          pruned += remove.run(Number(row['sequence']));
          if (pruned >= PRUNE_BATCH_SIZE || enough()) break;
        }
        return pruned;
      }),
    unfinished: () => unfinished.all().map(runOf),
  };
}

export function runOf(row: Row): StoredRun {
  const { record, detail, judgement: verdict } = row;
  const nullableText = (name: string) => (typeof row[name] === 'string' ? row[name] : null);
  return {
    id: String(row['result_id']),
    testId: String(row['test_id']),
    startedAt: Number(row['started_at_ms']),
    document:
      typeof record === 'string' ? { record, detail: typeof detail === 'string' ? detail : null } : null,
    verdict: typeof verdict === 'string' ? verdict : null,
    startedBy: nullableText('started_by'),
    note: nullableText('note'),
  };
}
