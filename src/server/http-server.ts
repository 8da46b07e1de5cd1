/** The HTTP server with its routes and hooks, not yet listening. */
import type { IncomingMessage } from 'node:http';
import fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import type { WorkerPool } from '../core/ports/worker-pool.ts';
import { encodeError, encodeServers } from '../contract/responses.ts';
import { ROUTES, SERVICE_HEADER } from '../contract/routes.ts';
import { CHALLENGE_HEADER, isChallenge, PROOF_HEADER } from '../contract/owner-proof.ts';
import { OWN_LIMITS } from '../core/model/capabilities.ts';
import { createAdmission } from './admission.ts';
import { clientAddressOf } from './client-address.ts';
import { createConnectionLimiter } from './connection-limiter.ts';
import type { KeyCheck } from './key-check.ts';
import type { ServiceLog } from './log.ts';
import { Refusal, starting } from './refusal.ts';
import { failureOf, type StorageFailure } from './store/storage-failure.ts';
import type { Metrics, MetricsReader } from './metrics.ts';
import { addAppRoutes } from './routes/apps.ts';
import { addCallbackRoutes } from './routes/callbacks.ts';
import { addMetaRoutes } from './routes/meta.ts';
import { addOverviewRoutes } from './routes/overview.ts';
import { addWebUiRoutes, type WebUiDeps } from './routes/web-ui.ts';
import { addWorkerRoutes } from './routes/workers.ts';
import { addPayloadFileRoutes } from './routes/payload-files.ts';
import { addTestRoutes } from './routes/tests.ts';
import type { Apps } from './domain/apps.ts';
import type { Notices } from './domain/notices.ts';
import type { OverviewDeps } from './domain/overview.ts';
import type { UploadedFiles } from './domain/uploaded-files.ts';
import type { Tests } from './domain/tests.ts';

/** What needs the data of the service. */
export interface ReadyServices {
  readonly apps: Apps;
  readonly tests: Tests;
  readonly uploadedFiles: UploadedFiles;
  readonly notices: Notices;
  readonly overview: OverviewDeps;
  /** Null where nobody watches. */
  readonly metricsReader: MetricsReader | null;
  /** What is wrong with the data; null: nothing. */
  readonly failure: () => StorageFailure | null;
}

export interface ServerDeps {
  /** Null while the data is being opened. */
  readonly services: () => ReadyServices | null;
  readonly log: ServiceLog;
  readonly metrics: Metrics;
  /** Whether there are metrics to be read. */
  readonly exposesMetrics: boolean;
  /** Whether they are read without the key. */
  readonly publicMetrics: boolean;
  readonly version: string;
  readonly checkKey: KeyCheck;
  /** Null where there is no page. */
  readonly webUi: WebUiDeps | null;
  /** The origin that users call the service by; null: any that it listens on. */
  readonly publicOrigin: string | null;
  /** Clients come through a proxy on this machine, which says who they are. */
  readonly behindProxy: boolean;
  /** Lower case values of the Host header. Known once the server listens. */
  readonly hosts: () => ReadonlySet<string>;
  /** Addresses that load comes from. */
  readonly addresses: () => readonly string[];
  readonly isClosing: () => boolean;
  readonly limits: ConnectionLimits;
  /** Those who make the load elsewhere; null: the service makes it itself. */
  readonly workerPool: WorkerPool | null;
  /** Answers a challenge as only who knows the key can; null where the key might be guessed from the answer. */
  readonly proofOf: ((challenge: string) => string) | null;
}

export interface ConnectionLimits {
  /** Connections at once. */
  readonly connections: number;
  /** Of these, such as no request with the key has come on. */
  readonly unauthenticated: number;
  /** From the first byte of a request, or from the connection, to the end of its head. No byte renews it. */
  readonly receiveHeaderMs: number;
  /** The same to the end of the request. */
  readonly receiveMs: number;
}

const MAX_BODY_BYTES = OWN_LIMITS.bytes;
const MAX_HEADER_BYTES = 16 * 1024;
/** Longer than the slowest call, which is a verification. */
const MAX_IDLE_SOCKET_MS = 60_000;
/** How late the ends of requests that do not arrive may be noticed, as a part of the time that they have. */
const TIMEOUT_TOLERANCE = 1 / 5;
/** For an answer to bytes that are no request, which fits into the buffers of every socket. */
const MAX_FINAL_WRITE_MS = 1000;

