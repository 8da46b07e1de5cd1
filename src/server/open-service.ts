/** The service: its API over HTTP, its data in one folder, its load made by a runner. */
import type { FastifyInstance } from 'fastify';
import { proofOf } from '../contract/owner-proof.ts';
import { classifyAddress } from '../egress/classify.ts';
import { EgressError } from '../egress/egress-error.ts';
import { cannotListen, checkOptions, noAddress } from './check-options.ts';
import { allowedHosts, isWildcard, localAddresses } from './allowed-hosts.ts';
import { openKeyCheck } from './key-check.ts';
import { openPageFiles } from './page-files.ts';
import { openPageSessions } from './page-sessions.ts';
import { isBehindProxy } from './visitor.ts';
import { DEFAULT_LIMITS, type ServiceOptions } from './options.ts';
import { noMetrics } from './metrics.ts';
import { createParts, type OwnParts, type ServiceParts } from './parts.ts';
import { buildServer, type ServedParts } from './http-server.ts';
import type { Undelivered } from './domain/notices.ts';
import { answerRequest } from './store/backup.ts';
import { cannotUse, openDatabase } from './store/open.ts';
import { failureOf } from './store/storage-failure.ts';
import { wallClockTicker } from './ticker.ts';

export interface RunningService {
  /** Where it can be called from this machine: `http://127.0.0.1:4900`. */
  readonly url: string;
  readonly port: number;
  /** A link that opens the page, once; null where there is no page. It is for the operator's eyes alone. */
  newPageLink(): string | null;
  /**
   * Stops runs, keeps their results as stopped, tells of them, closes everything. Safe to call twice.
   *
   * Shape: what this process had to tell and could not. It stays in the data folder, for the next start.
   */
  close(): Promise<{ readonly undelivered: readonly Undelivered[] }>;
}

/**
 * Listens, opens the data folder, and takes up or ends what an earlier process left running. Until then all it answers
 * is how it is.
 *
 * Errors: ProblemError LT_SERVER_DATA, LT_SERVER_ADDRESS.
 */
export async function openService(options: ServiceOptions): Promise<RunningService> {
  await checkOptions(options);
  const { mode, dataFolder } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  // A service of one command has nobody who would watch it.
  const watched = mode === 'serve' ? (await import('./prometheus.ts')).openPrometheus() : null;
  const page = mode === 'serve' ? { files: openPageFiles(), sessions: openPageSessions(options.now) } : null;
  let port = options.port;
  let hosts: ReadonlySet<string> = new Set();
  let served: Served | null = null;
  const server = buildServer({
    served: () => served,
    log: options.log,
    metrics: watched?.metrics ?? noMetrics,
    watched: watched !== null,
    version: options.version,
    checkKey: openKeyCheck(options.apiKey, options.now),
    page,
    publicOrigin: options.publicUrl === null ? null : new URL(options.publicUrl).origin,
    behindProxy: isBehindProxy(options.publicUrl),
    openMetrics: options.openMetrics ?? false,
    hosts: () => hosts,
    addresses: () => loadAddresses(mode),
    isClosing: () => served?.isClosing() === true,
    limits,
    workforce: options.workforce ?? null,
    prove:
      mode === 'in-process'
        ? (challenge) => proofOf(options.apiKey, urlOf(options.host, port), challenge)
        : null,
  });
  // First of all, so that whoever watches is told what is done meanwhile.
  port = await listen(server, options);
  hosts = allowedHosts({ host: options.host, port, publicUrl: options.publicUrl });
  try {
    const database = await openDatabase(dataFolder);
    served = await serve(options, { server, database, limits, watched, ownPort: () => port });
  } catch (error) {
    await server.close();
    throw error;
  }
  const url = urlOf(options.host, port);
  return {
    ...{ url, port },
    newPageLink() {
      const base = (options.publicUrl ?? url).replace(/\/*$/, '');
      return page === null ? null : `${base}/#${page.sessions.newCode().secret}`;
    },
    close: served.close,
  };
}

interface Served extends ServedParts {
  readonly isClosing: () => boolean;
  readonly close: RunningService['close'];
}

/** Takes up what the data says, and does from now on what comes due. */
async function serve(
  options: ServiceOptions,
  own: OwnParts & { readonly server: FastifyInstance },
): Promise<Served> {
  const { database, limits, server } = own;
  const { tells = true } = options;
  let closed: ReturnType<RunningService['close']> | null = null;
  const parts = await openParts(options, own);
  const tick = () => {
    parts.ends.tick();
    parts.schedules?.tick();
    parts.retention?.tick();
    if (options.mode === 'serve') answerRequest(options.dataFolder, database, options.log);
    if (tells) parts.notices.tick();
  };
  const stopTicking = (options.ticker ?? wallClockTicker).start(tick);
  tick();
  const close = async () => {
    stopTicking();
    parts.schedules?.close();
    await parts.runs.close(limits.closeGraceMs);
    const undelivered = await parts.notices.close({
      graceMs: limits.closeGraceMs,
      lastChanceMs: tells && options.mode === 'in-process' ? limits.lastDeliveriesMs : 0,
    });
    await closeServer(server, limits.closeGraceMs);
    parts.ends.close();
    database.close();
    return { undelivered: tells ? undelivered : [] };
  };
  return {
    ...parts,
    failure: () => database.failure(),
    isClosing: () => closed !== null,
    close: () => (closed ??= close()),
  };
}

/** The database is closed where they cannot be opened. */
async function openParts(options: ServiceOptions, own: OwnParts): Promise<ServiceParts> {
  try {
    const parts = await createParts(options, own);
    await parts.runs.takeUp((job) => parts.preparation.hostsOf(job));
    // Before anybody can see them as pending.
    parts.schedules?.settleMissed();
    return parts;
  } catch (error) {
    own.database.close();
    if (failureOf(error) === 'full') throw cannotUse(options.dataFolder, error);
    throw error instanceof EgressError ? noAddress(error) : error;
  }
}

async function listen(server: FastifyInstance, options: ServiceOptions): Promise<number> {
  try {
    await server.listen({ host: options.host, port: options.port });
  } catch (error) {
    await server.close();
    throw cannotListen(error, options);
  }
  const address = server.server.address();
  if (address === null || typeof address === 'string') throw new Error('Bug: listening without a port');
  return address.port;
}

/** Lets answers that are being made go out; then nobody is waited for. */
async function closeServer(server: FastifyInstance, graceMs: number): Promise<void> {
  const timer = setTimeout(() => {
    server.server.closeAllConnections();
  }, graceMs);
  await server.close();
  clearTimeout(timer);
}

function urlOf(host: string, port: number): string {
  const name = isWildcard(host) ? (host === '::' ? '::1' : '127.0.0.1') : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

function loadAddresses(mode: ServiceOptions['mode']): readonly string[] {
  if (mode === 'in-process') return ['127.0.0.1'];
  const others = localAddresses().filter((address) => {
    const kind = classifyAddress(address);
    return kind !== null && kind !== 'loopback' && kind !== 'link-local';
  });
  return others.length === 0 ? ['127.0.0.1'] : others;
}
