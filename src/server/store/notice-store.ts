import { textColumns, type Database, type Row } from './database.ts';

export type NoticeChannel = 'callback' | 'email';

/**
 * State of a notice.
 *
 * | state       | meaning                                                     |
 * | ----------- | ----------------------------------------------------------- |
 * | `pending`   | a first or further attempt follows                          |
 * | `delivered` | the receiver accepted it                                    |
 * | `refused`   | the receiver rejected it permanently                        |
 * | `expired`   | all attempts failed, or a rate limit delayed one too long   |
 */
export type NoticeState = 'pending' | 'delivered' | 'refused' | 'expired';

export interface Notice {
  /** The ID is the same for all attempts, so that receivers can detect duplicates. */
  readonly id: string;
  readonly testId: string;
  readonly resultId: string;
  readonly channel: NoticeChannel;
  readonly destination: string;
  /** Host and port of the URL, or the email address in lower case. Rate limits apply per receiver. */
  readonly receiver: string;
  readonly state: NoticeState;
  /** Number of attempts, including one in progress. */
  readonly attempts: number;
  /** Time of the next attempt, in milliseconds since the epoch; null if no attempt follows. */
  readonly nextAttemptAt: number | null;
  readonly lastError: string | null;
  readonly createdAt: number;
}

export type NewNotice = Pick<
  Notice,
  'id' | 'testId' | 'resultId' | 'channel' | 'destination' | 'receiver' | 'createdAt'
> & {
  /** Time of the first attempt, in milliseconds since the epoch. */
  readonly firstAttemptAt: number;
};

export interface NoticeStore {
  insert(notice: NewNotice): void;
  get(id: string): Notice | null;
  /** Returns pending notices that are due, earliest first, except those with one of the given IDs or receivers. */
  due(
    at: number,
    limit: number,
    without: { readonly ids: readonly string[]; readonly receivers: readonly string[] },
  ): readonly Notice[];
  /**
   * Counts an attempt before it starts, so that the count includes attempts interrupted by the end of the process.
   */
  begin(id: string, nextAttemptAt: number): void;
  /** Like `begin`, but also records the attempt per receiver. Deleting the notice does not delete that record. */
  beginCounted(notice: Pick<Notice, 'id' | 'receiver'>, at: number, nextAttemptAt: number): void;
  fail(id: string, lastError: string, nextAttemptAt: number): void;
  end(id: string, state: Exclude<NoticeState, 'pending'>, lastError: string | null, at: number): void;
  postpone(id: string, nextAttemptAt: number): void;
  /** Makes the email about a run due at `at`, unless the email is due earlier or was already attempted. */
  expedite(resultId: string, at: number): void;
  /** Returns the start times of the recorded attempts for a receiver after a given time, earliest first. */
  attempts(receiver: string, since: number): readonly number[];
  /** Returns notices that are pending, refused or expired, newest first. */
  undelivered(limit: number): readonly Notice[];
  counts(): ReadonlyMap<NoticeState, number>;
  /** Deletes notices that ended, and recorded attempts that started, before a given time. */
  purge(before: number): void;
}

