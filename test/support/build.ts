import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SOURCES = ['package-lock.json', 'package.json', 'schemas', 'scripts', 'src'];
/** The build writes this file last. */
const LAST_OUTPUT = join(ROOT, 'dist/THIRD-PARTY-LICENSES.txt');

/** Builds the product before all tests, because many run the files in `dist`, unless no source has changed. */
export default function buildProduct(): void {
  if (existsSync(LAST_OUTPUT) && lastChange(SOURCES) < statSync(LAST_OUTPUT).mtimeMs) return;
  execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: ROOT, stdio: 'inherit' });
}

/** Returns the time of the last change. A removed file changes the time of its directory. */
function lastChange(paths: readonly string[]): number {
  const nested = paths.flatMap((path) =>
    statSync(join(ROOT, path)).isDirectory()
      ? readdirSync(join(ROOT, path), { recursive: true, encoding: 'utf8' }).map((name) => join(path, name))
      : [],
  );
  return Math.max(...[...paths, ...nested].map((path) => statSync(join(ROOT, path)).mtimeMs));
}
