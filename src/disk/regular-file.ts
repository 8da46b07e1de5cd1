/**
 * Safe access to files that may be untrusted or may be replaced by untrusted files. Refuses links, pipes and devices,
 * does not block, and limits the number of bytes read.
 */
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, type Stats } from 'node:fs';
import { codeOf } from '../core/unknown-value.ts';
import { createKindRefusal, RefusedFile } from './refused-file.ts';

/** Returns the result of `lstat`; null if the path does not exist. */
export function lstatIfExists(path: string): Stats | null {
  return lstatSync(path, { throwIfNoEntry: false }) ?? null;
}

/** Reports whether the result of `lstat` refers to a pipe or a device. */
export function isStream(stats: Stats): boolean {
  return !stats.isFile() && !stats.isDirectory() && !stats.isSymbolicLink();
}

/** Reports whether a path refers to an open file descriptor, such as the path for `<(command)` in a shell. */
export function isDescriptorPath(path: string): boolean {
  return /^\/(dev\/(stdin|stdout|stderr|fd\/\d+)|proc\/self\/fd\/\d+)$/.test(path);
}

/**
 * Opens a regular file. The caller must check the directory of the file.
 * @param flags - Flags of `open(2)`.
 * @param mode - Mode of the file if the flags create it.
 * @throws RefusedFile for a link, a directory, a pipe or a device; otherwise the file system error.
 */
export function openRegular(path: string, flags: number, mode = 0o600): number {
  // The kind is checked before opening, because opening a device may have side effects, and Windows cannot refuse links
  // on open.
  const stats = lstatIfExists(path);
  if (stats !== null && !stats.isFile()) throw createKindRefusal(stats);
  const file = openWithoutLinks(path, flags, mode);
  const openedStats = fstatSync(file);
  if (openedStats.isFile()) return file;
  closeSync(file);
  throw createKindRefusal(openedStats);
}

function openWithoutLinks(path: string, flags: number, mode: number): number {
  try {
    return openSync(path, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, mode);
  } catch (error) {
    if (codeOf(error) === 'ELOOP') throw new RefusedFile('it is a symbolic link');
    throw error;
  }
}

const CHUNK_BYTES = 64 * 1024;

/**
 * Reads an open file from the current position to the end.
 * @throws RefusedFile if more than `maxBytes` bytes remain after the current position.
 */
export function readUpTo(file: number, maxBytes: number): Buffer {
  const chunks: Buffer[] = [];
  let length = 0;
  for (;;) {
    const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, maxBytes + 1 - length));
    const read = readSync(file, chunk, 0, chunk.length, null);
    if (read === 0) return Buffer.concat(chunks, length);
    chunks.push(chunk.subarray(0, read));
    length += read;
    if (length > maxBytes) throw new RefusedFile(`it is larger than ${formatByteSize(maxBytes)}`);
  }
}

function formatByteSize(bytes: number): string {
  const mebibyte = 1024 * 1024;
  return bytes >= mebibyte ? `${Math.floor(bytes / mebibyte)} MiB` : `${Math.floor(bytes / 1024)} KiB`;
}

/** Calls a function with an open file, and then closes the file. */
export function useFile<T>(file: number, use: (file: number) => T): T {
  try {
    return use(file);
  } finally {
    closeSync(file);
  }
}

/** @throws As `openRegular` and `readUpTo`. */
export function readRegular(path: string, maxBytes: number): Buffer {
  return useFile(openRegular(path, constants.O_RDONLY), (file) => readUpTo(file, maxBytes));
}
