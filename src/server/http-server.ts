/** Creates the HTTP server with its routes and hooks, without listening. */
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
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
import type { ServiceComponents } from './compose.ts';
import { createConnectionLimiter } from './connection-limiter.ts';
import type { KeyCheck } from './key-check.ts';
import type { ServiceLog } from './log.ts';
import type { ConnectionLimits } from './options.ts';
import { Refusal, outOfFiles, starting, temporary } from './refusal.ts';
import { failureOf, type StorageFailure } from './store/storage-failure.ts';
import type { Prometheus } from './prometheus.ts';
import { addRoute } from './routes/add-route.ts';
import { addAppRoutes } from './routes/apps.ts';
import { addCallbackRoutes } from './routes/callbacks.ts';
import { addMetaRoutes } from './routes/meta.ts';
import { addOverviewRoutes } from './routes/overview.ts';
import { addRunReportRoute, type ReportRenderer } from './routes/run-report.ts';
import { addWebUiRoutes, type WebUiDeps } from './routes/web-ui.ts';
import { addWorkerRoutes } from './routes/workers.ts';
import { addPayloadFileRoutes } from './routes/payload-files.ts';
import { addTestRoutes } from './routes/tests.ts';

export interface ReadyServices extends Pick<
  ServiceComponents,
  'apps' | 'tests' | 'uploadedFiles' | 'notices' | 'overview' | 'metricsReader'
> {
  readonly failure: () => StorageFailure | null;
}

export interface ServerDeps {
  /** Returns the components of the service; null while the database is being opened. */
  readonly services: () => ReadyServices | null;
  readonly log: ServiceLog;
  readonly prometheus: Prometheus | null;
  readonly publicMetrics: boolean;
  readonly version: string;
  readonly checkKey: KeyCheck;
  readonly webUi: WebUiDeps | null;
  readonly renderReport: ReportRenderer | null;
  /** Public origin of the service; null if clients call the listening address. */
  readonly publicOrigin: string | null;
  readonly trustedProxies: readonly string[];
  /** Returns the accepted values of the Host header, in lower case; empty until the server listens. */
  readonly hosts: () => ReadonlySet<string>;
  readonly addresses: () => readonly string[];
  readonly isClosing: () => boolean;
  readonly canOpenFiles: () => boolean;
  readonly limits: ConnectionLimits;
  readonly workerPool: WorkerPool | null;
  /** Returns proof that the service has the API key; null if the proof could reveal a weak key. */
  readonly proofOf: ((challenge: string) => string) | null;
}

const MAX_BODY_BYTES = OWN_LIMITS.bytes;
const MAX_HEADER_BYTES = 16 * 1024;
/** Maximum delay in detecting a receive timeout, as a fraction of `receiveHeaderMs`. */
const TIMEOUT_TOLERANCE = 1 / 5;
/** Time limit for sending the response to a request that cannot be read, in ms. */
const MAX_FINAL_WRITE_MS = 1000;

