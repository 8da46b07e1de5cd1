/**
 * The service in this process: it lives as long as the command, listens on loopback, and has one user.
 *
 * One process that writes owns the data folder; other commands connect to its service. Commands that only read leave
 * the folder as it is.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServicePort } from '../../core/ports/service-port.ts';
import { CallError } from '../../core/call-error.ts';
import type { ServiceClient } from '../../client/client.ts';
import { CHALLENGE_HEADER, isProof, PROOF_HEADER, proofOf } from '../../contract/owner-proof.ts';
import { DEFAULT_AUTH_HEADER } from '../../contract/routes.ts';
import type { LoadTestSpec } from '../../core/model/load-test.ts';
import { Secret } from '../../core/model/secret.ts';
import { problem, ProblemError, type Problem } from '../../core/problem.ts';
import { milliseconds, seconds, type Milliseconds } from '../../core/units.ts';
import { createEngine } from '../../engine/run.ts';
import type { Undelivered } from '../../server/domain/notices.ts';
import { openService } from '../../server/open-service.ts';
import { createCommandClient } from './command-client.ts';
import { callerOf, type Connection } from './connect.ts';
import { engineWorkerUrl } from './engine-thread.ts';
import type { Context } from '../terminal/context.ts';
import { copyData, type DataCopy } from '../files/data-copy.ts';
import type { DataFolder } from '../files/data-folder.ts';
import { SERVICE } from '../files/data-names.ts';
import { newKey } from './digest.ts';
import { note, tellProblems } from '../terminal/report.ts';
import {
  findHolder,
  isLock,
  lockedError,
  tryLock,
  waitingFor,
  type FolderLock,
  type LockHolder,
  type OwnerAddress,
} from '../files/folder-lock.ts';

const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined };

export interface EmbeddedWishes {
  readonly lockTimeout: Milliseconds;
  /** Of each run of a service in this process; as many as its load needs where it is not given. */
  readonly threads?: number | undefined;
}

/**
 * Connects to the service of the process that owns the folder, and to that of the next one when it ends. Where there is
 * none, a command that writes owns one; a command that only reads has one on a copy of the data.
 *
 * Errors: ProblemError LT_CLI_LOCKED, LT_CLI_PATH, LT_SERVER_DATA.
 */
export async function connectEmbedded(
  context: Context,
  dataFolder: DataFolder,
  wishes: EmbeddedWishes,
): Promise<Connection> {
  const connect = async () => await ownOrJoin(context, dataFolder, wishes);
  const first = await connect();
  return first.owned ? first : followingOwner(first, connect);
}

interface EmbeddedConnection extends Connection {
  /** The folder is this process's as long as the connection is open. */
  readonly owned: boolean;
  readonly service: ServiceClient;
  readonly answers: () => Promise<Presence>;
  /** Whether it still shows the data of the folder. */
  readonly isCurrent: () => boolean;
}

/** What is at an owner's address. `stranger`: somebody who does not know the key. */
type Presence = 'owner' | 'nobody' | 'stranger';

/** An owner usually takes less than this to begin or to end; waiting is not reported before. */
const USUAL_CHANGE_MS = 500;

