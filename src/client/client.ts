/**
 * One typed function per row of the API document.
 *
 * Errors: every function rejects with a CallError, and with nothing else but bugs.
 */
import { decodeApp } from '../contract/app-codec.ts';
import { checkAnswer, type AnswerName } from '../contract/check.ts';
import type { AppList } from '../contract/generated/app-list.ts';
import type { AppRecord } from '../contract/generated/app-record.ts';
import type { AppRegistered } from '../contract/generated/app-registered.ts';
import type { AppVerified } from '../contract/generated/app-verified.ts';
import type { OpenApi } from '../contract/generated/openapi.ts';
import type { SignInCode } from '../contract/generated/sign-in-code.ts';
import type { IterationRecord } from '../contract/generated/iteration-record.ts';
import type { ResultList } from '../contract/generated/result-list.ts';
import type { ResultRecord } from '../contract/generated/result-record.ts';
import type { RunResponse } from '../contract/generated/run-response.ts';
import type { ServerList } from '../contract/generated/servers.ts';
import type { TestCreated } from '../contract/generated/test-created.ts';
import type { TestList } from '../contract/generated/test-list.ts';
import type { TestRecord } from '../contract/generated/test-record.ts';
import { decodeProgress } from '../contract/progress-codec.ts';
import { decodeWorkers } from '../contract/worker-codec.ts';
import type { WorkerList } from '../contract/generated/worker-list.ts';
import {
  readCreated,
  readExtensions,
  readPageLink,
  readRegistered,
  readServers,
  readStarted,
  readVerified,
  type PageLink,
} from '../contract/read-answers.ts';
import { encodeJudgement } from '../contract/judgement-codec.ts';
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
import { decodePass } from '../contract/pass-codec.ts';
import { decodeListedTest, decodeTestRecord, encodeTestCreate } from '../contract/test-codec.ts';
import { UnusableAnswer } from '../contract/unusable-answer.ts';
import { CallError } from '../core/call-error.ts';
import type { Exchange } from '../core/load/report.ts';
import type { LoadTestSpec } from '../core/model/load-test.ts';
import type { Secret } from '../core/model/secret.ts';
import { secretsOfSpec } from '../core/model/test-fields.ts';
import { problem } from '../core/problem.ts';
import type { ReadBounds, ServicePort, VerifyAnswer } from '../core/ports/service-port.ts';
import { milliseconds, type Milliseconds } from '../core/units.ts';
import { checkKey, readAuthHeader, readBaseUrl, UNSENT } from './access.ts';
import { readExchange, type Reading, type Said } from './answer.ts';
import { listed, newestFirst, uniqueById } from './list.ts';
import { createRetryBudget, withRetries } from './retry.ts';
import { createTransport } from './transport.ts';

export interface ClientOptions {
  /** Every path of the API lies below it. */
  readonly baseUrl: string;
  readonly authHeader: string;
  readonly key: Secret;
  /** One exchange, in all. */
  readonly requestTimeout: Milliseconds;
  /** Of this program, for User-Agent. */
  readonly version: string;
  /** Who asks, in words; told to our own service with what ends runs, and to no other. */
  readonly caller?: string;
  /** `http:` to another machine: anybody in between reads the key. */
  readonly allowPlainHttp?: boolean;
  /**
   * Ends everything at once: pauses, reads, and the write in flight, whose outcome is then unknown. So it is the
   * second signal of a process and not the first.
   */
  readonly signal?: AbortSignal;
  readonly tuning?: Partial<Tuning>;
}

export interface Tuning {
  /** Longest answer in bytes, of all but the two lists. */
  readonly answerCap: number;
  /** Longest list of apps or tests, in bytes. */
  readonly listCap: number;
  /** Pause before the second try of a read, at least, and at most twice as long; doubles with each. */
  readonly backoff: Milliseconds;
}

