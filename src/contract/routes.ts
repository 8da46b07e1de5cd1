import { isRemoteId, type AppId, type ResultId, type TestId } from '../core/model/ids.ts';

/**
 * The kind determines how an unknown outcome is resolved.
 * @see docs/internals/reconciler.md, section 4.
 */
export type Operation = 'read' | 'register' | 'create' | 'start' | 'stop' | 'verify' | 'delete';

export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  /** Type of the request body. `form` routes also accept JSON. `bytes` is `application/octet-stream`. */
  readonly body: 'none' | 'form' | 'json' | 'bytes';
  /** Name of a schema in schemas/api; null if the body is empty or binary. */
  readonly request: string | null;
  readonly response: string | null;
  /** Content type of a response without a schema. */
  readonly responseType?: 'text/html';
  readonly operation: Operation;
  /** Credentials that the route requires. Default: the API key or a web UI session token. */
  readonly access?: Access;
}

/** `key`: the API key only. `public`: no credentials. */
export type Access = 'key' | 'public';

export const ROUTES = {
  listApps: read('/v2/apps', 'app-list'),
  registerApp: {
    method: 'POST',
    path: '/v2/apps',
    body: 'form',
    request: 'register-request',
    response: 'app-registered',
    operation: 'register',
  },
  getApp: read('/v2/apps/:app_id', 'app-record'),
  verifyApp: {
    method: 'POST',
    path: '/v2/apps/:app_id/verify',
    body: 'form',
    request: 'verify-request',
    response: 'app-verified',
    operation: 'verify',
  },
  deleteApp: {
    method: 'DELETE',
    path: '/v2/apps/:app_id',
    body: 'none',
    request: null,
    response: null,
    operation: 'delete',
  },
  listTests: read('/v2/tests', 'test-list'),
  createTest: {
    method: 'POST',
    path: '/v2/tests',
    body: 'json',
    request: 'test-create',
    response: 'test-created',
    operation: 'create',
  },
  getTest: read('/v2/tests/:test_id', 'test-record'),
  runTest: {
    method: 'PUT',
    path: '/v2/tests/:test_id/run',
    body: 'none',
    request: null,
    response: 'run-response',
    operation: 'start',
  },
  stopTest: {
    method: 'PUT',
    path: '/v2/tests/:test_id/stop',
    body: 'none',
    request: null,
    response: 'run-response',
    operation: 'stop',
  },
  /** Extension: runs one iteration of a test or of each flow, and returns the exchanges. */
  runIteration: {
    method: 'POST',
    path: '/v2/iterations',
    body: 'json',
    request: 'iteration-request',
    response: 'iteration-record',
    operation: 'start',
  },
  listResults: read('/v2/tests/:test_id/results', 'result-list'),
  getResult: read('/v2/tests/:test_id/results/:result_id', 'result-record'),
  listServers: read('/v2/servers', 'servers'),
  // The following routes are extensions of loadtests services.
  publishVerdict: {
    method: 'PUT',
    path: '/v2/tests/:test_id/results/:result_id/verdict',
    body: 'json',
    request: 'run-verdict',
    response: null,
    // `register` also applies to other requests that are safe to repeat.
    operation: 'register',
  },
  saveNote: {
    method: 'PUT',
    path: '/v2/tests/:test_id/results/:result_id/note',
    body: 'json',
    request: 'run-note',
    response: null,
    operation: 'register',
  },
  getProgress: read('/v2/tests/:test_id/results/:result_id/progress', 'result-progress'),
  getReport: {
    method: 'GET',
    path: '/v2/tests/:test_id/results/:result_id/report',
    body: 'none',
    request: null,
    response: null,
    responseType: 'text/html',
    operation: 'read',
  },
  listWorkers: read('/v2/workers', 'worker-list'),
  drainWorker: {
    method: 'POST',
    path: '/v2/workers/:worker_id/drain',
    body: 'none',
    request: null,
    response: null,
    operation: 'stop',
  },
  listKeys: read('/v2/keys', 'key-list'),
  getHistory: read('/v2/tests/:test_id/history', 'test-history'),
  compareRuns: read('/v2/comparison', 'run-comparison'),
  getOverview: read('/v2/overview', 'overview'),
  getPayloadFile: read('/v2/payload-files/:sha256', 'payload-file'),
  putPayloadFile: {
    method: 'PUT',
    path: '/v2/payload-files/:sha256',
    body: 'bytes',
    request: null,
    response: 'payload-file',
    operation: 'register',
  },
  listCallbacks: read('/v2/callbacks', 'callback-list'),
  createSignInCode: {
    method: 'POST',
    path: '/v2/sign-in-codes',
    body: 'none',
    request: null,
    response: 'sign-in-code',
    operation: 'register',
    access: 'key',
  },
  /** Exchanges the code of a sign-in link for a session token. */
  createSession: {
    method: 'POST',
    path: '/v2/sessions',
    body: 'json',
    request: 'session-request',
    response: 'session',
    operation: 'register',
    access: 'public',
  },
  /**
   * Deletes the session of the token in the request. A request with the API key deletes all sessions and unused codes.
   */
  deleteSessions: {
    method: 'DELETE',
    path: '/v2/sessions',
    body: 'none',
    request: null,
    response: null,
    operation: 'delete',
  },
  openapi: read('/v2/openapi.json', 'openapi'),
} as const satisfies Readonly<Record<string, Route>>;

export type RouteName = keyof typeof ROUTES;

function read<Path extends string, Schema extends string>(path: Path, response: Schema) {
  return { method: 'GET', path, body: 'none', request: null, response, operation: 'read' } as const;
}

export interface PathIds {
  readonly app?: AppId;
  readonly test?: TestId;
  readonly result?: ResultId;
  readonly sha256?: string;
}

type Kind = Exclude<keyof PathIds, 'sha256'>;

export function pathOf(route: Route, ids: PathIds): string {
  return route.path.replaceAll(
    /:(?:(app|test|result)_id|(sha256))/g,
    (_, kind: Kind | undefined, sha256: 'sha256') => {
      const id = ids[kind ?? sha256] ?? '';
      if (!isRemoteId(id))
        throw new Error(
          'Bug: an ID in a path is missing, too long, or contains characters that are not allowed',
        );
      return id;
    },
  );
}

export const DEFAULT_AUTH_HEADER = 'service-auth';

/**
 * Request header with an idempotency key, which loadtests services support for create and start requests. If a request
 * with the same key, path and body succeeded earlier, the service returns the earlier response.
 */
export const IDEMPOTENCY_HEADER = 'idempotency-key';

/**
 * Request header with the name of the client. A loadtests service stores the name with runs that the request starts or
 * stops.
 */
export const CLIENT_HEADER = 'x-loadtests-client';

/**
 * Response header of loadtests services. A client that receives this header can rely on the guarantees of these
 * services.
 */
export const SERVICE_HEADER = 'x-loadtests-service';
