/** The embedded service's data where nothing may be written: a copy that goes with the command. */
import { chmodSync, copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { problem, ProblemError } from '../../core/problem.ts';
import { SERVICE, type DataFolder } from './data-folder.ts';
import { codeOf, reasonOf } from '../terminal/errors.ts';

export interface DataCopy {
  readonly path: string;
  /** Safe to call twice. */
  remove(): void;
}

/** What a database consists of between two commands; the second one only after a crash. */
const DATABASE: readonly string[] = ['service.db', 'service.db-wal'];

/** Errors: ProblemError LT_CLI_PATH. What is not there is not copied. */
export function copyData(folder: DataFolder): DataCopy {
  const path = makeTemporaryFolder();
  const remove = () => {
    rmSync(path, { recursive: true, force: true });
  };
  for (const name of DATABASE) {
    const from = join(folder.path, SERVICE, name);
    try {
      copyFileSync(from, join(path, name));
      chmodSync(join(path, name), 0o600);
    } catch (error) {
      if (codeOf(error) === 'ENOENT') continue;
      remove();
      throw new ProblemError(problem('LT_CLI_PATH', `"${from}" cannot be read: ${reasonOf(error)}`));
    }
  }
  return { path, remove };
}

function makeTemporaryFolder(): string {
  try {
    return mkdtempSync(join(tmpdir(), 'loadtests-'));
  } catch (error) {
    const message = `"${tmpdir()}" cannot be used for a copy of the data: ${reasonOf(error)}`;
    const hint = 'set TMPDIR to a writable folder';
    throw new ProblemError(problem('LT_CLI_PATH', message, { hint }));
  }
}
