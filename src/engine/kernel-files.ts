/** What the kernel tells in files below /proc and /sys. Null where there is nothing of that name, or no such system. */
import { readdirSync, readFileSync } from 'node:fs';

export function kernelText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/** The names in a folder. */
export function kernelList(path: string): readonly string[] | null {
  try {
    return readdirSync(path);
  } catch {
    return null;
  }
}
