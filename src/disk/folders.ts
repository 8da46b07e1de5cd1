/**
 * Making folders, one by one. `mkdir` of Node with `recursive` never returns below `/proc`, where nothing can be made, and
 * says "no such file or folder" of a file system that is read-only.
 */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf } from './refused-file.ts';
import { lookAt } from './regular-file.ts';

/** Makes a folder with those above it that are missing. Errors: the file system's own. */
export function makeFolders(path: string, mode = 0o777): void {
  const missing: string[] = [];
  for (let folder = path; lookAt(folder) === null; folder = dirname(folder)) missing.unshift(folder);
  for (const folder of missing) makeUnlessThere(folder, mode);
}

function makeUnlessThere(folder: string, mode: number): void {
  try {
    mkdirSync(folder, mode);
  } catch (error) {
    // Somebody else may have been faster.
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}
