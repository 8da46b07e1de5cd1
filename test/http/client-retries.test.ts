/** The requests that the client repeats (only reads), counted at the service for each operation. */
import { createServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { ServiceClient } from '../../src/client/client.ts';
import { readRetryAfter } from '../../src/client/retry.ts';
import { MAX_ATTEMPTS } from '../../src/retry/bounded-retry.ts';
import type { Operation } from '../../src/contract/routes.ts';
import type { Code } from '../../src/core/codes.ts';
import { appId, testId, type AppId, type TestId } from '../../src/core/model/ids.ts';
import { milliseconds } from '../../src/core/units.ts';
import { findFreePort } from '../support/free-port.ts';
import { createHostedClient, expectFailure, homeSpec, SHOP } from '../support/hosted-client.ts';
import type { HostedOperation } from '../support/hosted-options.ts';
import {
  HTML_PAGE,
  startHostedService,
  type HostedFault,
  type HostedService,
} from '../support/hosted-service.ts';
import { createSelfSigned, startRawTarget } from '../support/raw-target.ts';

const open: { close(): Promise<void> }[] = [];

afterEach(() => Promise.all(open.splice(0).map((one) => one.close())));

interface Ids {
  readonly app: AppId;
  readonly test: TestId;
}

/** One call for each operation. */
const CALLS: Readonly<
  Record<Operation, [HostedOperation, (client: ServiceClient, ids: Ids) => Promise<unknown>]>
> = {
  read: ['listTests', (client) => client.listTests()],
  register: ['registerApp', (client) => client.registerApp('new.example.com')],
  create: ['createTest', (client) => client.createTest({ spec: homeSpec, notes: '', nonce: 'n1' })],
  start: ['runTest', (client, { test }) => client.runTest(test, 'n2')],
  stop: ['stopTest', (client, { test }) => client.stopTest(test)],
  verify: ['verifyApp', (client, { app }) => client.verifyApp(app, 'http')],
  delete: ['deleteApp', (client, { app }) => client.deleteApp(app)],
};

const OPERATIONS: readonly Operation[] = ['read', 'register', 'create', 'start', 'stop', 'verify', 'delete'];

async function start(
  requestTimeout = 10_000,
): Promise<{ service: HostedService; client: ServiceClient; ids: Ids }> {
  const service = await startHostedService({ verifiedHosts: [SHOP] });
  const client = createHostedClient(service.url, { requestTimeout: milliseconds(requestTimeout) });
  open.push(client, service);
  const test = service.state.addTest({
    test_type: 'cycling',
    duration: 60,
    urls: [{ url: `http://${SHOP}/` }],
  });
  return { service, client, ids: { app: appId(service.state.apps[0]?.id ?? ''), test: testId(test.id) } };
}

type SendCounts = Readonly<Record<Operation, number>>;

const once: SendCounts = { read: 1, register: 1, create: 1, start: 1, stop: 1, verify: 1, delete: 1 };
/** Expected sends if the client repeats reads only. */
const readAgain: SendCounts = { ...once, read: MAX_ATTEMPTS };

interface Row {
  readonly name: string;
  readonly fault: Omit<HostedFault, 'on'>;
  /** Requests that reach the service while the fault persists. */
  readonly sent: SendCounts;
  readonly read: Code;
  readonly write: Code;
  readonly outcome: 'refused' | 'unknown';
  readonly requestTimeout?: number;
}

const ROWS: readonly Row[] = [
  ...[500, 502, 503, 504, 520, 408, 425].map((status): Row => ({
    name: `status ${status}`,
    fault: { response: { status, body: HTML_PAGE } },
    sent: readAgain,
    read: 'LT_API_UNREACHABLE',
    write: 'LT_API_UNKNOWN',
    outcome: 'unknown',
  })),
  {
    name: 'status 503 after the service executed the request',
    fault: { executed: true, response: { status: 503, headers: { 'retry-after': '0' } } },
    sent: readAgain,
    read: 'LT_API_UNREACHABLE',
    write: 'LT_API_UNKNOWN',
    outcome: 'unknown',
  },
  {
    name: 'a connection reset before the service executed the request',
    fault: { response: 'reset' },
    sent: readAgain,
    read: 'LT_API_UNREACHABLE',
    write: 'LT_API_UNKNOWN',
    outcome: 'unknown',
  },
  {
    name: 'a connection reset after the service executed the request',
    fault: { executed: true, response: 'reset' },
    sent: readAgain,
    read: 'LT_API_UNREACHABLE',
    write: 'LT_API_UNKNOWN',
    outcome: 'unknown',
  },
  {
    name: 'no response',
    fault: { response: 'hang' },
    sent: readAgain,
    read: 'LT_API_UNREACHABLE',
    write: 'LT_API_UNKNOWN',
    outcome: 'unknown',
    requestTimeout: 1000,
  },
  {
    name: 'a truncated response',
    fault: { response: 'cut' },
    sent: readAgain,
    read: 'LT_API_UNUSABLE',
    write: 'LT_API_UNKNOWN',
    outcome: 'unknown',
  },
  {
    name: 'truncated JSON',
    fault: { response: { status: 200, body: '[{"test_id":"a' } },
    sent: readAgain,
    read: 'LT_API_UNUSABLE',
    write: 'LT_API_UNKNOWN',
    outcome: 'unknown',
  },
  {
    name: 'an HTML page',
    fault: { response: 'page' },
    sent: once,
    read: 'LT_API_UNUSABLE',
    write: 'LT_API_UNKNOWN',
    outcome: 'unknown',
  },
  {
    name: 'an HTML page with status 400',
    fault: { response: { status: 400, body: HTML_PAGE } },
    sent: once,
    read: 'LT_API_REFUSED',
    write: 'LT_API_UNKNOWN',
    outcome: 'unknown',
  },
  {
    name: 'a string instead of an object',
    fault: { response: { status: 200, body: '"done"' } },
    sent: once,
    read: 'LT_API_UNUSABLE',
    write: 'LT_API_UNKNOWN',
    outcome: 'unknown',
  },
  {
    name: 'a redirect',
    fault: { response: { status: 302, headers: { location: 'http://127.0.0.1:9/v2/apps?key=1' } } },
    sent: once,
    read: 'LT_API_UNUSABLE',
    write: 'LT_API_UNKNOWN',
    outcome: 'unknown',
  },
  {
    name: 'status 401 and an error about a wrong key',
    fault: { response: { status: 401, body: { message: 'error', errors: ['wrong api key(x)'] } } },
    sent: once,
    read: 'LT_API_KEY',
    write: 'LT_API_KEY',
    outcome: 'refused',
  },
  {
    name: 'status 200 and an error about a wrong key',
    fault: { response: { status: 200, body: { message: 'error', errors: ['wrong api key(x)'] } } },
    sent: once,
    read: 'LT_API_KEY',
    write: 'LT_API_KEY',
    outcome: 'refused',
  },
  {
    name: 'status 403 from a proxy',
    fault: { response: { status: 403, body: HTML_PAGE } },
    sent: once,
    read: 'LT_API_KEY',
    write: 'LT_API_KEY',
    outcome: 'refused',
  },
  {
    name: 'status 409',
    fault: { response: { status: 409, body: { message: 'error', errors: ['no'] } } },
    sent: once,
    read: 'LT_API_REFUSED',
    write: 'LT_API_REFUSED',
    outcome: 'refused',
  },
  {
    name: 'status 429 and a retry time',
    fault: { response: { status: 429, headers: { 'retry-after': '0' } } },
    sent: readAgain,
    read: 'LT_API_UNREACHABLE',
    write: 'LT_API_REFUSED',
    outcome: 'refused',
  },
  {
    name: 'status 429 without a retry time',
    fault: { response: { status: 429, body: HTML_PAGE } },
    sent: readAgain,
    read: 'LT_API_UNREACHABLE',
    write: 'LT_API_REFUSED',
    outcome: 'refused',
  },
];

describe.each(ROWS)(
  'client calls that fail with $name',
  ({ fault, sent, read, write, outcome, requestTimeout }) => {
    it.each(OPERATIONS)(
      'a failed %s request has the expected problem code, and only read requests with a possibly temporary failure are repeated',
      async (operation) => {
        const { service, client, ids } = await start(requestTimeout);
        const [on, call] = CALLS[operation];
        service.injectFault({ ...fault, on, times: Infinity });

        const error = await expectFailure(call(client, ids));

        // A busy service may read a request only after the client has given up.
        await expect.poll(() => service.calls(on)).toHaveLength(sent[operation]);
        expect(error.problem.code).toBe(operation === 'read' ? read : write);
        if (operation !== 'read') expect(error.outcome).toBe(outcome);
        const writes = service.executed.createTest + service.executed.runTest + service.executed.registerApp;
        expect(writes).toBeLessThanOrEqual(1);
      },
    );
  },
);

describe('temporary faults', () => {
  it.each<['read', Omit<HostedFault, 'on'>]>([
    ['read', { response: 'reset', times: 4 }],
    ['read', { response: 'cut', times: 2 }],
    ['read', { response: { status: 503 }, times: 3 }],
  ])(
    'the client repeats a %s request until the fault ends and the request succeeds (fault: %j)',
    async (operation, fault) => {
      const { service, client, ids } = await start();
      const [on, call] = CALLS[operation];
      service.injectFault({ ...fault, on });
      await call(client, ids);
      expect(service.calls(on)).toHaveLength((fault.times ?? 1) + 1);
      expect(service.executed[on]).toBe(fault.response === 'cut' ? 3 : 1);
    },
  );

  it('a request to delete an unknown app fails with status 404', async () => {
    const { client } = await start();
    expect((await expectFailure(client.deleteApp(appId('never')))).status).toBe(404);
  });

  it('the client sends a create request only once, even if the service executes the request after the connection is reset', async () => {
    const { service, client } = await start(5000);
    service.injectFault({ on: 'createTest', executed: 50, response: 'reset' });
    const error = await expectFailure(client.createTest({ spec: homeSpec, notes: 'marker', nonce: 'n' }));
    expect(error.outcome).toBe('unknown');
    await expect.poll(async () => (await client.listTests()).items.length).toBe(2);
    expect(service.calls('createTest')).toHaveLength(1);
  });
});

describe('requests that were certainly not sent', () => {
  it.each(OPERATIONS)(
    'after a reset during the TLS handshake, a %s request is reported as not sent, and only read requests are repeated',
    async (operation) => {
      let accepted = 0;
      const resetting = await startResettingServer(() => accepted++);
      open.push(resetting);
      const client = createHostedClient(`https://127.0.0.1:${resetting.port}`);
      open.push(client);
      const error = await expectFailure(CALLS[operation][1](client, { app: appId('a'), test: testId('t') }));
      expect(error).toMatchObject({ outcome: 'not_sent', problem: { code: 'LT_API_UNREACHABLE' } });
      expect(accepted).toBe(operation === 'read' ? MAX_ATTEMPTS : 1);
    },
  );

  it.each(OPERATIONS)(
    'a %s request is reported as not sent if the connection is refused',
    async (operation) => {
      const client = createHostedClient(`http://localhost:${await findFreePort()}`);
      open.push(client);
      const error = await expectFailure(CALLS[operation][1](client, { app: appId('a'), test: testId('t') }));
      expect(error).toMatchObject({
        outcome: 'not_sent',
        status: null,
        problem: { code: 'LT_API_UNREACHABLE' },
      });
      expect(error.message).toContain('ECONNREFUSED');
    },
  );

  it.each(['read', 'create'] as const)(
    'a %s request is reported as not sent if the certificate of the service is untrusted',
    async (operation) => {
      const server = await startRawTarget(undefined, { tls: createSelfSigned() });
      open.push(server);
      const client = createHostedClient(`https://localhost:${server.port}`);
      open.push(client);
      const error = await expectFailure(CALLS[operation][1](client, { app: appId('a'), test: testId('t') }));
      expect(error).toMatchObject({ outcome: 'not_sent', problem: { code: 'LT_API_UNREACHABLE' } });
      expect(error.message).toContain('certificate');
      expect(server.requests).toEqual([]);
    },
  );

  it('a request is reported as not sent if the TLS handshake never ends', async () => {
    let accepted = 0;
    const server = createServer((socket) => {
      accepted++;
      socket.on('error', () => undefined);
      socket.resume();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    const client = createHostedClient(`https://127.0.0.1:${address.port}`, {
      requestTimeout: milliseconds(100),
    });
    open.push(client, {
      close: () => new Promise((resolve) => server.close(() => resolve())),
    });
    const error = await expectFailure(client.createTest({ spec: homeSpec, notes: '', nonce: 'n' }));
    expect(error).toMatchObject({ outcome: 'not_sent', problem: { code: 'LT_API_UNREACHABLE' } });
    // A busy system may hand the connection to the server only after the client has closed it.
    await expect.poll(() => accepted).toBe(1);
  });

  it('a request to an unknown host name is reported as not sent', async () => {
    const client = createHostedClient('https://shop.invalid');
    open.push(client);
    const error = await expectFailure(client.createTest({ spec: homeSpec, notes: '', nonce: 'n' }));
    expect(error.outcome).toBe('not_sent');
    expect(error.message).toContain('https://shop.invalid is unreachable: ');
  });
});

/** Accepts connections and resets them when the first bytes of the TLS handshake arrive. */
async function startResettingServer(onAccept: () => void): Promise<{ port: number; close(): Promise<void> }> {
  const server = createServer((socket) => {
    onAccept();
    socket.on('error', () => undefined);
    socket.once('data', () => socket.resetAndDestroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    port: address.port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
      }),
  };
}

/** Starts a call that waits for the minute that the service requests in Retry-After. */
async function startPause() {
  const service = await startHostedService();
  const client = createHostedClient(service.url);
  open.push(client, service);
  const fault = service.injectFault({
    on: 'listApps',
    response: { status: 503, headers: { 'retry-after': '60' } },
    times: Infinity,
  });
  const call = expectFailure(client.listApps());
  await fault.triggered;
  return { service, client, call };
}

describe('limits of retries', () => {
  it('the client sends only ten retries in total for forty failed read calls', async () => {
    const { service, client } = await start();
    service.injectFault({ on: 'listApps', response: { status: 503 }, times: Infinity });
    for (let at = 0; at < 40; at++) await expectFailure(client.listApps());
    expect(service.calls('listApps').length).toBe(50);
  });

  it('the client waits for the time in Retry-After before it repeats a request', async () => {
    const { service, client } = await start();
    service.injectFault({ on: 'listApps', response: { status: 503, headers: { 'retry-after': '1' } } });
    await client.listApps();
    const [first, second] = service.calls('listApps');
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(995);
  });

  it.each<[string, Record<string, string>, number | null]>([
    ['no header', {}, null],
    ['seconds', { 'retry-after': '7' }, 7_000],
    ['zero seconds', { 'retry-after': '0' }, 0],
    ['more than a minute', { 'retry-after': '86400' }, 60_000],
    ['a date, relative to the client clock', { 'retry-after': 'Thu, 01 Jan 2026 00:00:09 GMT' }, 9_000],
    [
      'a date, relative to the clock of a service that is two hours ahead',
      { 'retry-after': 'Thu, 01 Jan 2026 02:00:20 GMT', date: 'Thu, 01 Jan 2026 02:00:00 GMT' },
      20_000,
    ],
    ['a date in the past', { 'retry-after': 'Wed, 31 Dec 2025 00:00:00 GMT' }, 0],
    ['a date far ahead', { 'retry-after': 'Thu, 01 Jan 2099 00:00:00 GMT' }, 60_000],
    ['an invalid value', { 'retry-after': 'soon' }, null],
    ['a negative number', { 'retry-after': '-5' }, null],
    ['an empty value', { 'retry-after': '  ' }, null],
  ])(
    'readRetryAfter returns the requested wait, at most one minute, or null without a valid Retry-After header: %s',
    (_, headers, wait) => {
      expect(readRetryAfter(new Map(Object.entries(headers)), Date.UTC(2026, 0, 1))).toBe(wait);
    },
  );

  it('closing the client ends the wait before a retry, and the client sends no further request', async () => {
    const { service, client, call } = await startPause();
    await client.close();
    await call;
    expect((await expectFailure(client.listTests())).problem.code).toBe('LT_CLI_INTERRUPTED');
    expect(service.log).toHaveLength(1);
  });

  it('the client does not wait for a retry if the wait exceeds the time limit of the caller', async () => {
    const service = await startHostedService();
    const client = createHostedClient(service.url);
    open.push(client, service);
    service.injectFault({
      on: 'getTest',
      response: { status: 429, headers: { 'retry-after': '60' } },
      times: Infinity,
    });
    const failed = await expectFailure(client.getTest(testId('t'), { within: 5_000 }));
    expect(failed.retryAfter).toBe(60_000);
    expect(service.log).toHaveLength(1);
  });

  it('the outcome of a write request is unknown if the client is closed during the request', async () => {
    const service = await startHostedService({ verifiedHosts: [SHOP] });
    const client = createHostedClient(service.url);
    open.push(client, service);
    const fault = service.injectFault({ on: 'createTest', executed: true, response: 'hang' });
    const call = expectFailure(client.createTest({ spec: homeSpec, notes: '', nonce: 'n' }));
    await fault.triggered;
    await client.close();
    expect(await call).toMatchObject({ outcome: 'unknown', problem: { code: 'LT_API_UNKNOWN' } });
  });
});
