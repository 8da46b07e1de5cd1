import { describe, expect, test } from 'vitest';
import { faultOnCall, createMemoryService, type MemoryOptions } from '../../support/memory-service.ts';
import { createMachine } from '../../support/simulated-machine.ts';
import { START_TIME, createVirtualClock } from '../../support/virtual-clock.ts';
import { declareState } from '../../support/declared-state.ts';
import { notesWithMarker, readNotes } from '../../../src/core/reconcile/ownership-marker.ts';
import { testId } from '../../../src/core/model/ids.ts';
import { milliseconds } from '../../../src/core/units.ts';

const shop = declareState().app('shop').test('home', { duration: '2m' });
const AGAIN = { plan: { maxAge: milliseconds(0) } };

function stage(options: Partial<MemoryOptions> = {}) {
  const clock = createVirtualClock();
  const service = createMemoryService({ clock, verified: ['shop.example'], ...options });
  return { clock, service, laptop: createMachine(service, { clock }) };
}

/** Returns the length of each run in seconds. */
function lengths(service: ReturnType<typeof createMemoryService>): number[] {
  return service.tests.flatMap(({ runs }) => runs.map((run) => (run.endsAt - run.startedAt) / 1000));
}

function ids(...values: string[]): () => string {
  const remaining = [...values];
  return () => remaining.shift() ?? 'later';
}

describe('duplicate tests', () => {
  test.each([200, 5_000, 40_000])(
    'if a create request is delivered again after %i ms, apply stops and reports the duplicate test, and the earlier test runs to its end',
    async (after) => {
      for (const names of [ids('a', 'b'), ids('b', 'a')]) {
        const { service, laptop } = stage({
          nextTestId: names,
          faults: faultOnCall('createTest', 1, { kind: 'twice', after }),
        });
        const { exit, execution } = await laptop.apply(shop);
        expect(exit).toBe(7);
        const [first, second] = lengths(service);
        expect(first).toBe(120);
        expect(second).toBeLessThan(40);
        const [, duplicate] = service.tests;
        expect(execution?.problems).toMatchObject([
          {
            code: 'LT_PLAN_DUPLICATE',
            message: expect.stringMatching(
              `^test.home exists twice: the duplicate ${duplicate?.id ?? ''} was stopped; it generated additional load for [\\d.]+m?s$`,
            ) as string,
          },
        ]);
      }
    },
  );

  test('a stopped duplicate test causes a warning until "loadtests recover" closes the duplicate', async () => {
    const { service, laptop } = stage({
      faults: faultOnCall('createTest', 1, { kind: 'twice', after: 100 }),
    });
    await laptop.apply(shop);
    for (let round = 0; round < 2; round++) {
      const { exit, plan } = await laptop.apply(shop);
      expect(exit).toBe(0);
      expect(plan.problems).toMatchObject([{ code: 'LT_PLAN_DUPLICATE', severity: 'warning' }]);
    }
    expect(await laptop.closeDuplicates(shop)).toEqual([service.tests[1]?.id]);
    const { exit, plan } = await laptop.apply(shop);
    expect(exit).toBe(0);
    expect(plan.problems).toEqual([]);
    expect(plan.summary).toMatchObject({ unchanged: 1, create: 0 });
    // A duplicate that runs again is reported again.
    const second = service.tests[1]?.id ?? testId('none');
    await service.port.runTest(second, 'somebody');
    expect((await laptop.plan(shop)).problems).toHaveLength(1);
  });

  test('if two machines create the same test concurrently, the test created second is stopped, regardless of the order of the IDs', async () => {
    for (const names of [ids('a', 'b'), ids('b', 'a')]) {
      const { clock, service, laptop } = stage({ latency: 500, nextTestId: names });
      const other = createMachine(service, { clock, name: 'b' });
      const later = clock.sleep(100).then(async () => await other.apply(shop));
      const [one, two] = await Promise.all([laptop.apply(shop), later]);
      expect(service.tests).toHaveLength(2);
      const [first, second] = lengths(service);
      expect(first).toBe(120);
      expect(second).toBeLessThan(15);
      expect([one.exit, two.exit].sort()).toEqual([0, 7]);
    }
  });

  test('a duplicate test that apply creates because of an outdated list of tests is stopped when the list is current', async () => {
    const { clock, service, laptop } = stage();
    const other = createMachine(service, { clock, name: 'b' });
    await other.apply(shop, { execute: { wait: false } });
    await clock.sleep(1_000);
    const first = service.tests[0];
    service.configure({ listLag: 5_000 });
    const { execution, exit } = await laptop.apply(shop);
    expect(exit).toBe(7);
    expect(service.tests).toHaveLength(2);
    // The own test was created later, so it is stopped and the other one continues.
    expect(service.tests[1]?.runs[0]?.stopped).toBe(true);
    expect(first?.runs[0]?.stopped).toBe(false);
    expect(execution?.problems[0]?.message).toContain(service.tests[1]?.id ?? '');
  });

  test('a duplicate test of another client is not stopped, and is reported with the command that stops the duplicate', async () => {
    const { clock, service, laptop } = stage();
    let theirs = '';
    clock.at(START_TIME + 5_000, () => {
      const ours = service.tests[0];
      if (ours === undefined) throw new Error('no test was created');
      const planted = service.addTest(
        { ...ours.spec, notes: otherNonce(ours.spec.notes) },
        { ran: false, id: 'theirs' },
      );
      planted.runs.push({
        id: 'r',
        startedAt: clock.now(),
        endsAt: clock.now() + 600_000,
        stopped: false,
      });
      theirs = planted.id;
    });
    const { exit, execution } = await laptop.apply(shop);
    expect(exit).toBe(7);
    expect(execution?.problems).toMatchObject([
      { code: 'LT_PLAN_DUPLICATE', hint: expect.stringContaining(`loadtests stop id:${theirs}`) as string },
    ]);
    expect(service.count('stopTest')).toBe(0);
  });

  test('a scheduled duplicate test is canceled before it starts', async () => {
    const night = declareState()
      .app('shop')
      .test('night', { scheduledAt: START_TIME + 3_600_000 });
    const { clock, service, laptop } = stage({
      faults: faultOnCall('createTest', 1, { kind: 'twice', after: 0 }),
    });
    await laptop.apply(night);
    await clock.sleep(7_200_000);
    service.running();
    expect(service.tests.map(({ runs }) => runs.length).sort()).toEqual([0, 1]);
  });

  test('on a service without results, apply stops the duplicate test with the greater ID', async () => {
    const { service, laptop } = stage({
      results: 'missing',
      nextTestId: ids('b', 'a'),
      faults: faultOnCall('createTest', 1, { kind: 'twice', after: 100 }),
    });
    expect((await laptop.apply(shop)).exit).toBe(7);
    expect(service.tests.map(({ id, runs }) => [id, runs[0]?.stopped])).toEqual([
      ['b', true],
      ['a', false],
    ]);
  });
});