export function openNoticeStore(database: Database): NoticeStore {
  const named = [
    'notice_id',
    'test_id',
    'result_id',
    'channel',
    'destination',
    'receiver',
    'state',
    'last_error',
  ];
  const columns = `${textColumns(...named)}, attempts, next_attempt_at_ms, created_at_ms`;
  const insert = database.prepare(
    `INSERT INTO notices (notice_id, test_id, result_id, channel, destination, receiver, state, next_attempt_at_ms,
       created_at_ms) VALUES (?, ?, ?, ?, ?, ?, 'pending', ?, ?)`,
  );
  const byId = database.prepare(`SELECT ${columns} FROM notices WHERE notice_id = ?`);
  const due = database.prepare(
    `SELECT ${columns} FROM notices WHERE next_attempt_at_ms <= ?
       AND notice_id NOT IN (SELECT value FROM json_each(?))
       AND receiver NOT IN (SELECT value FROM json_each(?))
     ORDER BY next_attempt_at_ms, sequence LIMIT ?`,
  );
  const begin = database.prepare(
    'UPDATE notices SET attempts = attempts + 1, next_attempt_at_ms = ? WHERE notice_id = ?',
  );
  const fail = database.prepare(
    'UPDATE notices SET last_error = ?, next_attempt_at_ms = ? WHERE notice_id = ?',
  );
  const end = database.prepare(
    'UPDATE notices SET state = ?, last_error = ?, ended_at_ms = ?, next_attempt_at_ms = NULL WHERE notice_id = ?',
  );
  const postpone = database.prepare('UPDATE notices SET next_attempt_at_ms = ? WHERE notice_id = ?');
  const expedite = database.prepare(
    "UPDATE notices SET next_attempt_at_ms = ? WHERE result_id = ? AND channel = 'email' AND attempts = 0 AND next_attempt_at_ms > ?",
  );
  const count = database.prepare('INSERT INTO attempts (receiver, at_ms) VALUES (?, ?)');
  const attempts = database.prepare(
    'SELECT at_ms FROM attempts WHERE receiver = ? AND at_ms > ? ORDER BY at_ms',
  );
  const undelivered = database.prepare(
    `SELECT ${columns} FROM notices WHERE state IN ('pending', 'refused', 'expired') ORDER BY sequence DESC LIMIT ?`,
  );
  const counts = database.prepare(
    `SELECT ${textColumns('state')}, count(*) AS number FROM notices GROUP BY notices.state`,
  );
  const purge = database.prepare('DELETE FROM notices WHERE ended_at_ms < ?');
  const purgeAttempts = database.prepare('DELETE FROM attempts WHERE at_ms < ?');
  return {
    insert(notice) {
      const { id, testId, resultId, channel, destination, receiver, createdAt, firstAttemptAt } = notice;
      insert.run(id, testId, resultId, channel, destination, receiver, firstAttemptAt, createdAt);
    },
    get(id) {
      const row = byId.first(id);
      return row === null ? null : noticeOf(row);
    },
    due: (at, limit, without) =>
      due.all(at, JSON.stringify(without.ids), JSON.stringify(without.receivers), limit).map(noticeOf),
    begin(id, nextAttemptAt) {
      begin.run(nextAttemptAt, id);
    },
    beginCounted({ id, receiver }, at, nextAttemptAt) {
      database.transact(() => {
        begin.run(nextAttemptAt, id);
        count.run(receiver, at);
      });
    },
    fail(id, lastError, nextAttemptAt) {
      fail.run(lastError, nextAttemptAt, id);
    },
    end(id, state, lastError, at) {
      end.run(state, lastError, at, id);
    },
    postpone(id, nextAttemptAt) {
      postpone.run(nextAttemptAt, id);
    },
    expedite(resultId, at) {
      expedite.run(at, resultId, at);
    },
    attempts: (receiver, since) => attempts.all(receiver, since).map((row) => Number(row['at_ms'])),
    undelivered: (limit) => undelivered.all(limit).map(noticeOf),
    counts: () => new Map(counts.all().map((row) => [stateOf(row['state']), Number(row['number'])] as const)),
    purge(before) {
      purge.run(before);
      purgeAttempts.run(before);
    },
  };
}

function noticeOf(row: Row): Notice {
  const next = row['next_attempt_at_ms'];
  const error = row['last_error'];
  return {
    id: String(row['notice_id']),
    testId: String(row['test_id']),
    resultId: String(row['result_id']),
    channel: row['channel'] === 'email' ? 'email' : 'callback',
    destination: String(row['destination']),
    receiver: String(row['receiver']),
    state: stateOf(row['state']),
    attempts: Number(row['attempts']),
    nextAttemptAt: typeof next === 'number' ? next : null,
    lastError: typeof error === 'string' ? error : null,
    createdAt: Number(row['created_at_ms']),
  };
}

function stateOf(value: Row[string] | undefined): NoticeState {
  return value === 'delivered' || value === 'refused' || value === 'expired' ? value : 'pending';
}
