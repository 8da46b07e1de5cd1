/** A service with Redis and workers, all in separate processes, as an operator starts them. */
import { listeningUrlOf, startCli } from './cli.ts';
import { findFreePort } from './free-port.ts';
import { startRedis, type RedisServer } from './redis-server.ts';
import { createTemporaryDirectory } from './temporary-directory.ts';

export const API_KEY = 'c0ffee00c0ffee00c0ffee00c0ffee00';
export const WORKER_SECRET = '5ec7e75ec7e75ec7e75ec7e75ec7e75e';

export type StartedProcess = ReturnType<typeof startCli>;

export interface ApiResponse {
  readonly status: number;
  readonly text: string;
  readonly json: Readonly<Record<string, unknown>>;
}

/** One worker in a result. */
export interface WorkerRecord {
  readonly name: string;
  readonly started: number;
  readonly finished: number;
  readonly start_skew_ms: number | null;
  readonly clock_uncertainty_ms: number | null;
  readonly lost: string | null;
}

/** The members of a result that tests use. */
export interface ResultView {
  readonly status: string;
  readonly requests: number;
  readonly success: number;
  readonly abort_reason: string | null;
  readonly error: number;
  readonly workers: readonly WorkerRecord[];
  readonly ledger: {
    readonly planned: number;
    readonly started: number;
    readonly not_started: Readonly<Record<string, number>>;
    readonly abandoned: number;
    readonly resent: number;
  };
  readonly [field: string]: unknown;
}

export interface TestCluster {
  readonly redis: RedisServer;
  readonly directory: string;
  /** Current URL of the service. */
  url(): string;
  service(): StartedProcess;
  /** Starts the service again with the same data and port, after the previous one has ended. */
  startService(): Promise<void>;
  /**
   * Starts a worker.
   * @param name - null for none
   * @param redisUrl - replaces the common address of Redis
   */
  startWorker(name: string | null, flags?: readonly string[], redisUrl?: string): Promise<StartedProcess>;
  call(method: string, path: string, body?: unknown): Promise<ApiResponse>;
  /**
   * Registers and verifies a host.
   * @param publish - publishes the token at a path
   */
  verify(host: string, publish: (path: string, token: string) => void): Promise<void>;
  /** Resolves with the result of a test's latest run after its end. */
  result(testId: string): Promise<ResultView>;
  /** Ends all processes immediately. */
  close(): Promise<void>;
}

export interface ClusterSettings {
  /** Returns the address of Redis for the service and the workers, if it is not the port of Redis. */
  readonly proxyOf?: (redis: RedisServer) => Promise<string> | string;
  readonly durable?: boolean;
  /** Additional flags of `serve`. */
  readonly flags?: readonly string[];
}

export async function startTestCluster(settings: ClusterSettings = {}): Promise<TestCluster> {
  const { path: directory, remove } = createTemporaryDirectory();
  const redis = await startRedis({ durable: settings.durable ?? false });
  const redisUrl = (await settings.proxyOf?.(redis)) ?? redis.url;
  const workers: StartedProcess[] = [];
  // No other server takes this port while the service is not running.
  const port = String(await findFreePort());
  let url = '';
  let service: StartedProcess | null = null;
  const startService = async (): Promise<void> => {
    const flags = ['--port', port, '--data', 'data', '--redis', redisUrl, ...(settings.flags ?? [])];
    service = startCli(['serve', '--json', ...flags], {
      directory,
      env: { LOADTESTS_API_KEY: API_KEY, LOADTESTS_WORKER_SECRET: WORKER_SECRET },
    });
    await service.saw('"listening"');
    url = listeningUrlOf(service.output());
  };
  const call = async (method: string, path: string, body?: unknown): Promise<ApiResponse> => {
    const response = await fetch(url + path, {
      method,
      headers: {
        'service-auth': API_KEY,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      text,
      json: (text === '' ? {} : JSON.parse(text)) as ApiResponse['json'],
    };
  };
  const close = async (): Promise<void> => {
    const children = [...workers, ...(service === null ? [] : [service])];
    for (const child of children) child.kill('SIGKILL');
    await Promise.allSettled(children.map(({ ended }) => ended));
    await redis.close();
    remove();
  };
  try {
    await startService();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    redis,
    directory,
    url: () => url,
    service: () => {
      if (service === null) throw new Error('the service was not started');
      return service;
    },
    startService,
    async startWorker(name, flags = [], workersUrl = redisUrl) {
      const worker = startCli(
        [
          ...['worker', '--json', '--redis', workersUrl, '--threads', '1', ...flags],
          ...(name === null ? [] : ['--name', name]),
        ],
        {
          directory,
          env: { LOADTESTS_WORKER_SECRET: WORKER_SECRET },
        },
      );
      workers.push(worker);
      await worker.saw('"ready"');
      return worker;
    },
    call,
    async verify(host, publish) {
      const { json } = await call('POST', '/v2/apps', { app: host });
      const token = String(json['verification_id']);
      publish(`/${token}.txt`, token);
      const response = await call('POST', `/v2/apps/${String(json['app_id'])}/verify`, { method: 'http' });
      if (response.status !== 200) throw new Error(`${host} was not verified: ${response.text}`);
    },
    async result(testId) {
      for (;;) {
        const { status, json, text } = await call('GET', `/v2/tests/${testId}`);
        if (status === 404) throw new Error(`the test ${testId} cannot be read: ${text}`);
        if (json['status'] === 'complete') break;
        await new Promise((resolve) => setTimeout(resolve, 300));
      }
      const { text } = await call('GET', `/v2/tests/${testId}/results`);
      const [latest] = JSON.parse(text) as { readonly result_id: string }[];
      if (latest === undefined) throw new Error('the completed test has no result');
      const response = await call('GET', `/v2/tests/${testId}/results/${latest.result_id}`);
      return JSON.parse(response.text) as ResultView;
    },
    close,
  };
}
