/** Files whose paths, below a directory that the user chose, contain no symbolic links. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from './atomic-write.ts';
import { createKindRefusal, RefusedFile } from './refused-file.ts';
import { lstatIfExists, readRegular } from './regular-file.ts';

/** Path of a link-free file: the directory that the user chose, followed by one name per level. */
export interface LinkFreePath {
  readonly directory: string;
  readonly names: readonly string[];
}

/**
 * Returns the content of the file; null if it does not exist.
 * @throws RefusedFile if the file, or a directory on the path to the file, is a link or is otherwise unusable;
 * otherwise the file system error.
 */
export function readLinkFree(file: LinkFreePath, maxBytes: number): Buffer | null {
  for (const directory of directoriesOf(file)) {
    if (lstatIfExists(directory) === null) return null;
    refuseLink(directory);
  }
  const path = fullPathOf(file);
  return lstatIfExists(path) === null ? null : readRegular(path, maxBytes);
}

/**
 * Writes the file atomically and creates missing directories. The mode of an existing file is preserved.
 * @throws As `readLinkFree`.
 */
export function writeLinkFree(file: LinkFreePath, text: string): void {
  for (const directory of directoriesOf(file)) {
    if (lstatIfExists(directory) === null) mkdirSync(directory);
    refuseLink(directory);
  }
  const path = fullPathOf(file);
  const stats = lstatIfExists(path);
  if (stats !== null && !stats.isFile()) throw createKindRefusal(stats);
  replaceFile(path, text, 0o666, stats === null ? null : stats.mode & 0o777);
}

function fullPathOf({ directory, names }: LinkFreePath): string {
  return join(directory, ...names);
}

/** Returns the paths of the directories between the chosen directory and the file, outermost first. */
function directoriesOf({ directory, names }: LinkFreePath): readonly string[] {
  return names.slice(0, -1).map((_, index) => join(directory, ...names.slice(0, index + 1)));
}

function refuseLink(path: string): void {
  const stats = lstatIfExists(path);
  if (stats?.isDirectory() === true) return;
  const reason = stats === null ? 'it does not exist' : createKindRefusal(stats).message;
  throw new RefusedFile(`its directory "${path}" cannot be used: ${reason}`);
}
