/** Git repositories that tests create. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Creates an empty repository with the branch `main`, without starting git. */
export function createRepository(directory: string): void {
  for (const path of ['objects', 'refs/heads']) mkdirSync(join(directory, '.git', path), { recursive: true });
  writeFileSync(join(directory, '.git/HEAD'), 'ref: refs/heads/main\n');
}

/** Commits all files. Starts only a shell, because a large test process takes long to start another process. */
export function commitAll(directory: string): void {
  const settings = {
    'user.name': 'Shop',
    'user.email': 'shop@example.com',
    'commit.gpgsign': 'false',
    'maintenance.auto': 'false',
  };
  const git = `git ${Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ')}`;
  const line = `${git} add --all && ${git} commit --quiet --allow-empty --message 'a state'`;
  execFileSync('sh', ['-c', line], { cwd: directory, stdio: 'ignore' });
}
