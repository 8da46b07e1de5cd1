/** Directories that go with the command that made them. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TemporaryDirectory {
  readonly path: string;
  /** With all that is in it. Safe to call twice. */
  readonly remove: () => void;
}

/** For this user only, under a name that nobody can know beforehand. Errors: the file system's own. */
export function makeTemporaryDirectory(): TemporaryDirectory {
  const path = mkdtempSync(join(tmpdir(), 'loadtests-'));
  return {
    path,
    remove: () => {
      rmSync(path, { recursive: true, force: true });
    },
  };
}
