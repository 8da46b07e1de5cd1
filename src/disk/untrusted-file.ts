/**
 * Files that may come from a stranger, such as those of a checkout: they are read where they lie inside a directory that
 * the user has chosen, after all links, and outside of git's own directory.
 */
import { realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { makeDirectories } from './directories.ts';
import { RefusedFile } from './refused-file.ts';
import { lstatIfExists } from './regular-file.ts';

/** The nearest directory at or above one that git has something in; null: there is none. `directory`: absolute. */
export function workTreeOf(directory: string): string | null {
  for (let at = directory; ; at = dirname(at)) {
    if (lstatIfExists(join(at, '.git')) !== null) return at;
    if (dirname(at) === at) return null;
  }
}

/** A path with all links resolved. Errors: the file system's own. */
export function realPath(path: string): string {
  return realpathSync(path);
}

/** A directory with its links resolved, as far as it is there. */
export function realDirectory(directory: string): string {
  const path = resolve(directory);
  try {
    return realpathSync(path);
  } catch {
    const above = dirname(path);
    return above === path ? path : join(realDirectory(above), basename(path));
  }
}

/** What belongs together with a directory: its work tree, else itself. Links are resolved. */
export function allowedRootOf(directory: string): string {
  const real = realDirectory(directory);
  return workTreeOf(real) ?? real;
}

/**
 * Where a path that is seen from a directory has to lie after all links: with the directory, or where it leads out of that,
 * as a user's `../other/file` or `/elsewhere/file` does, with its own directory.
 */
export function allowedRootForPath(path: string, directory: string): string {
  const home = allowedRootOf(directory);
  const absolute = resolve(directory, path);
  const seen = resolve(realDirectory(directory), relative(directory, absolute));
  return isInsideDirectory(home, seen) ? home : allowedRootOf(dirname(absolute));
}

/** Whether a path is a directory or lies in it. Both are absolute; links are not followed. */
export function isInsideDirectory(directory: string, path: string): boolean {
  const inside = relative(directory, path);
  return inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside);
}

/** Whether a path leads through a directory of git's own. Some file systems do not tell cases apart. */
export function isGitPath(path: string): boolean {
  return path.split(/[\\/]/).some((part) => part.toLowerCase() === '.git');
}

/**
 * Where a path really leads, which is inside the grounds.
 *
 * Errors: RefusedFile where it leads elsewhere; else the file system's own, such as ENOENT.
 *
 * @param grounds as `allowedRootOf` gives them
 */
export function resolveInside(grounds: string, path: string): string {
  const real = realpathSync(resolve(grounds, path));
  refuseOutside(grounds, real);
  return real;
}

function refuseOutside(grounds: string, real: string): void {
  if (!isInsideDirectory(grounds, real)) throw new RefusedFile(`it leads out of "${grounds}"`);
  if (isGitPath(relative(grounds, real))) throw new RefusedFile("it lies in git's own directory");
}

/** Makes a directory inside the grounds, and gives where it really is. Errors: as `resolveInside`. */
export function makeDirectoryInside(grounds: string, path: string): string {
  let there = resolve(grounds, path);
  const missing: string[] = [];
  for (; lstatIfExists(there) === null; there = dirname(there)) missing.unshift(basename(there));
  const real = join(realpathSync(there), ...missing);
  refuseOutside(grounds, real);
  makeDirectories(real);
  return real;
}
