/** A secret of the installation, in a file of the data folder that only its owner reads. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Secret } from '../../core/model/secret.ts';
import { ProblemError, problem } from '../../core/problem.ts';
import { createOwnFile, readOwnFile } from '../../disk/own-file.ts';
import { codeOf, RefusedFile } from '../../disk/refused-file.ts';

/** What signs callbacks. */
export const CALLBACK_SECRET = 'callback-secret';

/** Shorter ones can be guessed. */
const LEAST_CHARACTERS = 16;
const MOST_BYTES = 4096;

/**
 * Reads a secret, or makes it: 64 hex digits.
 *
 * Errors: ProblemError LT_SERVER_DATA when the file cannot be used. An operator may put a text of their own there.
 */
export function readOrMakeSecret(dataFolder: string, name: string): Secret {
  const path = join(dataFolder, name);
  const text = read(path) ?? make(path);
  if (text.length < LEAST_CHARACTERS) {
    const hint = 'delete it to create a new one';
    throw new ProblemError(
      problem('LT_SERVER_DATA', `the file "${path}" does not contain a valid secret`, { hint }),
    );
  }
  return new Secret(name, text);
}

function read(path: string): string | null {
  try {
    return readOwnFile(path, MOST_BYTES)?.toString('utf8').trim() ?? null;
  } catch (error) {
    const reason = error instanceof RefusedFile ? error.message : String(codeOf(error));
    const message = `the file "${path}" cannot be read: ${reason}`;
    throw new ProblemError(problem('LT_SERVER_DATA', message), { cause: error });
  }
}

function make(path: string): string {
  const text = randomBytes(32).toString('hex');
  // Another process may have been faster.
  return createOwnFile(path, `${text}\n`) ? text : (read(path) ?? text);
}
