/** Directories for temporary files of tests. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onScopeEnd } from './shared.ts';

/** Creates a directory that is removed after the test or group, and returns its path. */
export function createTestDirectory(): string {
  const { path, remove } = createTemporaryDirectory();
  onScopeEnd(remove);
  return path;
}

/** Creates a directory for several tests. */
export function createTemporaryDirectory(from: string | null = null): {
  readonly path: string;
  readonly remove: () => void;
} {
  const path = mkdtempSync(join(tmpdir(), 'loadtests-'));
  if (from !== null) cpSync(from, path, { recursive: true });
  return {
    path,
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}
