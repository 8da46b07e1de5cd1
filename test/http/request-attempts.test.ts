/**
 * Total attempts for each operation: the client sends requests, and `apply` decides whether to repeat them.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createTest } from '../../src/apply/tests/create-test.ts';
import { deleteApp } from '../../src/apply/apps/delete-apps.ts';
import { registerApp, verifyApp } from '../../src/apply/apps/prepare-app.ts';
import { sendOnce } from '../../src/apply/uncertainty/sending.ts';
import { stopTest } from '../../src/apply/tests/stop-test.ts';
import type { ApplyContext } from '../../src/apply/apply-context.ts';
import type { ServiceClient } from '../../src/client/client.ts';
import type { Operation } from '../../src/contract/routes.ts';
import { appId, appKey, testAddress, testId, testKey } from '../../src/core/model/ids.ts';
import { NO_REGRESSION } from '../../src/core/model/regression.ts';
import type { DeclaredApp } from '../../src/core/model/app.ts';
import { ProblemError, problem } from '../../src/core/problem.ts';
import { seconds } from '../../src/core/units.ts';
import { createApplyContext } from '../support/apply-context.ts';
import { findFreePort } from '../support/free-port.ts';
import { createHostedClient, homeSpec, SHOP } from '../support/hosted-client.ts';
import type { HostedOperation } from '../support/hosted-options.ts';
import {
  startHostedService,
  HTML_PAGE,
  type HostedFault,
  type FaultResponse,
} from '../support/hosted-service.ts';
import { createSkippingClock } from '../support/skipping-clock.ts';

const open: { close(): Promise<void> }[] = [];

afterEach(() => Promise.all(open.splice(0).map((one) => one.close())));

const OPERATIONS = ['read', 'create', 'start', 'register', 'stop', 'verify', 'delete'] as const;

/** One count for each operation, in the order of OPERATIONS. */
type Counts = readonly [number, number, number, number, number, number, number];

interface Ids {
  readonly app: string;
  /** ID of a running test. */
  readonly running: string;
  /** ID of a test that has not run. */
  readonly idle: string;
}

const UNKNOWN_IDS: Ids = { app: 'a', running: 't', idle: 'u' };

const CALLS: Readonly<Record<Operation, HostedOperation>> = {
  read: 'listTests',
  create: 'createTest',
  start: 'runTest',
  register: 'registerApp',
  stop: 'stopTest',
  verify: 'verifyApp',
  delete: 'deleteApp',
};

const shop: DeclaredApp = {
  key: appKey('shop'),
  host: 'new.example.com',
  method: 'http',
  publish: { kind: 'manual' },
  wait: seconds(10),
  connection: null,
  source: null,
};

/** Executes an operation in the same way as `apply` and the commands. Reports whether it succeeded. */
async function execute(operation: Operation, context: ApplyContext, ids: Ids): Promise<boolean> {
  const calls: Readonly<Record<Operation, () => Promise<unknown>>> = {
    read: () => context.service.listTests(),
    create: () => createTest(createHome, context, () => Promise.resolve([])),
    start: async () => {
      const sent = await sendOnce(() => context.service.runTest(testId(ids.idle), 'n'), context);
      if (sent.kind === 'doubt') throw sent.error;
    },
    register: () => registerApp(shop, context),
    stop: () => stopTest({ id: testId(ids.running) }, context, 30_000),
    verify: () => verifyApp(shop, { id: appId(ids.app), verificationId: 'v' }, context),
    delete: () => deleteApp(appId(ids.app), context),
  };
  try {
    await calls[operation]();
    return true;
  } catch {
    return false;
  }
}

const createHome = {
  verb: 'create',
  address: testAddress(testKey('home')),
  test: {
    key: testKey('home'),
    spec: homeSpec,
    thresholds: [],
    regression: NO_REGRESSION,
    urlNames: [],
    needs: [],
    parallel: false,
    adopt: null,
    source: null,
  },
  digests: { listed: 's', unlisted: 'w' },
  replaces: null,
  previous: null,
  repetition: 0,
  changes: [],
  note: null,
} as const;

function createContext(service: ServiceClient): ApplyContext {
  open.push(service);
  return createApplyContext({ service, clock: createSkippingClock() });
}

function each(counts: Counts): (readonly [Operation, number])[] {
  return OPERATIONS.map((operation, index) => [operation, counts[index] ?? 0]);
}

