/** Typed client of the service API. Failed calls reject with a CallError. Any other error is a bug. */
import { decodeApp } from '../contract/app-codec.ts';
import { validateResponse, type ResponseName, type ResponseTypes } from '../contract/response-validation.ts';
import { encodeConnectionOptions } from '../contract/connection-codec.ts';
import { decodeWorkers } from '../contract/worker-codec.ts';
import {
  readCreated,
  readExtensions,
  readSignInLink,
  readRegistered,
  readStarted,
  readVerified,
  type SignInLink,
} from '../contract/response-decoders.ts';
import { encodeRunVerdict } from '../contract/verdict-codec.ts';
import { decodeResult } from '../contract/result-codec.ts';
import {
  CLIENT_HEADER,
  IDEMPOTENCY_HEADER,
  ROUTES,
  SERVICE_HEADER,
  pathOf,
  type Operation,
  type PathIds,
  type Route,
  type RouteName,
} from '../contract/routes.ts';
import { decodeIteration } from '../contract/iteration-codec.ts';
import { decodeListedTest, decodeTestRecord, encodeTestCreate } from '../contract/test-codec.ts';
import { UnusableResponse } from '../contract/unusable-response.ts';
import { CallError } from '../core/call-error.ts';
import type { TracedIteration } from '../core/load/run-report.ts';
import type { LoadTestSpec } from '../core/model/load-test.ts';
import { textsOfConnection } from '../core/model/connection.ts';
import { secretsOf, type Secret } from '../core/model/secret.ts';
import { secretsOfSpec } from '../core/model/test-fields.ts';
import { readRunProgress } from '../core/run-record/read-progress.ts';
import { problem } from '../core/problem.ts';
import type { RetryBounds, ServicePort } from '../core/ports/service-port.ts';
import { milliseconds, type Milliseconds } from '../core/units.ts';
import { isObject } from '../core/unknown-value.ts';
import { checkKey, readAuthHeader, readBaseUrl, NOT_SENT } from './service-access.ts';
import { readExchange, type ResponseReader, type ResponseContent } from './response.ts';
import { takeParts, toListed, sortNewestFirst, uniqueById } from './list-response.ts';
import { createRetryBudget, readWithRetries } from './retry.ts';
import { createTransport, type RequestBody } from './transport.ts';

export interface ClientOptions {
  readonly baseUrl: string;
  readonly authHeader: string;
  readonly key: Secret;
  /** Maximum time for one attempt, including the response. */
  readonly requestTimeout: Milliseconds;
  readonly version: string;
  /** Name of the caller, which loadtests services receive with requests that may start or end runs. */
  readonly caller?: string;
  /** True to allow `http:` to other machines, which exposes the API key on the network. */
  readonly allowPlainHttp?: boolean;
  readonly tuning?: Partial<Tuning>;
}

export interface Tuning {
  /** Maximum size of a response in bytes, except for the lists of apps and tests. */
  readonly maxResponseBytes: number;
  readonly maxListBytes: number;
  /**
   * Minimum pause before the second attempt. The minimum doubles with each further attempt, up to 2.5 s. A pause is at
   * most twice the minimum, unless the service requests a longer pause.
   */
  readonly backoff: Milliseconds;
}

const MEBIBYTE = 1024 * 1024;
const DEFAULT_TUNING: Tuning = {
  maxResponseBytes: 16 * MEBIBYTE,
  maxListBytes: 256 * MEBIBYTE,
  backoff: milliseconds(125),
};

export interface ServiceClient extends ServicePort {
  /** Runs one iteration with one client. Supported only by loadtests services. */
  runIteration(spec: LoadTestSpec): Promise<TracedIteration>;
  /** Creates the code of a one-time sign-in link. @throws CallError with status 404 if the service has no web UI. */
  createSignInCode(): Promise<SignInLink>;
  /** Aborts the requests in progress. Additional calls have no effect. */
  close(): Promise<void>;
}

