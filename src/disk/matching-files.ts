import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { matchesGlob } from '../core/glob.ts';
import { lstatIfExists } from './regular-file.ts';

/**
 * Returns the paths that match a pattern, sorted. `*` and `?` do not match `/`. Names that begin with a dot match only
 * a segment that begins with a dot. A pattern without `*` or `?` is returned unchanged.
 */
export function findMatchingFiles(directory: string, pattern: string): readonly string[] {
  if (!/[*?]/.test(pattern)) return [pattern];
  const [first = '', ...rest] = pattern.split('/');
  const start = first === '' ? ['/'] : matchesIn(directory, '', first);
  const found = rest
    .filter((segment) => segment !== '')
    .reduce((found, segment) => found.flatMap((path) => matchesIn(directory, path, segment)), start);
  return [...found].sort();
}

function matchesIn(directory: string, path: string, segment: string): readonly string[] {
  try {
    const next = join(path, segment);
    if (!/[*?]/.test(segment)) return lstatIfExists(resolve(directory, next)) === null ? [] : [next];
    return readdirSync(resolve(directory, path))
      .filter((name) => name.startsWith('.') === segment.startsWith('.') && matchesGlob(segment, name))
      .map((name) => join(path, name));
  } catch {
    // The path is not a directory, or cannot be read.
    return [];
  }
}
