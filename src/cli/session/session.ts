/** A command's session: service connection, data directory, lock and web server. */
import { uptime } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Journal } from '../../apply/uncertainty/journal.ts';
import type { Emit } from '../../apply/events.ts';
import type { ObserveContext } from '../../apply/observation/observe.ts';
import type { ApplyContext } from '../../apply/apply-context.ts';
import { readPayloadBytes, sha256OfBytes } from '../../config/included-files.ts';
import type { LoadedConfig } from '../../config/load-config.ts';
import { SERVICE_DEFAULTS } from '../../config/lower-service.ts';
import { readRowsBytes } from '../../config/read-files.ts';
import { isLoopback } from '../../core/model/app.ts';
import { Secret } from '../../core/model/secret.ts';
import { seconds, type Milliseconds } from '../../core/units.ts';
import { realPath } from '../../disk/untrusted-file.ts';
import {
  callerOf,
  chooseService,
  connectHosted,
  isCi,
  type Connection,
  type HostedService,
} from './connect.ts';
import type { Context } from '../terminal/context.ts';
import type { SessionFlags } from '../terminal/flags.ts';
import { usageError } from '../terminal/errors.ts';
import { onceAtExit } from '../terminal/process-control.ts';
import { writeNote } from '../terminal/report.ts';
import { damagedJournalWarning, openJournalFile, openDataDirectory } from '../files/data-directory.ts';
import { openStopNotes } from '../files/stop-notes.ts';
import { planKeyOf } from '../files/plan-key.ts';
import { sha256 } from '../files/sha256.ts';
import { newNonce } from './signatures.ts';
import { waitForLock, type DirectoryLock } from '../files/directory-lock.ts';
import { publishToken } from './publish-token.ts';
import { findMissingTokens } from './published-tokens.ts';
import type { ObservedState } from '../../core/model/state.ts';
import type { BodyFile, PayloadFile } from '../../core/model/payload-file.ts';
import { problem, ProblemError, type Problem } from '../../core/problem.ts';
import { checkFileCommands } from './file-commands.ts';
import { hasNoListener, startWebServer, type WebServer } from './web-server.ts';

export interface SessionRequest {
  readonly config: LoadedConfig | null;
  /** Directory of the configuration file; the working directory if there is no file. */
  readonly directory: string;
  /**
   * True if the command may change data. Writing commands in a directory run one at a time. With a hosted service, this
   * applies only to commands for the same project and environment.
   */
  readonly writes: boolean;
  readonly flags: SessionFlags;
}

/** `project` is null for a command without a file. */
export interface OperationScope {
  readonly project: string | null;
  readonly environment: string | null;
}

export const UNSCOPED: OperationScope = { project: null, environment: null };

type WriterLock = Pick<DirectoryLock, 'release'>;

/** Minimum length of a signing key, in characters. A shorter key could be guessed from the signature of a plan. */
export const MIN_PLAN_KEY_LENGTH = 32;

const DEFAULT_LOCK_TIMEOUT = seconds(30);

export class Session {
  readonly #context: Context;
  readonly #directory: string;
  readonly #config: LoadedConfig | null;
  readonly #allowCommands: boolean;
  readonly dataDirectory: string;
  readonly connection: Connection;
  readonly #lock: WriterLock | null;
  #webServer: WebServer | null = null;
  #journalChecked = false;

  private constructor(parts: {
    readonly context: Context;
    readonly request: SessionRequest;
    readonly dataDirectory: string;
    readonly connection: Connection;
    readonly lock: WriterLock | null;
  }) {
    this.#context = parts.context;
    this.#directory = parts.request.directory;
    this.#config = parts.request.config;
    this.#allowCommands = parts.request.flags.allowCommands === true;
    this.dataDirectory = parts.dataDirectory;
    this.connection = parts.connection;
    this.#lock = parts.lock;
  }

  /** @throws ProblemError if the service cannot be used, or the data directory cannot be locked. */
  static async open(context: Context, request: SessionRequest): Promise<Session> {
    const hosted = chooseService(context, request.config);
    const { threads, seed, lockTimeout = DEFAULT_LOCK_TIMEOUT } = request.flags;
    const flag = threads !== undefined ? '--threads' : seed !== undefined ? '--seed' : null;
    if (flag !== null && hosted !== null) {
      const { origin } = new URL(hosted.baseUrl);
      throw usageError(
        `${flag} applies only to the embedded service, but ${origin} generates the load`,
        `remove ${flag}`,
      );
    }
    const dataDirectory = openDataDirectory(context, request.directory, request.writes);
    const lock = request.writes
      ? await lockForWriting(context, dataDirectory.path, {
          name: lockNameOf(hosted, request),
          timeout: lockTimeout,
        })
      : null;
    try {
      const connection =
        hosted !== null
          ? withStopNotes(await connectHosted(context, hosted), context, dataDirectory.path)
          : await (
              await import('./embedded-connection.ts')
            ).connectEmbedded(context, dataDirectory, { ...request.flags, lockTimeout });
      return new Session({ context, request, dataDirectory: dataDirectory.path, connection, lock });
    } catch (error) {
      lock?.release();
      throw error;
    }
  }

  get embedded(): boolean {
    return this.connection.origin === 'embedded';
  }

