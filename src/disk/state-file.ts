/**
 * State files of loadtests: journal, locks, keys and database. The directories of state files must belong to the user
 * of this process or to root. Links, devices and other users' files are refused.
 *
 * Unless stated otherwise, the functions throw RefusedFile for a file that must not be used, and the file system error
 * for other failures. No function changes the mode of an existing file.
 */
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  linkSync,
  lstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
  type Stats,
} from 'node:fs';
import { dirname } from 'node:path';
import process from 'node:process';
import { codeOf } from '../core/unknown-value.ts';
import { replaceFile, syncDirectory, writeTemporary } from './atomic-write.ts';
import { makeDirectories } from './directories.ts';
import { createKindRefusal, RefusedFile } from './refused-file.ts';
import { lstatIfExists, openRegular, readUpTo, useFile } from './regular-file.ts';

const ROOT_UID = 0;

const OWNER_ONLY_MODE = 0o600;

/**
 * Refuses a file of another user. Files of root are accepted, because root can change all files anyway. On platforms
 * without file owners, all files are accepted.
 */
function refuseOtherOwner({ uid }: Stats): void {
  const own = process.geteuid?.();
  if (own === undefined || uid === own || uid === ROOT_UID) return;
  throw new RefusedFile(`it belongs to another user (${uid})`);
}

/** Reports whether the directory exists. Only the last component of the path is checked. */
export function hasStateDirectory(path: string): boolean {
  const stats = lstatIfExists(path);
  if (stats === null) return false;
  if (!stats.isDirectory()) throw createKindRefusal(stats);
  refuseOtherOwner(stats);
  return true;
}

/** Creates the directory and its missing parents, accessible only by this user. */
export function makeStateDirectory(path: string): void {
  if (hasStateDirectory(path)) return;
  makeDirectories(path, 0o700);
  // Another process may have created the directory in the meantime.
  hasStateDirectory(path);
}

/** Refuses a hard-linked file, because writing to it would also change the file under its other name. */
function refuseHardLinked({ nlink }: Stats): void {
  if (nlink > 1) throw new RefusedFile('it is a hard link to another file');
}

export function hasStateFile(path: string): boolean {
  return statStateFile(path) !== null;
}

/** Like `hasStateFile`, but also refuses a hard-linked file. */
export function hasWritableStateFile(path: string): boolean {
  const stats = statStateFile(path);
  if (stats !== null) refuseHardLinked(stats);
  return stats !== null;
}

function statStateFile(path: string): Stats | null {
  const stats = lstatIfExists(path);
  if (stats === null) return null;
  if (!stats.isFile()) throw createKindRefusal(stats);
  refuseOtherOwner(stats);
  return stats;
}

/**
 * Reports whether other users have no access to a file. True on Windows, and for a file that does not exist. Usually
 * false for a file that git checked out.
 */
export function isPrivate(path: string): boolean {
  // Windows does not report the permissions of other users.
  return process.platform === 'win32' || ((lstatIfExists(path)?.mode ?? 0) & 0o077) === 0;
}

/**
 * A new file is accessible only to this user.
 * @param flags - Flags of `open(2)`.
 */
