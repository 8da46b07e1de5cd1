import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Builds the product before all tests, because many run the files in `dist`. */
export default function buildProduct(): void {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: root, stdio: 'inherit' });
}
