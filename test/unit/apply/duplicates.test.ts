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

/** How long each run took, in seconds. */
function lengths(service: ReturnType<typeof createMemoryService>): number[] {
  return service.tests.flatMap(({ runs }) => runs.map((run) => (run.endsAt - run.startedAt) / 1000));
}

function ids(...given: string[]): () => string {
  const left = [...given];
  return () => left.shift() ?? 'later';
}

describe('a test that was created twice', () => {
  test.each([200, 5_000, 40_000])(
    'by a request that was delivered again after %i ms is stopped at once, the earlier one goes on',
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
        const [, late] = service.tests;
        expect(execution?.problems).toMatchObject([
          {
            code: 'LT_PLAN_DUPLICATE',
            message: `2 of test.home exist, the second was stopped: ${late?.id ?? ''}`,
          },
        ]);
      }
    },
  );

  test('is an observation from then on, until recover closes it', async () => {
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
    // What runs again is told again.
    const second = service.tests[1]?.id ?? testId('none');
    await service.port.runTest(second, 'somebody');
    expect((await laptop.plan(shop)).problems).toHaveLength(1);
  });

  test('on two machines at once: the later side stops its own, whatever the ids', async () => {
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

  test('by a list that lags on two machines: the later one is found when the list shows both', async () => {
    const { clock, service, laptop } = stage();
    const other = createMachine(service, { clock, name: 'b' });
    await other.apply(shop, { execute: { wait: false } });
    await clock.sleep(1_000);
    const first = service.tests[0];
    service.configure({ listLag: 5_000 });
    const { execution, exit } = await laptop.apply(shop);
    expect(exit).toBe(7);
    expect(service.tests).toHaveLength(2);
    // Ours came later, so it is the one that is stopped; theirs goes on.
    expect(service.tests[1]?.runs[0]?.stopped).toBe(true);
    expect(first?.runs[0]?.stopped).toBe(false);
    expect(execution?.problems[0]?.message).toContain(service.tests[1]?.id ?? '');
  });

  test('and that somebody else has to stop is told with the command', async () => {
    const { clock, service, laptop } = stage();
    let theirs = '';
    clock.at(START_TIME + 5_000, () => {
      const ours = service.tests[0];
      if (ours === undefined) throw new Error('nothing was created');
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

  test('with a schedule is disarmed before it fires', async () => {
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

  test('on a service without results: the smaller id counts', async () => {
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

describe('a start that was delivered twice', () => {
  test('is told with both runs, and the second is stopped', async () => {
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
        message: expect.stringContaining(`${first?.id ?? ''}, ${second?.id ?? ''}`) as string,
      }),
    );
  });

  test('to a service that runs one at a time changes nothing', async () => {
    const { service, laptop } = stage({ oneRunAtATime: true });
    await laptop.apply(shop);
    service.configure({ faults: faultOnCall('runTest', 1, { kind: 'twice', after: 1_000 }) });
    expect((await laptop.apply(shop, AGAIN)).exit).toBe(0);
    expect(service.tests[0]?.runs).toHaveLength(2);
  });

  test('and refused since it runs already is followed', async () => {
    const { service, laptop } = stage({ oneRunAtATime: true });
    await laptop.apply(shop);
    const [home] = service.tests;
    service.configure({
      faults: ({ operation, nth }) => {
        // The first delivery starts it; the answer is that of the second one.
        if (operation === 'runTest' && nth === 1 && home !== undefined)
          void service.port.runTest(home.id, 'first');
        return null;
      },
    });
    const { exit, execution } = await laptop.apply(shop, AGAIN);
    expect(exit).toBe(0);
    expect(execution?.runs[0]).toMatchObject({ resultId: service.tests[0]?.runs[1]?.id, end: 'ended' });
  });

  test('is refused for another reason: that is a failure', async () => {
    const { service, laptop } = stage();
    await laptop.apply(shop);
    service.configure({ faults: faultOnCall('runTest', 1, { kind: 'refused', status: 422 }) });
    expect((await laptop.apply(shop, AGAIN)).exit).toBe(7);
    expect(service.tests[0]?.runs).toHaveLength(1);
  });

  test('and is in doubt on a service without results is never taken for one that did not happen', async () => {
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
  if (reading.kind !== 'mark') throw new Error('no mark');
  return notesWithMarker(own, { ...reading.marker, nonce: 'another1' });
}
