/**
 * Count of acknowledged changes, stored both in the database and in a file next to it. If the write-ahead log is
 * deleted, truncated or damaged, the database loses changes without a trace, but the file preserves the count.
 *
 * The file is written after each change, without a sync. The file survives the end of the process; after a power
 * failure, its count can only be too low. Therefore, the count in the file exceeds the count in the database only if
 * changes were lost.
 */
import { openFixedLengthRecord, readStateFile } from '../../disk/state-file.ts';

export const COUNT_SUFFIX = '-count';

const DIGITS = 16;

export interface ChangeCount {
  /** Never throws, because the change is already on disk. */
  write(count: number): void;
  close(): void;
}

/** Returns the count; null if the file is missing, or empty after a power failure. */
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
        // If the write fails, the file contains a lower count. This count detects fewer lost changes but never
        // reports a false loss.
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
