/** How often each operation reaches out, in all: the client sends, `apply` decides whether it sends again. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createTest } from '../../src/apply/create-test.ts';
import { deleteApp } from '../../src/apply/delete-apps.ts';
import { registerApp, verifyApp } from '../../src/apply/prepare-app.ts';
import { sendOnce } from '../../src/apply/sending.ts';
import { stopTest } from '../../src/apply/stop-test.ts';
import type { World } from '../../src/apply/world.ts';
import type { ServiceClient } from '../../src/client/client.ts';
import type { Operation } from '../../src/contract/routes.ts';
import { appId, appKey, testAddress, testId, testKey } from '../../src/core/model/ids.ts';
import { NO_REGRESSION } from '../../src/core/model/regression.ts';
import type { DeclaredApp } from '../../src/core/model/app.ts';
import { ProblemError, problem } from '../../src/core/problem.ts';
import { seconds } from '../../src/core/units.ts';
import { applyWorld } from '../rig/apply-world.ts';
import { connect, homeSpec, SHOP } from '../rig/hosted-client.ts';
import type { HostedOperation } from '../rig/hosted-options.ts';
import { startHostedService, PAGE, type Fault, type FaultAnswer } from '../rig/hosted-service.ts';
import { refusedPort } from '../rig/raw-target.ts';
import { skippingClock } from '../rig/skipping-clock.ts';

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
async function carryOut(operation: Operation, world: World, ids: Ids): Promise<boolean> {
  const acts: Readonly<Record<Operation, () => Promise<unknown>>> = {
    read: () => world.service.listTests(),
    create: () => createTest(createHome, world, () => Promise.resolve([])),
    start: async () => {
      const sent = await sendOnce(() => world.service.runTest(testId(ids.idle), 'n'), world);
      if (sent.kind === 'doubt') throw sent.error;
    },
    register: () => registerApp(shop, world),
    stop: () => stopTest({ id: testId(ids.running) }, world, 30_000),
    verify: () => verifyApp(shop, { id: appId(ids.app), verificationId: 'v' }, world),
    delete: () => deleteApp(appId(ids.app), world),
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
  wanted: { shown: 's', hidden: 'w' },
  replaces: null,
  repetition: 0,
  changes: [],
  note: null,
} as const;

function worldOf(service: ServiceClient): World {
  open.push(service);
  return applyWorld({ service, clock: skippingClock() });
}

function each(counts: Counts): (readonly [Operation, number])[] {
  return OPERATIONS.map((operation, at) => [operation, counts[at] ?? 0]);
}

async function accountWith(fault: (on: HostedOperation) => Fault, operation: Operation) {
  const service = await startHostedService({ verifiedHosts: [SHOP], runFor: null });
  open.push(service);
  const plant = () =>
    service.state.plant({ test_type: 'cycling', duration: 60, urls: [{ url: `http://${SHOP}/` }] });
  const ids = { app: service.state.apps[0]?.id ?? '', running: plant().id, idle: plant().id };
  const world = worldOf(connect(service.url));
  await world.service.runTest(testId(ids.running), 'n');
  const before = service.calls(CALLS[operation]).length;
  service.fault(fault(CALLS[operation]));
  return { world, ids, sends: () => service.calls(CALLS[operation]).length - before };
}

describe('while the service does not come back', () => {
  const refusal = { message: 'error', errors: ['no'] };
  const rows: readonly (readonly [string, FaultAnswer, Counts])[] = [
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
    ['answers 502 with a page', { status: 502, body: PAGE }, [5, 1, 1, 5, 6, 5, 5]],
    ['refuses (422)', { status: 422, body: refusal }, [1, 1, 1, 1, 1, 5, 1]],
    ['refuses the key (401)', { status: 401, body: refusal }, [1, 1, 1, 1, 1, 1, 1]],
  ];

  describe.each(rows)('that %s', (_name, answer, counts) => {
    it.each(each(counts))('%s is sent %i times', async (operation, count) => {
      const at = await accountWith((on) => ({ on, answer, times: Infinity }), operation);
      expect(await carryOut(operation, at.world, at.ids)).toBe(
        operation === 'stop' && count === 1 && isFinal(answer),
      );
      expect(at.sends()).toBe(count);
    });
  });

  /** A refused stop is no failure: the status tells. */
  function isFinal(answer: FaultAnswer): boolean {
    return typeof answer === 'object' && 'status' in answer && answer.status === 422;
  }

  /** A stop looks at its test before it is sent, and again before it would be repeated. */
  const DIALS: Counts = [5, 5, 5, 5, 11, 5, 5];

  it.each(each(DIALS))('%s dials a port that refuses %i times', async (operation, count) => {
    const url = `http://127.0.0.1:${await refusedPort()}`;
    const dials = countDials();
    try {
      expect(await carryOut(operation, worldOf(connect(url)), NOWHERE)).toBe(false);
    } finally {
      dials.end();
    }
    expect(dials.count()).toBe(count);
  });

  it.each(each(DIALS))('%s dials a port that closes before TLS stands %i times', async (operation, count) => {
    const closing = await closingServer();
    const world = worldOf(connect(`https://127.0.0.1:${closing.port}`));
    expect(await carryOut(operation, world, NOWHERE)).toBe(false);
    expect(closing.accepted()).toBe(count);
  });
});

