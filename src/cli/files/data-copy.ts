/** Temporary copy of the embedded service's data for a command that only reads. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { problem, ProblemError } from '../../core/problem.ts';
import { copyStateFile, hasStateDirectory, fileVersionOf } from '../../disk/state-file.ts';
import { makeTemporaryDirectory, type TemporaryDirectory } from '../../disk/temporary-directory.ts';
import { SERVICE_DIRECTORY } from './data-paths.ts';
import { reasonOf } from '../terminal/errors.ts';

export interface DataCopy extends TemporaryDirectory {
  readonly isCurrent: () => boolean;
}

/** Files that contain the database while no process uses it. Some may be missing. */
const DATABASE_FILES: readonly string[] = ['service.db', 'service.db-wal', 'service.db-count'];

/**
 * If another process changes the database during the copy, `isCurrent` returns false, and the copy may be inconsistent.
 * @throws ProblemError LT_CLI_PATH if the data cannot be read or copied.
 */
export function copyDataDirectory(dataDirectory: string): DataCopy {
  const from = join(dataDirectory, SERVICE_DIRECTORY);
  const states = () => DATABASE_FILES.map((name) => fileVersionOf(join(from, name))).join();
  const { path, remove } = createTemporaryDirectory();
  try {
    const before = states();
    if (hasStateDirectory(from))
      for (const name of DATABASE_FILES) copyStateFile(join(from, name), join(path, name));
    return { path, remove, isCurrent: () => states() === before };
  } catch (error) {
    remove();
    const message = `the data in "${from}" cannot be copied to a temporary directory: ${reasonOf(error)}`;
    throw new ProblemError(problem('LT_CLI_PATH', message));
  }
}

function createTemporaryDirectory(): TemporaryDirectory {
  try {
    return makeTemporaryDirectory();
  } catch (error) {
    const message = `"${tmpdir()}" cannot be used for a copy of the data: ${reasonOf(error)}`;
    const hint = 'set TMPDIR to a writable directory';
    throw new ProblemError(problem('LT_CLI_PATH', message, { hint }));
  }
}
