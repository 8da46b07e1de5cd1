import { spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import type { DeclaredApp } from '../../core/model/app.ts';
import { problem, ProblemError } from '../../core/problem.ts';
import { writeNewFile } from '../../disk/output-file.ts';
import { RefusedFile } from '../../disk/refused-file.ts';
import { allowedRootForPath, makeDirectoryInside } from '../../disk/untrusted-file.ts';
import { childEnvironment } from '../terminal/child-environment.ts';
import type { Context } from '../terminal/context.ts';
import { reasonOf } from '../terminal/errors.ts';
import { failureOf, forwardOutput } from './command-output.ts';
import { readToken } from './published-tokens.ts';

const COMMAND_TIMEOUT_MS = 60_000;

export interface PublishRequest {
  readonly app: DeclaredApp;
  readonly appId: string;
  readonly verificationId: string;
  /** Directory of the configuration file. Base of relative paths, and working directory of the publish command. */
  readonly directory: string;
}

/**
 * Does nothing if the user publishes the token manually.
 * @throws ProblemError LT_PLAN_BLOCKED if the token cannot be published.
 */
export async function publishToken(context: Context, request: PublishRequest): Promise<void> {
  const { app } = request;
  if (app.publish.kind !== 'manual' && !isTokenOf(request)) {
    throw publishBlockedError(
      app,
      `the service returned an invalid app ID or verification ID; the verification ID must have the form PREFIX-APP_ID, and APP_ID must have at least ${MIN_ID_LENGTH} characters`,
    );
  }
  switch (app.publish.kind) {
    case 'manual':
      return;
    case 'directory': {
      try {
        writeToken(resolve(request.directory, app.publish.directory), request);
      } catch (error) {
        throw publishBlockedError(app, `the token cannot be written: ${reasonOf(error)}`);
      }
      return;
    }
    case 'command': {
      const { command } = app.publish;
      const failure = await runPublishCommand(context, command, request);
      if (failure !== null) throw publishBlockedError(app, `"${command}" failed: ${failure}`);
    }
  }
}

/** Minimum length of an ID in characters. A shorter ID could be the name of a special file. */
const MIN_ID_LENGTH = 8;

/** Reports whether the IDs from the service are valid. The verification ID becomes a file name. */
function isTokenOf({ appId, verificationId }: PublishRequest): boolean {
  if (appId.length < MIN_ID_LENGTH || !verificationId.endsWith(`-${appId}`)) return false;
  return /^[A-Za-z0-9][A-Za-z0-9_.-]{0,199}$/.test(verificationId);
}

/**
 * Writes the token file, unless it exists with the same content.
 * @throws RefusedFile if the file has different content; or a file system error.
 */
function writeToken(tokenDirectory: string, { directory, verificationId }: PublishRequest): void {
  const name = `${verificationId}.txt`;
  const path = join(
    makeDirectoryInside(allowedRootForPath(join(tokenDirectory, name), directory), tokenDirectory),
    name,
  );
  const existing = readToken(path);
  if (existing === null) writeNewFile(path, verificationId + '\n');
  else if (existing !== verificationId)
    throw new RefusedFile(`"${path}" already exists with different content and is not overwritten`);
}

async function runPublishCommand(
  context: Context,
  command: string,
  request: PublishRequest,
): Promise<string | null> {
  const { app, appId, verificationId, directory } = request;
  const env = {
    ...childEnvironment(context.env),
    VERIFICATION_ID: verificationId,
    APP_ID: appId,
    APP: app.host,
  };
  const child = spawn('sh', ['-c', command], {
    cwd: directory,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  forwardOutput(child, context.stderr);
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    if (child.pid !== undefined) context.killGroup(child.pid, 'SIGKILL');
  }, COMMAND_TIMEOUT_MS);
  return await new Promise((resolve) => {
    child.once('error', (error) => {
      clearTimeout(timer);
      resolve(`sh cannot be started: ${reasonOf(error)}`);
    });
    child.once('exit', (code, signal) => {
      clearTimeout(timer);
      resolve(timedOut ? 'it did not end within 60s' : failureOf(code, signal));
    });
  });
}

function publishBlockedError(app: DeclaredApp, reason: string): ProblemError {
  return new ProblemError(
    problem('LT_PLAN_BLOCKED', `the token of "${app.host}" was not published: ${reason}`, {
      source: app.source,
    }),
  );
}
