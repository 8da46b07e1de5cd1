/** Files below a folder of the user's that are reached through no link at all: a checkout may have put one anywhere. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from './draft-file.ts';
import { kindRefused, RefusedFile } from './refused-file.ts';
import { lookAt, readRegular } from './regular-file.ts';

/** Where a file lies: the folder that the user has chosen, and the names from there on, none of which is a path. */
export interface UnlinkedPlace {
  readonly folder: string;
  readonly names: readonly string[];
}

/** Null where there is no such file. Errors: RefusedFile; else the file system's own. */
export function readUnlinked(place: UnlinkedPlace, most: number): Buffer | null {
  for (const folder of foldersOf(place)) {
    if (lookAt(folder) === null) return null;
    refuseLink(folder);
  }
  const path = pathOf(place);
  return lookAt(path) === null ? null : readRegular(path, most);
}

/**
 * Makes the folders that are missing. Whoever reads sees this text or the one before; the mode of a file that was there
 * stays.
 *
 * Errors: as `readUnlinked`.
 */
export function writeUnlinked(place: UnlinkedPlace, text: string): void {
  for (const folder of foldersOf(place)) {
    if (lookAt(folder) === null) mkdirSync(folder);
    refuseLink(folder);
  }
  const path = pathOf(place);
  const there = lookAt(path);
  if (there !== null && !there.isFile()) throw kindRefused(there);
  replaceFile(path, text, 0o666, there === null ? null : there.mode & 0o777);
}

function pathOf({ folder, names }: UnlinkedPlace): string {
  return join(folder, ...names);
}

/** Those below the one that the user has chosen, the uppermost first. */
function foldersOf({ folder, names }: UnlinkedPlace): readonly string[] {
  return names.slice(0, -1).map((_, index) => join(folder, ...names.slice(0, index + 1)));
}

function refuseLink(path: string): void {
  const there = lookAt(path);
  if (there?.isDirectory() === true) return;
  const reason = there === null ? 'it is gone' : kindRefused(there).message;
  throw new RefusedFile(`of its folder "${path}": ${reason}`);
}
