/** What goes wrong with data and the disk below it, while a service runs. */

/**
 * | failure    | meaning                                                    |
 * | ---------- | ---------------------------------------------------------- |
 * | `full`     | there is no room; nothing was stored                       |
 * | `gone`     | the files are not where they were; nothing was stored      |
 * | `damaged`  | what was read is not what was written                      |
 * | `unusable` | the system refuses to read or write, for another reason    |
 */
export type StorageFailure = 'full' | 'gone' | 'damaged' | 'unusable';

/** The files of the data directory were deleted or replaced while they were open. */
export class MissingDataError extends Error {
  readonly code = 'DATA_GONE';

  constructor() {
    super('the data directory was deleted or moved');
  }
}

/** What was read is not what was written. */
export class DamagedTextError extends Error {
  /** As SQLite calls damage that it finds itself. */
  readonly code = 'SQLITE_CORRUPT';

  constructor() {
    super('a text is no UTF-8');
  }
}

/** Null: the error is about something else. */
export function failureOf(error: unknown): StorageFailure | null {
  const code = errorCodeOf(error);
  if (code === 'DATA_GONE') return 'gone';
  if (DISK_FULL_CODES.includes(code)) return 'full';
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) return 'damaged';
  return /^(SQLITE_(IOERR|READONLY|CANTOPEN)|E(IO|ROFS|ACCES|PERM|NOENT)$)/.test(code) ? 'unusable' : null;
}

/** The last one: there is no room for the index of the log. */
const DISK_FULL_CODES: readonly string[] = ['SQLITE_FULL', 'ENOSPC', 'EDQUOT', 'SQLITE_IOERR_SHMSIZE'];

/** Empty: it has none. */
export function errorCodeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
