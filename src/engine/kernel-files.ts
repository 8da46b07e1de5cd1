/** What the kernel tells in files below /proc and /sys. Null where there is nothing of that name, or no such system. */
import { readdirSync, readFileSync } from 'node:fs';

export function readKernelFile(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/** The names in a directory. */
export function listKernelDirectory(path: string): readonly string[] | null {
  try {
    return readdirSync(path);
  } catch {
    return null;
  }
}
