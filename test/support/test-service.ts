/** A real service on a free port with its own data directory, and a plain client for it. */
import { createPhaseRunner } from '../../src/engine/phase-runner.ts';
import { expect } from 'vitest';
import { Secret } from '../../src/core/model/secret.ts';
import { REPORTERS } from '../../src/report/reporters.ts';
import type { LogFields, ServiceLog } from '../../src/server/log.ts';
import type { ServiceOptions } from '../../src/server/options.ts';
import { openService, type RunningService } from '../../src/server/open-service.ts';
import { createFakeRunner, type FakeRunner } from './fake-runner.ts';
import { WAIT_MS } from './wait.ts';
import { onScopeEnd, useShared } from './shared.ts';
import { createTestDirectory } from './temporary-directory.ts';

export const API_KEY = '0123456789abcdef0123456789abcdef';

/** All fields of all responses. */
export interface ResponseBody {
  readonly message: string;
  readonly errors: readonly string[];
  readonly app: string;
  readonly app_id: string;
  readonly verification_id: string;
  readonly test_id: string;
  readonly result_id: string;
  readonly status: string;
  readonly progress: unknown;
  readonly abort_reason: string | null;
  readonly stopped?: { readonly at: string; readonly cause: string; readonly client: string | null };
  readonly error_samples: readonly { readonly error: string }[];
  readonly urls: unknown;
  readonly ip_addresses: readonly string[];
  readonly host: string;
  readonly state: string;
  readonly attempts: number;
  readonly next_attempt_at: string | null;
  readonly last_error: string | null;
}

export interface ServiceResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body; null if it is not JSON. Tests check its members before they rely on them. */
  readonly json: ResponseBody;
  /** The body as a list. */
  readonly list: readonly ResponseBody[];
}

export interface CallOptions {
  /** Sent as JSON. */
  readonly json?: unknown;
  readonly form?: Readonly<Record<string, string>>;
  readonly raw?: { readonly type: string | null; readonly body: string | Buffer };
  readonly headers?: Readonly<Record<string, string>>;
  /** Null: no key is sent. */
  readonly key?: string | null;
}

export interface TestService {
  readonly service: RunningService;
  readonly runner: FakeRunner;
  readonly dataDirectory: string;
  readonly log: readonly LogFields[];
  call(method: string, path: string, options?: CallOptions): Promise<ServiceResponse>;
  /** Registers and verifies a host, and returns the id of the app. */
  verifiedApp(host: string): Promise<string>;
}

export type TestServiceOptions = Partial<ServiceOptions> & { readonly fake?: FakeRunner };

/** Opens a service that is closed after the test or group; its directory is removed. */
export async function openTestService(options: TestServiceOptions = {}): Promise<TestService> {
  const started = await startTestService(options, options.dataDirectory ?? createTestDirectory());
  onScopeEnd(async () => {
    await started.service.close();
  });
  return started;
}

/** Opens a service for all tests of a file or group, like `useShared`. */
export function useTestService(options: TestServiceOptions = {}): () => TestService {
  return useShared(async () => await openTestService(options));
}

async function startTestService(options: TestServiceOptions, dataDirectory: string): Promise<TestService> {
  const runner = options.fake ?? createFakeRunner();
  const log: LogFields[] = [];
  const service = await openService({
    mode: 'in-process',
    host: '127.0.0.1',
    port: 0,
    apiKey: new Secret('LOADTESTS_API_KEY', API_KEY),
    runner,
    phases: createPhaseRunner(),
    renderReport: async (report) => (await REPORTERS.html.load())(report),
    log: listLog(log),
    version: '0.0.0-test',
    now: Date.now,
    allowPrivate: [],
    publicUrl: null,
    ...options,
    // Refusals are not delayed, except in tests about their timing.
    limits: { refusalDelayStepMs: 0, ...options.limits },
    dataDirectory,
  });
  const call: TestService['call'] = async (method, path, more) =>
    await callAt(service.url, method, path, more);
  return {
    service,
    runner,
    dataDirectory,
    log,
    call,
    async verifiedApp(host) {
      const { app_id } = (await call('POST', '/v2/apps', { form: { app: host } })).json;
      const response = await call('POST', `/v2/apps/${app_id}/verify`, { form: { method: 'http' } });
      if (response.status !== 200) throw new Error(`${host} was not verified: ${response.text}`);
      return app_id;
    },
  };
}

export async function callAt(
  url: string,
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<ServiceResponse> {
  const headers: Record<string, string> = {};
  if (options.key !== null) headers['service-auth'] = options.key ?? API_KEY;
  let body: string | Uint8Array<ArrayBuffer> | undefined;
  if (options.json !== undefined) {
    headers['content-type'] = 'application/json';
    body = JSON.stringify(options.json);
  } else if (options.form !== undefined) {
    headers['content-type'] = 'application/x-www-form-urlencoded';
    body = new URLSearchParams(options.form).toString();
  } else if (options.raw !== undefined) {
    if (options.raw.type !== null) headers['content-type'] = options.raw.type;
    // As bytes: fetch would add a content type to strings.
    body = new Uint8Array(Buffer.from(options.raw.body));
  }
  const response = await fetch(new URL(path, url), {
    method,
    headers: { ...headers, ...options.headers },
    redirect: 'manual',
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  const value: unknown = isJson ? JSON.parse(text) : null;
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: value as ResponseBody, // according to its comment
    list: value as readonly ResponseBody[],
  };
}

function listLog(lines: LogFields[]): ServiceLog {
  const add = (level: string) => (fields: LogFields) => {
    lines.push({ level, ...fields });
  };
  return { info: add('info'), warn: add('warn'), error: add('error') };
}

/** Returns the fields of a small valid test; `changes` replace fields. */
export function smallTestFields(
  url: string,
  changes: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  return { test_type: 'non-cycling', duration: 1, total: 5, urls: [{ url }], ...changes };
}

/** Matches any id of our service. */
export const ANY_ID: unknown = expect.stringMatching(/^[0-9a-f]{32}$/);

/** Maximum time between two attempts, in ms. */
const MAX_POLL_MS = 25;

/**
 * Repeats a check with increasing pauses until it returns a value.
 * @throws Error after `WAIT_MS`.
 */
export async function waitUntil<T>(look: () => Promise<T | null> | T | null): Promise<T> {
  const end = performance.now() + WAIT_MS;
  for (let pause = 2; ; pause = Math.min(1.25 * pause, MAX_POLL_MS)) {
    const found = await look();
    if (found !== null) return found;
    if (performance.now() > end) throw new Error('the condition was not met in time');
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