async function startWithFault(fault: (on: HostedOperation) => HostedFault, operation: Operation) {
  const service = await startHostedService({ verifiedHosts: [SHOP], runFor: null });
  open.push(service);
  const plant = () =>
    service.state.addTest({ test_type: 'cycling', duration: 60, urls: [{ url: `http://${SHOP}/` }] });
  const ids = { app: service.state.apps[0]?.id ?? '', running: plant().id, idle: plant().id };
  const context = createContext(createHostedClient(service.url));
  await context.service.runTest(testId(ids.running), 'n');
  const before = service.calls(CALLS[operation]).length;
  service.injectFault(fault(CALLS[operation]));
  return { context, ids, sends: () => service.calls(CALLS[operation]).length - before };
}

describe('calls to a service that fails repeatedly', () => {
  const refusal = { message: 'error', errors: ['no'] };
  const rows: readonly (readonly [string, FaultResponse, Counts])[] = [
    // Order: read, create, start, register, stop (as often as its time limit allows), verify, delete.
    [
      'requests an immediate retry (429)',
      { status: 429, headers: { 'retry-after': '0' } },
      [5, 5, 5, 5, 6, 5, 5],
    ],
    [
      'requests a retry in 3 s (429)',
      { status: 429, headers: { 'retry-after': '3' } },
      [5, 5, 5, 5, 5, 5, 5],
    ],
    ['requests a lower rate (429)', { status: 429 }, [5, 1, 1, 1, 6, 5, 5]],
    ['responds with status 503', { status: 503 }, [5, 1, 1, 5, 6, 5, 5]],
    ['resets the connection', 'reset', [5, 1, 1, 5, 6, 5, 5]],
    ['responds with an HTML page', 'page', [1, 1, 1, 5, 6, 5, 1]],
    ['responds with status 502 and an HTML page', { status: 502, body: HTML_PAGE }, [5, 1, 1, 5, 6, 5, 5]],
    ['refuses the request (422)', { status: 422, body: refusal }, [1, 1, 1, 1, 1, 5, 1]],
    ['refuses the API key (401)', { status: 401, body: refusal }, [1, 1, 1, 1, 1, 1, 1]],
  ];

  describe.each(rows)('a service that %s', (condition, response, counts) => {
    it.each(each(counts))(
      `the number of attempts of the operation %s is %i if the service ${condition}`,
      async (operation, count) => {
        const fixture = await startWithFault((on) => ({ on, response, times: Infinity }), operation);
        expect(await execute(operation, fixture.context, fixture.ids)).toBe(
          operation === 'stop' && count === 1 && isFinal(response),
        );
        expect(fixture.sends()).toBe(count);
      },
    );
  });

  /**
   * Reports whether the refusal of a stop is final; this is not a failure, because the status is read
   * afterward.
   */
  function isFinal(response: FaultResponse): boolean {
    return typeof response === 'object' && 'status' in response && response.status === 422;
  }

  /** A stop reads its test before the first send and before each repetition. */
  const DIALS: Counts = [5, 5, 5, 5, 11, 5, 5];

  it.each(each(DIALS))(
    'the operation %s makes %i connection attempts to a port that refuses connections',
    async (operation, count) => {
      const port = await findFreePort();
      const url = `http://127.0.0.1:${port}`;
      const dials = countRefusedDials(port);
      try {
        expect(await execute(operation, createContext(createHostedClient(url)), UNKNOWN_IDS)).toBe(false);
      } finally {
        dials.end();
      }
      expect(dials.count()).toBe(count);
    },
  );

  it.each(each(DIALS))(
    'the operation %s connects %i times to a port that resets connections during the TLS handshake',
    async (operation, count) => {
      const resetting = await startResettingServer();
      const context = createContext(createHostedClient(`https://127.0.0.1:${resetting.port}`));
      expect(await execute(operation, context, UNKNOWN_IDS)).toBe(false);
      expect(resetting.accepted()).toBe(count);
    },
  );
});

