/** One command's connection with the service, its data folder and lock; what opens here closes here. */
import { uptime } from 'node:os';
import { Journal } from '../../apply/journal.ts';
import type { Emit } from '../../apply/events.ts';
import type { View } from '../../apply/observe.ts';
import type { World } from '../../apply/world.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { isLoopback } from '../../core/model/app.ts';
import { Secret } from '../../core/model/secret.ts';
import { seconds, type Milliseconds } from '../../core/units.ts';
import { callerOf, chooseService, connectHosted, runsInCi, type Connection } from './connect.ts';
import type { Context } from '../terminal/context.ts';
import { usageError } from '../terminal/errors.ts';
import { note } from '../terminal/report.ts';
import { damagedJournal, journalFile, openDataFolder } from '../files/data-folder.ts';
import { openStopNotes } from '../files/stop-notes.ts';
import { planKeyOf } from '../files/plan-key.ts';
import { sha256 } from '../files/sha256.ts';
import { newNonce } from './digest.ts';
import { waitForLock, type FolderLock } from '../files/folder-lock.ts';
import { publishToken } from './publish.ts';
import { contentOf } from './payload-content.ts';
import { missingTokens } from './published.ts';
import type { ObservedState } from '../../core/model/state.ts';
import type { Problem } from '../../core/problem.ts';
import { refusesConnections, startWebServer, type WebServer } from './web-server.ts';

export interface SessionRequest {
  readonly config: LoadedConfig | null;
  /** Folder of the file, or where the command was called. */
  readonly folder: string;
  /** Whether the command may write: then it takes the folder for itself. */
  readonly writes: boolean;
  readonly lockTimeout: Milliseconds | undefined;
  /** Of each run that the service in this process makes; left out: as many as its load needs. */
  readonly threads?: number | undefined;
}

/** Whose operations these are. No project: of a command without a file. */
export interface Whose {
  readonly project: string | null;
  readonly environment: string | null;
}

export const NOBODYS: Whose = { project: null, environment: null };

type WriterLock = Pick<FolderLock, 'release'>;

/** Characters. A plan may lie where others read it, and they could guess a shorter key from its signature. */
export const LEAST_PLAN_KEY = 32;

const LOCK_TIMEOUT = seconds(30);

export class Session {
  readonly #context: Context;
  readonly #folder: string;
  readonly #config: LoadedConfig | null;
  readonly dataFolder: string;
  readonly connection: Connection;
  readonly #lock: WriterLock | null;
  #webServer: WebServer | null = null;
  #journalChecked = false;

  private constructor(parts: {
    readonly context: Context;
    readonly request: SessionRequest;
    readonly dataFolder: string;
    readonly connection: Connection;
    readonly lock: WriterLock | null;
  }) {
    this.#context = parts.context;
    this.#folder = parts.request.folder;
    this.#config = parts.request.config;
    this.dataFolder = parts.dataFolder;
    this.connection = parts.connection;
    this.#lock = parts.lock;
  }

  /** Errors: ProblemError of choosing, locking or connecting. */
  static async open(context: Context, request: SessionRequest): Promise<Session> {
    const choice = chooseService(context, request.config?.service ?? null);
    const { threads } = request;
    if (threads !== undefined && choice.kind === 'hosted') {
      const { origin } = new URL(choice.service.baseUrl);
      throw usageError(`--threads is for the embedded service, but ${origin} makes the load of its runs`);
    }
    const dataFolder = openDataFolder(context, request.folder, request.writes);
    const timeout = request.lockTimeout ?? LOCK_TIMEOUT;
    const lock = request.writes ? await lockWriting(context, dataFolder.path, timeout) : null;
    try {
      const connection =
        choice.kind === 'hosted'
          ? noting(await connectHosted(context, choice.service), context, dataFolder.path)
          : await (
              await import('./embedded.ts')
            ).connectEmbedded(context, dataFolder, { lockTimeout: timeout, threads });
      return new Session({ context, request, dataFolder: dataFolder.path, connection, lock });
    } catch (error) {
      lock?.release();
      throw error;
    }
  }

  get embedded(): boolean {
    return this.connection.origin === 'embedded';
  }

  journal({ project, environment }: Whose): Journal {
    const identity = { service: this.connection.origin, p: project ?? '', e: environment };
    const journal = new Journal(journalFile(this.dataFolder), identity);
    if (!this.#journalChecked) {
      const { folder: from, warnings } = this.#context;
      warnings.push(...damagedJournal(journal, { folder: this.dataFolder, from }));
    }
    this.#journalChecked = true;
    return journal;
  }

