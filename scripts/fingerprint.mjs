// Identifies the content of files, so that a build that would write the same files again can be omitted.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';

/** Files that determine the result of a build besides its sources. The last lists the installed packages. */
export const TOOLS = ['scripts', 'package.json', 'package-lock.json', 'node_modules/.package-lock.json'];

/**
 * Returns a hash of the paths and contents of files.
 *
 * @param roots - Files, and directories with all their files. Missing ones are omitted.
 * @param includes - Returns true for a path that counts.
 */
export function fingerprintOf(roots, includes) {
  const hash = createHash('sha256');
  const existing = roots.filter((path) => existsSync(path));
  for (const path of existing.flatMap(filesIn).filter(includes)) {
    const content = readFileSync(path);
    hash.update(`${path}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

/** Returns the path of a file, or the sorted paths of all files in a directory. */
function filesIn(path) {
  if (!statSync(path).isDirectory()) return [path];
  const names = readdirSync(path).sort();
  return names.flatMap((name) => filesIn(`${path}/${name}`));
}