interface Call<T> {
  readonly route: RouteName;
  readonly ids?: PathIds;
  readonly body?: RequestBody;
  readonly nonce?: string;
  /** Secrets in the request that must not appear in messages. */
  readonly secrets?: readonly string[];
  readonly bounds?: RetryBounds | undefined;
  readonly read: ResponseReader<T>['decode'];
  readonly decodeRefusal?: ResponseReader<T>['decodeRefusal'];
}

/** Routes with a response that the client validates. */
type ValidatedRoute = {
  [Name in RouteName]: (typeof ROUTES)[Name]['response'] extends ResponseName ? Name : never;
}[RouteName];

type ResponseOf<Name extends ValidatedRoute> = ResponseTypes[(typeof ROUTES)[Name]['response']];

/** Maximum time to the start of a retry of `listWorkers`, in ms; short, because an outage of Redis may last long. */
const LIST_WORKERS_RETRY_MS = 2000;

/** @throws ProblemError if the address or the header name is invalid, or if plain `http:` is not allowed. */
export function createClient(options: ClientOptions): ServiceClient {
  const baseUrl = readBaseUrl(options.baseUrl, options.allowPlainHttp ?? false);
  const authHeader = readAuthHeader(options.authHeader);
  const tuning = { ...DEFAULT_TUNING, ...options.tuning };
  const { key, requestTimeout, version } = options;
  const transport = createTransport({ baseUrl, authHeader, key, requestTimeout, version });
  const budget = createRetryBudget();
  const closed = new AbortController();
  let idempotent = false;
  let hasReturnedResults = false;
  /** Service time minus the local monotonic clock, in ms. */
  let clockOffset: number | null = null;

  async function call<T>(request: Call<T>): Promise<T> {
    const route: Route = ROUTES[request.route];
    const { operation } = route;
    const path = pathOf(route, request.ids ?? {});
    const title = `${route.method} ${path}`;
    checkKey(key, title);
    const requestContext = {
      title,
      operation,
      origin: baseUrl.origin,
      keyName: key.name,
      secrets: [...transport.secrets(), ...(request.secrets ?? [])],
    };
    const outgoing = {
      method: route.method,
      path,
      body: request.body ?? null,
      headers: {
        ...(request.nonce === undefined ? {} : { [IDEMPOTENCY_HEADER]: request.nonce }),
        ...(controlsRuns(operation) && idempotent && options.caller !== undefined
          ? { [CLIENT_HEADER]: options.caller }
          : {}),
      },
      maxBytes:
        request.route === 'listApps' || request.route === 'listTests'
          ? tuning.maxListBytes
          : tuning.maxResponseBytes,
      // An iteration has no time limit, because its duration depends on the delays in the test.
      isTimed: request.route !== 'runIteration',
    };
    const reader: ResponseReader<T> = {
      decode: request.read,
      ...(request.decodeRefusal === undefined ? {} : { decodeRefusal: request.decodeRefusal }),
    };
    const exchange = async () => {
      const outcome = operation === 'read' ? await transport.read(outgoing) : await transport.write(outgoing);
      if (outcome.kind === 'response') {
        if (outcome.headers.has(SERVICE_HEADER)) idempotent = true;
        const date = Date.parse(outcome.headers.get('date') ?? '');
        if (!Number.isNaN(date)) clockOffset = date - performance.now();
      }
      return await readExchange(requestContext, outcome, reader);
    };
    // Writes are not retried, because only the caller can decide whether repeating them is safe.
    return operation === 'read'
      ? await readWithRetries(
          { budget, backoff: tuning.backoff, signal: closed.signal, bounds: request.bounds },
          exchange,
        )
      : await exchange();
  }

  /** Sends a request, and decodes the response if it matches the schema of the route. */
  const receive = async <Name extends ValidatedRoute, T>(
    route: Name,
    decode: (response: ResponseOf<Name>) => T,
    request: Omit<Call<T>, 'route' | 'read'> = {},
  ): Promise<T> =>
    await call({ ...request, route, read: (content) => decode(validateContent(route, content)) });

  const client: ServiceClient = {
    listApps: () =>
      call({
        route: 'listApps',
        read: async (content, response) =>
          await toListed(await validateList('listApps', content), response, decodeApp),
      }),

    registerApp: (host) => receive('registerApp', readRegistered, { body: form({ app: host }) }),

    getApp: (id) => receive('getApp', decodeApp, { ids: { app: id } }),

    verifyApp: (id, method, connection = null) =>
      receive('verifyApp', readVerified, {
        ids: { app: id },
        body:
          connection === null
            ? form({ method })
            : json({ method, connection: encodeConnectionOptions(connection) }),
        secrets: textsOfConnection(connection ?? {})
          .flatMap(secretsOf)
          .map((secret) => secret.reveal()),
        decodeRefusal: (errors, status) =>
          status < 300 || status === 400 || status === 422 ? { verified: false, errors } : null,
      }),

    deleteApp: async (id) => {
      await call({
        route: 'deleteApp',
        ids: { app: id },
        read: (content) => {
          if (content.kind === 'empty') return null;
          if (!isObject(content.value)) {
            throw new UnusableResponse('', 'the body must be empty or a JSON object');
          }
          return null;
        },
      });
    },

    listTests: () =>
      call({
        route: 'listTests',
        read: async (content, response) =>
          await toListed(await validateList('listTests', content), response, decodeListedTest),
      }),

    hasPayloadFile: async (sha256) => {
      const request = call({ route: 'getPayloadFile', ids: { sha256 }, read: () => true });
      return (await nullIfNotFound(request)) ?? false;
    },

    putPayloadFile: async (sha256, content) => {
      await call({
        route: 'putPayloadFile',
        ids: { sha256 },
        body: { type: 'application/octet-stream', text: content },
        read: () => null,
      });
    },

    createTest: async ({ spec, notes, nonce }) => {
      const secrets = revealSecrets(spec);
      return await receive('createTest', readCreated, {
        body: json(encodeTestCreate(spec, notes)),
        nonce,
        secrets,
      });
    },

    runIteration: async (spec) => {
      const secrets = revealSecrets(spec);
      return await receive('runIteration', decodeIteration, {
        body: json({ ...encodeTestCreate(spec, null), secrets: [...new Set(secrets)] }),
        secrets,
      });
    },

    createSignInCode: () => receive('createSignInCode', readSignInLink),

    getTest: (id, bounds) =>
      call({
        route: 'getTest',
        ids: { test: id },
        bounds,
        read: (content) => {
          const { progress, rest } = splitProgress(content);
          return {
            test: decodeTestRecord(validateContent('getTest', rest)),
            progress: readRunProgress(progress),
          };
        },
      }),

    runTest: (id, nonce) => receive('runTest', readStarted, { ids: { test: id }, nonce }),

    stopTest: (id) => receive('stopTest', readStarted, { ids: { test: id } }),

    listResults: async (id, bounds) => {
      try {
        const results = await receive(
          'listResults',
          (list) => uniqueById(list.map((record, at) => decodeResult(record, at))),
          { ids: { test: id }, bounds },
        );
        hasReturnedResults = true;
        return sortNewestFirst(results);
      } catch (error) {
        if (!isNotFound(error)) throw error;
        // Status 404 can mean that the test, its results or the endpoint does not exist. If the test does not exist,
        // the next call throws.
        await client.getTest(id, bounds);
        return hasReturnedResults ? [] : null;
      }
    },

    getResult: async (id, result, bounds) => {
      const request = receive('getResult', decodeResult, { ids: { test: id, result }, bounds });
      const found = await nullIfNotFound(request);
      if (found !== null) hasReturnedResults = true;
      return found;
    },

    saveVerdict: async (id, result, verdict) => {
      await call({
        route: 'publishVerdict',
        ids: { test: id, result },
        body: json(encodeRunVerdict(verdict)),
        read: () => null,
      });
    },

    listWorkers: async () => {
      // Only loadtests services support this request. `idempotent` is true after the first response from such a
      // service. Older versions of the service respond with status 404.
      if (!idempotent) return [];
      const request = receive('listWorkers', decodeWorkers, { bounds: { within: LIST_WORKERS_RETRY_MS } });
      return (await nullIfNotFound(request)) ?? [];
    },

    listExtensions: async (bounds) => {
      try {
        return await receive('openapi', readExtensions, { bounds });
      } catch (error) {
        // A permanent error means that the service has no extensions.
        if (error instanceof CallError && error.status !== null && isPermanent(error)) return new Set();
        throw error;
      }
    },

    supportsIdempotency: () => idempotent,

    serviceTime: () => (clockOffset === null ? null : clockOffset + performance.now()),

    close: async () => {
      closed.abort();
      await transport.close();
    },
  };
  return client;
}

