/** Secrets of the installation, in files of the data directory that only the owner can read. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Secret } from '../../core/model/secret.ts';
import { ProblemError, problem } from '../../core/problem.ts';
import { codeOf } from '../../core/unknown-value.ts';
import { createStateFile, readStateFile } from '../../disk/state-file.ts';
import { RefusedFile } from '../../disk/refused-file.ts';

export const CALLBACK_SECRET = 'callback-secret';

/** Name of the secret from which the verification derives decoys: file names that a host must not serve. */
export const DECOY_SECRET = 'decoy-secret';

const MIN_SECRET_LENGTH = 16;
const MAX_FILE_BYTES = 4096;

/**
 * Reads a secret, or creates one with 64 hexadecimal digits.
 *
 * @throws ProblemError LT_SERVER_DATA if the file cannot be used, or the secret is too short.
 */
export function readOrCreateSecret(dataDirectory: string, name: string): Secret {
  const path = join(dataDirectory, name);
  const text = readSecret(path) ?? createSecret(path);
  if (text.length < MIN_SECRET_LENGTH) {
    const hint =
      'delete the file to have the service create a new secret, or write a longer secret to the file';
    throw new ProblemError(
      problem(
        'LT_SERVER_DATA',
        `the secret in the file "${path}" has fewer than ${MIN_SECRET_LENGTH} characters`,
        { hint },
      ),
    );
  }
  return new Secret(name, text);
}

function readSecret(path: string): string | null {
  try {
    return readStateFile(path, MAX_FILE_BYTES)?.toString('utf8').trim() ?? null;
  } catch (error) {
    const reason = error instanceof RefusedFile ? error.message : String(codeOf(error));
    const message = `the file "${path}" cannot be read: ${reason}`;
    throw new ProblemError(problem('LT_SERVER_DATA', message), { cause: error });
  }
}

function createSecret(path: string): string {
  const text = randomBytes(32).toString('hex');
  // Another process may have created the file first.
  return createStateFile(path, `${text}\n`) ? text : (readSecret(path) ?? text);
}
