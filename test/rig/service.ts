/** A real service on a free port with its data in a folder of its own, and a plain caller of it. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { Secret } from '../../src/core/model/secret.ts';
import type { LogFields, ServiceLog } from '../../src/server/log.ts';
import type { ServiceOptions } from '../../src/server/options.ts';
import { openService, type RunningService } from '../../src/server/open-service.ts';
import { fakeRunner, type FakeRunner } from './fake-runner.ts';

export const KEY = '0123456789abcdef0123456789abcdef';

/** Every field that some answer has. */
export interface AnswerBody {
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

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body; null where it is no JSON. Tests check what stands in it before they rely on it. */
  readonly json: AnswerBody;
  /** The same, where it is a list. */
  readonly list: readonly AnswerBody[];
}

export interface CallOptions {
  /** Written as JSON. */
  readonly json?: unknown;
  readonly form?: Readonly<Record<string, string>>;
  readonly raw?: { readonly type: string | null; readonly body: string | Buffer };
  readonly headers?: Readonly<Record<string, string>>;
  /** Null: none is sent. */
  readonly key?: string | null;
}

export interface ServiceRig {
  readonly service: RunningService;
  readonly runner: FakeRunner;
  readonly dataFolder: string;
  readonly log: readonly LogFields[];
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** Registers and verifies a host. Gives its app id. */
  verifiedApp(host: string): Promise<string>;
}

/** Where no write waits for a disk, on systems that have such a folder. What is about the disk names its own folder. */
const MEMORY = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** Opens a service that is closed, and its folder removed, when the test ends. */
export async function openRig(
  options: Partial<ServiceOptions> & { readonly fake?: FakeRunner } = {},
): Promise<ServiceRig> {
  const runner = options.fake ?? fakeRunner();
  const dataFolder = options.dataFolder ?? temporaryFolder(MEMORY);
  const log: LogFields[] = [];
  const service = await openService({
    mode: 'in-process',
    host: '127.0.0.1',
    port: 0,
    apiKey: new Secret('LOADTESTS_API_KEY', KEY),
    runner,
    log: listLog(log),
    version: '0.0.0-test',
    now: Date.now,
    allowPrivate: [],
    publicUrl: null,
    ...options,
    // Refusals come at once, but where a test is about their time.
    limits: { refusalGrainMs: 0, ...options.limits },
    dataFolder,
  });
  onTestFinished(async () => {
    await service.close();
  });
  const call: ServiceRig['call'] = async (method, path, more) =>
    await callAt(service.url, method, path, more);
  return {
    service,
    runner,
    dataFolder,
    log,
    call,
    async verifiedApp(host) {
      const { app_id } = (await call('POST', '/v2/apps', { form: { app: host } })).json;
      const answer = await call('POST', `/v2/apps/${app_id}/verify`, { form: { method: 'http' } });
      if (answer.status !== 200) throw new Error(`${host} does not verify: ${answer.text}`);
      return app_id;
    },
  };
}

export async function callAt(
  url: string,
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<Answer> {
  const headers: Record<string, string> = {};
  if (options.key !== null) headers['service-auth'] = options.key ?? KEY;
  let body: string | Uint8Array<ArrayBuffer> | undefined;
  if (options.json !== undefined) {
    headers['content-type'] = 'application/json';
    body = JSON.stringify(options.json);
  } else if (options.form !== undefined) {
    headers['content-type'] = 'application/x-www-form-urlencoded';
    body = new URLSearchParams(options.form).toString();
  } else if (options.raw !== undefined) {
    if (options.raw.type !== null) headers['content-type'] = options.raw.type;
    // As bytes: for texts, fetch would add a content type of its own.
    body = new Uint8Array(Buffer.from(options.raw.body));
  }
  const answer = await fetch(new URL(path, url), {
    method,
    headers: { ...headers, ...options.headers },
    redirect: 'manual',
    ...(body === undefined ? {} : { body }),
  });
  const text = await answer.text();
  const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true;
  const value: unknown = isJson ? JSON.parse(text) : null;
  return {
    status: answer.status,
    headers: answer.headers,
    text,
    json: value as AnswerBody, // as its comment says
    list: value as readonly AnswerBody[],
  };
}

export function temporaryFolder(within = tmpdir()): string {
  const folder = mkdtempSync(join(within, 'loadtests-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

function listLog(lines: LogFields[]): ServiceLog {
  const add = (level: string) => (fields: LogFields) => {
    lines.push({ level, ...fields });
  };
  return { info: add('info'), warn: add('warn'), error: add('error') };
}

/** A test that is small and right; `changes` replace its fields. */
export function smallTest(
  url: string,
  changes: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  return { test_type: 'non-cycling', duration: 1, total: 5, urls: [{ url }], ...changes };
}

/** Equal to any id of ours. */
export const ANY_ID: unknown = expect.stringMatching(/^[0-9a-f]{32}$/);

/** Between two looks, in ms. */
const LONGEST_PAUSE = 25;

/**
 * Looks again and again until something is the case, after pauses that grow: what is waited for needs the machine, too.
 * Errors: throws after ten seconds, or what is given, in ms.
 */
export async function until<T>(look: () => Promise<T | null> | T | null, atMost = 10_000): Promise<T> {
  const end = Date.now() + atMost;
  for (let pause = 2; ; pause = Math.min(1.25 * pause, LONGEST_PAUSE)) {
    const found = await look();
    if (found !== null) return found;
    if (Date.now() > end) throw new Error('what was waited for did not come');
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
