/** Puts a verification token where the service looks for it. */
import { spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { stripVTControlCharacters } from 'node:util';
import type { DeclaredApp } from '../../core/model/app.ts';
import { problem, ProblemError } from '../../core/problem.ts';
import { writeNewFile } from '../../disk/output-file.ts';
import { RefusedFile } from '../../disk/refused-file.ts';
import { allowedRootForPath, makeDirectoryInside } from '../../disk/untrusted-file.ts';
import { childEnvironment } from '../terminal/child-environment.ts';
import type { Context } from '../terminal/context.ts';
import { reasonOf } from '../terminal/errors.ts';
import { readToken } from './published-tokens.ts';

const COMMAND_TIMEOUT_MS = 60_000;

export interface PublishRequest {
  readonly app: DeclaredApp;
  readonly appId: string;
  readonly verificationId: string;
  /** The directory of the file, which relative paths and the command start from. */
  readonly directory: string;
}

/** Errors: ProblemError LT_PLAN_BLOCKED. */
export async function publishToken(context: Context, request: PublishRequest): Promise<void> {
  const { app } = request;
  if (app.publish.kind !== 'manual' && !isTokenOf(request)) {
    const why = 'the verification id from the service is not of the form PREFIX-APP_ID';
    throw publishBlockedError(app, `${why}, so nothing of that name is published`);
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

/** Shorter ones are words, of which some are names of files that mean something. */
const MIN_ID_LENGTH = 8;

/** Both texts come from the service, and the first one becomes a file name. */
function isTokenOf({ appId, verificationId }: PublishRequest): boolean {
  if (appId.length < MIN_ID_LENGTH || !verificationId.endsWith(`-${appId}`)) return false;
  return /^[A-Za-z0-9][A-Za-z0-9_.-]{0,199}$/.test(verificationId);
}

/** Errors: RefusedFile, and those of the file system. */
function writeToken(tokenDirectory: string, { directory, verificationId }: PublishRequest): void {
  const name = `${verificationId}.txt`;
  const path = join(
    makeDirectoryInside(allowedRootForPath(join(tokenDirectory, name), directory), tokenDirectory),
    name,
  );
  const there = readToken(path);
  if (there === null) writeNewFile(path, verificationId + '\n');
  else if (there !== verificationId)
    throw new RefusedFile(`"${path}" is there already and holds something else; it is not overwritten`);
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
  for (const said of [child.stdout, child.stderr]) {
    // Whole lines, so that what begins one is seen to; their colours would show as signs.
    createInterface({ input: said }).on('line', (line) => {
      context.stderr.write(`${stripVTControlCharacters(line)}\n`);
    });
  }
  const timer = setTimeout(() => {
    if (child.pid !== undefined) context.killGroup(child.pid, 'SIGKILL');
  }, COMMAND_TIMEOUT_MS);
  return await new Promise((resolve) => {
    child.once('error', (error) => {
      clearTimeout(timer);
      resolve(error.message);
    });
    child.once('exit', (code, signal) => {
      clearTimeout(timer);
      resolve(code === 0 ? null : signal === null ? `exit code ${code ?? ''}` : `ended by ${signal}`);
    });
  });
}

function publishBlockedError(app: DeclaredApp, why: string): ProblemError {
  return new ProblemError(
    problem('LT_PLAN_BLOCKED', `"${app.host}" is not published: ${why}`, { source: app.source }),
  );
}
