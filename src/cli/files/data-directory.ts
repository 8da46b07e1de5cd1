/** `.loadtests/` beside the file: journal and embedded data. This user's only, and never what git tracks. */
import { basename, join, relative, resolve } from 'node:path';
import type { Journal, JournalFile } from '../../apply/journal.ts';
import { problem, ProblemError, type Problem } from '../../core/problem.ts';
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
import { DATA_DIRECTORY, JOURNAL_FILE, SERVICE_DIRECTORY } from './data-paths.ts';
import { findTrackedFiles } from './git.ts';

/** Far more than the writes of years. */
const MAX_JOURNAL_BYTES = 256 * 1024 * 1024;

/** The directory as a command has it. A command that only reads leaves it as it is: it may not even be there. */
export interface DataDirectory {
  readonly path: string;
  readonly writes: boolean;
}

/** Errors: ProblemError LT_CLI_PATH. */
export function openDataDirectory(context: Context, configDirectory: string, writes: boolean): DataDirectory {
  const path = join(configDirectory, DATA_DIRECTORY);
  if (writes) createDataDirectory(context, path);
  else hasDataDirectory(context, path);
  return { path, writes };
}

/** Where `serve` keeps its data. A directory that the user names may be reached by a link; one that only lies there may not. */
export function serviceDirectoryOf({ directory }: Context, named: string | undefined): string {
  return named === undefined ? join(directory, 'loadtests-data') : realDirectory(resolve(directory, named));
}

/**
 * Makes a directory for state of ours, for this user only, if it is not there. The mode of one that is there stays.
 *
 * Errors: ProblemError LT_CLI_PATH.
 */
export function createDataDirectory(context: Context, path: string): void {
  if (hasDataDirectory(context, path)) return;
  try {
    makeStateDirectory(path);
  } catch (error) {
    throw unusableDirectoryError(path, reasonOf(error));
  }
}

/** Whether it is there. Errors: ProblemError LT_CLI_PATH for one that cannot be used. */
export function hasDataDirectory(context: Context, path: string): boolean {
  try {
    if (!hasStateDirectory(path)) return false;
  } catch (error) {
    throw unusableDirectoryError(path, reasonOf(error));
  }
  refuseTrackedDirectory(context, path);
  return true;
}

/** What comes with a checkout is not our own, whoever the files belong to. */
function refuseTrackedDirectory(context: Context, path: string): void {
  const name = basename(path);
  switch (findTrackedFiles(context, path)) {
    case 'tracked':
      throw unusableDirectoryError(
        path,
        'git tracks it, so others may have written what is in it',
        `run "git rm -r --cached ${name}" and add ${name}/ to .gitignore; delete the directory if what is in it is not yours`,
      );
    case 'unknown':
      // A checkout gives directories the modes that everybody's have.
      if (isPrivate(path)) return;
      throw unusableDirectoryError(
        path,
        'git cannot tell whether it tracks it, and others may use it',
        `install git, or run "chmod 700 ${name}" if what is in it is yours`,
      );
    case 'untracked':
  }
}

function unusableDirectoryError(path: string, reason: string, hint: string | null = null): ProblemError {
  const message = `"${path}" cannot be used as the data directory: ${reason}`;
  return new ProblemError(problem('LT_CLI_PATH', message, { hint }));
}

/** Whether a service of this directory has ever been there. */
export function hasServiceData(configDirectory: string): boolean {
  return lstatIfExists(join(configDirectory, DATA_DIRECTORY, SERVICE_DIRECTORY)) !== null;
}

/** The journal in the directory. A file that is not there reads as empty. */
export function openJournalFile(directory: string): JournalFile {
  const path = join(directory, JOURNAL_FILE);
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
        appendStateFile(path, MAX_JOURNAL_BYTES, (bytes) => appendLine(bytes, text));
      } catch (error) {
        throw new ProblemError(problem('LT_CLI_DISK', `"${path}" cannot be written: ${reasonOf(error)}`));
      }
    },
  };
}

/** A crash may leave a line half written, which goes, or whole without its end, which is given. */
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

/** One warning for all lines that cannot be read, with the first of them shown. `from`: where paths are seen from. */
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
  const hint = 'compare "loadtests status" with what you expect, then delete these lines';
  return [problem('LT_CLI_JOURNAL', message, { severity: 'warning', source, hint })];
}
