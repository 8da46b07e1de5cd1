/** Every row of the API document, as data. */
import { isRemoteId, type AppId, type ResultId, type TestId } from '../core/model/ids.ts';

/** What may be done when a call got no clear answer. Source: docs/internals/reconciler.md, section 4. */
export type Operation = 'read' | 'register' | 'create' | 'start' | 'stop' | 'verify' | 'delete';

export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Parameters are written `:app_id`. */
  readonly path: string;
  /** `bytes`: of any kind. */
  readonly body: 'none' | 'form' | 'json' | 'bytes';
  /** Name of a schema in schemas/api; null where the document shows none. */
  readonly request: string | null;
  readonly response: string | null;
  readonly operation: Operation;
  /** Who may call it, where that is not whoever has the key or the token of a page. */
  readonly access?: Access;
}

/** `key`: not with the token of a page. */
export type Access = 'key' | 'anybody';

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
  /** Extension: runs one iteration of one client and returns each exchange; no result counts it. */
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
  // Extensions of our own service.
  publishVerdict: {
    method: 'PUT',
    path: '/v2/tests/:test_id/results/:result_id/verdict',
    body: 'json',
    request: 'run-verdict',
    response: null,
    // As with a host, twice is as good as once.
    operation: 'register',
  },
  getProgress: read('/v2/tests/:test_id/results/:result_id/progress', 'result-progress'),
  listWorkers: read('/v2/workers', 'worker-list'),
  drainWorker: {
    method: 'POST',
    path: '/v2/workers/:worker_id/drain',
    body: 'none',
    request: null,
    response: null,
    // Twice is as good as once.
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
    // As with a host, twice is as good as once.
    operation: 'register',
  },
  listCallbacks: read('/v2/callbacks', 'callback-list'),
  /** Creates the code that a link to the web UI ends with. An unused code expires. */
  createSignInCode: {
    method: 'POST',
    path: '/v2/sign-in-codes',
    body: 'none',
    request: null,
    response: 'sign-in-code',
    operation: 'register',
    access: 'key',
  },
  /** Exchanges the code of a link for a session token. Only the web UI uses it. */
  createSession: {
    method: 'POST',
    path: '/v2/sessions',
    body: 'json',
    request: 'session-request',
    response: 'session',
    operation: 'register',
    access: 'anybody',
  },
  /** Called with a token, deletes its session; called with the key, deletes all sessions and unused codes. */
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

function read<Path extends string, Answer extends string>(path: Path, response: Answer) {
  return { method: 'GET', path, body: 'none', request: null, response, operation: 'read' } as const;
}

/** What the parameters of a path stand for. */
export interface PathIds {
  readonly app?: AppId;
  readonly test?: TestId;
  readonly result?: ResultId;
  /** Of a payload file. */
  readonly sha256?: string;
}

type Kind = Exclude<keyof PathIds, 'sha256'>;

export function pathOf(route: Route, ids: PathIds): string {
  return route.path.replaceAll(
    /:(?:(app|test|result)_id|(sha256))/g,
    (_, of: Kind | undefined, sha256: 'sha256') => {
      const id = ids[of ?? sha256] ?? '';
      if (!isRemoteId(id)) throw new Error('Bug: an id was not checked before use');
      return id;
    },
  );
}

/** The header that names the key, where the file does not say otherwise. */
export const DEFAULT_AUTH_HEADER = 'service-auth';

/** Honoured by our own service on creates and runs: same key and body get the first answer again. */
export const IDEMPOTENCY_HEADER = 'idempotency-key';

/** Who sends a request, in words: what our own service says of a run that the request ended. */
export const CLIENT_HEADER = 'x-loadtests-client';

/** Sent with each answer of our own service, so that the client knows which promises hold. */
export const SERVICE_HEADER = 'x-loadtests-service';
