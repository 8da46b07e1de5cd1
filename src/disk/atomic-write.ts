/** Atomic writes: write a temporary file next to the target, flush it to disk, and rename it to the target. */
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fchmodSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import process from 'node:process';
import { openRegular, useFile } from './regular-file.ts';

/**
 * Writes a file atomically: readers see either the old or the new content. A symbolic link at the path is replaced, not
 * followed.
 * @param mode - Mode of a new file, subject to the umask.
 * @param exactMode - Mode of the written file, regardless of the umask, such as the mode of an existing file. If null,
 * `mode` applies.
 */
export function replaceFile(path: string, text: string, mode: number, exactMode: number | null = null): void {
  const temporaryPath = writeTemporary(path, text, { mode, exactMode, flush: true });
  try {
    renameSync(temporaryPath, path);
  } catch (error) {
    rmSync(temporaryPath, { force: true });
    throw error;
  }
  syncDirectory(dirname(path));
}

/** Writes text to a new temporary file next to a path, and returns the path of the temporary file. */
export function writeTemporary(
  path: string,
  text: string,
  options: { readonly mode: number; readonly exactMode?: number | null; readonly flush: boolean },
): string {
  const { mode, exactMode = null, flush } = options;
  const temporaryPath = `${path}.${randomBytes(8).toString('hex')}.new`;
  const file = openRegular(temporaryPath, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, mode);
  try {
    writeFileSync(file, text);
    if (exactMode !== null) fchmodSync(file, exactMode);
    if (flush) fsyncSync(file);
    return temporaryPath;
  } catch (error) {
    rmSync(temporaryPath, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}

/** Flushes a directory to disk, so that created and renamed entries survive a crash. */
export function syncDirectory(path: string): void {
  // Windows cannot open directories.
  if (process.platform === 'win32') return;
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
  useFile(openSync(path, flags), fsyncSync);
}
