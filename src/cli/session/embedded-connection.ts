/**
 * The service in this process: it lives as long as the command, listens on loopback, and has one user.
 *
 * One process that writes owns the data directory; other commands connect to its service. Commands that only read leave
 * the directory as it is.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServicePort } from '../../core/ports/service-port.ts';
import { CallError } from '../../core/call-error.ts';
import type { ServiceClient } from '../../client/client.ts';
import { CHALLENGE_HEADER, isValidProof, PROOF_HEADER, proofOf } from '../../contract/owner-proof.ts';
import { DEFAULT_AUTH_HEADER } from '../../contract/routes.ts';
import type { LoadTestSpec } from '../../core/model/load-test.ts';
import { Secret } from '../../core/model/secret.ts';
import { problem, ProblemError, type Problem } from '../../core/problem.ts';
import { milliseconds, seconds, type Milliseconds } from '../../core/units.ts';
import { createEngine } from '../../engine/engine.ts';
import type { Undelivered } from '../../server/domain/notices.ts';
import { openService } from '../../server/open-service.ts';
import { createCommandClient } from './command-client.ts';
import { callerOf, type Connection } from './connect.ts';
import { engineThreadUrl } from './engine-thread.ts';
import type { Context } from '../terminal/context.ts';
import { copyDataDirectory, type DataCopy } from '../files/data-copy.ts';
import type { DataDirectory } from '../files/data-directory.ts';
import { SERVICE_DIRECTORY } from '../files/data-paths.ts';
import { newKey } from './signatures.ts';
import { writeNote, writeProblems } from '../terminal/report.ts';
import {
  findHolder,
  isLock,
  lockedError,
  tryLock,
  lockWaitNotice,
  type DirectoryLock,
  type LockHolder,
  type OwnerAddress,
} from '../files/directory-lock.ts';

const SILENT_LOG = { info: () => undefined, warn: () => undefined, error: () => undefined };

export interface EmbeddedOptions {
  readonly lockTimeout: Milliseconds;
  /** Of each run of a service in this process; as many as its load needs where it is not given. */
  readonly threads?: number | undefined;
}

/**
 * Connects to the service of the process that owns the directory, and to that of the next one when it ends. Where there is
 * none, a command that writes owns one; a command that only reads has one on a copy of the data.
 *
 * Errors: ProblemError LT_CLI_LOCKED, LT_CLI_PATH, LT_SERVER_DATA.
 */
export async function connectEmbedded(
  context: Context,
  dataDirectory: DataDirectory,
  wishes: EmbeddedOptions,
): Promise<Connection> {
  const connect = async () => await ownOrJoin(context, dataDirectory, wishes);
  const first = await connect();
  return first.owned ? first : followOwner(first, connect);
}

interface EmbeddedConnection extends Connection {
  /** The directory is this process's as long as the connection is open. */
  readonly owned: boolean;
  readonly service: ServiceClient;
  readonly probeOwner: () => Promise<OwnerProbe>;
  /** Whether it still shows the data of the directory. */
  readonly isCurrent: () => boolean;
}

/** What is at an owner's address. `stranger`: somebody who does not know the key. */
type OwnerProbe = 'owner' | 'nobody' | 'stranger';

/** An owner usually takes less than this to begin or to end; waiting is not reported before. */
const WAIT_NOTICE_DELAY_MS = 500;

async function ownOrJoin(
  context: Context,
  dataDirectory: DataDirectory,
  wishes: EmbeddedOptions,
): Promise<EmbeddedConnection> {
  const { lockTimeout } = wishes;
  const begin = Date.now();
  const deadline = begin + lockTimeout;
  const { pid, startOf, isAlive, interruption } = context;
  const lock = { directory: dataDirectory.path, name: 'service.lock', pid, startOf, isAlive };
  for (let told = false; ;) {
    const given = dataDirectory.writes ? tryLock(lock) : findHolder(lock);
    if (given !== null && isLock(given)) {
      return await startOwnedService(context, {
        dataDirectory: dataDirectory.path,
        lock: given,
        threads: wishes.threads,
      });
    }
    if (given === null) {
      const copy = copyDataDirectory(dataDirectory.path);
      const isCurrent = () => findHolder(lock) === null && copy.isCurrent();
      if (isCurrent()) return await openDataCopy(context, copy, isCurrent);
      copy.remove();
      continue;
    }
    const joined = given.address === null ? null : joinService(context, given.address);
    const presence = await joined?.probeOwner();
    if (joined !== null && presence === 'owner') return joined;
    if (presence === 'stranger') throw unexpectedOwnerError(given);
    // The owner is just beginning, or just ending.
    if (Date.now() >= deadline || interruption.signal.aborted)
      throw lockedError(dataDirectory.path, given, lockTimeout);
    if (!told && Date.now() - begin >= WAIT_NOTICE_DELAY_MS) {
      writeNote(context, `  ${lockWaitNotice(dataDirectory.path, given, lockTimeout).text}`);
      told = true;
    }
    await sleep(100);
  }
}

/** Owners that may end one after the other during one call. */
const MAX_OWNER_CHANGES = 3;