describe('when the service comes back', () => {
  it.each(OPERATIONS)('%s gets through at the third send', async (operation) => {
    const answer = { status: 429, headers: { 'retry-after': '0' } };
    const at = await accountWith((on) => ({ on, answer, times: 2 }), operation);
    expect(await carryOut(operation, at.world, at.ids)).toBe(true);
    expect(at.sends()).toBe(3);
  });

  it('a write waits for as long as it is told to', async () => {
    const answer = { status: 429, headers: { 'retry-after': '40' } };
    const at = await accountWith((on) => ({ on, answer }), 'create');
    const begin = at.world.clock.now();
    expect(await carryOut('create', at.world, at.ids)).toBe(true);
    expect(at.world.clock.now() - begin).toBeGreaterThanOrEqual(40_000);
  });

  it('a write that surely was not sent outlives a restart of four seconds', async () => {
    const world = worldOf(connect(`http://127.0.0.1:${await refusedPort()}`));
    const lasts = { ...world, clock: { ...world.clock, random: () => 0 } };
    const begin = world.clock.now();
    expect(await carryOut('create', lasts, NOWHERE)).toBe(false);
    expect(world.clock.now() - begin).toBeGreaterThanOrEqual(3_750);
  });

  it('a delete that was carried out in doubt is done when the app is gone', async () => {
    const at = await accountWith((on) => ({ on, executed: true, answer: 'reset' }), 'delete');
    expect(await carryOut('delete', at.world, at.ids)).toBe(true);
    expect(at.sends()).toBe(2);
  });

  it('an app that was registered in doubt is found, and not registered again', async () => {
    const at = await accountWith((on) => ({ on, executed: true, answer: 'reset' }), 'register');
    expect(await carryOut('register', at.world, at.ids)).toBe(true);
    expect(at.sends()).toBe(1);
  });

  it('a stop in doubt is not sent again when the run has ended', async () => {
    const at = await accountWith((on) => ({ on, executed: true, answer: 'reset' }), 'stop');
    expect(await carryOut('stop', at.world, at.ids)).toBe(true);
    expect(at.sends()).toBe(1);
  });
});

it('what is no answer of the service leaves a create open in the journal', async () => {
  const at = await accountWith((on) => ({ on, answer: 'reset' }), 'create');
  const locked = new ProblemError(problem('LT_CLI_LOCKED', 'another process has the data'));
  const service = { ...at.world.service, createTest: () => Promise.reject(locked) };
  expect(await carryOut('create', { ...at.world, service }, at.ids)).toBe(false);
  expect(at.world.journal.open()).toHaveLength(1);
});

describe('when a signal comes during the pause', () => {
  const busy = { status: 429, headers: { 'retry-after': '3' } };

  function interruptedInPause(world: World): World {
    const signal = new AbortController();
    const sleep: World['clock']['sleep'] = async (...pause) => {
      signal.abort();
      await world.clock.sleep(...pause);
    };
    return { ...world, interrupted: signal.signal, clock: { ...world.clock, sleep } };
  }

  it.each(['create', 'start', 'register', 'verify', 'delete'] as const)(
    '%s is not sent again',
    async (operation) => {
      const at = await accountWith((on) => ({ on, answer: busy, times: Infinity }), operation);
      expect(await carryOut(operation, interruptedInPause(at.world), at.ids)).toBe(false);
      expect(at.sends()).toBe(1);
    },
  );

  it('a stop is sent again: stopping is what a signal asks for', async () => {
    const at = await accountWith((on) => ({ on, answer: busy, times: 1 }), 'stop');
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