const MEBIBYTE = 1024 * 1024;
const TUNING: Tuning = {
  answerCap: 16 * MEBIBYTE,
  listCap: 256 * MEBIBYTE,
  backoff: milliseconds(125),
};

export interface ServiceClient extends ServicePort {
  /** One client, one pass, each exchange told: only our own service has it. */
  makePass(spec: LoadTestSpec): Promise<readonly Exchange[]>;
  /** What a link to the page of our own service ends in. Answered with 404 where there is no page. */
  makePageCode(): Promise<PageLink>;
  /** Ends what is still going on. Safe to call twice. */
  close(): Promise<void>;
}

interface Call<T> {
  readonly route: RouteName;
  readonly ids?: PathIds;
  readonly body?: { readonly type: string; readonly text: string | Uint8Array };
  readonly nonce?: string;
  /** What the request holds and no message may. */
  readonly secrets?: readonly string[];
  readonly bounds?: ReadBounds | undefined;
  readonly read: Reading<T>['decode'];
  readonly refusal?: Reading<T>['refusal'];
}

/** Errors: ProblemError when the address, the header's name or plain `http:` cannot be allowed. Nothing is sent. */
export function createClient(options: ClientOptions): ServiceClient {
  const baseUrl = readBaseUrl(options.baseUrl, options.allowPlainHttp ?? false);
  const authHeader = readAuthHeader(options.authHeader);
  const tuning = { ...TUNING, ...options.tuning };
  const signal = options.signal ?? null;
  const { key, requestTimeout, version } = options;
  const transport = createTransport({ baseUrl, authHeader, key, requestTimeout, version, signal });
  const budget = createRetryBudget();
  const closed = new AbortController();
  const pausesEnd = AbortSignal.any(signal === null ? [closed.signal] : [closed.signal, signal]);
  let idempotent = false;
  let resultsSeen = false;
  /** The service's time, less ours of the monotonic clock. */
  let aheadOfUs: number | null = null;

  async function call<T>(what: Call<T>): Promise<T> {
    const route: Route = ROUTES[what.route];
    const { operation } = route;
    const path = pathOf(route, what.ids ?? {});
    const title = `${route.method} ${path}`;
    checkKey(key, title);
    const question = {
      title,
      operation,
      origin: baseUrl.origin,
      keyName: key.name,
      secrets: [...transport.secrets(), ...(what.secrets ?? [])],
    };
    const outgoing = {
      method: route.method,
      path,
      body: what.body ?? null,
      headers: {
        ...(what.nonce === undefined ? {} : { [IDEMPOTENCY_HEADER]: what.nonce }),
        ...(endsRuns(operation) && idempotent && options.caller !== undefined
          ? { [CLIENT_HEADER]: options.caller }
          : {}),
      },
      cap: what.route === 'listApps' || what.route === 'listTests' ? tuning.listCap : tuning.answerCap,
    };
    const reading: Reading<T> = {
      decode: what.read,
      ...(what.refusal === undefined ? {} : { refusal: what.refusal }),
    };
    const exchange = async () => {
      const exchanged =
        operation === 'read' ? await transport.read(outgoing) : await transport.write(outgoing);
      if (exchanged.kind === 'answer') {
        if (exchanged.headers.has(SERVICE_HEADER)) idempotent = true;
        const date = Date.parse(exchanged.headers.get('date') ?? '');
        if (!Number.isNaN(date)) aheadOfUs = date - performance.now();
      }
      return readExchange(question, exchanged, reading);
    };
    // Whether a write may be sent again is decided by the caller, who knows what it does.
    return operation === 'read'
      ? await withRetries(
          { budget, backoff: tuning.backoff, signal: pausesEnd, bounds: what.bounds },
          exchange,
        )
      : await exchange();
  }

  const client: ServiceClient = {
    listApps: () =>
      call({
        route: 'listApps',
        read: (said, answer) => {
          const list = checked('app-list', said);
          return listed(list, answer, decodeApp);
        },
      }),

    registerApp: (host) =>
      call({
        route: 'registerApp',
        body: form({ app: host }),
        read: (said) => readRegistered(checked('app-registered', said)),
      }),

    getApp: (id) =>
      call({
        route: 'getApp',
        ids: { app: id },
        read: (said) => decodeApp(checked('app-record', said)),
      }),

    verifyApp: (id, method) =>
      call<VerifyAnswer>({
        route: 'verifyApp',
        ids: { app: id },
        body: form({ method }),
        read: (said) => readVerified(checked('app-verified', said)),
        refusal: (errors, status) =>
          status < 300 || status === 400 || status === 422 ? { verified: false, errors } : null,
      }),

    deleteApp: async (id) => {
      await call({
        route: 'deleteApp',
        ids: { app: id },
        read: (said) => {
          if (said.kind === 'empty') return null;
          const { value } = said;
          if (typeof value !== 'object' || value === null || Array.isArray(value)) {
            throw new UnusableAnswer('', 'it is neither empty nor an object');
          }
          return null;
        },
      });
    },

    listTests: () =>
      call({
        route: 'listTests',
        read: (said, answer) => listed(checked('test-list', said), answer, decodeListedTest),
      }),

    hasPayloadFile: async (sha256) => {
      try {
        await call({ route: 'getPayloadFile', ids: { sha256 }, read: () => null });
        return true;
      } catch (error) {
        if (isNotFound(error)) return false;
        throw error;
      }
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
      const secrets = revealedSecrets(spec);
      return await call({
        route: 'createTest',
        body: { type: 'application/json', text: JSON.stringify(encodeTestCreate(spec, notes)) },
        nonce,
        secrets,
        read: (said) => readCreated(checked('test-created', said)),
      });
    },

    makePass: async (spec) => {
      const secrets = revealedSecrets(spec);
      return await call({
        route: 'runIteration',
        body: {
          type: 'application/json',
          text: JSON.stringify({ ...encodeTestCreate(spec, null), secrets: [...new Set(secrets)] }),
        },
        secrets,
        read: (said) => decodePass(checked('iteration-record', said)),
      });
    },

    makePageCode: () =>
      call({
        route: 'createSignInCode',
        read: (said) => readPageLink(checked('sign-in-code', said)),
      }),

    getTest: (id, bounds) =>
      call({
        route: 'getTest',
        ids: { test: id },
        bounds,
        read: (said) => {
          const { progress, rest } = withoutProgress(said);
          return { test: decodeTestRecord(checked('test-record', rest)), progress: decodeProgress(progress) };
        },
      }),

    runTest: (id, nonce) =>
      call({
        route: 'runTest',
        ids: { test: id },
        nonce,
        read: (said) => readStarted(checked('run-response', said)),
      }),

    stopTest: (id) =>
      call({
        route: 'stopTest',
        ids: { test: id },
        read: (said) => readStarted(checked('run-response', said)),
      }),

    listResults: async (id, bounds) => {
      try {
        const results = await call({
          route: 'listResults',
          ids: { test: id },
          bounds,
          read: (said) =>
            uniqueById(checked('result-list', said).map((record, at) => decodeResult(record, at))),
        });
        resultsSeen = true;
        return newestFirst(results);
      } catch (error) {
        if (!isNotFound(error)) throw error;
        // 404 may mean the test, this test's results, or the endpoint: the first is an error, which this throws.
        await client.getTest(id, bounds);
        return resultsSeen ? [] : null;
      }
    },

    getResult: async (id, result, bounds) => {
      try {
        const found = await call({
          route: 'getResult',
          ids: { test: id, result },
          bounds,
          read: (said) => decodeResult(checked('result-record', said)),
        });
        resultsSeen = true;
        return found;
      } catch (error) {
        if (isNotFound(error)) return null;
        throw error;
      }
    },

    judgeResult: async (id, result, judgement) => {
      await call({
        route: 'publishVerdict',
        ids: { test: id, result },
        body: { type: 'application/json', text: JSON.stringify(encodeJudgement(judgement)) },
        read: () => null,
      });
    },

    listServers: () => call({ route: 'listServers', read: (said) => readServers(checked('servers', said)) }),

    listWorkers: async () => {
      // Asked of our own service alone, which was heard by then.
      if (!idempotent) return [];
      try {
        return await call({
          route: 'listWorkers',
          read: (said) => decodeWorkers(checked('worker-list', said)),
        });
      } catch (error) {
        // An older version.
        if (isNotFound(error)) return [];
        throw error;
      }
    },

    listExtensions: async (bounds) => {
      try {
        return await call({
          route: 'openapi',
          bounds,
          read: (said) => readExtensions(checked('openapi', said)),
        });
      } catch (error) {
        // Any answer but this document says that there are none.
        if (error instanceof CallError && error.status !== null && isLasting(error)) return new Set();
        throw error;
      }
    },

    honoursIdempotency: () => idempotent,

    timeThere: () => (aheadOfUs === null ? null : aheadOfUs + performance.now()),

    close: async () => {
      closed.abort();
      await transport.close();
    },
  };
  return client;
}

