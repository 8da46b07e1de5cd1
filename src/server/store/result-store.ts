/** Results in the database: as the records that are given out, so that later versions still understand them. */
import type { ResultDocument } from '../../contract/result-codec.ts';
import { textColumns, type Database, type Row } from './database.ts';

export interface StoredRun {
  readonly id: string;
  readonly testId: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** Null while the run goes on. Its detail is null in lists. */
  readonly document: { readonly record: string; readonly detail: string | null } | null;
  /** JSON of the verdict that whoever started it has come to; null where none was told. */
  readonly verdict: string | null;
}

/** What stays of a run when its report is apart. */
export type RunIdentity = Pick<StoredRun, 'id' | 'testId' | 'startedAt'>;

/** What is kept of each test: results of a time, or a number of them. */
export type RetentionPolicy =
  | { readonly kind: 'age'; readonly ms: number }
  /** One at least. */
  | { readonly kind: 'count'; readonly max: number };

/** Results that are looked up to be deleted in one go, and deleted as far as there is time. */
const PRUNE_BATCH_SIZE = 500;

/** Without detail. */
export const RUN_COLUMNS = `${textColumns('result_id', 'test_id', 'record', 'judgement')}, started_at_ms`;

/** Results that are in memory at once while a list is made. */
const LIST_BATCH_SIZE = 20;

export interface ResultStore {
  insert(run: RunIdentity): void;
  finish(id: string, kept: ResultDocument): void;
  /** Keeps a verdict, in place of an earlier one. */
  setVerdict(id: string, verdict: string): void;
  /** Keeps what a run has counted so far, in place of what was kept before. Nothing for one that is finished or gone. */
  putCheckpoint(id: string, kept: ResultDocument): void;
  /** Of a run that was lost; null where nothing was kept. */
  getCheckpoint(id: string): ResultDocument | null;
  /** Newest first, without detail. Read some at a time. */
  list(testId: string): Iterable<StoredRun>;
  /** With detail. */
  get(testId: string, id: string): StoredRun | null;
  latest(testId: string): StoredRun | null;
  /**
   * Deletes ended results, one at least where there are any, until it is `enough`: that of a long run takes a while.
   * Never the last one of a test, nor one of which somebody is still to be told. Gives how many it deleted.
   */
  prune(keep: RetentionPolicy, now: number, enough: () => boolean): number;
  /** Runs that a process left behind. */
  unfinished(): readonly StoredRun[];
}

export function openResultStore(database: Database): ResultStore {
  const columns = RUN_COLUMNS;
  const insert = database.prepare('INSERT INTO results (result_id, test_id, started_at_ms) VALUES (?, ?, ?)');
  const finish = database.prepare('UPDATE results SET record = ?, detail = ? WHERE result_id = ?');
  const judge = database.prepare('UPDATE results SET judgement = ? WHERE result_id = ?');
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
  const get = database.prepare(
    `SELECT ${columns}, ${textColumns('detail')} FROM results WHERE test_id = ? AND result_id = ?`,
  );
  const unfinished = database.prepare(
    `SELECT ${columns} FROM results WHERE record IS NULL ORDER BY sequence`,
  );
  const told = "result_id NOT IN (SELECT result_id FROM notices WHERE state = 'pending')";
  // The newest one that has ended stays, also where there is a newer one that has not.
  const tooOld = database.prepare(
    `SELECT sequence FROM results AS old WHERE started_at_ms < ? AND record IS NOT NULL AND ${told}
       AND EXISTS (SELECT 1 FROM results AS newer
         WHERE newer.test_id = old.test_id AND newer.sequence > old.sequence AND newer.record IS NOT NULL)
     ORDER BY started_at_ms LIMIT ${PRUNE_BATCH_SIZE}`,
  );
  const crowded = database.prepare(
    `SELECT ${textColumns('test_id')} FROM results GROUP BY results.test_id HAVING count(*) > ? ORDER BY count(*) DESC LIMIT ${PRUNE_BATCH_SIZE}`,
  );
  const tooMany = database.prepare(
    `SELECT sequence FROM results WHERE test_id = ?1 AND record IS NOT NULL AND ${told} AND sequence < (
       SELECT sequence FROM results WHERE test_id = ?1 AND record IS NOT NULL
       ORDER BY sequence DESC LIMIT 1 OFFSET ?2)
     ORDER BY sequence LIMIT ${PRUNE_BATCH_SIZE}`,
  );
  function* excess(keep: RetentionPolicy, now: number): Iterable<Row> {
    if (keep.kind === 'age') yield* tooOld.all(now - keep.ms);
    else for (const test of crowded.all(keep.max)) yield* tooMany.all(String(test['test_id']), keep.max - 1);
  }
  const remove = database.prepare('DELETE FROM results WHERE sequence = ?');
  const one = (row: Row | null) => (row === null ? null : runOf(row));
  return {
    insert(run) {
      insert.run(run.id, run.testId, run.startedAt);
    },
    finish(id, { record, detail }) {
      finish.run(record, detail, id);
      for (const statement of forget) statement.run(id);
    },
    setVerdict(id, verdict) {
      judge.run(verdict, id);
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
    get: (testId, id) => one(get.first(testId, id)),
    latest: (testId) => one(latest.first(testId)),
    prune: (keep, now, enough) =>
      database.transact(() => {
        let pruned = 0;
        for (const row of excess(keep, now)) {
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
  return {
    id: String(row['result_id']),
    testId: String(row['test_id']),
    startedAt: Number(row['started_at_ms']),
    document:
      typeof record === 'string' ? { record, detail: typeof detail === 'string' ? detail : null } : null,
    verdict: typeof verdict === 'string' ? verdict : null,
  };
}
