/** `.loadtests/` beside the file: journal and embedded data. This user's only. */
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import type { Journal, JournalFile } from '../../apply/journal.ts';
import { problem, ProblemError, type Problem } from '../../core/problem.ts';
import { codeOf, reasonOf } from '../terminal/errors.ts';

const JOURNAL = 'journal.jsonl';
/** Where the service of this folder keeps its data. */
export const SERVICE = 'service';

/** The folder as a command has it. Where it is not `writable`, it may not even be there. */
export interface DataFolder {
  readonly path: string;
  readonly writable: boolean;
}

export function dataFolderOf(configFolder: string): string {
  return join(configFolder, '.loadtests');
}

/**
 * Makes the folder beside the file if it is not there.
 *
 * Errors: ProblemError LT_CLI_PATH; not for a command that only reads, where the folder may not be written.
 */
export function openDataFolder(configFolder: string, writes: boolean): DataFolder {
  const path = dataFolderOf(configFolder);
  try {
    privateFolder(path);
    return { path, writable: true };
  } catch (error) {
    if (!writes && READ_ONLY.includes(codeOf(error))) return { path, writable: false };
    throw unusable(path, error);
  }
}

const READ_ONLY: readonly unknown[] = ['EACCES', 'EPERM', 'EROFS'];

/** Makes a folder, and makes it this user's only. Errors: ProblemError LT_CLI_PATH. */
export function makePrivateFolder(path: string): void {
  try {
    privateFolder(path);
  } catch (error) {
    throw unusable(path, error);
  }
}

function privateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  chmodSync(path, 0o700);
}

function unusable(path: string, error: unknown): ProblemError {
  const reason = codeOf(error) === 'EEXIST' ? 'it is a file' : reasonOf(error);
  return new ProblemError(problem('LT_CLI_PATH', `"${path}" cannot be used as the data folder: ${reason}`));
}

/** Whether a service of this folder has ever been there. */
export function hasServiceData(configFolder: string): boolean {
  return existsSync(join(dataFolderOf(configFolder), SERVICE));
}

/** What commands keep in it, and no output may take the place of. */
export function dataFiles(configFolder: string): readonly string[] {
  const folder = dataFolderOf(configFolder);
  return [join(folder, JOURNAL), join(folder, SERVICE, 'service.db')];
}

/** The journal in the folder. A file that is not there reads as empty. */
export function journalFile(folder: string): JournalFile {
  const path = join(folder, JOURNAL);
  return {
    read: () => {
      try {
        return readFileSync(path, 'utf8');
      } catch (error) {
        if (codeOf(error) === 'ENOENT') return '';
        throw new ProblemError(problem('LT_CLI_PATH', `"${path}" cannot be read: ${reasonOf(error)}`));
      }
    },
    append: (text) => {
      try {
        appendDurably(path, text, folder);
      } catch (error) {
        throw new ProblemError(problem('LT_CLI_DISK', `"${path}" cannot be written: ${reasonOf(error)}`));
      }
    },
  };
}

function appendDurably(path: string, text: string, folder: string): void {
  const file = openSync(path, 'a+', 0o600);
  try {
    // A single write may take a part only, without an error.
    writeFileSync(file, mendEnd(file, path) + text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  const directory = openSync(folder, 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}

/** A crash may leave a line half written, which goes, or whole without its end, which is given. */
function mendEnd(file: number, path: string): '' | '\n' {
  const bytes = readFileSync(path);
  const end = bytes.lastIndexOf(0x0a) + 1;
  if (end === bytes.length) return '';
  if (isJson(bytes.toString('utf8', end))) return '\n';
  ftruncateSync(file, end);
  return '';
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
