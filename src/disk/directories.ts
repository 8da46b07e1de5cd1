/**
 * Making directories, one by one. `mkdir` of Node with `recursive` never returns below `/proc`, where nothing can be made, and
 * says "no such file or directory" of a file system that is read-only.
 */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { systemCodeOf } from './refused-file.ts';
import { lstatIfExists } from './regular-file.ts';

/** Makes a directory with those above it that are missing. Errors: the file system's own. */
export function makeDirectories(path: string, mode = 0o777): void {
  const missing: string[] = [];
  for (let directory = path; lstatIfExists(directory) === null; directory = dirname(directory))
    missing.unshift(directory);
  for (const directory of missing) makeIfMissing(directory, mode);
}

function makeIfMissing(directory: string, mode: number): void {
  try {
    mkdirSync(directory, mode);
  } catch (error) {
    // Somebody else may have been faster.
    if (systemCodeOf(error) !== 'EEXIST') throw error;
  }
}
