import { textColumns, type Database } from './database.ts';

export interface StoredResponse {
  readonly request: string;
  readonly status: number;
  readonly response: string;
}

export interface IdempotencyStore {
  get(key: string): StoredResponse | null;
  insert(key: string, response: StoredResponse, at: number): void;
}

/** Retention: twice the 24 hours that the API guarantees, so that the guarantee holds even if the clock is set back. */
const RETENTION_MS = 48 * 3_600_000;

export function openIdempotencyStore(database: Database): IdempotencyStore {
  const get = database.prepare(
    `SELECT ${textColumns('request', 'answer')}, status FROM idempotency WHERE idempotency_key = ?`,
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
        response: String(row['answer']),
      };
    },
    insert(key, response, at) {
      purge.run(at - RETENTION_MS);
      insert.run(key, response.request, response.status, response.response, at);
    },
  };
}
