/** `.loadtests/` beside the file: journal and embedded data. This user's only. */
import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { JournalFile } from '../apply/journal.ts';
import { problem, ProblemError } from '../core/problem.ts';
import { reasonOf } from './outcome.ts';

const JOURNAL = 'journal.jsonl';

/** Makes the folder beside the file if it is not there. Errors: ProblemError LT_CLI_PATH. */
export function openDataFolder(configFolder: string): string {
  const folder = join(configFolder, '.loadtests');
  makePrivateFolder(folder);
  return folder;
}

/** Makes a folder, and makes it this user's only. Errors: ProblemError LT_CLI_PATH. */
export function makePrivateFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    chmodSync(folder, 0o700);
  } catch (error) {
    const reason = codeOf(error) === 'EEXIST' ? 'it is a file' : reasonOf(error);
    const message = `"${folder}" cannot be the data folder: ${reason}`;
    throw new ProblemError(problem('LT_CLI_PATH', message));
  }
}

/** What commands keep in it, and no output may take the place of. */
export function dataFiles(configFolder: string): readonly string[] {
  const folder = join(configFolder, '.loadtests');
  return [join(folder, JOURNAL), join(folder, 'service', 'service.db')];
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
        throw cannot('read', path, error);
      }
    },
    append: (text) => {
      try {
        appendDurably(path, text, folder);
      } catch (error) {
        throw cannot('written', path, error);
      }
    },
  };
}

function appendDurably(path: string, text: string, folder: string): void {
  const file = openSync(path, 'a+', 0o600);
  try {
    // A line torn by a crash must not swallow the next one.
    writeSync(file, endsInsideLine(path) ? '\n' + text : text);
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

function endsInsideLine(path: string): boolean {
  const text = readFileSync(path);
  return text.length > 0 && text[text.length - 1] !== 0x0a;
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : null;
}

function cannot(what: string, path: string, error: unknown): ProblemError {
  return new ProblemError(problem('LT_CLI_DISK', `"${path}" cannot be ${what}: ${reasonOf(error)}`));
}