export function buildServer(deps: ServerDeps): FastifyInstance {
  const {
    connections: maxConnections,
    unauthenticated,
    receiveHeaderMs,
    receiveMs,
    sendStallMs,
  } = deps.limits;
  const server = fastify({
    logger: false,
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: receiveMs,
    http: {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: receiveHeaderMs,
      connectionsCheckingInterval: receiveHeaderMs * TIMEOUT_TOLERANCE,
    },
    exposeHeadRoutes: false,
    rewriteUrl: ({ url = '' }) => normalizeTarget(url),
    // While the service closes, the admission check refuses requests with an error object.
    return503OnClosing: false,
    // Routes use the contract's codecs instead of Fastify schemas, so no schema compiler is loaded.
    schemaController: {
      compilersFactory: { buildValidator: refuseCompiler, buildSerializer: refuseCompiler },
    },
    forceCloseConnections: 'idle',
    frameworkErrors(error, request, reply) {
      // Hooks do not run for a path that cannot be decoded.
      reply.headers(createCommonHeaders(deps));
      request.socket.setTimeout(sendStallMs);
      sendError(deps, { error: admit(request) ?? error, request, reply });
    },
    clientErrorHandler(error, socket) {
      refuseMalformed(deps, error, socket);
    },
  });
  server.server.maxConnections = maxConnections;
  const connections = createConnectionLimiter(server.server, unauthenticated);
  const clientAddress = (request: IncomingMessage) => clientAddressOf(request, deps.trustedProxies);
  const admit = createAdmission({
    ...deps,
    sessions: deps.webUi?.sessions ?? null,
    clientAddressOf: clientAddress,
    isStarting: () => deps.services() === null,
    markAuthenticated(request) {
      connections.exempt(request.socket);
    },
  });

  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));

  server.addHook('onRequest', (request, reply, done) => {
    reply.headers(createCommonHeaders(deps));
    done(admit(request) ?? undefined);
  });
  server.addHook('onSend', async (request, reply, payload) => {
    // The timeout begins only now, because nothing is sent while a request is processed, for example during an
    // iteration.
    request.socket.setTimeout(sendStallMs);
    return await compressed(request, reply, payload);
  });
  server.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? null;
    const ms = Math.round(reply.elapsedTime);
    const { method } = request;
    const { statusCode: status } = reply;
    deps.log.info({ event: 'request', method, route, status, ms });
    // Counts only registered routes, so that callers cannot create metric series.
    if (route !== null) deps.prometheus?.countResponse({ method, route, status });
    done();
  });
  server.setErrorHandler((error: FastifyError, request, reply) => sendError(deps, { error, request, reply }));
  server.setNotFoundHandler((_request, reply) => reply.code(404).send(encodeError(['Route not found'])));

  server.get('/healthz', { config: { access: 'public' } }, (request, reply) => {
    const challenge = request.headers[CHALLENGE_HEADER];
    if (deps.proofOf !== null && isChallenge(challenge))
      void reply.header(PROOF_HEADER, deps.proofOf(challenge));
    const problem = healthReasonOf(deps.services());
    return problem === null ? { status: 'ok' } : reply.code(503).send(problem);
  });
  addRoute(server, ROUTES.listServers, () => encodeServers(deps.addresses()));
  const ready = () => {
    const services = deps.services();
    if (services === null) throw starting();
    return services;
  };
  addAppRoutes(server, () => ready().apps);
  addTestRoutes(server, () => ready().tests);
  addOverviewRoutes(server, () => ready().overview);
  if (deps.renderReport !== null) {
    const { renderReport: render, publicOrigin } = deps;
    addRunReportRoute(server, () => ready().overview, { render, publicOrigin });
  }
  addPayloadFileRoutes(server, () => ready().uploadedFiles);
  addWorkerRoutes(server, deps.workerPool, (resultId) => deps.services()?.tests.testOf(resultId) ?? null);
  addCallbackRoutes(server, () => ready().notices);
  const metrics = deps.prometheus !== null ? () => ready().metricsReader : null;
  addMetaRoutes(server, { version: deps.version, metrics, openMetrics: deps.publicMetrics });
  if (deps.webUi !== null) {
    addWebUiRoutes(server, deps.webUi, { publicOrigin: deps.publicOrigin, clientAddressOf: clientAddress });
  }
  return server;
}

function refuseCompiler(): never {
  throw new Error('Bug: routes validate requests with the contract, not with Fastify schemas');
}

/**
 * Normalizes the path of an API request: removes duplicate slashes, a final slash, and a `.json` suffix. Only the
 * OpenAPI document keeps the suffix.
 */
