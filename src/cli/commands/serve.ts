/** The service on a port. */
import { join, resolve } from 'node:path';
import { pino } from 'pino';
import { Secret } from '../../core/model/secret.ts';
import { printableJson } from '../../core/printable.ts';
import { problem, ProblemError } from '../../core/problem.ts';
import { readOwnFile, replaceOwnFile } from '../../disk/own-file.ts';
import { realFolder } from '../../disk/stranger-file.ts';
import { createEngine } from '../../engine/run.ts';
import { openService } from '../../server/open-service.ts';
import type { Context } from '../terminal/context.ts';
import { makeDataFolder } from '../files/data-folder.ts';
import type { OutputFlags } from '../terminal/flags.ts';
import { newKey } from '../session/digest.ts';
import { engineWorkerUrl } from '../session/embedded.ts';
import { waitForLock, type Waiting } from '../files/folder-lock.ts';
import { reasonOf } from '../terminal/errors.ts';
import { outcome, type Outcome } from '../terminal/outcome.ts';
import { note, tellEvent } from '../terminal/report.ts';
import { seconds, type Milliseconds } from '../../core/units.ts';

export interface ServeFlags extends OutputFlags {
  readonly port?: number;
  readonly host?: string;
  readonly data?: string;
  readonly publicUrl?: string;
  readonly allowPrivate?: readonly string[];
  readonly allowCallback?: readonly string[];
  readonly smtp?: string;
  readonly allowMail?: readonly string[];
  readonly openMetrics?: boolean;
  readonly lockTimeout?: Milliseconds;
}

const DEFAULT_PORT = 4900;
const LARGEST_KEY = 4096;

export async function serve(context: Context, flags: ServeFlags): Promise<Outcome> {
  const dataFolder = dataFolderOf(context, flags.data);
  makeDataFolder(context, dataFolder);
  const { signal } = context.interruption;
  const timeout = flags.lockTimeout ?? seconds(30);
  const { pid, startOf, isAlive } = context;
  const log = pino(
    { base: null },
    {
      write: (line) => {
        context.stderr.write(printableJson(line));
      },
    },
  );
  const onWait = ({ holder, text }: Waiting) => {
    note(context, text);
    log.warn({ event: 'waiting-for-lock', pid: holder.pid, timeout_ms: timeout });
  };
  const lock = await waitForLock(
    { folder: dataFolder, name: 'service.lock', pid, startOf, isAlive },
    { timeout, signal, onWait },
  );
  context.onExit(() => {
    lock.release();
  });
  const apiKey = readOrMakeKey(context, dataFolder);
  const { version } = context;
  const runner = createEngine({ workerUrl: engineWorkerUrl(), version });
  const running = await openService({
    mode: 'serve',
    dataFolder,
    host: flags.host ?? '127.0.0.1',
    port: flags.port ?? DEFAULT_PORT,
    apiKey,
    runner,
    log,
    version,
    now: () => Date.now(),
    allowPrivate: flags.allowPrivate ?? [],
    allowCallbacks: flags.allowCallback ?? [],
    smtp: flags.smtp ?? null,
    allowMail: flags.allowMail ?? [],
    openMetrics: flags.openMetrics === true,
    publicUrl: flags.publicUrl ?? null,
  });
  context.interruption.handleGracefully();
  note(context, `loadtests is listening on ${running.url}`);
  if (flags.json === true) tellEvent(context, { event: 'listening', url: running.url });
  await new Promise<void>((ended) => {
    if (signal.aborted) ended();
    signal.addEventListener('abort', () => {
      ended();
    });
  });
  await running.close();
  lock.release();
  return outcome({});
}

/** A folder that the user names may be reached by a link; one that only lies there may not. */
function dataFolderOf({ folder }: Context, named: string | undefined): string {
  return named === undefined ? join(folder, 'loadtests-data') : realFolder(resolve(folder, named));
}

/** From the environment, else from the folder, else a new one that is stored and shown this once. */
function readOrMakeKey(context: Context, folder: string): Secret {
  const given = context.env['LOADTESTS_API_KEY'];
  if (given !== undefined && given !== '') return new Secret('LOADTESTS_API_KEY', given);
  const path = join(folder, 'api-key');
  const known = readKey(path);
  if (known !== null) return known;
  const key = newKey();
  try {
    replaceOwnFile(path, key + '\n');
  } catch (error) {
    throw new ProblemError(problem('LT_CLI_PATH', `"${path}" cannot be written: ${reasonOf(error)}`));
  }
  note(context, `The API key of this service, shown once and stored in ${path}: ${key}`);
  return new Secret('api-key', key);
}

/** Null: there is none. */
function readKey(path: string): Secret | null {
  let key: string | null;
  try {
    key = readOwnFile(path, LARGEST_KEY)?.toString('utf8').trim() ?? null;
  } catch (error) {
    throw new ProblemError(problem('LT_CLI_PATH', `"${path}" cannot be read: ${reasonOf(error)}`));
  }
  if (key === null) return null;
  if (key !== '') return new Secret('api-key', key);
  throw new ProblemError(
    problem('LT_CLI_PATH', `"${path}" does not contain an API key`, {
      hint: 'delete it to create a new one',
    }),
  );
}
