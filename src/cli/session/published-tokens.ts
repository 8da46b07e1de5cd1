import { join, resolve } from 'node:path';
import { findObservedApp, type DeclaredApp, type ObservedApp } from '../../core/model/app.ts';
import { problem, type Problem } from '../../core/problem.ts';
import { lstatIfExists, readRegular } from '../../disk/regular-file.ts';
import { allowedRootForPath, resolveInside } from '../../disk/untrusted-file.ts';

/**
 * Returns a warning for each verified app whose token is missing. The service checks the token before each run.
 * @remarks Checks only apps that publish their token to a local directory.
 */
export function findMissingTokens(request: {
  readonly declared: readonly DeclaredApp[];
  readonly observed: readonly ObservedApp[];
  readonly directory: string;
  readonly verificationIdOf: (appId: string) => string;
}): Problem[] {
  return request.declared.flatMap((app) => {
    const observed = findObservedApp(request.observed, app);
    if (app.publish.kind !== 'directory' || observed?.status !== 'verified') return [];
    const verificationId = request.verificationIdOf(observed.id);
    const path = join(app.publish.directory, `${verificationId}.txt`);
    if (hasToken(path, verificationId, request.directory)) return [];
    return [
      problem('LT_PLAN_TOKEN_MISSING', `the token of "${app.host}" is no longer in "${path}"`, {
        severity: 'warning',
        source: app.source,
        hint: 'run "loadtests verify" to publish it again; the service checks it before each run',
      }),
    ];
  });
}

function hasToken(path: string, text: string, directory: string): boolean {
  try {
    const real = resolveInside(allowedRootForPath(path, directory), resolve(directory, path));
    return readToken(real) === text;
  } catch {
    return false;
  }
}

const MAX_TOKEN_FILE_BYTES = 1024;

/**
 * Returns the content of a token file; null if it does not exist.
 * @throws RefusedFile if the file is unsafe; or a file system error.
 */
export function readToken(path: string): string | null {
  return lstatIfExists(path) === null
    ? null
    : readRegular(path, MAX_TOKEN_FILE_BYTES).toString('utf8').trim();
}
