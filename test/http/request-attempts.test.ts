/** How often each operation reaches out, in all: the client sends, `apply` decides whether it sends again. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createTest } from '../../src/apply/create-test.ts';
import { deleteApp } from '../../src/apply/delete-apps.ts';
import { registerApp, verifyApp } from '../../src/apply/prepare-app.ts';
import { sendOnce } from '../../src/apply/write-retry.ts';
import { stopTest } from '../../src/apply/stop-test.ts';
import type { ApplyContext } from '../../src/apply/apply-context.ts';
import type { ServiceClient } from '../../src/client/client.ts';
import type { Operation } from '../../src/contract/routes.ts';
import { appId, appKey, testAddress, testId, testKey } from '../../src/core/model/ids.ts';
import { NO_REGRESSION } from '../../src/core/model/regression.ts';
import type { DeclaredApp } from '../../src/core/model/app.ts';
import { ProblemError, problem } from '../../src/core/problem.ts';
import { seconds } from '../../src/core/units.ts';
import { createApplyContext } from '../support/apply-context.ts';
import { createHostedClient, homeSpec, SHOP } from '../support/hosted-client.ts';
import type { HostedOperation } from '../support/hosted-options.ts';
import {
  startHostedService,
  HTML_PAGE,
  type HostedFault,
  type FaultResponse,
} from '../support/hosted-service.ts';
import { findRefusedPort } from '../support/raw-target.ts';
import { createSkippingClock } from '../support/skipping-clock.ts';

const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});

const OPERATIONS = ['read', 'create', 'start', 'register', 'stop', 'verify', 'delete'] as const;

/** Of one operation each, in their order. */
type Counts = readonly [number, number, number, number, number, number, number];

interface Ids {
  readonly app: string;
  /** Runs. */
  readonly running: string;
  /** Has not run. */
  readonly idle: string;
}

const NOWHERE: Ids = { app: 'a', running: 't', idle: 'u' };

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
  source: null,
};

