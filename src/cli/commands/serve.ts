/** The service on a port. */
import type { Logger } from 'pino';
import type { Cluster } from '../../cluster/runner.ts';
import { createEngine } from '../../engine/run.ts';
import { checkAddress, checkOptions } from '../../server/check-options.ts';
import { openService } from '../../server/open-service.ts';
import type { ServiceOptions } from '../../server/options.ts';
import type { KeptResults } from '../../server/store/results.ts';
import type { Context } from '../terminal/context.ts';
import { findDataFolder, makeDataFolder, serviceFolder } from '../files/data-folder.ts';
import type { OutputFlags } from '../terminal/flags.ts';
import { openJsonLog } from '../terminal/json-log.ts';
import { engineWorkerUrl } from '../session/engine-thread.ts';
import {
  givenKey,
  mailRelay,
  redisAddress,
  storedKey,
  storedWorkerSecret,
  workerSecretIn,
} from '../session/operator-secrets.ts';
import { findHolder, waitForLock, type Waiting } from '../files/folder-lock.ts';
import { outcome, type Outcome } from '../terminal/outcome.ts';
import { note, tellEvent } from '../terminal/report.ts';
import { seconds, type Milliseconds } from '../../core/units.ts';

export interface ServeFlags extends OutputFlags {
  readonly port?: number;
  readonly host?: string;
  readonly data?: string;
  readonly keepResults?: KeptResults;
  readonly publicUrl?: string;
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
  const given = givenKey(context);
  const address = { host: flags.host ?? '127.0.0.1', port: flags.port ?? DEFAULT_PORT };
  const checked = {
    publicUrl: flags.publicUrl ?? null,
    allowPrivate: flags.allowPrivate ?? [],
    allowMail: flags.allowMail ?? [],
    smtp: mailRelay(context, flags),
  };
  await checkOptions(checked);
  const redis = await reachRedis(context, flags, log);
  const dataFolder = serviceFolder(context, flags.data);
  const { signal } = context.interruption;
  const timeout = flags.lockTimeout ?? seconds(30);
  const { pid, startOf, isAlive } = context;
  const lockRequest = { folder: dataFolder, name: 'service.lock', pid, startOf, isAlive };
  // Whoever holds the folder may hold the port too, and is waited for.
  const isFree = !findDataFolder(context, dataFolder) || findHolder(lockRequest) === null;
  if (isFree) await checkAddress(address);
  makeDataFolder(context, dataFolder);
  const onWait = ({ holder, text }: Waiting) => {
    note(context, text);
    log.warn({ event: 'waiting-for-lock', pid: holder.pid, timeout_ms: timeout });
  };
  const lock = await waitForLock(lockRequest, { timeout, signal, onWait });
  context.onExit(() => {
    lock.release();
  });
  const apiKey = given ?? storedKey(context, dataFolder);
  const { version } = context;
  const cluster = await redis?.openCluster(dataFolder);
  const runner = cluster?.runnerOn ?? createEngine({ workerUrl: engineWorkerUrl(), version });
  const running = await openService({
    mode: 'serve',
    dataFolder,
    ...address,
    ...checked,
    apiKey,
    runner,
    workforce: cluster?.workforce ?? null,
    endpoints: () => cluster?.endpoints() ?? [],
    log,
    version,
    now: () => Date.now(),
    allowCallbacks: flags.allowCallback ?? [],
    openMetrics: flags.openMetrics === true,
    keepResults: flags.keepResults ?? null,
    threads: flags.threads ?? null,
    limits: {
      ...(flags.maxHostConnections !== undefined && { connectionsPerTarget: flags.maxHostConnections }),
      ...(flags.maxHostRate !== undefined && { requestsPerSecondPerTarget: flags.maxHostRate }),
    },
  });
  context.interruption.handleGracefully();
  note(context, `loadtests is listening on ${running.url}`);
  const page = running.newPageLink();
  if (page !== null) note(context, `open its page (the link works once, within ten minutes): ${page}`);
  if (flags.json === true) {
    tellEvent(context, { event: 'listening', url: running.url, ...(page === null ? {} : { page }) });
  }
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

interface ReachedRedis {
  /** Workers in place of the engine of this process. */
  openCluster(dataFolder: string): Promise<OpenCluster>;
}

type OpenCluster = Cluster & { readonly endpoints: NonNullable<ServiceOptions['endpoints']> };

/** Null: no Redis is named. Nothing is written before it is known that it can be used. */
async function reachRedis(context: Context, flags: ServeFlags, log: Logger): Promise<ReachedRedis | null> {
  const text = redisAddress(context, flags);
  if (text === null) return null;
  const given = workerSecretIn(context);
  // Loaded where load is made elsewhere only.
  const [{ readRedisAddress }, { openRedis }, { openCluster }, { redisEndpoints }] = await Promise.all([
    import('../../cluster/redis-address.ts'),
    import('../../cluster/redis.ts'),
    import('../../cluster/runner.ts'),
    import('../../cluster/worker-policy.ts'),
  ]);
  const address = readRedisAddress(text);
  const redis = await openRedis(address, (trouble) => {
    log.warn(trouble);
  });
  return {
    async openCluster(dataFolder) {
      const secret = given ?? storedWorkerSecret(context, dataFolder);
      const { version } = context;
      const warn = (line: object) => {
        log.warn(line);
      };
      const cluster = openCluster({ redis, secret, version, warn });
      const named = await redisEndpoints(address.place);
      return { ...cluster, endpoints: () => [...named, ...redis.endpoints()] };
    },
  };
}