async function ownOrJoin(
  context: Context,
  dataFolder: DataFolder,
  wishes: EmbeddedWishes,
): Promise<EmbeddedConnection> {
  const { lockTimeout } = wishes;
  const begin = Date.now();
  const deadline = begin + lockTimeout;
  const { pid, startOf, isAlive, interruption } = context;
  const lock = { folder: dataFolder.path, name: 'service.lock', pid, startOf, isAlive };
  for (let told = false; ;) {
    const given = dataFolder.writes ? tryLock(lock) : findHolder(lock);
    if (given !== null && isLock(given)) {
      return await ownService(context, { dataFolder: dataFolder.path, lock: given, threads: wishes.threads });
    }
    if (given === null) {
      const copy = copyData(dataFolder.path);
      const isCurrent = () => findHolder(lock) === null && copy.isCurrent();
      if (isCurrent()) return await readCopy(context, copy, isCurrent);
      copy.remove();
      continue;
    }
    const joined = given.address === null ? null : joinService(context, given.address);
    const presence = await joined?.answers();
    if (joined !== null && presence === 'owner') return joined;
    if (presence === 'stranger') throw strangerError(given);
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

/** Owners that may end one after the other during one call. */
const MOST_MOVES = 3;

/** Goes on with the next owner, perhaps this process, when the one it was connected to has ended. */
function followingOwner(first: EmbeddedConnection, connect: () => Promise<EmbeddedConnection>): Connection {
  let current = first;
  let moving: Promise<EmbeddedConnection> | null = null;
  let closed = false;
  const move = async () => {
    moving ??= connect().finally(() => {
      moving = null;
    });
    current = await moving;
    // Nobody may be left to close what was still being looked for.
    if (closed) await current.close();
  };
  const call = async <T>(act: (service: ServiceClient) => Promise<T>): Promise<T> => {
    for (let moves = 0; ; moves++) {
      const asked = current;
      try {
        return await act(asked.service);
      } catch (error) {
        if (!(error instanceof CallError) || error.outcome === 'refused') throw error;
        // Another call may have moved on meanwhile, and closed what this one was asking.
        const gone = current !== asked || (await asked.answers()) !== 'owner';
        if (!gone || moves === MOST_MOVES) throw error;
        if (error.problem.code === 'LT_API_UNKNOWN') {
          // What may have been carried out is told as such, wherever the next look goes: it finds the same data.
          if (current === asked) await move().catch(() => undefined);
          throw error;
        }
        if (current === asked) await move();
      }
    }
  };
  const service: ServicePort = {
    listApps: () => call((one) => one.listApps()),
    registerApp: (host) => call((one) => one.registerApp(host)),
    getApp: (id) => call((one) => one.getApp(id)),
    verifyApp: (id, method) => call((one) => one.verifyApp(id, method)),
    deleteApp: (id) => call((one) => one.deleteApp(id)),
    listTests: () => call((one) => one.listTests()),
    hasPayloadFile: (sha256) => call((one) => one.hasPayloadFile(sha256)),
    putPayloadFile: (sha256, content) => call((one) => one.putPayloadFile(sha256, content)),
    createTest: (request) => call((one) => one.createTest(request)),
    getTest: (...what) => call((one) => one.getTest(...what)),
    runTest: (id, nonce) => call((one) => one.runTest(id, nonce)),
    stopTest: (id) => call((one) => one.stopTest(id)),
    listResults: (...what) => call((one) => one.listResults(...what)),
    getResult: (...what) => call((one) => one.getResult(...what)),
    // For show: it is tried once, and nobody waits for the next owner.
    judgeResult: (...what) => current.service.judgeResult(...what),
    listServers: () => call((one) => one.listServers()),
    listExtensions: (...what) => call((one) => one.listExtensions(...what)),
    listWorkers: () => call((one) => one.listWorkers()),
    honoursIdempotency: () => current.service.honoursIdempotency(),
    timeThere: () => current.service.timeThere(),
  };
  const makePass = (spec: LoadTestSpec) => call((one) => one.makePass(spec));
  const refresh = async () => {
    const before = current;
    if (before.isCurrent()) return;
    await move();
    await before.close();
  };
  return {
    ...first,
    service,
    makePass,
    refresh,
    loadOutlivesUs: () => current.loadOutlivesUs(),
    close: async () => {
      closed = true;
      await current.close();
    },
  };
}

interface OwnedService extends Pick<EmbeddedWishes, 'threads'> {
  readonly dataFolder: string;
  readonly lock: FolderLock;
}

async function ownService(
  context: Context,
  { dataFolder, lock, threads }: OwnedService,
): Promise<EmbeddedConnection> {
  const takeBack = context.onExit(() => {
    lock.release();
  });
  const release = () => {
    takeBack();
    lock.release();
  };
  try {
    const running = await openOwnService(context, join(dataFolder, SERVICE), { tells: true, threads });
    lock.publish(running);
    const client = clientOf(context, running);
    const close = async () => {
      await client.close();
      const { undelivered } = await running.close();
      release();
      tellProblems(context, undelivered.map(notTold));
    };
    return { ...connectionOf(client, running.key, close), owned: true, ...HERE };
  } catch (error) {
    release();
    throw error;
  }
}

/** Tells nobody of what stands in the data: that is for whoever may write it. */
async function readCopy(
  context: Context,
  copy: DataCopy,
  isCurrent: () => boolean,
): Promise<EmbeddedConnection> {
  const takeBack = context.onExit(copy.remove);
  const remove = () => {
    takeBack();
    copy.remove();
  };
  try {
    const running = await openOwnService(context, copy.path, { tells: false });
    const client = clientOf(context, running);
    const close = async () => {
      await client.close();
      await running.close();
      remove();
    };
    return { ...connectionOf(client, running.key, close), owned: false, ...HERE, isCurrent };
  } catch (error) {
    remove();
    throw error;
  }
}

/** Of a service in this process. */
const HERE: Pick<EmbeddedConnection, 'answers' | 'isCurrent' | 'loadOutlivesUs'> = {
  answers: () => Promise.resolve('owner'),
  isCurrent: () => true,
  loadOutlivesUs: () => false,
};

async function openOwnService(
  context: Context,
  dataFolder: string,
  options: { readonly tells: boolean; readonly threads?: number | undefined },
) {
  const { version } = context;
  const key = newKey();
  const running = await openService({
    mode: 'in-process',
    dataFolder,
    tells: options.tells,
    threads: options.threads ?? null,
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
  return { url: running.url, key, close: () => running.close() };
}

function joinService(context: Context, address: OwnerAddress): EmbeddedConnection {
  const client = clientOf(context, address);
  const joined = {
    owned: false,
    answers: async () => await whoIsAt(address),
    isCurrent: () => true,
    loadOutlivesUs: () => true,
  };
  return { ...connectionOf(client, address.key, () => client.close()), ...joined };
}

/** The port may be another program's by now, so nothing else is sent there before it has shown that it knows the key. */
async function whoIsAt({ url, key }: OwnerAddress): Promise<Presence> {
  const challenge = newKey();
  try {
    const response = await fetch(`${url}/healthz`, {
      headers: { [CHALLENGE_HEADER]: challenge },
      redirect: 'manual',
      signal: AbortSignal.timeout(2000),
    });
    await response.body?.cancel();
    const expected = proofOf(new Secret('embedded', key), url, challenge);
    return isProof(response.headers.get(PROOF_HEADER) ?? '', expected) ? 'owner' : 'stranger';
  } catch {
    return 'nobody';
  }
}

function strangerError({ pid, address, file }: LockHolder): ProblemError {
  const text = `what answers at ${address?.url ?? ''} is not process ${String(pid)}, which "${file}" names`;
  const hint = `if no other command runs in this folder, delete "${file}"`;
  return new ProblemError(problem('LT_CLI_LOCKED', text, { hint }));
}

function clientOf(context: Context, address: OwnerAddress): ServiceClient {
  return createCommandClient({
    baseUrl: address.url,
    authHeader: DEFAULT_AUTH_HEADER,
    key: new Secret('embedded', address.key),
    requestTimeout: seconds(30),
    version: context.version,
    caller: callerOf(context),
  });
}

function connectionOf(
  service: ServiceClient,
  key: string,
  close: () => Promise<void>,
): Omit<EmbeddedConnection, 'owned' | 'answers' | 'isCurrent' | 'loadOutlivesUs'> {
  return {
    service,
    origin: 'embedded',
    key: new Secret('embedded', key),
    settle: milliseconds(0),
    verificationIdOf: (appId) => `service-${appId}`,
    makePass: (spec) => service.makePass(spec),
    refresh: () => Promise.resolve(),
    close,
  };
}

function notTold({ testId, host }: Undelivered): Problem {
  return problem('LT_RUN_UNDELIVERED', `${host} was not notified that the run of ${testId} has ended`, {
    severity: 'warning',
    hint: 'the next command in this folder tries again',
  });
}
