import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { matchesGlob } from '../core/glob.ts';
import { lstatIfExists } from './regular-file.ts';

/**
 * Returns the paths that match a pattern, sorted. `*` and `?` do not match `/`. Names that begin with a dot match only
 * a segment that begins with a dot. A pattern without `*` or `?` is returned unchanged.
 */
export function findMatchingFiles(directory: string, pattern: string): readonly string[] {
  if (!isPattern(pattern)) return [pattern];
  const [first = '', ...rest] = pattern.split('/');
  const start = first === '' ? ['/'] : matchesIn(directory, '', first);
  const found = rest
    .filter((segment) => segment !== '')
    .reduce((found, segment) => found.flatMap((path) => matchesIn(directory, path, segment)), start);
  return [...found].sort();
}

export function isPattern(path: string): boolean {
  return /[*?]/.test(path);
}

/** Reports whether a relative path with `/` between its segments matches a pattern, as in `findMatchingFiles`. */
export function matchesPath(pattern: string, path: string): boolean {
  const [segments, names] = [pattern.split('/'), path.split('/')];
  return (
    segments.length === names.length &&
    segments.every((segment, index) => matchesSegment(segment, names[index] ?? ''))
  );
}

function matchesSegment(segment: string, name: string): boolean {
  return name.startsWith('.') === segment.startsWith('.') && matchesGlob(segment, name);
}

function matchesIn(directory: string, path: string, segment: string): readonly string[] {
  try {
    const next = join(path, segment);
    if (!isPattern(segment)) return lstatIfExists(resolve(directory, next)) === null ? [] : [next];
    return readdirSync(resolve(directory, path))
      .filter((name) => matchesSegment(segment, name))
      .map((name) => join(path, name));
  } catch {
    // The path is not a directory, or cannot be read.
    return [];
  }
}
