/** The service on a port. */
import type { Logger } from 'pino';
import type { Cluster } from '../../cluster/runner.ts';
import { createEngine } from '../../engine/run.ts';
import { openService } from '../../server/open-service.ts';
import type { ServiceOptions } from '../../server/options.ts';
import type { KeptResults } from '../../server/store/results.ts';
import type { Context } from '../terminal/context.ts';
import { makeDataFolder, serviceFolder } from '../files/data-folder.ts';
import type { OutputFlags } from '../terminal/flags.ts';
import { openJsonLog } from '../terminal/json-log.ts';
import { engineWorkerUrl } from '../session/engine-thread.ts';
import { givenKey, mailRelay, redisAddress, storedKey, workerSecretOf } from '../session/operator-secrets.ts';
import { waitForLock, type Waiting } from '../files/folder-lock.ts';
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
  const given = givenKey(context);
  const smtp = mailRelay(context, flags);
  const dataFolder = serviceFolder(context, flags.data);
  makeDataFolder(context, dataFolder);
  const { signal } = context.interruption;
  const timeout = flags.lockTimeout ?? seconds(30);
  const { pid, startOf, isAlive } = context;
  const log = openJsonLog(context);
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
  const apiKey = given ?? storedKey(context, dataFolder);
  const { version } = context;
  const redis = redisAddress(context, flags);
  const cluster = redis === null ? null : await openCluster(redis, { context, dataFolder, log });
  const runner = cluster?.runnerOn ?? createEngine({ workerUrl: engineWorkerUrl(), version });
  const running = await openService({
    mode: 'serve',
    dataFolder,
    host: flags.host ?? '127.0.0.1',
    port: flags.port ?? DEFAULT_PORT,
    apiKey,
    runner,
    workforce: cluster?.workforce ?? null,
    endpoints: () => cluster?.endpoints() ?? [],
    log,
    version,
    now: () => Date.now(),
    allowPrivate: flags.allowPrivate ?? [],
    allowCallbacks: flags.allowCallback ?? [],
    smtp,
    allowMail: flags.allowMail ?? [],
    openMetrics: flags.openMetrics === true,
    publicUrl: flags.publicUrl ?? null,
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

/** Workers in place of the engine of this process. */
async function openCluster(
  redis: string,
  {
    context,
    dataFolder,
    log,
  }: { readonly context: Context; readonly dataFolder: string; readonly log: Logger },
): Promise<Cluster & { readonly endpoints: NonNullable<ServiceOptions['endpoints']> }> {
  // Loaded where load is made elsewhere only.
  const [{ readRedisAddress }, { openRedis }, { openCluster: open }, { redisEndpoints }] = await Promise.all([
    import('../../cluster/redis-address.ts'),
    import('../../cluster/redis.ts'),
    import('../../cluster/runner.ts'),
    import('../../cluster/worker-policy.ts'),
  ]);
  const address = readRedisAddress(redis);
  const opened = await openRedis(address, (trouble) => {
    log.warn(trouble);
  });
  const secret = workerSecretOf(context, dataFolder);
  const { version } = context;
  const warn = (line: object) => {
    log.warn(line);
  };
  const cluster = open({ redis: opened, secret, version, warn });
  const named = await redisEndpoints(address.place);
  return { ...cluster, endpoints: () => [...named, ...opened.endpoints()] };
}