function openStateFile(path: string, flags: number): number {
  const stats = lstatIfExists(path);
  if (stats?.isFile() === true) refuseOtherOwner(stats);
  const file = openRegular(path, flags, OWNER_ONLY_MODE);
  try {
    const openedStats = fstatSync(file);
    refuseOtherOwner(openedStats);
    // A hard-linked file is refused only for writing. While `createStateFile` creates a file, the file briefly has two
    // names, but can be read safely.
    if ((flags & (constants.O_WRONLY | constants.O_RDWR)) !== 0) refuseHardLinked(openedStats);
    return file;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

/** Returns the content of a file; null if the file does not exist. */
export function readStateFile(path: string, maxBytes: number): Buffer | null {
  let file: number;
  try {
    file = openStateFile(path, constants.O_RDONLY);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
  return useFile(file, () => readUpTo(file, maxBytes));
}

/** Like `readStateFile`, but refuses a file that other users can access. */
export function readSecretFile(path: string, maxBytes: number): Buffer | null {
  if (!isPrivate(path)) throw new RefusedFile('other users can read it; delete it');
  return readStateFile(path, maxBytes);
}

/** Returns at most `length` bytes from the start of a file. Creates the file if it does not exist. */
export function readStateFileStart(path: string, length: number): Buffer {
  return useFile(openStateFile(path, constants.O_RDWR | constants.O_CREAT), (file) => {
    const start = Buffer.alloc(length);
    return start.subarray(0, readSync(file, start, 0, length, 0));
  });
}

/**
 * Optionally truncates a file, then appends text. Creates the file if it does not exist. When the function returns, the
 * change is on disk.
 * @param change - Receives the content of the file. Returns the number of bytes to keep, and the text to append.
 */
export function appendStateFile(
  path: string,
  maxBytes: number,
  change: (bytes: Buffer) => { readonly keep: number; readonly add: string },
): void {
  useFile(openStateFile(path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT), (file) => {
    const bytes = readUpTo(file, maxBytes);
    const { keep, add } = change(bytes);
    if (keep < bytes.length) ftruncateSync(file, keep);
    // Unlike `writeSync`, `writeFileSync` always writes all data or throws.
    writeFileSync(file, add);
    fsyncSync(file);
  });
  syncDirectory(dirname(path));
}

/** Copies a file to a path that does not exist. Returns false if the source does not exist. */
export function copyStateFile(from: string, to: string): boolean {
  if (!hasStateFile(from)) return false;
  useFile(openStateFile(from, constants.O_RDONLY), (source) => {
    useFile(openStateFile(to, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL), (target) => {
      const chunk = Buffer.alloc(1024 * 1024);
      for (let read = -1; read !== 0;) {
        read = readSync(source, chunk, 0, chunk.length, null);
        writeFileSync(target, chunk.subarray(0, read));
      }
    });
  });
  return true;
}

export function createEmptyStateFile(path: string): void {
  closeSync(openStateFile(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL));
}

export function syncStateFile(path: string): void {
  useFile(openStateFile(path, constants.O_RDWR), fsyncSync);
}

/** Reports whether this process can open another file. The directory must exist. */
export function canOpenFiles(directory: string): boolean {
  // Windows cannot open directories.
  if (process.platform === 'win32') return true;
  try {
    closeSync(openSync(directory, constants.O_RDONLY | constants.O_DIRECTORY));
    return true;
  } catch (error) {
    const code = codeOf(error);
    return code !== 'EMFILE' && code !== 'ENFILE';
  }
}

export function syncStateDirectory(path: string): void {
  syncDirectory(path);
}

/** The target must not exist, or must be an empty directory. */
export function moveStateDirectory(from: string, to: string): void {
  syncDirectory(from);
  renameSync(from, to);
  syncDirectory(dirname(to));
}

/** Does nothing if the directory does not exist. */
export function removeStateDirectory(path: string): void {
  rmSync(path, { recursive: true, force: true });
}

/** Returns a string that identifies the file regardless of its content; an empty string if the file does not exist. */
export function fileIdentityOf(path: string): string {
  const stats = lstatIfExists(path);
  return stats === null ? '' : `${stats.dev}:${stats.ino}`;
}

/** Returns a string that changes when the file is written, replaced, created or removed. */
export function fileVersionOf(path: string): string {
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return stats === undefined
    ? ''
    : `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}`;
}

/**
 * Checks that a number of bytes can be written, by writing and removing a file.
 * @throws The file system error if the bytes cannot be written.
 */
export function probeFreeSpace(path: string, bytes: number): void {
  try {
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC;
    useFile(openStateFile(path, flags), (file) => writeFileSync(file, Buffer.alloc(bytes)));
  } finally {
    rmSync(path, { force: true });
  }
}

export interface FixedLengthRecord {
  /** Replaces the text in one system call. Readers see either the old or the new text, even if this process crashes. */
  write(text: string): void;
  close(): void;
}

/** Opens or creates a file and replaces its content. The text is on disk when the function returns. */
export function openFixedLengthRecord(path: string, text: string): FixedLengthRecord {
  const file = openStateFile(path, constants.O_RDWR | constants.O_CREAT);
  const write = (next: string) => {
    const bytes = Buffer.from(next);
    writeSync(file, bytes, 0, bytes.length, 0);
  };
  try {
    write(text);
    ftruncateSync(file, Buffer.byteLength(text));
    fsyncSync(file);
    syncDirectory(dirname(path));
  } catch (error) {
    closeSync(file);
    throw error;
  }
  return {
    write,
    close() {
      closeSync(file);
    },
  };
}

export function replaceStateFile(path: string, text: string): void {
  replaceFile(path, text, OWNER_ONLY_MODE);
}

/**
 * Creates a file atomically. Returns false and changes nothing if the path exists.
 * @param options.flush - False if the file may be incomplete or missing after a crash of the system.
 */
export function createStateFile(path: string, text: string, options = { flush: true }): boolean {
  const temporaryPath = writeTemporary(path, text, { mode: OWNER_ONLY_MODE, ...options });
  try {
    // Unlike `rename`, `link` fails if the path exists.
    linkSync(temporaryPath, path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(temporaryPath, { force: true });
  }
}

/** Moves a file and replaces any file at the target path. Returns false if the file cannot be moved. */
export function moveStateFile(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch {
    return false;
  }
}

/** Removes a file or a link, but not the target of the link. Does nothing if the path does not exist. */
export function removeStateFile(path: string): void {
  rmSync(path, { force: true });
}
