import type { FastifyInstance } from 'fastify';
import { proofOf } from '../contract/owner-proof.ts';
import { canOpenFiles } from '../disk/state-file.ts';
import { classifyAddress } from '../egress/address-kind.ts';
import { interfaceAddresses } from '../egress/address-policies.ts';
import { EgressError } from '../egress/egress-error.ts';
import { toListenProblem, checkOptions, toAddressProblem } from './check-options.ts';
import { allowedHosts, isWildcard } from './allowed-hosts.ts';
import { createKeyCheck } from './key-check.ts';
import { loadWebUiFiles } from './web-ui-files.ts';
import { createSessionStore } from './session-store.ts';
import { toProxyBlock } from './client-address.ts';
import { DEFAULT_LIMITS, type ServiceOptions } from './options.ts';
import { composeService, type InstanceContext, type ServiceComponents } from './compose.ts';
import { buildServer, type ReadyServices } from './http-server.ts';
import type { Undelivered } from './domain/notices.ts';
import { handleRequest } from './store/backup.ts';
import { toDataProblem, openDatabase } from './store/open-database.ts';
import { failureOf } from './store/storage-failure.ts';
import { wallClockTicker } from './ticker.ts';

export interface RunningService {
  /** URL of the listening address, such as `http://127.0.0.1:4900`. */
  readonly url: string;
  readonly port: number;
  /** Creates a one-time sign-in link for the web UI, intended only for the operator; null if there is no web UI. */
  createSignInLink(): string | null;
  /**
   * Stops all runs and closes all resources. In `in-process` mode, pending notices are retried for a limited time. Safe
   * to call twice.
   *
   * @returns Undelivered notices of this process, which remain in the data directory; empty if notices are not sent.
   */
  close(): Promise<{ readonly undelivered: readonly Undelivered[] }>;
}

/**
 * Starts the service: listens, opens the data directory, and resumes or ends the unfinished runs of an earlier process.
 * Meanwhile, requests that need the database receive 503.
 *
 * @throws ProblemError LT_SERVER_DATA if the data directory cannot be used, or LT_SERVER_ADDRESS.
 */
export async function openService(options: ServiceOptions): Promise<RunningService> {
  await checkOptions(options);
  const { mode, dataDirectory } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  // An in-process service needs no metrics, because the service ends with the command.
  const prometheus = mode === 'serve' ? (await import('./prometheus.ts')).createPrometheus() : null;
  const webUi =
    mode === 'serve' ? { files: loadWebUiFiles(), sessions: createSessionStore(options.now) } : null;
  let port = options.port;
  let hosts: ReadonlySet<string> = new Set();
  let active: ActiveService | null = null;
  const server = buildServer({
    services: () => active,
    log: options.log,
    prometheus,
    version: options.version,
    checkKey: createKeyCheck(options.apiKey, options.now),
    webUi,
    renderReport: options.renderReport ?? null,
    publicOrigin: options.publicUrl === null ? null : new URL(options.publicUrl).origin,
    trustedProxies: (options.trustProxies ?? []).map(toProxyBlock),
    publicMetrics: options.publicMetrics ?? false,
    hosts: () => hosts,
    addresses: () => loadSourceAddresses(mode),
    isClosing: () => active?.isClosing() === true,
    canOpenFiles: () => canOpenFiles(dataDirectory),
    limits,
    workerPool: options.workerPool ?? null,
    proofOf:
      mode === 'in-process'
        ? (challenge) => proofOf(options.apiKey, urlOf(options.host, port), challenge)
        : null,
  });
  // Listens first, so that the server can respond to health checks while the database is being opened.
  port = await listen(server, options);
  hosts = allowedHosts({ host: options.host, port, publicUrl: options.publicUrl });
  try {
    const database = await openDatabase(dataDirectory);
    active = await activate(options, { server, database, limits, prometheus, ownPort: () => port });
  } catch (error) {
    await server.close();
    throw error;
  }
  const url = urlOf(options.host, port);
  return {
    url,
    port,
    createSignInLink() {
      const base = (options.publicUrl ?? url).replace(/\/*$/, '');
      return webUi === null ? null : `${base}/#${webUi.sessions.createCode().secret}`;
    },
    close: active.close,
  };
}

interface ActiveService extends ReadyServices {
  readonly isClosing: () => boolean;
  readonly close: RunningService['close'];
}

async function activate(
  options: ServiceOptions,
  own: InstanceContext & { readonly server: FastifyInstance },
): Promise<ActiveService> {
  const { database, limits, server } = own;
  const { sendNotices = true } = options;
  let closed: ReturnType<RunningService['close']> | null = null;
  const parts = await composeOrClose(options, own);
  const tick = () => {
    parts.runEnds.tick();
    parts.retention?.tick();
    if (options.mode === 'serve') handleRequest(options.dataDirectory, database, options.log);
    if (sendNotices) parts.notices.tick();
  };
  const stopTicking = (options.ticker ?? wallClockTicker).start(() => {
    parts.schedules?.tick();
    tick();
  });
  // Due tests are not started here, but on the first tick of the ticker.
  tick();
  const close = async () => {
    stopTicking();
    parts.schedules?.close();
    await parts.runs.close(limits.closeGraceMs);
    const undelivered = await parts.notices.close({
      graceMs: limits.closeGraceMs,
      lastChanceMs: sendNotices && options.mode === 'in-process' ? limits.finalDeliveryMs : 0,
    });
    await closeServer(server, limits.closeGraceMs);
    parts.runEnds.close();
    database.close();
    return { undelivered: sendNotices ? undelivered : [] };
  };
  return {
    ...parts,
    failure: () => database.failure(),
    isClosing: () => closed !== null,
    close: () => (closed ??= close()),
  };
}

/** Closes the database on failure. */
async function composeOrClose(options: ServiceOptions, own: InstanceContext): Promise<ServiceComponents> {
  try {
    const parts = await composeService(options, own);
    await parts.runs.resumeAll(
      (job) => parts.preparation.hostsOf(job),
      (testId) => parts.tests.abortSpecOf(testId),
    );
    // Ends missed tests before any client can list them as pending.
    parts.schedules?.endMissedTests();
    return parts;
  } catch (error) {
    own.database.close();
    if (failureOf(error) === 'full') throw toDataProblem(options.dataDirectory, error);
    throw error instanceof EgressError ? toAddressProblem(error) : error;
  }
}

async function listen(server: FastifyInstance, options: ServiceOptions): Promise<number> {
  try {
    await server.listen({ host: options.host, port: options.port });
  } catch (error) {
    await server.close();
    throw toListenProblem(error, options);
  }
  const address = server.server.address();
  if (address === null || typeof address === 'string') throw new Error('Bug: the HTTP server has no port');
  return address.port;
}

async function closeServer(server: FastifyInstance, graceMs: number): Promise<void> {
  const timer = setTimeout(() => server.server.closeAllConnections(), graceMs);
  await server.close();
  clearTimeout(timer);
}

function urlOf(host: string, port: number): string {
  const name = isWildcard(host) ? (host === '::' ? '::1' : '127.0.0.1') : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

function loadSourceAddresses(mode: ServiceOptions['mode']): readonly string[] {
  if (mode === 'in-process') return ['127.0.0.1'];
  const addresses = interfaceAddresses().filter((address) => {
    const kind = classifyAddress(address);
    return kind !== null && kind !== 'loopback' && kind !== 'link-local';
  });
  return addresses.length === 0 ? ['127.0.0.1'] : addresses;
}
