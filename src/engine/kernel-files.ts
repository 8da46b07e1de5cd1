/**
 * Reading of files and directories below /proc and /sys. Both functions return null if the path cannot be read, such
 * as on systems other than Linux.
 */
import { readdirSync, readFileSync } from 'node:fs';

export function readKernelFile(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/** Returns the names of the entries in a directory. */
export function listKernelDirectory(path: string): readonly string[] | null {
  try {
    return readdirSync(path);
  } catch {
    return null;
  }
}
