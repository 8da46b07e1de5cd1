/** Files below a directory of the user's that are reached through no link at all: a checkout may have put one anywhere. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from './atomic-write.ts';
import { createKindRefusal, RefusedFile } from './refused-file.ts';
import { lstatIfExists, readRegular } from './regular-file.ts';

/** Where a file lies: the directory that the user has chosen, and the names from there on, none of which is a path. */
export interface LinkFreePath {
  readonly directory: string;
  readonly names: readonly string[];
}

/** Null where there is no such file. Errors: RefusedFile; else the file system's own. */
export function readLinkFree(place: LinkFreePath, most: number): Buffer | null {
  for (const directory of directoriesOf(place)) {
    if (lstatIfExists(directory) === null) return null;
    refuseLink(directory);
  }
  const path = fullPathOf(place);
  return lstatIfExists(path) === null ? null : readRegular(path, most);
}

/**
 * Makes the directories that are missing. Whoever reads sees this text or the one before; the mode of a file that was there
 * stays.
 *
 * Errors: as `readLinkFree`.
 */
export function writeLinkFree(place: LinkFreePath, text: string): void {
  for (const directory of directoriesOf(place)) {
    if (lstatIfExists(directory) === null) mkdirSync(directory);
    refuseLink(directory);
  }
  const path = fullPathOf(place);
  const there = lstatIfExists(path);
  if (there !== null && !there.isFile()) throw createKindRefusal(there);
  replaceFile(path, text, 0o666, there === null ? null : there.mode & 0o777);
}

function fullPathOf({ directory, names }: LinkFreePath): string {
  return join(directory, ...names);
}

/** Those below the one that the user has chosen, the uppermost first. */
function directoriesOf({ directory, names }: LinkFreePath): readonly string[] {
  return names.slice(0, -1).map((_, index) => join(directory, ...names.slice(0, index + 1)));
}

function refuseLink(path: string): void {
  const there = lstatIfExists(path);
  if (there?.isDirectory() === true) return;
  const reason = there === null ? 'it is gone' : createKindRefusal(there).message;
  throw new RefusedFile(`of its directory "${path}": ${reason}`);
}
