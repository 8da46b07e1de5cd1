/**
 * Reads files and directories below /proc and /sys. Both functions return null if the path cannot be read,
 * such as on systems other than Linux, and throw if the process cannot open more files.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { codeOf } from '../core/unknown-value.ts';

export function readKernelFile(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    return nullIfUnreadable(error);
  }
}

export function listKernelDirectory(path: string): readonly string[] | null {
  try {
    return readdirSync(path);
  } catch (error) {
    return nullIfUnreadable(error);
  }
}

function nullIfUnreadable(error: unknown): null {
  const code = codeOf(error);
  if (code === 'EMFILE' || code === 'ENFILE') throw error;
  return null;
}
