/** Whether the tokens of verified apps are still where the service looks for them. */
import { join, resolve } from 'node:path';
import { findObservedApp, type DeclaredApp, type ObservedApp } from '../../core/model/app.ts';
import { problem, type Problem } from '../../core/problem.ts';
import { lstatIfExists, readRegular } from '../../disk/regular-file.ts';
import { allowedRootForPath, resolveInside } from '../../disk/untrusted-file.ts';

/**
 * A service checks again before each run, so a file that went means a run that will not start.
 *
 * Shape:  only apps that are verified and publish into a directory of ours can be looked at.
 */
export function findMissingTokens(given: {
  readonly declared: readonly DeclaredApp[];
  readonly observed: readonly ObservedApp[];
  readonly directory: string;
  readonly verificationIdOf: (appId: string) => string;
}): Problem[] {
  return given.declared.flatMap((app) => {
    const there = findObservedApp(given.observed, app);
    if (app.publish.kind !== 'directory' || there?.status !== 'verified') return [];
    const verificationId = given.verificationIdOf(there.id);
    const path = join(app.publish.directory, `${verificationId}.txt`);
    if (hasToken(path, verificationId, given.directory)) return [];
    return [
      problem('LT_PLAN_TOKEN_MISSING', `the token of "${app.host}" is no longer in "${path}"`, {
        severity: 'warning',
        source: app.source,
        hint: 'the service checks it before each run; "loadtests verify" publishes it again',
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

/** Far more than a token has. */
const MAX_TOKEN_FILE_BYTES = 1024;

/**
 * What the file of a token holds; null: there is none.
 *
 * Errors: RefusedFile where it is something else, and those of the file system.
 */
export function readToken(path: string): string | null {
  return lstatIfExists(path) === null
    ? null
    : readRegular(path, MAX_TOKEN_FILE_BYTES).toString('utf8').trim();
}
