import type { StoredPayloadFile } from '../../contract/responses.ts';
import type { Database } from './database.ts';

export interface PayloadFileStore {
  /** Returns a file and updates the time of its last use; null if the file does not exist. */
  touch(sha256: string, at: number): StoredPayloadFile | null;
  content(sha256: string): Buffer | null;
  insert(file: StoredPayloadFile & { readonly content: Buffer }, at: number): void;
  total(): number;
  deleteUnused(before: number): void;
}

export function openPayloadFileStore(database: Database): PayloadFileStore {
  const touch = database.prepare('UPDATE payload_files SET touched_at_ms = ? WHERE sha256 = ?');
  const about = database.prepare('SELECT bytes, rows FROM payload_files WHERE sha256 = ?');
  const insert = database.prepare(
    'INSERT INTO payload_files (sha256, content, bytes, rows, touched_at_ms) VALUES (?, ?, ?, ?, ?)',
  );
  const total = database.prepare('SELECT total(bytes) AS bytes FROM payload_files');
  const forget = database.prepare(
    `DELETE FROM payload_files WHERE touched_at_ms < ?
     AND NOT EXISTS (SELECT 1 FROM payload_uses WHERE payload_uses.sha256 = payload_files.sha256)`,
  );
  return {
    touch(sha256, at) {
      const row = about.first(sha256);
      if (row === null) return null;
      touch.run(at, sha256);
      return { sha256, size: Number(row['bytes']), rows: Number(row['rows']) };
    },
    content: (sha256) => database.blob('SELECT content FROM payload_files WHERE sha256 = ?', sha256),
    insert({ sha256, content, size, rows }, at) {
      insert.run(sha256, content, size, rows, at);
    },
    total: () => Number(total.first()?.['bytes']),
    deleteUnused(before) {
      forget.run(before);
    },
  };
}
