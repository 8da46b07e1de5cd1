/**
 * Count of acknowledged changes, stored both in the database and in a file next to the database. If the write-ahead log
 * is deleted, truncated or damaged, the database loses changes without a trace, but the file preserves the count.
 *
 * The file is written after each change, without a sync, and survives the end of the process. After a power failure,
 * the count in the file can only be too low. Therefore, this count exceeds the count in the database only if changes
 * were lost.
 */
import { openFixedLengthRecord, readStateFile } from '../../disk/state-file.ts';

export const COUNT_SUFFIX = '-count';

const DIGITS = 16;

export interface ChangeCount {
  /** Writes the count to the file. Does not throw if writing fails, because the change is already on disk. */
  write(count: number): void;
  close(): void;
}

/** Returns the count; null if the file is missing or contains no complete count, for example after a power failure. */
export function readChangeCount(databasePath: string): number | null {
  const text = readStateFile(databasePath + COUNT_SUFFIX, 4096)?.toString('latin1') ?? '';
  return /^\d{16}\n$/.test(text) ? Number(text) : null;
}

export function openChangeCount(databasePath: string, count: number): ChangeCount {
  const record = openFixedLengthRecord(databasePath + COUNT_SUFFIX, formatCount(count));
  return {
    write(now) {
      try {
        record.write(formatCount(now));
      } catch {
        // The file still contains a lower count. As a result, fewer lost changes are detected, but no change is wrongly
        // reported as lost.
      }
    },
    close() {
      record.close();
    },
  };
}

function formatCount(count: number): string {
  return `${String(count).padStart(DIGITS, '0')}\n`;
}