export function buildServer(parts: ServerDeps): FastifyInstance {
  const { connections: most, unauthenticated, receiveHeaderMs, receiveMs } = parts.limits;
  const server = fastify({
    logger: false,
    bodyLimit: MAX_BODY_BYTES,
    connectionTimeout: MAX_IDLE_SOCKET_MS,
    requestTimeout: receiveMs,
    http: {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: receiveHeaderMs,
      connectionsCheckingInterval: receiveHeaderMs * TIMEOUT_TOLERANCE,
    },
    exposeHeadRoutes: false,
    rewriteUrl: ({ url = '' }) => normalizeTarget(url),
    // Answered below, as an error object.
    return503OnClosing: false,
    // Routes have no schemas of Fastify's: what would compile them is not loaded.
    schemaController: {
      compilersFactory: { buildValidator: refuseCompiler, buildSerializer: refuseCompiler },
    },
    forceCloseConnections: 'idle',
    frameworkErrors(error, request, reply) {
      // A path that cannot be decoded: no hook runs for it.
      reply.headers(createCommonHeaders(parts));
      sendError(parts, { error: admit(request) ?? error, request, reply });
    },
    clientErrorHandler(error, socket) {
      refuseMalformed(parts, error, socket);
    },
  });
  server.server.maxConnections = most;
  const connections = createConnectionLimiter(server.server, unauthenticated);
  const visitor = (request: IncomingMessage) => clientAddressOf(request, parts.behindProxy);
  const admit = createAdmission({
    ...parts,
    sessions: parts.webUi?.sessions ?? null,
    clientAddressOf: visitor,
    isStarting: () => parts.services() === null,
    markAuthenticated(request) {
      connections.exempt(request.socket);
    },
  });

  // One parser: bytes. Each route reads them as what it takes, and nothing else.
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
    done(null, body);
  });

  server.addHook('onRequest', (request, reply, done) => {
    reply.headers(createCommonHeaders(parts));
    done(admit(request) ?? undefined);
  });
  server.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? null;
    const ms = Math.round(reply.elapsedTime);
    const { method } = request;
    const { statusCode: status } = reply;
    parts.log.info({ event: 'request', method, route, status, ms });
    // Only routes of ours: a caller's paths and methods must not make up series.
    if (route !== null) parts.metrics.countResponse({ method, route, status });
    done();
  });
  server.setErrorHandler((error: FastifyError, request, reply) => {
    sendError(parts, { error, request, reply });
  });
  server.setNotFoundHandler((_request, reply) => reply.code(404).send(encodeError(['Route not found'])));

  server.get('/healthz', { config: { access: 'anybody' } }, (request, reply) => {
    const challenge = request.headers[CHALLENGE_HEADER];
    if (parts.proofOf !== null && isChallenge(challenge))
      void reply.header(PROOF_HEADER, parts.proofOf(challenge));
    const ill = healthReasonOf(parts.services());
    return ill === null ? { status: 'ok' } : reply.code(503).send(ill);
  });
  server.get(ROUTES.listServers.path, () => encodeServers(parts.addresses()));
  const served = () => {
    const now = parts.services();
    if (now === null) throw starting();
    return now;
  };
  addAppRoutes(server, () => served().apps);
  addTestRoutes(server, () => served().tests);
  addOverviewRoutes(server, () => served().overview);
  addPayloadFileRoutes(server, () => served().uploadedFiles);
  addWorkerRoutes(server, parts.workerPool);
  addCallbackRoutes(server, () => served().notices);
  const metrics = parts.exposesMetrics ? () => served().metricsReader : null;
  addMetaRoutes(server, { version: parts.version, metrics, openMetrics: parts.publicMetrics });
  if (parts.webUi !== null) {
    addWebUiRoutes(server, parts.webUi, { publicOrigin: parts.publicOrigin, clientAddressOf: visitor });
  }
  return server;
}

function refuseCompiler(): never {
  throw new Error('Bug: routes check what they get by the schemas of the contract');
}

