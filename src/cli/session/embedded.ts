/**
 * The service in this process: it lives as long as the command, listens on loopback, and has one user.
 *
 * One process owns the data folder; a second command connects to the first one's service.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServicePort } from '../../core/ports/service-port.ts';
import { CallError } from '../../core/call-error.ts';
import { createClient, type ServiceClient } from '../../client/client.ts';
import { DEFAULT_AUTH_HEADER } from '../../contract/routes.ts';
import type { LoadTestSpec } from '../../core/model/load-test.ts';
import { Secret } from '../../core/model/secret.ts';
import { problem, type Problem } from '../../core/problem.ts';
import { milliseconds, seconds, type Milliseconds } from '../../core/units.ts';
import { createEngine } from '../../engine/run.ts';
import type { Undelivered } from '../../server/domain/notices.ts';
import { openService } from '../../server/open-service.ts';
import type { Connection } from './connect.ts';
import type { Context } from '../terminal/context.ts';
import { copyData } from '../files/data-copy.ts';
import { SERVICE, type DataFolder } from '../files/data-folder.ts';
import { newKey } from './digest.ts';
import { note } from '../terminal/report.ts';
import { renderProblems } from '../render/problem.ts';
import {
  findHolder,
  isLock,
  lockedError,
  tryLock,
  waitingFor,
  type FolderLock,
  type OwnerAddress,
} from '../files/folder-lock.ts';

/** As seen from dist/chunks, where this file is bundled. */
export function engineWorkerUrl(): URL {
  return new URL('../engine/worker.js', import.meta.url);
}

/** Of data that nobody may write. */
const NO_LOCK: FolderLock = { publish: () => undefined, release: () => undefined };

const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined };

/**
 * Owns the service, or connects to the process that does; when that one ends, another takes its place. Where the
 * folder may not be written, it owns one on a copy of the data.
 *
 * Errors: ProblemError LT_CLI_LOCKED, LT_CLI_PATH, LT_SERVER_DATA.
 */
export async function connectEmbedded(
  context: Context,
  dataFolder: DataFolder,
  lockTimeout: Milliseconds,
): Promise<Connection> {
  const connect = async () => await ownOrJoin(context, dataFolder, lockTimeout);
  const first = await connect();
  return first.owned ? first : followingOwner(first, connect);
}

/** `owned`: the service lives in this process. */
interface EmbeddedConnection extends Connection {
  readonly owned: boolean;
  readonly service: ServiceClient;
  /** Whether somebody answers there. */
  readonly answers: () => Promise<boolean>;
}

/** An owner usually takes less than this to begin or to end; waiting is not reported before. */
const USUAL_CHANGE_MS = 500;

async function ownOrJoin(
  context: Context,
  dataFolder: DataFolder,
  lockTimeout: Milliseconds,
): Promise<EmbeddedConnection> {
  const begin = Date.now();
  const deadline = begin + lockTimeout;
  const { pid, startOf, isAlive, interruption } = context;
  for (let told = false; ;) {
    const lock = { folder: dataFolder.path, name: 'service.lock', pid, startOf, isAlive };
    const given = dataFolder.writable ? tryLock(lock) : (findHolder(lock) ?? NO_LOCK);
    if (isLock(given)) return await ownService(context, dataFolder, given);
    const joined = given.address === null ? null : joinService(context, given.address);
    if (joined !== null && (await joined.answers())) return joined;
    // The owner is just beginning, or just ending.
    if (Date.now() >= deadline || interruption.signal.aborted)
      throw lockedError(dataFolder.path, given, lockTimeout);
    if (!told && Date.now() - begin >= USUAL_CHANGE_MS) {
      note(context, `  ${waitingFor(dataFolder.path, given, lockTimeout).text}`);
      told = true;
    }
    await sleep(100);
  }
}

/** Goes on with the next owner, perhaps this process, when the one it was connected to has ended. */
function followingOwner(first: EmbeddedConnection, connect: () => Promise<EmbeddedConnection>): Connection {
  let current = first;
  let moving: Promise<EmbeddedConnection> | null = null;
  const move = async () => {
    moving ??= connect().finally(() => {
      moving = null;
    });
    current = await moving;
  };
  const call = async <T>(act: (service: ServiceClient) => Promise<T>): Promise<T> => {
    try {
      return await act(current.service);
    } catch (error) {
      if (!(error instanceof CallError) || error.outcome === 'refused' || (await current.answers()))
        throw error;
      if (error.problem.code === 'LT_API_UNKNOWN') {
        // What may have been carried out is told as such, wherever the next look goes: it finds the same data.
        await move().catch(() => undefined);
        throw error;
      }
      await move();
      return await act(current.service);
    }
  };
  const service: ServicePort = {
    listApps: () => call((one) => one.listApps()),
    registerApp: (host) => call((one) => one.registerApp(host)),
    getApp: (id) => call((one) => one.getApp(id)),
    verifyApp: (id, method) => call((one) => one.verifyApp(id, method)),
    deleteApp: (id) => call((one) => one.deleteApp(id)),
    listTests: () => call((one) => one.listTests()),
    createTest: (request) => call((one) => one.createTest(request)),
    getTest: (...what) => call((one) => one.getTest(...what)),
    runTest: (id, nonce) => call((one) => one.runTest(id, nonce)),
    stopTest: (id) => call((one) => one.stopTest(id)),
    listResults: (...what) => call((one) => one.listResults(...what)),
    getResult: (...what) => call((one) => one.getResult(...what)),
    listServers: () => call((one) => one.listServers()),
    honoursIdempotency: () => current.service.honoursIdempotency(),
  };
  const makePass = (spec: LoadTestSpec) => call((one) => one.makePass(spec));
  return {
    ...first,
    service,
    makePass,
    loadOutlivesUs: () => current.loadOutlivesUs(),
    close: () => current.close(),
  };
}

