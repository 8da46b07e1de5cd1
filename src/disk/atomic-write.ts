/** Files that are whole or not there: written beside their place, and moved to it in one step. */
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
import { openRegular } from './regular-file.ts';

/**
 * Puts a whole file in the place of another one, or where none is. A link in its place is replaced, not followed.
 *
 * @param mode of a file that is made; `kept` is the exact one, of the file that was there
 */
export function replaceFile(path: string, text: string, mode: number, kept: number | null = null): void {
  const draft = writeTemporary(path, text, mode, kept);
  try {
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  syncDirectory(dirname(path));
}

/** Its name cannot be known beforehand, and it is never what somebody else put there. */
export function writeTemporary(path: string, text: string, mode: number, kept: number | null = null): string {
  const draft = `${path}.${randomBytes(8).toString('hex')}.new`;
  const file = openRegular(draft, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, mode);
  try {
    writeFileSync(file, text);
    if (kept !== null) fchmodSync(file, kept);
    fsyncSync(file);
    return draft;
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}

/** Names that were made or changed in a directory survive a crash from here on. */
export function syncDirectory(path: string): void {
  // Windows opens no directory, and needs no such thing.
  if (process.platform === 'win32') return;
  const directory = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}