function controlsRuns(operation: Operation): boolean {
  return ['create', 'start', 'stop', 'delete'].includes(operation);
}

function form(fields: Readonly<Record<string, string>>): RequestBody {
  return { type: 'application/x-www-form-urlencoded', text: new URLSearchParams(fields).toString() };
}

function json(value: object): RequestBody {
  return { type: 'application/json', text: JSON.stringify(value) };
}

/**
 * Separates the field `progress` from the content, which is validated without this field. Other services may use the
 * name for another purpose.
 */
function splitProgress(content: ResponseContent): {
  readonly progress: unknown;
  readonly rest: ResponseContent;
} {
  if (content.kind === 'empty' || !isObject(content.value) || !('progress' in content.value))
    return { progress: null, rest: content };
  const { progress, ...value } = content.value;
  return { progress, rest: { kind: 'value', value } };
}

function validateContent<Name extends ValidatedRoute>(
  route: Name,
  content: ResponseContent,
): ResponseOf<Name> {
  if (content.kind === 'empty') throw new UnusableResponse('', 'the body is empty');
  const mismatch = validateResponse(ROUTES[route].response, content.value);
  if (mismatch !== null) throw new UnusableResponse('', mismatch);
  // The cast is valid, because the value matches the schema.
  return content.value as ResponseOf<Name>;
}

