/**
 * Paths of files that may be untrusted, such as those in a checkout. Links are resolved, and the real path must be
 * inside a directory that the user chose and outside the `.git` directory.
 */
import { realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { makeDirectories } from './directories.ts';
import { RefusedFile } from './refused-file.ts';
import { lstatIfExists } from './regular-file.ts';

/**
 * Returns the closest directory that contains `.git`: the given absolute directory or a parent; null if there is none.
 */
export function workTreeOf(directory: string): string | null {
  for (let at = directory; ; at = dirname(at)) {
    if (lstatIfExists(join(at, '.git')) !== null) return at;
    if (dirname(at) === at) return null;
  }
}

/** @throws The error of the file system. */
export function realPath(path: string): string {
  return realpathSync(path);
}

/** Resolves the links in the existing part of a directory path. */
export function realDirectory(directory: string): string {
  const path = resolve(directory);
  try {
    return realpathSync(path);
  } catch {
    const above = dirname(path);
    return above === path ? path : join(realDirectory(above), basename(path));
  }
}

/** Returns the real path of the git work tree that contains a directory, or of the directory itself if none does. */
export function allowedRootOf(directory: string): string {
  const real = realDirectory(directory);
  return workTreeOf(real) ?? real;
}

/**
 * Returns the root that must contain a path after all links are resolved: the root of the directory. For a path outside
 * that root, such as `../other/file` or `/elsewhere/file`, returns the root of the path's parent directory.
 */
export function allowedRootForPath(path: string, directory: string): string {
  const ownRoot = allowedRootOf(directory);
  const absolute = resolve(directory, path);
  const realPathFromDirectory = resolve(realDirectory(directory), relative(directory, absolute));
  return isInsideDirectory(ownRoot, realPathFromDirectory) ? ownRoot : allowedRootOf(dirname(absolute));
}

/** Reports whether a path is a directory or is inside it. Both paths must be absolute. Links are not followed. */
export function isInsideDirectory(directory: string, path: string): boolean {
  const inside = relative(directory, path);
  return inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside);
}

/** Reports whether a component of a path is `.git` in any case, because some file systems ignore case. */
export function isGitPath(path: string): boolean {
  return path.split(/[\\/]/).some((part) => part.toLowerCase() === '.git');
}

/**
 * Returns the real path of an existing file or directory inside a root.
 * @param root - A root from `allowedRootOf`.
 * @throws RefusedFile if the real path is outside the root or inside a `.git` directory; otherwise the error of the
 * file system, such as ENOENT.
 */
export function resolveInside(root: string, path: string): string {
  const real = realpathSync(resolve(root, path));
  refuseOutside(root, real);
  return real;
}

function refuseOutside(root: string, real: string): void {
  if (!isInsideDirectory(root, real)) throw new RefusedFile(`it is outside of "${root}"`);
  if (isGitPath(relative(root, real))) throw new RefusedFile("it is inside git's own directory");
}

/**
 * Like `resolveInside`, for a file or directory that need not exist.
 * @throws As `resolveInside`; also ENOENT for a link to a path that does not exist.
 */
export function resolveNewInside(root: string, path: string): string {
  let existing = resolve(root, path);
  const missing: string[] = [];
  for (; lstatIfExists(existing) === null; existing = dirname(existing)) missing.unshift(basename(existing));
  const real = join(realpathSync(existing), ...missing);
  refuseOutside(root, real);
  return real;
}

/**
 * Creates a directory inside a root, and returns its real path.
 * @throws As `resolveNewInside`.
 */
export function makeDirectoryInside(root: string, path: string): string {
  const real = resolveNewInside(root, path);
  makeDirectories(real);
  return real;
}