/** Goes on with the next owner, perhaps this process, when the one it was connected to has ended. */
function followOwner(first: EmbeddedConnection, connect: () => Promise<EmbeddedConnection>): Connection {
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
        const gone = current !== asked || (await asked.probeOwner()) !== 'owner';
        if (!gone || moves === MAX_OWNER_CHANGES) throw error;
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
    saveVerdict: (...what) => current.service.saveVerdict(...what),
    listServers: () => call((one) => one.listServers()),
    listExtensions: (...what) => call((one) => one.listExtensions(...what)),
    listWorkers: () => call((one) => one.listWorkers()),
    supportsIdempotency: () => current.service.supportsIdempotency(),
    serviceTime: () => current.service.serviceTime(),
  };
  const runIteration = (spec: LoadTestSpec) => call((one) => one.runIteration(spec));
  const refresh = async () => {
    const before = current;
    if (before.isCurrent()) return;
    await move();
    await before.close();
  };
  return {
    ...first,
    service,
    runIteration,
    refresh,
    runsOutliveCommand: () => current.runsOutliveCommand(),
    close: async () => {
      closed = true;
      await current.close();
    },
  };
}

interface OwnedService extends Pick<EmbeddedOptions, 'threads'> {
  readonly dataDirectory: string;
  readonly lock: DirectoryLock;
}

async function startOwnedService(
  context: Context,
  { dataDirectory, lock, threads }: OwnedService,
): Promise<EmbeddedConnection> {
  const takeBack = context.onExit(() => {
    lock.release();
  });
  const release = () => {
    takeBack();
    lock.release();
  };
  try {
    const running = await openOwnService(context, join(dataDirectory, SERVICE_DIRECTORY), {
      tells: true,
      threads,
    });
    lock.publish(running);
    const client = clientOf(context, running);
    const close = async () => {
      await client.close();
      const { undelivered } = await running.close();
      release();
      writeProblems(context, undelivered.map(callbackSkippedWarning));
    };
    return { ...connectionOf(client, running.key, close), owned: true, ...LOCAL_SERVICE };
  } catch (error) {
    release();
    throw error;
  }
}

/** Tells nobody of what stands in the data: that is for whoever may write it. */
async function openDataCopy(
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
    return { ...connectionOf(client, running.key, close), owned: false, ...LOCAL_SERVICE, isCurrent };
  } catch (error) {
    remove();
    throw error;
  }
}

/** Of a service in this process. */
const LOCAL_SERVICE: Pick<EmbeddedConnection, 'probeOwner' | 'isCurrent' | 'runsOutliveCommand'> = {
  probeOwner: () => Promise.resolve('owner'),
  isCurrent: () => true,
  runsOutliveCommand: () => false,
};

async function openOwnService(
  context: Context,
  dataDirectory: string,
  options: { readonly tells: boolean; readonly threads?: number | undefined },
) {
  const { version } = context;
  const key = newKey();
  const running = await openService({
    mode: 'in-process',
    dataDirectory,
    sendNotices: options.tells,
    threads: options.threads ?? null,
    host: '127.0.0.1',
    port: 0,
    apiKey: new Secret('embedded', key),
    runner: createEngine({ threadUrl: engineThreadUrl(), version }),
    log: SILENT_LOG,
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
    probeOwner: async () => await probeOwnerAt(address),
    isCurrent: () => true,
    runsOutliveCommand: () => true,
  };
  return { ...connectionOf(client, address.key, () => client.close()), ...joined };
}

/** The port may be another program's by now, so nothing else is sent there before it has shown that it knows the key. */
async function probeOwnerAt({ url, key }: OwnerAddress): Promise<OwnerProbe> {
  const challenge = newKey();
  try {
    const response = await fetch(`${url}/healthz`, {
      headers: { [CHALLENGE_HEADER]: challenge },
      redirect: 'manual',
      signal: AbortSignal.timeout(2000),
    });
    await response.body?.cancel();
    const expected = proofOf(new Secret('embedded', key), url, challenge);
    return isValidProof(response.headers.get(PROOF_HEADER) ?? '', expected) ? 'owner' : 'stranger';
  } catch {
    return 'nobody';
  }
}

function unexpectedOwnerError({ pid, address, file }: LockHolder): ProblemError {
  const text = `what answers at ${address?.url ?? ''} is not process ${String(pid)}, which "${file}" names`;
  const hint = `if no other command runs in this directory, delete "${file}"`;
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
): Omit<EmbeddedConnection, 'owned' | 'probeOwner' | 'isCurrent' | 'runsOutliveCommand'> {
  return {
    service,
    origin: 'embedded',
    key: new Secret('embedded', key),
    settle: milliseconds(0),
    verificationIdOf: (appId) => `service-${appId}`,
    runIteration: (spec) => service.runIteration(spec),
    refresh: () => Promise.resolve(),
    close,
  };
}

function callbackSkippedWarning({ testId, host }: Undelivered): Problem {
  return problem('LT_RUN_UNDELIVERED', `${host} was not notified that the run of ${testId} has ended`, {
    severity: 'warning',
    hint: 'the next command in this directory tries again',
  });
}
