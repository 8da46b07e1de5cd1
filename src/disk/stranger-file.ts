/**
 * Files that may come from a stranger, such as those of a checkout: they are read where they lie inside a folder that
 * the user has chosen, after all links, and outside of git's own folder.
 */
import { realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { makeFolders } from './folders.ts';
import { RefusedFile } from './refused-file.ts';
import { lookAt } from './regular-file.ts';

/** The nearest folder at or above one that git has something in; null: there is none. `folder`: absolute. */
export function workTreeOf(folder: string): string | null {
  for (let at = folder; ; at = dirname(at)) {
    if (lookAt(join(at, '.git')) !== null) return at;
    if (dirname(at) === at) return null;
  }
}

/** A path with all links resolved. Errors: the file system's own. */
export function realPath(path: string): string {
  return realpathSync(path);
}

/** A folder with its links resolved, as far as it is there. */
export function realFolder(folder: string): string {
  const path = resolve(folder);
  try {
    return realpathSync(path);
  } catch {
    const above = dirname(path);
    return above === path ? path : join(realFolder(above), basename(path));
  }
}

/** What belongs together with a folder: its work tree, else itself. Links are resolved. */
export function groundsOf(folder: string): string {
  const real = realFolder(folder);
  return workTreeOf(real) ?? real;
}

/**
 * Where a path that is seen from a folder has to lie after all links: with the folder, or where it leads out of that,
 * as a user's `../other/file` or `/elsewhere/file` does, with its own folder.
 */
export function groundsFor(path: string, folder: string): string {
  const home = groundsOf(folder);
  const absolute = resolve(folder, path);
  const seen = resolve(realFolder(folder), relative(folder, absolute));
  return isInside(home, seen) ? home : groundsOf(dirname(absolute));
}

/** Whether a path is a folder or lies in it. Both are absolute; links are not followed. */
export function isInside(folder: string, path: string): boolean {
  const inside = relative(folder, path);
  return inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside);
}

/** Whether a path leads through a folder of git's own. Some file systems do not tell cases apart. */
export function isGits(path: string): boolean {
  return path.split(/[\\/]/).some((part) => part.toLowerCase() === '.git');
}

/**
 * Where a path really leads, which is inside the grounds.
 *
 * Errors: RefusedFile where it leads elsewhere; else the file system's own, such as ENOENT.
 *
 * @param grounds as `groundsOf` gives them
 */
export function resolveInside(grounds: string, path: string): string {
  const real = realpathSync(resolve(grounds, path));
  refuseOutside(grounds, real);
  return real;
}

function refuseOutside(grounds: string, real: string): void {
  if (!isInside(grounds, real)) throw new RefusedFile(`it leads out of "${grounds}"`);
  if (isGits(relative(grounds, real))) throw new RefusedFile("it lies in git's own folder");
}

/** Makes a folder inside the grounds, and gives where it really is. Errors: as `resolveInside`. */
export function makeFolderInside(grounds: string, path: string): string {
  let there = resolve(grounds, path);
  const missing: string[] = [];
  for (; lookAt(there) === null; there = dirname(there)) missing.unshift(basename(there));
  const real = join(realpathSync(there), ...missing);
  refuseOutside(grounds, real);
  makeFolders(real);
  return real;
}