/** As `apply` and the commands carry it out. Gives whether it succeeded. */
async function carryOut(operation: Operation, context: ApplyContext, ids: Ids): Promise<boolean> {
  const acts: Readonly<Record<Operation, () => Promise<unknown>>> = {
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
    await acts[operation]();
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
  repetition: 0,
  changes: [],
  note: null,
} as const;

function worldOf(service: ServiceClient): ApplyContext {
  open.push(service);
  return createApplyContext({ service, clock: createSkippingClock() });
}

function each(counts: Counts): (readonly [Operation, number])[] {
  return OPERATIONS.map((operation, at) => [operation, counts[at] ?? 0]);
}

async function accountWith(fault: (on: HostedOperation) => HostedFault, operation: Operation) {
  const service = await startHostedService({ verifiedHosts: [SHOP], runFor: null });
  open.push(service);
  const plant = () =>
    service.state.addTest({ test_type: 'cycling', duration: 60, urls: [{ url: `http://${SHOP}/` }] });
  const ids = { app: service.state.apps[0]?.id ?? '', running: plant().id, idle: plant().id };
  const context = worldOf(createHostedClient(service.url));
  await context.service.runTest(testId(ids.running), 'n');
  const before = service.calls(CALLS[operation]).length;
  service.injectFault(fault(CALLS[operation]));
  return { world: context, ids, sends: () => service.calls(CALLS[operation]).length - before };
}

describe('while the service does not come back', () => {
  const refusal = { message: 'error', errors: ['no'] };
  const rows: readonly (readonly [string, FaultResponse, Counts])[] = [
    // read, create, start, register, stop (as often as its time allows), verify, delete
    [
      'asks to come back at once (429)',
      { status: 429, headers: { 'retry-after': '0' } },
      [5, 5, 5, 5, 6, 5, 5],
    ],
    [
      'asks to come back in 3 s (429)',
      { status: 429, headers: { 'retry-after': '3' } },
      [5, 5, 5, 5, 5, 5, 5],
    ],
    ['asks for fewer requests (429)', { status: 429 }, [5, 1, 1, 1, 6, 5, 5]],
    ['fails (503)', { status: 503 }, [5, 1, 1, 5, 6, 5, 5]],
    ['breaks the connection off', 'reset', [5, 1, 1, 5, 6, 5, 5]],
    ['answers with a page', 'page', [1, 1, 1, 5, 6, 5, 1]],
    ['answers 502 with a page', { status: 502, body: HTML_PAGE }, [5, 1, 1, 5, 6, 5, 5]],
    ['refuses (422)', { status: 422, body: refusal }, [1, 1, 1, 1, 1, 5, 1]],
    ['refuses the key (401)', { status: 401, body: refusal }, [1, 1, 1, 1, 1, 1, 1]],
  ];

  describe.each(rows)('that %s', (_name, response, counts) => {
    it.each(each(counts))('%s is sent %i times', async (operation, count) => {
      const at = await accountWith((on) => ({ on, response, times: Infinity }), operation);
      expect(await carryOut(operation, at.world, at.ids)).toBe(
        operation === 'stop' && count === 1 && isFinal(response),
      );
      expect(at.sends()).toBe(count);
    });
  });

  /** A refused stop is no failure: the status tells. */
  function isFinal(response: FaultResponse): boolean {
    return typeof response === 'object' && 'status' in response && response.status === 422;
  }

  /** A stop looks at its test before it is sent, and again before it would be repeated. */
  const DIALS: Counts = [5, 5, 5, 5, 11, 5, 5];

  it.each(each(DIALS))('%s dials a port that refuses %i times', async (operation, count) => {
    const url = `http://127.0.0.1:${await findRefusedPort()}`;
    const dials = countDials();
    try {
      expect(await carryOut(operation, worldOf(createHostedClient(url)), NOWHERE)).toBe(false);
    } finally {
      dials.end();
    }
    expect(dials.count()).toBe(count);
  });

  it.each(each(DIALS))('%s dials a port that closes before TLS stands %i times', async (operation, count) => {
    const closing = await closingServer();
    const context = worldOf(createHostedClient(`https://127.0.0.1:${closing.port}`));
    expect(await carryOut(operation, context, NOWHERE)).toBe(false);
    expect(closing.accepted()).toBe(count);
  });
});

describe('when the service comes back', () => {
  it.each(OPERATIONS)('%s gets through at the third send', async (operation) => {
    const response = { status: 429, headers: { 'retry-after': '0' } };
    const at = await accountWith((on) => ({ on, response, times: 2 }), operation);
    expect(await carryOut(operation, at.world, at.ids)).toBe(true);
    expect(at.sends()).toBe(3);
  });

  it('a write waits for as long as it is told to', async () => {
    const response = { status: 429, headers: { 'retry-after': '40' } };
    const at = await accountWith((on) => ({ on, response }), 'create');
    const begin = at.world.clock.now();
    expect(await carryOut('create', at.world, at.ids)).toBe(true);
    expect(at.world.clock.now() - begin).toBeGreaterThanOrEqual(40_000);
  });

  it('a write that surely was not sent outlives a restart of four seconds', async () => {
    const context = worldOf(createHostedClient(`http://127.0.0.1:${await findRefusedPort()}`));
    const lasts = { ...context, clock: { ...context.clock, random: () => 0 } };
    const begin = context.clock.now();
    expect(await carryOut('create', lasts, NOWHERE)).toBe(false);
    expect(context.clock.now() - begin).toBeGreaterThanOrEqual(3_750);
  });

  it('a delete that was carried out in doubt is done when the app is gone', async () => {
    const at = await accountWith((on) => ({ on, executed: true, response: 'reset' }), 'delete');
    expect(await carryOut('delete', at.world, at.ids)).toBe(true);
    expect(at.sends()).toBe(2);
  });

  it('an app that was registered in doubt is found, and not registered again', async () => {
    const at = await accountWith((on) => ({ on, executed: true, response: 'reset' }), 'register');
    expect(await carryOut('register', at.world, at.ids)).toBe(true);
    expect(at.sends()).toBe(1);
  });

  it('a stop in doubt is not sent again when the run has ended', async () => {
    const at = await accountWith((on) => ({ on, executed: true, response: 'reset' }), 'stop');
    expect(await carryOut('stop', at.world, at.ids)).toBe(true);
    expect(at.sends()).toBe(1);
  });
});

it('what is no answer of the service leaves a create open in the journal', async () => {
  const at = await accountWith((on) => ({ on, response: 'reset' }), 'create');
  const locked = new ProblemError(problem('LT_CLI_LOCKED', 'another process has the data'));
  const service = { ...at.world.service, createTest: () => Promise.reject(locked) };
  expect(await carryOut('create', { ...at.world, service }, at.ids)).toBe(false);
  expect(at.world.journal.open()).toHaveLength(1);
});

describe('when a signal comes during the pause', () => {
  const busy = { status: 429, headers: { 'retry-after': '3' } };

  function interruptedInPause(context: ApplyContext): ApplyContext {
    const signal = new AbortController();
    const sleep: ApplyContext['clock']['sleep'] = async (...pause) => {
      signal.abort();
      await context.clock.sleep(...pause);
    };
    return { ...context, interrupted: signal.signal, clock: { ...context.clock, sleep } };
  }

  it.each(['create', 'start', 'register', 'verify', 'delete'] as const)(
    '%s is not sent again',
    async (operation) => {
      const at = await accountWith((on) => ({ on, response: busy, times: Infinity }), operation);
      expect(await carryOut(operation, interruptedInPause(at.world), at.ids)).toBe(false);
      expect(at.sends()).toBe(1);
    },
  );

  it('a stop is sent again: stopping is what a signal asks for', async () => {
    const at = await accountWith((on) => ({ on, response: busy, times: 1 }), 'stop');
    expect(await carryOut('stop', interruptedInPause(at.world), at.ids)).toBe(true);
    expect(at.sends()).toBe(2);
  });
});

/** Attempts to connect, of everything in this process. */
function countDials(): { readonly count: () => number; end(): void } {
  let dialled = 0;
  const onDial = () => {
    dialled++;
  };
  subscribe('net.client.socket', onDial);
  return {
    count: () => dialled,
    end: () => {
      unsubscribe('net.client.socket', onDial);
    },
  };
}

/** Resets connections at their first bytes, which are those of TLS. */
async function closingServer(): Promise<{ readonly port: number; readonly accepted: () => number }> {
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
        server.close(() => {
          resolve();
        });
      }),
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { port: address.port, accepted: () => accepted };
}
