/**
 * Connection to the embedded service, which runs in the process of a command and listens on loopback. One writing
 * process at a time owns the data directory. Other commands connect to the service of this process.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServicePort } from '../../core/ports/service-port.ts';
import { CallError } from '../../core/call-error.ts';
import type { ServiceClient } from '../../client/client.ts';
import { CHALLENGE_HEADER, isValidProof, PROOF_HEADER, proofOf } from '../../contract/owner-proof.ts';
import { DEFAULT_AUTH_HEADER } from '../../contract/routes.ts';
import { Secret } from '../../core/model/secret.ts';
import { problem, ProblemError, type Problem } from '../../core/problem.ts';
import { milliseconds, seconds, type Milliseconds } from '../../core/units.ts';
import { createEngine } from '../../engine/engine.ts';
import { createPhaseRunner } from '../../engine/phase-runner.ts';
import type { Undelivered } from '../../server/domain/notices.ts';
import { openService } from '../../server/open-service.ts';
import { createCommandClient } from './command-client.ts';
import { callerOf, type Connection } from './connect.ts';
import { engineThreadUrl } from '../../engine/thread-url.ts';
import type { Context } from '../terminal/context.ts';
import type { SessionFlags } from '../terminal/flags.ts';
import { copyDataDirectory, type DataCopy } from '../files/data-copy.ts';
import type { DataDirectory } from '../files/data-directory.ts';
import { SERVICE_DIRECTORY } from '../files/data-paths.ts';
import { newKey } from './signatures.ts';
import { onceAtExit } from '../terminal/process-control.ts';
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

/** Flags that apply only to a service in this process. */
type LoadFlags = Pick<SessionFlags, 'threads' | 'seed'>;

export interface EmbeddedOptions extends LoadFlags {
  readonly lockTimeout: Milliseconds;
}

/**
 * Connects to the service of the process that owns the data directory. If there is no owner, a writing command becomes
 * the owner, and a reading command starts a service on a copy of the data. When another owner ends, the connection
 * moves to the next owner.
 * @throws ProblemError LT_CLI_LOCKED, LT_CLI_PATH or LT_SERVER_DATA if the data cannot be used.
 */
export async function connectEmbedded(
  context: Context,
  dataDirectory: DataDirectory,
  options: EmbeddedOptions,
): Promise<Connection> {
  const connect = async () => await ownOrJoin(context, dataDirectory, options);
  const first = await connect();
  return first.owned ? first : followOwner(first, connect);
}

interface EmbeddedConnection extends Connection {
  /** True if this process owns the directory until the connection is closed. */
  readonly owned: boolean;
  readonly service: ServiceClient;
  readonly probeOwner: () => Promise<OwnerProbe>;
  /** Returns false if the directory may contain newer data than the connection. */
  readonly isCurrent: () => boolean;
}

/**
 * Kind of process at the published address of an owner. An `impostor` responds, but does not prove that it has the key
 * of the owner.
 */
type OwnerProbe = 'owner' | 'none' | 'impostor';

/** Wait after which a note is shown, in ms. Owners usually start and end in less time. */
const WAIT_NOTICE_DELAY_MS = 500;

async function ownOrJoin(
  context: Context,
  dataDirectory: DataDirectory,
  options: EmbeddedOptions,
): Promise<EmbeddedConnection> {
  const { lockTimeout } = options;
  const startedAt = Date.now();
  const deadline = startedAt + lockTimeout;
  const { pid, startOf, isAlive, interruption } = context;
  const lock = { directory: dataDirectory.path, name: 'service.lock', pid, startOf, isAlive };
  for (let notified = false; ;) {
    const lockOrHolder = dataDirectory.writes ? tryLock(lock) : findHolder(lock);
    if (lockOrHolder !== null && isLock(lockOrHolder)) {
      return await startOwnedService(context, {
        dataDirectory: dataDirectory.path,
        lock: lockOrHolder,
        flags: options,
      });
    }
    if (lockOrHolder === null) {
      const copy = copyDataDirectory(dataDirectory.path);
      const isCurrent = () => findHolder(lock) === null && copy.isCurrent();
      if (isCurrent()) return await openDataCopy(context, copy, isCurrent);
      copy.remove();
      continue;
    }
    // A command with a seed cannot use the service of another process, which chooses its own seeds.
    const isJoinable = lockOrHolder.address !== null && options.seed === undefined;
    const joined = isJoinable ? joinService(context, lockOrHolder.address) : null;
    const probe = await joined?.probeOwner();
    if (joined !== null && probe === 'owner') return joined;
    if (probe === 'impostor') throw unexpectedOwnerError(lockOrHolder);
    // The owner is starting or ending, or this command has a seed.
    if (Date.now() >= deadline || interruption.signal.aborted)
      throw lockedError(dataDirectory.path, lockOrHolder, {
        timeout: lockTimeout,
        signal: interruption.signal,
      });
    if (!notified && Date.now() - startedAt >= WAIT_NOTICE_DELAY_MS) {
      writeNote(context, `  ${lockWaitNotice(dataDirectory.path, lockOrHolder, lockTimeout).text}`);
      notified = true;
    }
    await sleep(100);
  }
}

const MAX_OWNER_CHANGES = 3;