function endsRuns(operation: Operation): boolean {
  return operation === 'stop' || operation === 'delete';
}

function form(fields: Readonly<Record<string, string>>): { readonly type: string; readonly text: string } {
  return { type: 'application/x-www-form-urlencoded', text: new URLSearchParams(fields).toString() };
}

/** Another service may mean something else by the field, which must not spoil the record. */
function withoutProgress(said: Said): { readonly progress: unknown; readonly rest: Said } {
  if (said.kind === 'empty' || typeof said.value !== 'object' || said.value === null) {
    return { progress: null, rest: said };
  }
  if (Array.isArray(said.value) || !('progress' in said.value)) return { progress: null, rest: said };
  const { progress, ...value } = said.value;
  return { progress, rest: { kind: 'value', value } };
}

/** What each schema's generated type is called. */
interface Answers {
  readonly 'app-list': AppList;
  readonly 'app-record': AppRecord;
  readonly 'app-registered': AppRegistered;
  readonly 'app-verified': AppVerified;
  readonly openapi: OpenApi;
  readonly 'sign-in-code': SignInCode;
  readonly 'iteration-record': IterationRecord;
  readonly 'result-list': ResultList;
  readonly 'result-record': ResultRecord;
  readonly 'run-response': RunResponse;
  readonly servers: ServerList;
  readonly 'test-created': TestCreated;
  readonly 'test-list': TestList;
  readonly 'test-record': TestRecord;
  readonly 'worker-list': WorkerList;
}

function checked<Name extends AnswerName>(schema: Name, said: Said): Answers[Name] {
  if (said.kind === 'empty') throw new UnusableAnswer('', 'it is empty');
  const wrong = checkAnswer(schema, said.value);
  if (wrong !== null) throw new UnusableAnswer('', wrong);
  // The generated type says what the schema has just checked.
  return said.value as Answers[Name];
}

/** Errors: CallError, when one of them is not set. */
function revealedSecrets(spec: LoadTestSpec): string[] {
  const secrets = secretsOfSpec(spec);
  const missing = secrets.find((secret) => !secret.present);
  if (missing !== undefined) {
    const message = `"${missing.name}" is not set, but a request of the test requires it`;
    throw new CallError(problem('LT_CONFIG_SECRET_MISSING', message), UNSENT);
  }
  return secrets.map((secret) => secret.reveal());
}

/** Whether the service would answer the same again, and not for want of a key. */
function isLasting({ passing, problem: { code } }: CallError): boolean {
  return !passing && code !== 'LT_API_KEY';
}

function isNotFound(error: unknown): boolean {
  return error instanceof CallError && error.status === 404;
}
