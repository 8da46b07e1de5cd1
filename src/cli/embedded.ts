/** The service in this process: it lives as long as the command, listens on loopback, and has one user. */
import { join } from 'node:path';
import { createClient } from '../client/client.ts';
import { DEFAULT_AUTH_HEADER } from '../contract/routes.ts';
import { Secret } from '../core/model/secret.ts';
import { milliseconds, seconds } from '../core/units.ts';
import { createEngine } from '../engine/run.ts';
import { openService } from '../server/service.ts';
import type { Connection } from './connect.ts';
import type { Context } from './context.ts';
import { newKey } from './digest.ts';

/** From dist/chunks and from src/cli alike. */
export function engineWorkerUrl(): URL {
  return new URL('../engine/worker.js', import.meta.url);
}

const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Errors: ProblemError LT_SERVER_DATA. */
export async function connectEmbedded(context: Context, dataFolder: string): Promise<Connection> {
  const { version } = context;
  const key = new Secret('embedded', newKey());
  const runner = createEngine({ workerUrl: engineWorkerUrl(), version });
  const running = await openService({
    mode: 'in-process',
    dataFolder: join(dataFolder, 'service'),
    host: '127.0.0.1',
    port: 0,
    apiKey: key,
    runner,
    log: SILENT,
    version,
    now: () => Date.now(),
    allowPrivate: [],
    publicUrl: null,
  });
  const client = createClient({
    baseUrl: running.url,
    authHeader: DEFAULT_AUTH_HEADER,
    key,
    requestTimeout: seconds(30),
    version,
    allowPlainHttp: true,
  });
  return {
    service: client,
    origin: 'embedded',
    key,
    settle: milliseconds(0),
    verificationIdOf: (appId) => `service-${appId}`,
    close: async () => {
      await client.close();
      await running.close();
    },
  };
}