describe('duplicate starts', () => {
  test('if a start request is delivered twice, both runs are reported and the second run is stopped', async () => {
    const { clock, service, laptop } = stage();
    await laptop.apply(shop);
    service.configure({ faults: faultOnCall('runTest', 1, { kind: 'twice', after: 1_000 }) });
    const before = clock.now();
    const { exit, execution } = await laptop.apply(shop, AGAIN);
    expect(exit).toBe(7);
    const [, first, second] = service.tests[0]?.runs ?? [];
    expect(second?.stopped).toBe(true);
    expect((second?.endsAt ?? 0) - before).toBeLessThan(10_000);
    expect(execution?.problems).toContainEqual(
      expect.objectContaining({
        code: 'LT_RUN_DUPLICATE',
        message: expect.stringContaining(
          `test.home was started twice (runs ${first?.id ?? ''} and ${second?.id ?? ''}); the second run was stopped`,
        ) as string,
      }),
    );
  });

  test('a start request that is delivered twice starts one run on a service that allows only one run at a time', async () => {
    const { service, laptop } = stage({ oneRunAtATime: true });
    await laptop.apply(shop);
    service.configure({ faults: faultOnCall('runTest', 1, { kind: 'twice', after: 1_000 }) });
    expect((await laptop.apply(shop, AGAIN)).exit).toBe(0);
    expect(service.tests[0]?.runs).toHaveLength(2);
  });

  test('if a start request is refused because the test is already running, apply follows the active run', async () => {
    const { service, laptop } = stage({ oneRunAtATime: true });
    await laptop.apply(shop);
    const [home] = service.tests;
    service.configure({
      faults: ({ operation, nth }) => {
        // The first delivery starts the run, and the second one determines the response.
        if (operation === 'runTest' && nth === 1 && home !== undefined)
          void service.port.runTest(home.id, 'first');
        return null;
      },
    });
    const { exit, execution } = await laptop.apply(shop, AGAIN);
    expect(exit).toBe(0);
    expect(execution?.runs[0]).toMatchObject({ resultId: service.tests[0]?.runs[1]?.id, end: 'ended' });
  });

  test('apply exits with 7 after a start request that the service refuses with status 422', async () => {
    const { service, laptop } = stage();
    await laptop.apply(shop);
    service.configure({ faults: faultOnCall('runTest', 1, { kind: 'refused', status: 422 }) });
    expect((await laptop.apply(shop, AGAIN)).exit).toBe(7);
    expect(service.tests[0]?.runs).toHaveLength(1);
  });

  test('on a service without results, the outcome of a start request without a response stays unknown', async () => {
    const { service, laptop } = stage({ results: 'missing', runFor: 3_000 });
    await laptop.apply(shop);
    service.configure({
      faults: ({ operation, nth }) =>
        operation === 'runTest' && nth === 1
          ? { kind: 'answer_lost' }
          : operation === 'getTest' && service.count('runTest') === 1
            ? { kind: 'lost' }
            : null,
    });
    expect((await laptop.apply(shop, AGAIN)).exit).toBe(8);
    service.configure({ faults: () => null });
    const { exit, settled } = await laptop.apply(shop, AGAIN);
    expect(exit).toBe(8);
    expect(settled[0]).toMatchObject({ severity: 'error' });
    expect(service.tests[0]?.runs).toHaveLength(2);
  });
});

function otherNonce(notes: string | null): string {
  const { own, reading } = readNotes(notes);
  if (reading.kind !== 'marker') throw new Error('no marker');
  return notesWithMarker(own, { ...reading.marker, nonce: 'another1' });
}