  /**
   * What signs saved plans: the key of the account. The embedded service has none that lasts: there it is the one of
   * the environment, if there is a long one, else that of the data folder, which is made here.
   *
   * Errors: ProblemError LT_CLI_PATH where it cannot be read or made.
   */
  planKey(): Secret {
    if (!this.embedded) return this.connection.key;
    const name = this.#config?.service?.apiKeyEnv ?? 'LOADTESTS_API_KEY';
    const given = this.#context.env[name] ?? '';
    return given.length >= LEAST_PLAN_KEY
      ? new Secret(name, given)
      : planKeyOf(this.#context, this.dataFolder);
  }

  /** For commands that only look. */
  view(whose: Whose): View {
    return { service: this.connection.service, journal: this.journal(whose), sha256 };
  }

  world(whose: Whose, emit: Emit): World {
    const { connection } = this;
    return {
      service: connection.service,
      journal: this.journal(whose),
      clock: systemClock,
      sha256,
      nonce: newNonce,
      emit,
      publish: async (app, token) => {
        await publishToken(this.#context, {
          app,
          ...token,
          folder: this.#folder,
        });
      },
      contentOf: (file) => contentOf(this.#folder, file),
      stopNoted: (id, since) => openStopNotes(this.dataFolder, connection.origin).since(id, since),
      verificationIdOf: connection.verificationIdOf,
      embedded: this.embedded,
      nothingListens: async (host) =>
        isLoopback(host) && this.#serviceIsHere() && (await refusesConnections(host)),
      settle: connection.settle,
      loadOutlivesUs: connection.loadOutlivesUs,
      interrupted: this.#context.interruption.signal,
    };
  }

  /** Warnings of apps whose published token is gone; our own service needs none on this machine. */
  missingTokens(observed: ObservedState): readonly Problem[] {
    if (this.embedded || this.#config === null) return [];
    const declared = this.#config.desired.apps;
    const { verificationIdOf } = this.connection;
    return missingTokens({ declared, observed: observed.apps, folder: this.#folder, verificationIdOf });
  }

  #serviceIsHere(): boolean {
    return this.embedded || isLoopback(new URL(this.connection.origin).hostname);
  }

  /** Starts the target under test, if the file names one. Errors: ProblemError LT_CLI_WEB_SERVER. */
  async startWebServer(): Promise<void> {
    const wanted = this.#config?.webServer ?? null;
    if (wanted === null || this.#webServer !== null) return;
    this.#webServer = await startWebServer(this.#context, {
      ...wanted,
      reuseExisting: wanted.reuseExisting ?? !runsInCi(this.#context.env),
      folder: this.#folder,
    });
  }

  /** Safe to call twice. */
  async close(): Promise<void> {
    await this.connection.close();
    await this.#webServer?.close();
    this.#lock?.release();
  }
}

/** Leaves a note of each stop that the service takes, for other commands of the folder. */
function noting(connection: Connection, context: Context, folder: string): Connection {
  const notes = openStopNotes(folder, connection.origin);
  const { service } = connection;
  const stopTest: typeof service.stopTest = async (id) => {
    const at = Date.now();
    const answer = await service.stopTest(id);
    notes.add(id, { at, client: callerOf(context) });
    return answer;
  };
  return { ...connection, service: { ...service, stopTest } };
}

/** One command at a time writes the journal, so that one meets the intents of the other whole. */
async function lockWriting(context: Context, folder: string, timeout: Milliseconds): Promise<WriterLock> {
  const { pid, startOf, isAlive, interruption } = context;
  const lock = await waitForLock(
    { folder, name: 'writer.lock', pid, startOf, isAlive },
    {
      timeout,
      signal: interruption.signal,
      onWait: ({ text }) => {
        note(context, `  ${text}`);
      },
    },
  );
  const takeBack = context.onExit(() => {
    lock.release();
  });
  return {
    release: () => {
      takeBack();
      lock.release();
    },
  };
}

export const systemClock: World['clock'] = {
  now: () => Date.now(),
  // The same for every process of this machine.
  monotonic: () => uptime() * 1000,
  sleep: (milliseconds, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted === true) {
        resolve();
        return;
      }
      const finish = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', finish);
        resolve();
      };
      const timer = setTimeout(finish, milliseconds);
      signal?.addEventListener('abort', finish);
    }),
  random: () => Math.random(),
};
