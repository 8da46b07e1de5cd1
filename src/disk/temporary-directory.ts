import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TemporaryDirectory {
  readonly path: string;
  /** Safe to call twice. */
  readonly remove: () => void;
}

/**
 * Creates a directory with an unpredictable name, accessible only by this user.
 * @throws The file system error.
 */
export function makeTemporaryDirectory(): TemporaryDirectory {
  const path = mkdtempSync(join(tmpdir(), 'loadtests-'));
  return {
    path,
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}
