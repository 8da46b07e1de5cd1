/** `.loadtests/` beside the file: journal and embedded data. This user's only, and never what git tracks. */
import { basename, join, relative, resolve } from 'node:path';
import type { Journal, JournalFile } from '../../apply/journal.ts';
import { problem, ProblemError, type Problem } from '../../core/problem.ts';
import { extendOwnFile, findOwnFolder, isPrivate, makeOwnFolder, readOwnFile } from '../../disk/own-file.ts';
import { lookAt } from '../../disk/regular-file.ts';
import { realFolder } from '../../disk/stranger-file.ts';
import type { Context } from '../terminal/context.ts';
import { reasonOf } from '../terminal/errors.ts';
import { DATA, JOURNAL, SERVICE } from './data-names.ts';
import { findTracked } from './git.ts';

/** Far more than the writes of years. */
const LARGEST_JOURNAL = 256 * 1024 * 1024;

/** The folder as a command has it. A command that only reads leaves it as it is: it may not even be there. */
export interface DataFolder {
  readonly path: string;
  readonly writes: boolean;
}

/** Errors: ProblemError LT_CLI_PATH. */
export function openDataFolder(context: Context, configFolder: string, writes: boolean): DataFolder {
  const path = join(configFolder, DATA);
  if (writes) makeDataFolder(context, path);
  else findDataFolder(context, path);
  return { path, writes };
}

/** Where `serve` keeps its data. A folder that the user names may be reached by a link; one that only lies there may not. */
export function serviceFolder({ folder }: Context, named: string | undefined): string {
  return named === undefined ? join(folder, 'loadtests-data') : realFolder(resolve(folder, named));
}

/**
 * Makes a folder for state of ours, for this user only, if it is not there. The mode of one that is there stays.
 *
 * Errors: ProblemError LT_CLI_PATH.
 */
export function makeDataFolder(context: Context, path: string): void {
  if (findDataFolder(context, path)) return;
  try {
    makeOwnFolder(path);
  } catch (error) {
    throw unusable(path, reasonOf(error));
  }
}

/** Whether it is there. Errors: ProblemError LT_CLI_PATH for one that cannot be used. */
export function findDataFolder(context: Context, path: string): boolean {
  try {
    if (!findOwnFolder(path)) return false;
  } catch (error) {
    throw unusable(path, reasonOf(error));
  }
  refuseTracked(context, path);
  return true;
}

/** What comes with a checkout is not our own, whoever the files belong to. */
function refuseTracked(context: Context, path: string): void {
  const name = basename(path);
  switch (findTracked(context, path)) {
    case 'tracked':
      throw unusable(
        path,
        'git tracks it, so others may have written what is in it',
        `run "git rm -r --cached ${name}" and add ${name}/ to .gitignore; delete the folder if what is in it is not yours`,
      );
    case 'unknown':
      // A checkout gives folders the modes that everybody's have.
      if (isPrivate(path)) return;
      throw unusable(
        path,
        'git cannot tell whether it tracks it, and others may use it',
        `install git, or run "chmod 700 ${name}" if what is in it is yours`,
      );
    case 'untracked':
  }
}

function unusable(path: string, reason: string, hint: string | null = null): ProblemError {
  const message = `"${path}" cannot be used as the data folder: ${reason}`;
  return new ProblemError(problem('LT_CLI_PATH', message, { hint }));
}

/** Whether a service of this folder has ever been there. */
export function hasServiceData(configFolder: string): boolean {
  return lookAt(join(configFolder, DATA, SERVICE)) !== null;
}

/** The journal in the folder. A file that is not there reads as empty. */
export function journalFile(folder: string): JournalFile {
  const path = join(folder, JOURNAL);
  return {
    read: () => {
      try {
        return readOwnFile(path, LARGEST_JOURNAL)?.toString('utf8') ?? '';
      } catch (error) {
        throw new ProblemError(problem('LT_CLI_PATH', `"${path}" cannot be read: ${reasonOf(error)}`));
      }
    },
    append: (text) => {
      try {
        extendOwnFile(path, LARGEST_JOURNAL, (bytes) => append(bytes, text));
      } catch (error) {
        throw new ProblemError(problem('LT_CLI_DISK', `"${path}" cannot be written: ${reasonOf(error)}`));
      }
    },
  };
}

/** A crash may leave a line half written, which goes, or whole without its end, which is given. */
function append(bytes: Buffer, text: string): { readonly keep: number; readonly add: string } {
  const end = bytes.lastIndexOf(0x0a) + 1;
  if (end === bytes.length) return { keep: end, add: text };
  return isJson(bytes.toString('utf8', end))
    ? { keep: bytes.length, add: `\n${text}` }
    : { keep: end, add: text };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const MOST_NAMED = 10;

/** One warning for all lines that cannot be read, with the first of them shown. `from`: where paths are seen from. */
export function damagedJournal(
  journal: Journal,
  { folder, from }: { readonly folder: string; readonly from: string },
): readonly Problem[] {
  const damaged = journal.damaged();
  const [first] = damaged;
  if (first === undefined) return [];
  const numbers = damaged.slice(0, MOST_NAMED).map(({ number }) => number);
  const more = damaged.length > numbers.length ? ', …' : '';
  const message =
    damaged.length === 1
      ? `line ${first.number} of the journal cannot be read and is ignored`
      : `${damaged.length} lines of the journal cannot be read and are ignored: ${numbers.join(', ')}${more}`;
  const file = relative(from, join(folder, JOURNAL));
  const { number: line, text: lineText } = first;
  const source = { file, line, column: 1, length: lineText.length, lineText };
  const hint = 'compare "loadtests status" with what you expect, then delete these lines';
  return [problem('LT_CLI_JOURNAL', message, { severity: 'warning', source, hint })];
}