async function ownService(
  context: Context,
  dataFolder: DataFolder,
  lock: FolderLock,
): Promise<EmbeddedConnection> {
  const { version } = context;
  const copy = dataFolder.writable ? null : copyData(dataFolder);
  const free = () => {
    lock.release();
    copy?.remove();
  };
  const takeBack = context.onExit(free);
  const release = () => {
    takeBack();
    free();
  };
  const key = newKey();
  try {
    const running = await openService({
      mode: 'in-process',
      dataFolder: copy?.path ?? join(dataFolder.path, SERVICE),
      // Whoever may write the data itself tells of what stands in it, once.
      tells: copy === null,
      host: '127.0.0.1',
      port: 0,
      apiKey: new Secret('embedded', key),
      runner: createEngine({ workerUrl: engineWorkerUrl(), version }),
      log: SILENT,
      version,
      now: () => Date.now(),
      allowPrivate: [],
      publicUrl: null,
    });
    lock.publish({ url: running.url, key });
    const client = clientOf(context, { url: running.url, key });
    const started = new Set<string>();
    const close = async () => {
      await awaitOthers(context, client, started);
      await client.close();
      const { undelivered } = await running.close();
      release();
      context.stderr.write(renderProblems(undelivered.map(notTold), context.paint));
    };
    const answers = () => Promise.resolve(true);
    const owned = { owned: true, answers, loadOutlivesUs: () => false };
    return { ...connectionOf(rememberStarts(client, started), key, close), ...owned };
  } catch (error) {
    release();
    throw error;
  }
}

function joinService(context: Context, address: OwnerAddress): EmbeddedConnection {
  const client = clientOf(context, address);
  const answers = async () => {
    try {
      const response = await fetch(`${address.url}/healthz`, { signal: AbortSignal.timeout(2000) });
      await response.body?.cancel();
      return response.ok;
    } catch {
      return false;
    }
  };
  const joined = { owned: false, answers, loadOutlivesUs: () => true };
  return { ...connectionOf(client, address.key, () => client.close()), ...joined };
}

function clientOf(context: Context, address: OwnerAddress): ServiceClient {
  return createClient({
    baseUrl: address.url,
    authHeader: DEFAULT_AUTH_HEADER,
    key: new Secret('embedded', address.key),
    requestTimeout: seconds(30),
    version: context.version,
  });
}

function connectionOf(
  service: ServiceClient,
  key: string,
  close: () => Promise<void>,
): Omit<EmbeddedConnection, 'owned' | 'answers' | 'loadOutlivesUs'> {
  return {
    service,
    origin: 'embedded',
    key: new Secret('embedded', key),
    settle: milliseconds(0),
    verificationIdOf: (appId) => `service-${appId}`,
    makePass: (spec) => service.makePass(spec),
    close,
  };
}

function rememberStarts(client: ServiceClient, started: Set<string>): ServiceClient {
  return {
    ...client,
    createTest: async (request) => {
      const created = await client.createTest(request);
      started.add(created.id);
      return created;
    },
    runTest: async (id, nonce) => {
      started.add(id);
      return await client.runTest(id, nonce);
    },
  };
}

function notTold({ testId, host }: Undelivered): Problem {
  return problem('LT_RUN_UNDELIVERED', `${host} was not notified that the run of ${testId} has ended`, {
    severity: 'warning',
    hint: 'the next command in this folder tries again',
  });
}

/** Runs that another command started live in this process too: they are not cut off because this command is done. */
async function awaitOthers(
  context: Context,
  client: ServiceClient,
  started: ReadonlySet<string>,
): Promise<void> {
  for (let told = false; ; told = true) {
    const { items } = await client.listTests();
    const others = items.filter((test) => test.statusKind === 'running' && !started.has(test.id));
    if (others.length === 0) return;
    if (!told) note(context, '  another command is running a test in this process; waiting for it to end');
    await sleep(200);
  }
}
