/**
 * Files below /proc and /sys. Both functions return null if the file does not exist or the system does not
 * have it.
 */
import { readdirSync, readFileSync } from 'node:fs';

export function readKernelFile(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/** Returns the names in a directory. */
export function listKernelDirectory(path: string): readonly string[] | null {
  try {
    return readdirSync(path);
  } catch {
    return null;
  }
}
