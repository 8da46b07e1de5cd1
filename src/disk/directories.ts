/**
 * Creates directories without the `recursive` option of `mkdir`. With this option, `mkdir` in Node.js never returns for
 * a path below `/proc`, and reports ENOENT for a read-only file system.
 */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf } from '../core/unknown-value.ts';
import { lstatIfExists } from './regular-file.ts';

/** @throws The file system error. */
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
    // Another process may have created the directory in the meantime.
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}
