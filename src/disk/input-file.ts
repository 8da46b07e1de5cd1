import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { codeOf } from '../core/unknown-value.ts';
import { createKindRefusal, RefusedFile } from './refused-file.ts';
import { lstatIfExists, isDescriptorPath, isStream } from './regular-file.ts';
import { allowedRootForPath, resolveInside } from './untrusted-file.ts';

export interface FileBytes {
  readonly bytes: Uint8Array;
  /** True for a regular file; false for a pipe or a device. */
  readonly isRegularFile: boolean;
}

/**
 * Returns the real path of a file whose content may be quoted in messages. The real path must be inside the allowed
 * root, and the target of a symbolic link must have an allowed extension. Pipes, devices and descriptors are not
 * checked, because the user must have specified them.
 * @param endings - Allowed file name extensions.
 * @throws RefusedFile if the file must not be read; otherwise the file system error.
 */
export function resolveInputPath(path: string, directory: string, endings: readonly string[]): string {
  const absolute = resolve(directory, path);
  const stats = lstatIfExists(absolute);
  if (isDescriptorPath(absolute) || (stats !== null && isStream(stats))) return absolute;
  const real = resolveInside(allowedRootForPath(absolute, directory), absolute);
  if (stats?.isSymbolicLink() !== true) return real;
  const targetStats = statSync(real);
  if (!targetStats.isFile()) throw createKindRefusal(targetStats);
  if (!endings.some((ending) => real.endsWith(ending)))
    throw new RefusedFile(`it links to "${basename(real)}", which is not a ${endings.join(' or ')} file`);
  return real;
}

const RETRY_PAUSE_MS = 10;
/** Maximum time to wait until a writer opens a pipe, in ms. */
const WRITER_TIMEOUT_MS = 1000;

/**
 * Reads up to `maxBytes` bytes, including from sources without a size, such as pipes. Waits for input without blocking
 * the process.
 * @throws The file system error; EPIPE if a pipe has no writer or no data.
 */
export async function readInput(path: string, maxBytes: number): Promise<FileBytes> {
  // Without O_NONBLOCK, opening a pipe would block the process until a writer opens it.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const kind = fstatSync(file);
    const read: ReadBuffer = { bytes: new Uint8Array(maxBytes), length: 0 };
    for (let waitedMs = 0; ; waitedMs += RETRY_PAUSE_MS) {
      const isComplete = readAvailable(file, read);
      const hasNoWriter = kind.isFIFO() && read.length === 0;
      if (isComplete && !hasNoWriter)
        return { bytes: read.bytes.subarray(0, read.length), isRegularFile: kind.isFile() };
      if (isComplete && waitedMs >= WRITER_TIMEOUT_MS)
        throw Object.assign(new Error('EPIPE'), { code: 'EPIPE' });
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

/** Returns true at the end of the file or when the buffer is full. */
function readAvailable(file: number, into: ReadBuffer): boolean {
  const { bytes } = into;
  try {
    for (;;) {
      const read = readSync(file, bytes, into.length, bytes.length - into.length, null);
      if (read === 0) return true;
      into.length += read;
    }
  } catch (error) {
    if (codeOf(error) === 'EAGAIN') return false;
    throw error;
  }
}
