/** `.loadtests/` beside the file: journal and embedded data. This user's only. */
import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { JournalFile } from '../apply/journal.ts';
import { problem, ProblemError } from '../core/problem.ts';
import { reasonOf } from './outcome.ts';

/** Makes the folder if it is not there. Errors: ProblemError LT_CLI_DISK. */
export function openDataFolder(configFolder: string): string {
  const folder = join(configFolder, '.loadtests');
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    chmodSync(folder, 0o700);
    return folder;
  } catch (error) {
    throw new ProblemError(problem('LT_CLI_DISK', `"${folder}" cannot be made: ${reasonOf(error)}`));
  }
}

/** The journal in the folder. A file that is not there reads as empty. */
export function journalFile(folder: string): JournalFile {
  const path = join(folder, 'journal.jsonl');
  return {
    read: () => {
      try {
        return readFileSync(path, 'utf8');
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
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

function cannot(what: string, path: string, error: unknown): ProblemError {
  return new ProblemError(problem('LT_CLI_DISK', `"${path}" cannot be ${what}: ${reasonOf(error)}`));
}
