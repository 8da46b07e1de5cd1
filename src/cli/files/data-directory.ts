/** Data directories, which git must not track, and the journal. */
import { basename, join, relative, resolve } from 'node:path';
import type { Journal, JournalFile } from '../../apply/uncertainty/journal.ts';
import { problem, ProblemError, type Problem } from '../../core/problem.ts';
import { seconds } from '../../core/units.ts';
import {
  appendStateFile,
  hasStateDirectory,
  isPrivate,
  makeStateDirectory,
  readStateFile,
} from '../../disk/state-file.ts';
import { lstatIfExists } from '../../disk/regular-file.ts';
import { realDirectory } from '../../disk/untrusted-file.ts';
import type { Context } from '../terminal/context.ts';
import { reasonOf } from '../terminal/errors.ts';
import { waitForLockSync } from './directory-lock.ts';
import { DATA_DIRECTORY, JOURNAL_FILE, SERVICE_DIRECTORY } from './data-paths.ts';
import { findTrackedFiles } from './git.ts';

const MAX_JOURNAL_BYTES = 256 * 1024 * 1024;

/** If the command only reads, the directory may not exist. */
export interface DataDirectory {
  readonly path: string;
  readonly writes: boolean;
}

/**
 * Creates the data directory if the command writes.
 * @throws ProblemError LT_CLI_PATH if the directory cannot be used.
 */
export function openDataDirectory(context: Context, configDirectory: string, writes: boolean): DataDirectory {
  const path = join(configDirectory, DATA_DIRECTORY);
  if (writes) createDataDirectory(context, path);
  else hasDataDirectory(context, path);
  return { path, writes };
}

/** Returns the data directory of `serve`. Resolves symbolic links only in a path that the user specified. */
export function serviceDirectoryOf({ directory }: Context, named: string | undefined): string {
  return named === undefined ? join(directory, 'loadtests-data') : realDirectory(resolve(directory, named));
}

/**
 * Creates the directory if it does not exist.
 * @throws ProblemError LT_CLI_PATH if the directory cannot be used.
 */
export function createDataDirectory(context: Context, path: string): void {
  if (hasDataDirectory(context, path)) return;
  try {
    makeStateDirectory(path);
  } catch (error) {
    throw unusableDirectoryError(path, reasonOf(error));
  }
}

/** @throws ProblemError LT_CLI_PATH if the directory exists but cannot be used. */
export function hasDataDirectory(context: Context, path: string): boolean {
  try {
    if (!hasStateDirectory(path)) return false;
  } catch (error) {
    throw unusableDirectoryError(path, reasonOf(error));
  }
  refuseTrackedDirectory(context, path);
  return true;
}

/**
 * Refuses a directory that git tracks or might track. Tracked files come from the checkout and are untrusted, even if
 * this user owns them.
 */
function refuseTrackedDirectory(context: Context, path: string): void {
  const name = basename(path);
  switch (findTrackedFiles(context, path)) {
    case 'tracked':
      throw unusableDirectoryError(
        path,
        'git tracks it, so its content may be untrusted',
        `run "git rm -r --cached ${name}" and add ${name}/ to .gitignore; delete the directory if its content is not yours`,
      );
    case 'unknown':
      // A directory that only this user can access does not come from a checkout, because a checkout creates
      // directories with the default mode.
      if (isPrivate(path)) return;
      throw unusableDirectoryError(
        path,
        'loadtests cannot determine whether git tracks it, and other users can access it',
        `make sure that git is installed and can read the repository, or run "chmod 700 ${name}" if its content is yours`,
      );
    case 'untracked':
  }
}

function unusableDirectoryError(path: string, reason: string, hint: string | null = null): ProblemError {
  const message = `"${path}" cannot be used as a data directory: ${reason}`;
  return new ProblemError(problem('LT_CLI_PATH', message, { hint }));
}

export function hasServiceData(configDirectory: string): boolean {
  return lstatIfExists(join(configDirectory, DATA_DIRECTORY, SERVICE_DIRECTORY)) !== null;
}

const APPEND_TIMEOUT = seconds(10);

/** A missing journal file is treated as empty. */
export function openJournalFile(
  { pid, startOf, isAlive }: Pick<Context, 'pid' | 'startOf' | 'isAlive'>,
  directory: string,
): JournalFile {
  const path = join(directory, JOURNAL_FILE);
  const request = { directory, name: 'journal.lock', pid, startOf, isAlive };
  return {
    read: () => {
      try {
        return readStateFile(path, MAX_JOURNAL_BYTES)?.toString('utf8') ?? '';
      } catch (error) {
        throw new ProblemError(problem('LT_CLI_PATH', `"${path}" cannot be read: ${reasonOf(error)}`));
      }
    },
    append: (text) => {
      try {
        // The lock prevents this command from removing a line that another command is still writing.
        const lock = waitForLockSync(request, APPEND_TIMEOUT);
        try {
          appendStateFile(path, MAX_JOURNAL_BYTES, (bytes) => appendLine(bytes, text));
        } finally {
          lock.release();
        }
      } catch (error) {
        throw new ProblemError(problem('LT_CLI_DISK', `"${path}" cannot be written: ${reasonOf(error)}`));
      }
    },
  };
}

/**
 * Returns the number of bytes to keep and the text to add. An incomplete last line is removed. A complete last line
 * without a line break is terminated.
 */
function appendLine(bytes: Buffer, text: string): { readonly keep: number; readonly add: string } {
  const end = bytes.lastIndexOf(0x0a) + 1;
  if (end === bytes.length) return { keep: end, add: text };
  return isJsonText(bytes.toString('utf8', end))
    ? { keep: bytes.length, add: `\n${text}` }
    : { keep: end, add: text };
}

function isJsonText(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const MAX_LISTED_LINES = 10;

/**
 * Returns one warning for all unreadable lines of the journal; empty if there are none.
 * @param options.from - Base directory of the path in the warning.
 */
export function damagedJournalWarning(
  journal: Journal,
  { directory, from }: { readonly directory: string; readonly from: string },
): readonly Problem[] {
  const damaged = journal.damaged();
  const [first] = damaged;
  if (first === undefined) return [];
  const numbers = damaged.slice(0, MAX_LISTED_LINES).map(({ number }) => number);
  const more = damaged.length > numbers.length ? ', …' : '';
  const message =
    damaged.length === 1
      ? `line ${first.number} of the journal cannot be read and is ignored`
      : `${damaged.length} lines of the journal cannot be read and are ignored: ${numbers.join(', ')}${more}`;
  const file = relative(from, join(directory, JOURNAL_FILE));
  const { number: line, text: lineText } = first;
  const source = { file, line, column: 1, length: lineText.length, lineText };
  const lines = damaged.length === 1 ? 'this line' : 'these lines';
  const hint = `check the states of the tests with "loadtests status", then delete ${lines}`;
  return [problem('LT_CLI_JOURNAL', message, { severity: 'warning', source, hint })];
}
