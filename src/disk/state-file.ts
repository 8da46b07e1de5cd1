/**
 * Files that are our state: the journal, locks, keys, the database. They lie in directories that are ours too, and nobody
 * else has written either: a link, a device or another user's file in their place is refused.
 *
 * Shape:  modes of what we did not make stay as they are.
 * Errors: RefusedFile for what must not be used; else the file system's own.
 */
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  linkSync,
  lstatSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
  type Stats,
} from 'node:fs';
import { dirname } from 'node:path';
import process from 'node:process';
import { replaceFile, syncDirectory, writeTemporary } from './atomic-write.ts';
import { makeDirectories } from './directories.ts';
import { systemCodeOf, createKindRefusal, RefusedFile } from './refused-file.ts';
import { lstatIfExists, openRegular, readUpTo } from './regular-file.ts';

const ROOT_UID = 0;

/** Of a file that we make: for this user only. */
const OWNER_ONLY_MODE = 0o600;

/** Root's files are root's word, which holds anyway. Where files have no owner, all are ours. */
function refuseOtherOwner({ uid }: Stats): void {
  const own = process.geteuid?.();
  if (own === undefined || uid === own || uid === ROOT_UID) return;
  throw new RefusedFile(`it belongs to another user (${uid})`);
}

/** Whether the directory is there. Only the last part of the path is judged. */
export function hasStateDirectory(path: string): boolean {
  const there = lstatIfExists(path);
  if (there === null) return false;
  if (!there.isDirectory()) throw createKindRefusal(there);
  refuseOtherOwner(there);
  return true;
}

/** Makes the directory, for this user only, if it is not there, with those above it. */
export function makeStateDirectory(path: string): void {
  if (hasStateDirectory(path)) return;
  makeDirectories(path, 0o700);
  // Somebody else may have been faster.
  hasStateDirectory(path);
}

/** What is written into a file that has another name is written there too. */
function refuseHardLinked({ nlink }: Stats): void {
  if (nlink > 1) throw new RefusedFile('it is a hard link to a file of another name');
}

/** Whether the file is there. */
export function hasStateFile(path: string): boolean {
  return statStateFile(path) !== null;
}

/** The same, for those who open it themselves and write into it. */
export function hasWritableStateFile(path: string): boolean {
  const there = statStateFile(path);
  if (there !== null) refuseHardLinked(there);
  return there !== null;
}

function statStateFile(path: string): Stats | null {
  const there = lstatIfExists(path);
  if (there === null) return null;
  if (!there.isFile()) throw createKindRefusal(there);
  refuseOtherOwner(there);
  return there;
}

/** Whether nobody else can read it, as nobody can what we make; what git has checked out, others can. */
export function isPrivate(path: string): boolean {
  // Windows tells no such thing.
  return process.platform === 'win32' || ((lstatIfExists(path)?.mode ?? 0) & 0o077) === 0;
}

