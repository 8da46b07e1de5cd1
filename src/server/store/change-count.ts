/**
 * How many changes were acknowledged, in a file beside the database, which holds the same number itself. A log that was
 * deleted, cut off or damaged takes changes with it without a trace in the database, but not this number.
 *
 * The file is written after each change, and not synced: it survives the end of the process, and after a power failure
 * it is at most too low. So it is never higher than the database, unless that has lost something.
 */
import { openFixedLengthRecord, readStateFile } from '../../disk/state-file.ts';

/** Of the file's name, after that of the database. It is there as long as the log is. */
export const COUNT_SUFFIX = '-count';

const DIGITS = 16;

export interface ChangeCount {
  /** Never throws: the change is on the disk already. */
  write(count: number): void;
  close(): void;
}

/** Null: it is not there, or a power failure left nothing in it. */
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
        // The lower number that stands there notices less, and is never wrong.
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
