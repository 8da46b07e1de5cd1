/** Files that the user names to be read, or that are found for them. A checkout may have put a link in their place. */
import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { systemCodeOf, createKindRefusal, RefusedFile } from './refused-file.ts';
import { lstatIfExists, isDescriptorPath } from './regular-file.ts';
import { allowedRootForPath, resolveInside } from './untrusted-file.ts';

export interface FileBytes {
  readonly bytes: Uint8Array;
  /** Whether it is a file; else a pipe or a device. */
  readonly isRegularFile: boolean;
}

/**
 * Where a file really lies that is to be quoted from. A pipe or a device is what the user names it, and so is what the
 * shell hands over; a link leads to a file of the same kind, inside.
 *
 * Errors: RefusedFile where it must not be read; else the file system's own.
 *
 * @param endings of the names of such files
 */
export function resolveInputPath(path: string, directory: string, endings: readonly string[]): string {
  const absolute = resolve(directory, path);
  const there = lstatIfExists(absolute);
  if (isDescriptorPath(absolute) || (there !== null && isStream(there))) return absolute;
  const real = resolveInside(allowedRootForPath(absolute, directory), absolute);
  if (there?.isSymbolicLink() !== true) return real;
  const kind = statSync(real);
  if (!kind.isFile()) throw createKindRefusal(kind);
  if (!endings.some((ending) => real.endsWith(ending)))
    throw new RefusedFile(`it leads to "${basename(real)}", which is no ${endings.join(', ')} file`);
  return real;
}

function isStream(kind: { isFile(): boolean; isDirectory(): boolean; isSymbolicLink(): boolean }): boolean {
  return !kind.isFile() && !kind.isDirectory() && !kind.isSymbolicLink();
}

const RETRY_PAUSE_MS = 10;
/** The other end of a pipe may be just about to open it. */
const WRITER_TIMEOUT_MS = 1000;

/**
 * Reads at most some bytes, also of what has no size, such as a pipe. Signals get through while it waits for those.
 *
 * Errors: throws the file system's error, EPIPE for a pipe that nobody writes to.
 */
export async function readInput(path: string, most: number): Promise<FileBytes> {
  // A pipe would otherwise hold the whole process until somebody writes to it.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const kind = fstatSync(file);
    const read: ReadBuffer = { bytes: new Uint8Array(most), length: 0 };
    for (let waited = 0; ; waited += RETRY_PAUSE_MS) {
      const ended = readAvailable(file, read);
      const unwritten = kind.isFIFO() && read.length === 0;
      if (ended && !unwritten)
        return { bytes: read.bytes.subarray(0, read.length), isRegularFile: kind.isFile() };
      if (ended && waited >= WRITER_TIMEOUT_MS) throw Object.assign(new Error('EPIPE'), { code: 'EPIPE' });
      await new Promise((resolve) => setTimeout(resolve, RETRY_PAUSE_MS));
    }
  } finally {
    closeSync(file);
  }
}

interface ReadBuffer {
  readonly bytes: Uint8Array;
  length: number;
}

/** Reads what is there. Gives whether that was all: the end, or the bound. */
function readAvailable(file: number, into: ReadBuffer): boolean {
  const { bytes } = into;
  try {
    for (;;) {
      const read = readSync(file, bytes, into.length, bytes.length - into.length, null);
      if (read === 0) return true;
      into.length += read;
    }
  } catch (error) {
    if (systemCodeOf(error) === 'EAGAIN') return false;
    throw error;
  }
}
