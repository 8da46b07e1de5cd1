/** The `serve` command: runs the service on a port. */
import type { Logger } from 'pino';
import type { Cluster } from '../../cluster/cluster.ts';
import { createEngine } from '../../engine/engine.ts';
import { createPhaseRunner } from '../../engine/phase-runner.ts';
import { REPORTERS } from '../../report/reporters.ts';
import { checkAddress, checkOptions } from '../../server/check-options.ts';
import { openService } from '../../server/open-service.ts';
import type { ServiceOptions } from '../../server/options.ts';
import type { RetentionPolicy } from '../../server/store/result-store.ts';
import type { Context } from '../terminal/context.ts';
import { hasDataDirectory, createDataDirectory, serviceDirectoryOf } from '../files/data-directory.ts';
import type { OutputFlags } from '../terminal/flags.ts';
import { openJsonLog } from '../terminal/json-log.ts';
import { engineThreadUrl } from '../../engine/thread-url.ts';
import {
  environmentKey,
  readEmailRelay,
  redisAddressOf,
  readOrCreateKey,
  readOrCreateWorkerSecret,
  environmentWorkerSecret,
} from '../session/operator-secrets.ts';
import { findHolder, waitForLock, type LockWaitNotice } from '../files/directory-lock.ts';
import { createOutcome, type Outcome } from '../terminal/outcome.ts';
import { untilAborted } from '../terminal/process-control.ts';
import { writeNote, writeEvent } from '../terminal/report.ts';
import { seconds, type Milliseconds } from '../../core/units.ts';

export interface ServeFlags extends OutputFlags {
  readonly port?: number;
  readonly host?: string;
  readonly data?: string;
  readonly keepResults?: RetentionPolicy;
  readonly publicUrl?: string;
  readonly trustProxy?: readonly string[];
  readonly allowPrivate?: readonly string[];
  readonly allowCallback?: readonly string[];
  readonly smtp?: string;
  readonly smtpFile?: string;
  readonly allowMail?: readonly string[];
  readonly maxHostConnections?: number;
  readonly maxHostRate?: number;
  readonly openMetrics?: boolean;
  readonly redis?: string;
  readonly threads?: number;
  readonly lockTimeout?: Milliseconds;
}

const DEFAULT_PORT = 4900;

export async function serve(context: Context, flags: ServeFlags): Promise<Outcome> {
  const log = openJsonLog(context);
  const environmentApiKey = environmentKey(context);
  const address = { host: flags.host ?? '127.0.0.1', port: flags.port ?? DEFAULT_PORT };
  const checked = {
    publicUrl: flags.publicUrl ?? null,
    trustProxies: flags.trustProxy ?? [],
    allowPrivate: flags.allowPrivate ?? [],
    allowEmail: flags.allowMail ?? [],
    smtp: readEmailRelay(context, flags),
  };
  await checkOptions(checked);
  const redis = await connectRedis(context, flags, log);
  const dataDirectory = serviceDirectoryOf(context, flags.data);
  const { signal } = context.interruption;
  const timeout = flags.lockTimeout ?? seconds(30);
  const { pid, startOf, isAlive } = context;
  const lockRequest = { directory: dataDirectory, name: 'service.lock', pid, startOf, isAlive };
  // If another process holds the directory, the port is not checked, because that process probably uses the port.
  const isFree = !hasDataDirectory(context, dataDirectory) || findHolder(lockRequest) === null;
  if (isFree) await checkAddress(address);
  createDataDirectory(context, dataDirectory);
  const onWait = ({ holder, text }: LockWaitNotice) => {
    writeNote(context, text);
    log.warn({ event: 'waiting-for-lock', pid: holder.pid, timeout_ms: timeout });
  };
  const lock = await waitForLock(lockRequest, { timeout, signal, onWait });
  context.onExit(() => lock.release());
  const apiKey = environmentApiKey ?? readOrCreateKey(context, dataDirectory);
  const { version } = context;
  const cluster = await redis?.openCluster(dataDirectory);
  const runner = cluster?.createRunner ?? createEngine({ threadUrl: engineThreadUrl(), version });
  const running = await openService({
    mode: 'serve',
    dataDirectory,
    ...address,
    ...checked,
    apiKey,
    runner,
    phases: createPhaseRunner(),
    workerPool: cluster?.workerPool ?? null,
    endpoints: () => cluster?.endpoints() ?? [],
    renderReport: async (report) => (await REPORTERS.html.load())(report),
    log,
    version,
    now: () => Date.now(),
    allowCallbacks: flags.allowCallback ?? [],
    publicMetrics: flags.openMetrics === true,
    keepResults: flags.keepResults ?? null,
    threads: flags.threads ?? null,
    limits: {
      ...(flags.maxHostConnections !== undefined && { connectionsPerTarget: flags.maxHostConnections }),
      ...(flags.maxHostRate !== undefined && { requestsPerSecondPerTarget: flags.maxHostRate }),
    },
  });
  context.interruption.handleGracefully();
  writeNote(context, `loadtests is listening on ${running.url}`);
  const page = running.createSignInLink();
  if (page !== null)
    writeNote(context, `open the web UI with this link, which can be used once within ten minutes: ${page}`);
  if (flags.json === true) {
    writeEvent(context, { event: 'listening', url: running.url, ...(page === null ? {} : { web_ui: page }) });
  }
  await untilAborted(signal);
  await running.close();
  lock.release();
  return createOutcome({});
}

interface RedisConnection {
  openCluster(dataDirectory: string): Promise<ServiceCluster>;
}

type ServiceCluster = Cluster & { readonly endpoints: NonNullable<ServiceOptions['endpoints']> };

/** Returns null if no Redis server is configured. */
async function connectRedis(
  context: Context,
  flags: ServeFlags,
  log: Logger,
): Promise<RedisConnection | null> {
  const text = redisAddressOf(context, flags);
  if (text === null) return null;
  const environmentSecret = environmentWorkerSecret(context);
  const [{ parseRedisAddress }, { openRedis }, { openCluster }, { redisEndpointsOf }] = await Promise.all([
    import('../../cluster/redis-address.ts'),
    import('../../cluster/redis-connection.ts'),
    import('../../cluster/cluster.ts'),
    import('../../cluster/worker-policy.ts'),
  ]);
  const address = parseRedisAddress(text);
  const redis = await openRedis(address, (trouble) => log.warn(trouble));
  return {
    async openCluster(dataDirectory) {
      const secret = environmentSecret ?? readOrCreateWorkerSecret(context, dataDirectory);
      const { version } = context;
      const warn = (line: object) => log.warn(line);
      const cluster = openCluster({ redis, secret, version, warn });
      const named = await redisEndpointsOf(address.location);
      return { ...cluster, endpoints: () => [...named, ...redis.endpoints()] };
    },
  };
}