function normalizeTarget(target: string): string {
  const path = /^[^?]*/.exec(target)?.[0] ?? '';
  if (!/^\/+v2\//.test(path)) return target;
  const plain = path.replaceAll(/\/{2,}/g, '/').replace(/\/$/, '');
  return (plain === ROUTES.openapi.path ? plain : plain.replace(/\.json$/, '')) + target.slice(path.length);
}

function healthReasonOf(
  services: ReadyServices | null,
): { readonly status: string; readonly reason: string } | null {
  if (services === null) return { status: 'starting', reason: 'the database is being checked' };
  const failure = services.failure();
  return failure === null ? null : { status: 'failing', reason: HEALTH_REASONS[failure] };
}

const HEALTH_REASONS: Readonly<Record<StorageFailure, string>> = {
  full: 'the disk is full; nothing can be stored until space is freed',
  files: 'the process cannot open more files; raise the open-file limit, or reduce the number of connections',
  gone: 'the data directory was deleted or moved; move it back or restore a backup, and restart the service',
  damaged: 'the database is damaged; restore a backup and restart the service',
  unusable: 'the data directory cannot be read or written; see the log of the service',
};

function createCommonHeaders(deps: ServerDeps): Readonly<Record<string, string>> {
  return {
    [SERVICE_HEADER]: deps.version,
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'cache-control': 'no-store',
  };
}

function sendError(
  deps: ServerDeps,
  failure: {
    readonly error: FastifyError | Refusal;
    readonly request: FastifyRequest;
    readonly reply: FastifyReply;
  },
): void {
  const { error, request, reply } = failure;
  const refusal = error instanceof Refusal ? error : refusalOf(error, request.routeOptions.bodyLimit);
  if (refusal.status >= 500 && !(error instanceof Refusal)) {
    const route = request.routeOptions.url ?? null;
    deps.log.error({
      event: 'request-failed',
      method: request.method,
      route,
      reason: error.stack ?? error.message,
    });
  }
  if (refusal.retryAfter !== null) void reply.header('retry-after', String(refusal.retryAfter));
  void reply.code(refusal.status).send(encodeError(refusal.errors, refusal));
}

/** Converts an error to a refusal. Omits the messages of Fastify, because some of them quote the request. */
function refusalOf(error: FastifyError, bodyLimit = MAX_BODY_BYTES): Refusal {
  switch (failureOf(error)) {
    case 'full':
      return temporary('the disk of the service is full; nothing was stored');
    case 'files':
      return outOfFiles();
    case 'gone':
      return temporary('the data directory of the service was deleted or moved; nothing was stored');
    case 'damaged':
      return new Refusal(500, ['the database of the service is damaged; restore a backup']);
    case 'unusable':
      return temporary(
        `the data directory of the service cannot be read or written (${error.code}); a change may or may not have been stored`,
      );
    case null:
  }
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Refusal(413, [`the body is larger than ${bodyLimit} bytes`]);
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new Refusal(415, ['the Content-Type header is not valid']);
    case 'FST_ERR_BAD_URL':
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new Refusal(404, ['Route not found']);
    default:
      if ((error.statusCode ?? 500) < 500) return new Refusal(422, ['the request is malformed']);
      return new Refusal(500, ['internal error; see the log of the service']);
  }
}

/**
 * Responds to a request that cannot be read: malformed, too slow, or with headers that are too large. Closes the
 * connection, because later bytes cannot be interpreted.
 */
function refuseMalformed(
  deps: ServerDeps,
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
    ...createCommonHeaders(deps),
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  // Destroys the socket, because `socket.end` closes only the sending direction while the client is still sending.
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
      return [
        '431 Request Header Fields Too Large',
        `the request line and headers are larger than ${MAX_HEADER_BYTES} bytes`,
      ];
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return ['408 Request Timeout', 'the request did not arrive in time'];
    case undefined:
    default:
      return ['400 Bad Request', 'the request is not valid HTTP'];
  }
}

const toGzip = promisify(gzip);
/** Minimum size of bodies to compress, in bytes. Smaller bodies fit into one packet. */
const MIN_COMPRESSED_BYTES = 1400;
const GZIP_LEVEL = 4;

/** Compresses large strings and buffers, but not streams, if the client accepts gzip. */
async function compressed(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
  if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return payload;
  if (Buffer.byteLength(payload) < MIN_COMPRESSED_BYTES || reply.hasHeader('content-encoding'))
    return payload;
  reply.header('vary', 'accept-encoding');
  if (!/\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) return payload;
  reply.header('content-encoding', 'gzip').removeHeader('content-length');
  return await toGzip(payload, { level: GZIP_LEVEL });
}
