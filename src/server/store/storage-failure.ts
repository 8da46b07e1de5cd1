import { codeOf } from '../../core/unknown-value.ts';

/**
 * Kind of storage failure.
 *
 * | failure    | meaning                                              |
 * | ---------- | ---------------------------------------------------- |
 * | `full`     | the disk is full; nothing was stored                 |
 * | `files`    | the process cannot open more files                   |
 * | `gone`     | the files were deleted or moved; nothing was stored  |
 * | `damaged`  | the data read differs from the data written          |
 * | `unusable` | reading or writing fails for another reason          |
 */
export type StorageFailure = 'full' | 'files' | 'gone' | 'damaged' | 'unusable';

/** Thrown if the files of the data directory were deleted or replaced while they were open. */
export class MissingDataError extends Error {
  readonly code = 'DATA_GONE';

  constructor() {
    super('the data directory was deleted or moved');
  }
}

/** Thrown if a stored string is not valid UTF-8. */
export class DamagedTextError extends Error {
  /** SQLite's code for damage. */
  readonly code = 'SQLITE_CORRUPT';

  constructor() {
    super('a stored string is not valid UTF-8');
  }
}

/** Returns the kind of failure that an error reports; null if the error is not a storage failure. */
export function failureOf(error: unknown): StorageFailure | null {
  const code = codeOf(error) ?? '';
  if (code === 'DATA_GONE') return 'gone';
  if (DISK_FULL_CODES.includes(code)) return 'full';
  if (code === 'EMFILE' || code === 'ENFILE') return 'files';
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) return 'damaged';
  return /^(SQLITE_(IOERR|READONLY|CANTOPEN)|E(IO|ROFS|ACCES|PERM|NOENT)$)/.test(code) ? 'unusable' : null;
}

/** Error codes for a full disk. `SQLITE_IOERR_SHMSIZE`: no space for the index of the write-ahead log. */
const DISK_FULL_CODES: readonly string[] = ['SQLITE_FULL', 'ENOSPC', 'EDQUOT', 'SQLITE_IOERR_SHMSIZE'];