/** @param flags of `open(2)`; a file that they create is this user's only */
function openStateFile(path: string, flags: number): number {
  const there = lstatIfExists(path);
  if (there?.isFile() === true) refuseOtherOwner(there);
  const file = openRegular(path, flags, OWNER_ONLY_MODE);
  try {
    const opened = fstatSync(file);
    refuseOtherOwner(opened);
    // One that is just being made has two names for a moment, and is only read then.
    if ((flags & (constants.O_WRONLY | constants.O_RDWR)) !== 0) refuseHardLinked(opened);
    return file;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

/** Null: it is not there. */
export function readStateFile(path: string, most: number): Buffer | null {
  let file: number;
  try {
    file = openStateFile(path, constants.O_RDONLY);
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return null;
    throw error;
  }
  try {
    return readUpTo(file, most);
  } finally {
    closeSync(file);
  }
}

/** The same for a secret, which nobody but its owner may be able to read. */
export function readSecretFile(path: string, most: number): Buffer | null {
  if (!isPrivate(path)) throw new RefusedFile('others can read it; delete it');
  return readStateFile(path, most);
}

/** The first bytes of a file, which is made when it is not there. */
export function readStateFileStart(path: string, length: number): Buffer {
  const file = openStateFile(path, constants.O_RDWR | constants.O_CREAT);
  try {
    const start = Buffer.alloc(length);
    return start.subarray(0, readSync(file, start, 0, length, 0));
  } finally {
    closeSync(file);
  }
}

/**
 * Adds to the end of a file, which is made when it is not there; it is on the disk when this returns.
 *
 * @param change what to keep of the bytes that are there, from the start, and what to add
 */
export function appendStateFile(
  path: string,
  most: number,
  change: (bytes: Buffer) => { readonly keep: number; readonly add: string },
): void {
  const file = openStateFile(path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT);
  try {
    const bytes = readUpTo(file, most);
    const { keep, add } = change(bytes);
    if (keep < bytes.length) ftruncateSync(file, keep);
    // A single write may take a part only, without an error.
    writeFileSync(file, add);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  syncDirectory(dirname(path));
}

/** Copies a file, if it is there, to where none is. Gives whether it was there. */
export function copyStateFile(from: string, to: string): boolean {
  if (!hasStateFile(from)) return false;
  const source = openStateFile(from, constants.O_RDONLY);
  try {
    const target = openStateFile(to, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL);
    try {
      const chunk = Buffer.alloc(1024 * 1024);
      for (let read = -1; read !== 0;) {
        read = readSync(source, chunk, 0, chunk.length, null);
        writeFileSync(target, chunk.subarray(0, read));
      }
      return true;
    } finally {
      closeSync(target);
    }
  } finally {
    closeSync(source);
  }
}

/** Makes an empty file where none is. */
export function createEmptyStateFile(path: string): void {
  closeSync(openStateFile(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL));
}

/** What was written to a file survives a crash from here on. */
export function syncStateFile(path: string): void {
  const file = openStateFile(path, constants.O_RDWR);
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Moves a directory to where nothing is, or nothing but an empty directory. Errors: the file system's own. */
export function moveStateDirectory(from: string, to: string): void {
  syncDirectory(from);
  renameSync(from, to);
  syncDirectory(dirname(to));
}

/** Removes a directory with all that is in it. What is not there stays so. */
export function removeStateDirectory(path: string): void {
  rmSync(path, { recursive: true, force: true });
}

/** The same text as long as the name means the same file, whatever is in it; empty: nothing is there. */
export function fileIdentityOf(path: string): string {
  const there = lstatSync(path, { throwIfNoEntry: false });
  return there === undefined ? '' : `${there.dev}:${there.ino}`;
}

/** Another text whenever the file was written, replaced, made or removed since. */
export function fileVersionOf(path: string): string {
  const there = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return there === undefined
    ? ''
    : `${there.dev}:${there.ino}:${there.size}:${there.mtimeNs}:${there.ctimeNs}`;
}

/** Writes so many bytes to a file, and removes it. Errors: the file system's own, where there is no room for them. */
export function probeFreeSpace(path: string, bytes: number): void {
  try {
    const file = openStateFile(path, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC);
    try {
      writeFileSync(file, Buffer.alloc(bytes));
    } finally {
      closeSync(file);
    }
  } finally {
    rmSync(path, { force: true });
  }
}

/** A text that is written again and again in the same place, always of the same length. */
export interface FixedLengthRecord {
  /** In one piece: whoever reads sees this text or the one before, also after the end of this process. */
  write(text: string): void;
  close(): void;
}

/** Opens or makes a file that holds nothing but such a text; the first one is on the disk when this returns. */
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

/** Puts a whole file in the place of another one, or where none is. */
export function replaceStateFile(path: string, text: string): void {
  replaceFile(path, text, OWNER_ONLY_MODE);
}

/** Makes a whole file in one step. False: something is there already, and stays. */
export function createStateFile(path: string, text: string): boolean {
  const draft = writeTemporary(path, text, OWNER_ONLY_MODE);
  try {
    // Unlike a rename, a link fails where the name exists.
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (systemCodeOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** False: nothing is there any more, or it cannot be moved. What `to` named is replaced. */
export function moveStateFile(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch {
    return false;
  }
}

/** A link itself, not what it leads to. What is not there stays so. */
export function removeStateFile(path: string): void {
  rmSync(path, { force: true });
}
