/** The client of the CLI with short timeouts, and a load test that it can create. */
import { createClient, type ClientOptions, type ServiceClient } from '../../src/client/client.ts';
import type { LoadTestSpec } from '../../src/core/model/load-test.ts';
import { CallError } from '../../src/core/call-error.ts';
import { Secret } from '../../src/core/model/secret.ts';
import { milliseconds, seconds } from '../../src/core/units.ts';
import { HOSTED_DEFAULTS } from './hosted-options.ts';

export function createHostedClient(url: string, more: Partial<ClientOptions> = {}): ServiceClient {
  return createClient({
    baseUrl: url,
    authHeader: HOSTED_DEFAULTS.keyHeader,
    key: new Secret('LOADTESTS_API_KEY', HOSTED_DEFAULTS.key),
    requestTimeout: seconds(10),
    version: '1.2.3',
    tuning: { backoff: milliseconds(4) },
    ...more,
  });
}

export const SHOP = '127.0.0.1:4080';

export const homeSpec: LoadTestSpec = {
  name: 'Home',
  testType: 'cycling',
  initial: 1,
  stages: null,
  warmup: null,
  values: null,
  total: 20,
  duration: seconds(60),
  timeout: null,
  errorThreshold: 10,
  abortRules: null,
  callback: null,
  callbackEmail: null,
  scheduledAt: null,
  notes: null,
  targets: [
    {
      url: `http://${SHOP}/`,
      method: null,
      credentials: null,
      awsSigv4: null,
      headers: null,
      body: null,
      payloadFileUrl: null,
      payloadFile: null,
      delay: null,
      onFailure: null,
      resolveUrl: null,
      variables: null,
      expect: null,
    },
  ],
  flows: null,
  connections: null,
  iterations: null,
  onStart: null,
  iterationsPerClient: null,
  pace: null,
  arrivals: null,
  keepAlive: null,
  groups: null,
  setup: null,
  teardown: null,
  tlsVerify: null,
  connection: null,
};

/** Returns the error of a call. Fails the test if the call succeeds or throws another error. */
export async function expectFailure(call: Promise<unknown>): Promise<CallError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof CallError) return error;
    throw error;
  }
  throw new Error('the call did not fail');
}
