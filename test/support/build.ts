import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Builds the product before any test: many run what is in `dist`. */
export default function buildProduct(): void {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: root, stdio: 'inherit' });
}
