/** Puts a verification token where the service looks for it. */
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { stripVTControlCharacters } from 'node:util';
import type { DeclaredApp } from '../../core/model/app.ts';
import { problem, ProblemError } from '../../core/problem.ts';
import type { Context } from '../terminal/context.ts';
import { reasonOf } from '../terminal/errors.ts';

const COMMAND_TIMEOUT = 60_000;

export interface PublishRequest {
  readonly app: DeclaredApp;
  readonly appId: string;
  readonly verificationId: string;
  /** The folder of the file, which relative paths and the command start from. */
  readonly folder: string;
  /** Names of variables that hold keys and that the command must not get. */
  readonly withhold: readonly string[];
}

/** Errors: ProblemError LT_PLAN_BLOCKED. */
export async function publishToken(context: Context, request: PublishRequest): Promise<void> {
  const { app, verificationId } = request;
  // The text comes from the service and becomes a file name.
  if (!/^[A-Za-z0-9][A-Za-z0-9_.-]{0,199}$/.test(verificationId)) {
    throw blocked(
      app,
      'the verification id from the service has characters that are not allowed in a file name',
    );
  }
  switch (app.publish.kind) {
    case 'manual':
      return;
    case 'directory': {
      const directory = resolve(request.folder, app.publish.directory);
      try {
        mkdirSync(directory, { recursive: true });
        writeFileSync(join(directory, `${verificationId}.txt`), verificationId + '\n');
      } catch (error) {
        throw blocked(app, `the token cannot be written: ${reasonOf(error)}`);
      }
      return;
    }
    case 'command': {
      const { command } = app.publish;
      const failure = await run(context, command, request);
      if (failure !== null) throw blocked(app, `"${command}" failed: ${failure}`);
    }
  }
}

async function run(context: Context, command: string, request: PublishRequest): Promise<string | null> {
  const { app, appId, verificationId, folder, withhold } = request;
  const inherited = Object.entries(context.env).filter(([name]) => !withhold.includes(name));
  const env = {
    ...Object.fromEntries(inherited),
    VERIFICATION_ID: verificationId,
    APP_ID: appId,
    APP: app.host,
  };
  const child = spawn('sh', ['-c', command], {
    cwd: folder,
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
  }, COMMAND_TIMEOUT);
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

function blocked(app: DeclaredApp, why: string): ProblemError {
  return new ProblemError(
    problem('LT_PLAN_BLOCKED', `"${app.host}" is not published: ${why}`, { source: app.source }),
  );
}