/** Validates a list in parts, so that signals can be processed in between. */
async function validateList<Name extends 'listApps' | 'listTests'>(
  route: Name,
  content: ResponseContent,
): Promise<ResponseOf<Name>> {
  if (content.kind === 'value' && Array.isArray(content.value)) {
    for await (const { members } of takeParts<unknown>(content.value)) {
      // Validates the whole list again, so that the error contains the index in the list.
      if (validateResponse(ROUTES[route].response, members) !== null) return validateContent(route, content);
    }
    // The cast is valid, because each member matches the schema.
    return content.value as ResponseOf<Name>;
  }
  return validateContent(route, content);
}

/** @throws CallError if a secret is not set. */
function revealSecrets(spec: LoadTestSpec): string[] {
  const secrets = secretsOfSpec(spec);
  const missing = secrets.find((secret) => !secret.present);
  if (missing !== undefined) {
    const message = `"${missing.name}" is not set, but a request of the test requires it`;
    throw new CallError(problem('LT_CONFIG_SECRET_MISSING', message), NOT_SENT);
  }
  return secrets.map((secret) => secret.reveal());
}

/** Reports whether another attempt would fail in the same way. Returns false for a rejected key. */
function isPermanent({ transient, problem: { code } }: CallError): boolean {
  return !transient && code !== 'LT_API_KEY';
}

function isNotFound(error: unknown): boolean {
  return error instanceof CallError && error.status === 404;
}

async function nullIfNotFound<T>(request: Promise<T>): Promise<T | null> {
  try {
    return await request;
  } catch (error) {
    if (isNotFound(error)) return null;
    throw error;
  }
}
