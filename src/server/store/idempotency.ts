/** First answers to writes that carried an idempotency key. */
import { texts, type Database } from './database.ts';

export interface StoredAnswer {
  /** Digest of what was asked. */
  readonly request: string;
  readonly status: number;
  /** JSON text. */
  readonly answer: string;
}

export interface IdempotencyStore {
  get(key: string): StoredAnswer | null;
  insert(key: string, answer: StoredAnswer, at: number): void;
}

/** Promised are 24 hours; twice that, so that a clock that is set back breaks no promise. */
const KEEP_MS = 48 * 3_600_000;

export function openIdempotencyStore(database: Database): IdempotencyStore {
  const get = database.prepare(
    `SELECT ${texts('request', 'answer')}, status FROM idempotency WHERE idempotency_key = ?`,
  );
  const insert = database.prepare(
    'INSERT INTO idempotency (idempotency_key, request, status, answer, created_at_ms) VALUES (?, ?, ?, ?, ?)',
  );
  const purge = database.prepare('DELETE FROM idempotency WHERE created_at_ms < ?');
  return {
    get(key) {
      const row = get.first(key);
      if (row === null) return null;
      return {
        request: String(row['request']),
        status: Number(row['status']),
        answer: String(row['answer']),
      };
    },
    insert(key, answer, at) {
      purge.run(at - KEEP_MS);
      insert.run(key, answer.request, answer.status, answer.answer, at);
    },
  };
}
