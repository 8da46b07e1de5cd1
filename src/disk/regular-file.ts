/**
 * How every file is opened that may come from a stranger, or be replaced by one: never through a link, never what is no
 * file, never to wait, and never more of it than there is room for.
 */
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, type Stats } from 'node:fs';
import { systemCodeOf, createKindRefusal, RefusedFile } from './refused-file.ts';

/** What `lstat` says of a path; null: nothing is there. */
export function lstatIfExists(path: string): Stats | null {
  return lstatSync(path, { throwIfNoEntry: false }) ?? null;
}

/** What a shell calls an open file or pipe, such as that of `<(command)`. These are links, and the user's own. */
export function isDescriptorPath(path: string): boolean {
  return /^\/(dev\/(stdin|stdout|stderr|fd\/\d+)|proc\/self\/fd\/\d+)$/.test(path);
}

/**
 * Opens a regular file. Its directory is the caller's to judge.
 *
 * Errors: RefusedFile for a link and for what is no file; else the file system's own.
 *
 * @param flags of `open(2)`; `mode` is for a file that they create
 */
export function openRegular(path: string, flags: number, mode = 0o600): number {
  // Opening a device may already do something, and Windows cannot refuse links while it opens.
  const there = lstatIfExists(path);
  if (there !== null && !there.isFile()) throw createKindRefusal(there);
  const file = openWithoutLinks(path, flags, mode);
  const opened = fstatSync(file);
  if (opened.isFile()) return file;
  closeSync(file);
  throw createKindRefusal(opened);
}

function openWithoutLinks(path: string, flags: number, mode: number): number {
  try {
    return openSync(path, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, mode);
  } catch (error) {
    if (systemCodeOf(error) === 'ELOOP') throw new RefusedFile('it is a symbolic link');
    throw error;
  }
}

const CHUNK_BYTES = 64 * 1024;

/** All bytes from where the file stands. Errors: RefusedFile where there are more than `most`. */
export function readUpTo(file: number, most: number): Buffer {
  const chunks: Buffer[] = [];
  let length = 0;
  for (;;) {
    const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, most + 1 - length));
    const read = readSync(file, chunk, 0, chunk.length, null);
    if (read === 0) return Buffer.concat(chunks, length);
    chunks.push(chunk.subarray(0, read));
    length += read;
    if (length > most) throw new RefusedFile(`it is larger than ${formatByteSize(most)}`);
  }
}

function formatByteSize(bytes: number): string {
  const mebibyte = 1024 * 1024;
  return bytes >= mebibyte ? `${Math.floor(bytes / mebibyte)} MiB` : `${Math.floor(bytes / 1024)} KiB`;
}

/** The bytes of a regular file. Errors: as `openRegular` and `readUpTo`. */
export function readRegular(path: string, most: number): Buffer {
  const file = openRegular(path, constants.O_RDONLY);
  try {
    return readUpTo(file, most);
  } finally {
    closeSync(file);
  }
}