/** Clients join paths with a slash too many, or with the suffix that frameworks give to what is JSON. */
function normalizeTarget(target: string): string {
  const path = /^[^?]*/.exec(target)?.[0] ?? '';
  if (!/^\/+v2\//.test(path)) return target;
  const plain = path.replaceAll(/\/{2,}/g, '/').replace(/\/$/, '');
  return (plain === ROUTES.openapi.path ? plain : plain.replace(/\.json$/, '')) + target.slice(path.length);
}

/** What health tells where something is wrong. */
function healthReasonOf(
  served: ReadyServices | null,
): { readonly status: string; readonly reason: string } | null {
  if (served === null) return { status: 'starting', reason: 'the database is being checked' };
  const failure = served.failure();
  return failure === null ? null : { status: 'failing', reason: HEALTH_REASONS[failure] };
}

const HEALTH_REASONS: Readonly<Record<StorageFailure, string>> = {
  full: 'the disk is full; nothing can be stored until there is room',
  gone: 'the data directory was deleted or moved; restart the service, from a backup',
  damaged: 'the database is damaged; restore a backup',
  unusable: 'the data directory cannot be read or written; see the log',
};

function createCommonHeaders(parts: ServerDeps): Readonly<Record<string, string>> {
  return {
    [SERVICE_HEADER]: parts.version,
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'cache-control': 'no-store',
  };
}

function sendError(
  parts: ServerDeps,
  what: {
    readonly error: FastifyError | Refusal;
    readonly request: FastifyRequest;
    readonly reply: FastifyReply;
  },
): void {
  const { error, request, reply } = what;
  const refusal = error instanceof Refusal ? error : refusalOf(error, request.routeOptions.bodyLimit);
  if (refusal.status >= 500 && !(error instanceof Refusal)) {
    const route = request.routeOptions.url ?? null;
    parts.log.error({
      event: 'request-failed',
      method: request.method,
      route,
      reason: error.stack ?? error.message,
    });
  }
  if (refusal.retryAfter !== null) void reply.header('retry-after', String(refusal.retryAfter));
  void reply.code(refusal.status).send(encodeError(refusal.errors, refusal));
}

/** Errors that fastify makes while it reads a request. Its messages stay inside: some quote the request. */
function refusalOf(error: FastifyError, bodyLimit = MAX_BODY_BYTES): Refusal {
  switch (failureOf(error)) {
    case 'full':
      return new Refusal(503, ['the disk of the service is full; nothing was stored'], { retryAfter: 5 });
    case 'gone':
      return new Refusal(503, ['the data directory of the service was deleted or moved; nothing was stored']);
    case 'damaged':
      return new Refusal(500, ['the database of the service is damaged; restore a backup']);
    case 'unusable': // Whether something was stored is not known.
    case null:
  }
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Refusal(413, [`the body is larger than ${bodyLimit} bytes`]);
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new Refusal(415, ['the content type is not accepted by this route']);
    case 'FST_ERR_BAD_URL':
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new Refusal(404, ['Route not found']);
    default:
      if ((error.statusCode ?? 500) < 500) return new Refusal(422, ['the request is malformed']);
      return new Refusal(500, ['internal error; see the log of the service']);
  }
}

/** Answers bytes that are no HTTP request, and ends the connection, since its next byte means nothing. */
function refuseMalformed(
  parts: ServerDeps,
  error: Error & { code?: string },
  socket: IncomingMessage['socket'],
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, text] = malformedRefusal(error.code);
  const body = JSON.stringify(encodeError([text]));
  const headers = {
    ...createCommonHeaders(parts),
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  // An end alone would leave the other half open, for as long as bytes come.
  const end = () => {
    clearTimeout(timer);
    socket.destroy();
  };
  const timer = setTimeout(end, MAX_FINAL_WRITE_MS).unref();
  socket.end(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n${body}`, end);
}

function malformedRefusal(code: string | undefined): readonly [status: string, text: string] {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return ['431 Request Header Fields Too Large', `the headers are larger than ${MAX_HEADER_BYTES} bytes`];
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return ['408 Request Timeout', 'the request did not arrive in time'];
    case undefined:
    default:
      return ['400 Bad Request', 'this is not an HTTP request'];
  }
}
