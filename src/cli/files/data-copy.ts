/** The embedded service's data for a command that only reads: a copy that goes with the command. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { problem, ProblemError } from '../../core/problem.ts';
import { copyOwnFile, findOwnFolder, stateOfFile } from '../../disk/own-file.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../../disk/temporary-folder.ts';
import { SERVICE } from './data-names.ts';
import { reasonOf } from '../terminal/errors.ts';

export interface DataCopy extends TemporaryFolder {
  /** Whether what was copied is still as it was. */
  readonly isCurrent: () => boolean;
}

/** What a database consists of between two commands; all but the first only after a crash. */
const DATABASE: readonly string[] = ['service.db', 'service.db-wal', 'service.db-count'];

/**
 * Copies the data of a folder, whatever there is of it.
 *
 * Shape:  what another process was writing meanwhile may be torn; then the copy is not current.
 * Errors: ProblemError LT_CLI_PATH.
 */
export function copyData(dataFolder: string): DataCopy {
  const from = join(dataFolder, SERVICE);
  const states = () => DATABASE.map((name) => stateOfFile(join(from, name))).join();
  const { path, remove } = makeFolder();
  try {
    const before = states();
    if (findOwnFolder(from)) for (const name of DATABASE) copyOwnFile(join(from, name), join(path, name));
    return { path, remove, isCurrent: () => states() === before };
  } catch (error) {
    remove();
    const message = `the data in "${from}" cannot be read: ${reasonOf(error)}`;
    throw new ProblemError(problem('LT_CLI_PATH', message));
  }
}

function makeFolder(): TemporaryFolder {
  try {
    return makeTemporaryFolder();
  } catch (error) {
    const message = `"${tmpdir()}" cannot be used for a copy of the data: ${reasonOf(error)}`;
    const hint = 'set TMPDIR to a writable folder';
    throw new ProblemError(problem('LT_CLI_PATH', message, { hint }));
  }
}