  journal({ project, environment }: OperationScope): Journal {
    const identity = { service: this.connection.origin, p: project ?? '', e: environment };
    const journal = new Journal(openJournalFile(this.#context, this.dataDirectory), identity);
    if (!this.#journalChecked) {
      const { directory: from, warnings } = this.#context;
      warnings.push(...damagedJournalWarning(journal, { directory: this.dataDirectory, from }));
    }
    this.#journalChecked = true;
    return journal;
  }

  /**
   * Returns the key that signs plans. For a hosted service, this is the API key. For the embedded service, this is the
   * API key in the environment, if long enough; otherwise, a key for this user and project directory.
   * @throws ProblemError LT_CLI_PATH if the key cannot be read or created.
   */
  planKey(): Secret {
    if (!this.embedded) return this.connection.key;
    const name = (this.#config?.service ?? SERVICE_DEFAULTS).apiKeyEnv;
    const value = this.#context.env[name] ?? '';
    return value.length >= MIN_PLAN_KEY_LENGTH
      ? new Secret(name, value)
      : planKeyOf(this.#context, this.#directory);
  }

  view(scope: OperationScope): ObserveContext {
    return { service: this.connection.service, journal: this.journal(scope), sha256 };
  }

  applyContext(scope: OperationScope, emit: Emit): ApplyContext {
    const { connection } = this;
    return {
      service: connection.service,
      journal: this.journal(scope),
      clock: systemClock,
      sha256,
      nonce: newNonce,
      emit,
      publish: async (app, token) => {
        await publishToken(this.#context, {
          app,
          ...token,
          directory: this.#directory,
        });
      },
      contentOf: (file) => readPayloadContent(this.#directory, file),
      findStop: (id, since) => openStopNotes(this.dataDirectory, connection.origin).since(id, since),
      locateField: (address, field) => this.#config?.fieldLocators.get(address)?.(field) ?? null,
      verificationIdOf: connection.verificationIdOf,
      isEmbedded: this.embedded,
      isSilent: async (host) => isLoopback(host) && this.#serviceIsHere() && (await hasNoListener(host)),
      resolutionFailure: async (host) =>
        this.embedded ? await (await import('./name-resolution.ts')).resolutionFailureOf(host) : null,
      settle: connection.settle,
      loadOutlivesCommand: connection.runsOutliveCommand,
      interrupted: this.#context.interruption.signal,
    };
  }

  /** Returns none for the embedded service, which requires no tokens. */
  missingTokens(observed: ObservedState): readonly Problem[] {
    if (this.embedded || this.#config === null) return [];
    const declared = this.#config.desired.apps;
    const { verificationIdOf } = this.connection;
    return findMissingTokens({
      declared,
      observed: observed.apps,
      directory: this.#directory,
      verificationIdOf,
    });
  }

  #serviceIsHere(): boolean {
    return this.embedded || isLoopback(new URL(this.connection.origin).hostname);
  }

  /**
   * Starts the `web_server` of the file, if there is one.
   * @throws ProblemError LT_CLI_COMMANDS if the commands of the file are not allowed; LT_CLI_WEB_SERVER if the web
   * server cannot be used.
   */
  async startWebServer(): Promise<void> {
    if (this.#config !== null)
      checkFileCommands(this.#context, this.#config, { allowed: this.#allowCommands });
    const declared = this.#config?.webServer ?? null;
    if (declared === null || this.#webServer !== null) return;
    this.#webServer = await startWebServer(this.#context, {
      ...declared,
      reuseExisting: declared.reuseExisting ?? !isCi(this.#context.env),
      directory: this.#directory,
    });
  }

  async close(): Promise<void> {
    await this.connection.close();
    await this.#webServer?.close();
    this.#lock?.release();
  }
}

/** Logs accepted stop requests for other commands in the directory. */
function withStopNotes(connection: Connection, context: Context, directory: string): Connection {
  const notes = openStopNotes(directory, connection.origin);
  const { service } = connection;
  const stopTest: typeof service.stopTest = async (id) => {
    const at = Date.now();
    const response = await service.stopTest(id);
    notes.add(id, { at, client: callerOf(context) });
    return response;
  };
  return { ...connection, service: { ...service, stopTest } };
}

/** With a hosted service, each project and environment has its own lock. */
function lockNameOf(hosted: HostedService | null, { config }: SessionRequest): string {
  if (hosted === null) return 'writer.lock';
  const { project, environment } = config?.desired ?? UNSCOPED;
  const { origin } = new URL(hosted.baseUrl);
  return `writer-${sha256(JSON.stringify([origin, project, environment])).slice(0, 16)}.lock`;
}

async function lockForWriting(
  context: Context,
  directory: string,
  { name, timeout }: { readonly name: string; readonly timeout: Milliseconds },
): Promise<WriterLock> {
  const { pid, startOf, isAlive, interruption } = context;
  const lock = await waitForLock(
    { directory, name, pid, startOf, isAlive },
    {
      timeout,
      signal: interruption.signal,
      onWait: ({ text }) => writeNote(context, `  ${text}`),
    },
  );
  return { release: onceAtExit(context, () => lock.release()) };
}

export const systemClock: ApplyContext['clock'] = {
  now: () => Date.now(),
  // All processes of a machine see the same uptime.
  monotonic: () => uptime() * 1000,
  sleep: (milliseconds, signal) => sleep(milliseconds, undefined, { signal }).catch(() => undefined),
  random: () => Math.random(),
};

/**
 * Reads a file again before its content is sent.
 * @throws ProblemError if the file cannot be read or has changed since planning.
 */
function readPayloadContent(directory: string, { sha256, declared }: PayloadFile | BodyFile): Uint8Array {
  const path = declared?.path ?? '';
  const read = readPayloadBytes(directory, path, { readBytes: readRowsBytes, realPath });
  if ('reason' in read) {
    throw new ProblemError(problem('LT_CONFIG_UNREADABLE', `the file "${path}" ${read.reason}`));
  }
  if (sha256OfBytes(read.bytes) === sha256) return read.bytes;
  const message = `the file "${path}" has changed since the plan was created`;
  throw new ProblemError(problem('LT_PLAN_STALE', message, { hint: 'create a new plan and review it' }));
}
