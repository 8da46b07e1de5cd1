// Identifies the content of files, so that a build that would write the same files again can be omitted.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';

/** Files that determine the result of a build besides its sources. The last lists the installed packages. */
export const TOOLS = ['scripts', 'package.json', 'package-lock.json', 'node_modules/.package-lock.json'];

/** Files that contain fingerprints, and packages that no build uses. */
const OMITTED = ['.fingerprint', 'node_modules'];

/**
 * Returns a hash of the paths and contents of files.
 * @param roots - files, and directories with all their files; missing ones are omitted
 */
export function fingerprintOf(roots) {
  const hash = createHash('sha256');
  for (const path of roots.filter((root) => existsSync(root)).flatMap(filesIn)) {
    const content = readFileSync(path);
    hash.update(`${path}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

/** Returns the path of a file, or the sorted paths of all files in a directory. */
function filesIn(path) {
  if (!statSync(path).isDirectory()) return [path];
  const names = readdirSync(path).filter((name) => !OMITTED.includes(name));
  return names.sort().flatMap((name) => filesIn(`${path}/${name}`));
}