/** Returns a connection that moves to the next owner when the current one ends. The next owner may be this process. */
function followOwner(first: EmbeddedConnection, connect: () => Promise<EmbeddedConnection>): Connection {
  let current = first;
  let moving: Promise<EmbeddedConnection> | null = null;
  let closed = false;
  const move = async () => {
    moving ??= connect().finally(() => {
      moving = null;
    });
    current = await moving;
    // The caller may have closed the connection during the move.
    if (closed) await current.close();
  };
  const call = async <T>(act: (service: ServiceClient) => Promise<T>): Promise<T> => {
    for (let moves = 0; ; moves++) {
      const previous = current;
      try {
        return await act(previous.service);
      } catch (error) {
        if (!(error instanceof CallError) || error.outcome === 'refused') throw error;
        // A concurrent call may already have moved the connection.
        const hasEnded = current !== previous || (await previous.probeOwner()) !== 'owner';
        if (!hasEnded || moves === MAX_OWNER_CHANGES) throw error;
        if (error.problem.code === 'LT_API_UNKNOWN') {
          // The caller must handle the unknown outcome. After the move, the caller can read the data from the next
          // owner.
          if (current === previous) await move().catch(() => undefined);
          throw error;
        }
        if (current === previous) await move();
      }
    }
  };
  const forwarded = forwardMethods(first.service, call);
  const service: ServicePort = {
    ...forwarded,
    // Not repeated with the next owner, because verdicts are only displayed.
    saveVerdict: (...args) => current.service.saveVerdict(...args),
    supportsIdempotency: () => current.service.supportsIdempotency(),
    serviceTime: () => current.service.serviceTime(),
  };
  const refresh = async () => {
    const before = current;
    if (before.isCurrent()) return;
    await move();
    await before.close();
  };
  return {
    ...first,
    service,
    runIteration: (spec) => forwarded.runIteration(spec),
    refresh,
    runsOutliveCommand: () => current.runsOutliveCommand(),
    close: async () => {
      closed = true;
      await current.close();
    },
  };
}

type RequestMethods = Omit<ServiceClient, 'supportsIdempotency' | 'serviceTime' | 'saveVerdict' | 'close'>;

/** Returns methods that use `call` to invoke the client method of the same name. */
function forwardMethods(
  client: ServiceClient,
  call: <T>(act: (service: ServiceClient) => Promise<T>) => Promise<T>,
): RequestMethods {
  const names = Object.keys(client) as (keyof RequestMethods)[]; // The result type hides the others.
  const forward =
    (name: keyof RequestMethods) =>
    (...args: readonly unknown[]) =>
      call((service) => Reflect.apply(service[name], service, args) as Promise<unknown>);
  // The cast is valid, because each method has the parameters and the result of the client method with the same name.
  return Object.fromEntries(names.map((name) => [name, forward(name)])) as unknown as RequestMethods;
}

interface OwnedService {
  readonly dataDirectory: string;
  readonly lock: DirectoryLock;
  readonly flags: LoadFlags;
}

async function startOwnedService(
  context: Context,
  { dataDirectory, lock, flags }: OwnedService,
): Promise<EmbeddedConnection> {
  const release = onceAtExit(context, () => lock.release());
  try {
    const running = await openOwnService(context, join(dataDirectory, SERVICE_DIRECTORY), {
      sendNotices: true,
      flags,
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

/** Opens a service on a copy of the data. Only the owner of the data sends callbacks, so this service sends none. */
async function openDataCopy(
  context: Context,
  copy: DataCopy,
  isCurrent: () => boolean,
): Promise<EmbeddedConnection> {
  const remove = onceAtExit(context, copy.remove);
  try {
    const running = await openOwnService(context, copy.path, { sendNotices: false, flags: {} });
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

const LOCAL_SERVICE: Pick<EmbeddedConnection, 'probeOwner' | 'isCurrent' | 'runsOutliveCommand'> = {
  probeOwner: () => Promise.resolve('owner'),
  isCurrent: () => true,
  runsOutliveCommand: () => false,
};

async function openOwnService(
  context: Context,
  dataDirectory: string,
  { sendNotices, flags }: { readonly sendNotices: boolean; readonly flags: LoadFlags },
) {
  const { version } = context;
  const key = newKey();
  const running = await openService({
    mode: 'in-process',
    dataDirectory,
    sendNotices,
    threads: flags.threads ?? null,
    seed: flags.seed ?? null,
    host: '127.0.0.1',
    port: 0,
    apiKey: new Secret('embedded', key),
    runner: createEngine({ threadUrl: engineThreadUrl(), version }),
    phases: createPhaseRunner(),
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

/**
 * Checks whether the owner listens at the address. Must precede any request with the key, because another program may
 * use the port.
 */
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
    return isValidProof(response.headers.get(PROOF_HEADER) ?? '', expected) ? 'owner' : 'impostor';
  } catch {
    return 'none';
  }
}

function unexpectedOwnerError({ pid, address, file }: LockHolder): ProblemError {
  const text = `"${file}" names process ${String(pid)} at ${address?.url ?? ''}, but a different process listens there`;
  const hint = `delete "${file}" if no other command is running in this directory`;
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
  return problem('LT_RUN_UNDELIVERED', `${host} was not notified that the run of test ${testId} has ended`, {
    severity: 'warning',
    hint: 'to send the callback again, run "loadtests apply" in this directory, or another command that changes the service',
  });
}
