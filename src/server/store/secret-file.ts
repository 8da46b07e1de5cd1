/** A secret of the installation, in a file of the data folder that only its owner reads. */
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { Secret } from '../../core/model/secret.ts';
import { ProblemError, problem } from '../../core/problem.ts';

/** Shorter ones can be guessed. */
const LEAST_CHARACTERS = 16;

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
  let handle: number;
  try {
    handle = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code === 'ENOENT') return null;
    const message = `the file "${path}" cannot be read (${code})`;
    throw new ProblemError(problem('LT_SERVER_DATA', message), { cause: error });
  }
  try {
    const status = fstatSync(handle);
    if (!status.isFile()) {
      throw new ProblemError(problem('LT_SERVER_DATA', `"${path}" is not a file`));
    }
    if ((status.mode & 0o777) !== 0o600) fchmodSync(handle, 0o600);
    return readFileSync(handle, 'utf8').trim();
  } finally {
    closeSync(handle);
  }
}

/** Under another name first, so that nobody ever reads half of it. */
function make(path: string): string {
  const text = randomBytes(32).toString('hex');
  const draft = `${path}.new`;
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;
  const handle = openSync(draft, flags, 0o600);
  try {
    fchmodSync(handle, 0o600);
    writeSync(handle, `${text}\n`);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(draft, path);
  return text;
}