describe('calls to a service that recovers', () => {
  it.each(OPERATIONS)(
    'the operation %s succeeds on the third attempt after two responses with status 429',
    async (operation) => {
      const response = { status: 429, headers: { 'retry-after': '0' } };
      const fixture = await startWithFault((on) => ({ on, response, times: 2 }), operation);
      expect(await execute(operation, fixture.context, fixture.ids)).toBe(true);
      expect(fixture.sends()).toBe(3);
    },
  );

  it('a create request is repeated only after the time in Retry-After', async () => {
    const response = { status: 429, headers: { 'retry-after': '40' } };
    const fixture = await startWithFault((on) => ({ on, response }), 'create');
    const begin = fixture.context.clock.now();
    expect(await execute('create', fixture.context, fixture.ids)).toBe(true);
    expect(fixture.context.clock.now() - begin).toBeGreaterThanOrEqual(40_000);
  });

  it('attempts to send a create request to a port that refuses connections continue for at least 3.75 seconds', async () => {
    const context = createContext(createHostedClient(`http://127.0.0.1:${await findFreePort()}`));
    const patientContext = { ...context, clock: { ...context.clock, random: () => 0 } };
    const begin = context.clock.now();
    expect(await execute('create', patientContext, UNKNOWN_IDS)).toBe(false);
    expect(context.clock.now() - begin).toBeGreaterThanOrEqual(3_750);
  });

  it('a delete request with an unknown outcome is repeated, and succeeds if the app no longer exists', async () => {
    const fixture = await startWithFault((on) => ({ on, executed: true, response: 'reset' }), 'delete');
    expect(await execute('delete', fixture.context, fixture.ids)).toBe(true);
    expect(fixture.sends()).toBe(2);
  });

  it('after an app registration with an unknown outcome, the registered app is found, and no second registration request is sent', async () => {
    const fixture = await startWithFault((on) => ({ on, executed: true, response: 'reset' }), 'register');
    expect(await execute('register', fixture.context, fixture.ids)).toBe(true);
    expect(fixture.sends()).toBe(1);
  });

  it('a stop request with an unknown outcome is not repeated if the run has ended', async () => {
    const fixture = await startWithFault((on) => ({ on, executed: true, response: 'reset' }), 'stop');
    expect(await execute('stop', fixture.context, fixture.ids)).toBe(true);
    expect(fixture.sends()).toBe(1);
  });
});

it('if a create request fails with an error that is not from the service, the journal still lists the request as open', async () => {
  const fixture = await startWithFault((on) => ({ on, response: 'reset' }), 'create');
  const locked = new ProblemError(problem('LT_CLI_LOCKED', 'another process has the data'));
  const service = { ...fixture.context.service, createTest: () => Promise.reject(locked) };
  expect(await execute('create', { ...fixture.context, service }, fixture.ids)).toBe(false);
  expect(fixture.context.journal.open()).toHaveLength(1);
});

describe('signals during the wait before a retry', () => {
  const busy = { status: 429, headers: { 'retry-after': '3' } };

  function interruptDuringWait(context: ApplyContext): ApplyContext {
    const signal = new AbortController();
    const sleep: ApplyContext['clock']['sleep'] = async (...pause) => {
      signal.abort();
      await context.clock.sleep(...pause);
    };
    return { ...context, interrupted: signal.signal, clock: { ...context.clock, sleep } };
  }

  it.each(['create', 'start', 'register', 'verify', 'delete'] as const)(
    'a signal during the wait before a retry prevents the repetition of a %s request',
    async (operation) => {
      const fixture = await startWithFault((on) => ({ on, response: busy, times: Infinity }), operation);
      expect(await execute(operation, interruptDuringWait(fixture.context), fixture.ids)).toBe(false);
      expect(fixture.sends()).toBe(1);
    },
  );

  it('a signal during the wait before a retry does not prevent the repetition of a stop request', async () => {
    const fixture = await startWithFault((on) => ({ on, response: busy, times: 1 }), 'stop');
    expect(await execute('stop', interruptDuringWait(fixture.context), fixture.ids)).toBe(true);
    expect(fixture.sends()).toBe(2);
  });
});

/** Counts the connection attempts of this process to a port that refuses them. */
function countRefusedDials(port: number): { readonly count: () => number; end(): void } {
  let attempts = 0;
  const onDial = (message: unknown) => {
    (message as { readonly socket: Socket }).socket.once('error', (error) => {
      if ('port' in error && error.port === port) attempts++;
    });
  };
  subscribe('net.client.socket', onDial);
  return {
    count: () => attempts,
    end: () => {
      unsubscribe('net.client.socket', onDial);
    },
  };
}

/** Accepts connections and resets them when the first bytes of the TLS handshake arrive. */
async function startResettingServer(): Promise<{ readonly port: number; readonly accepted: () => number }> {
  let accepted = 0;
  const server = createServer((socket) => {
    accepted++;
    socket.on('error', () => undefined);
    socket.once('data', () => socket.resetAndDestroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push({
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
      }),
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { port: address.port, accepted: () => accepted };
}
