/** Duplicate tests and runs: which one is used, which ones are stopped, and what the report states. */
import { describe, expect, it } from 'vitest';
import { DuplicateRuns } from '../../../src/apply/uncertainty/duplicate-runs.ts';
import { Duplicates, findDuplicates } from '../../../src/apply/uncertainty/duplicates.ts';
import { CallError } from '../../../src/core/call-error.ts';
import { resultId, testAddress, testId, testKey } from '../../../src/core/model/ids.ts';
import type { ObservedTest, StatusKind } from '../../../src/core/model/load-test.ts';
import { problem } from '../../../src/core/problem.ts';
import { notesWithMarker, type Marker } from '../../../src/core/reconcile/ownership-marker.ts';
import type { RunResult } from '../../../src/core/run-record/run-result.ts';
import { milliseconds } from '../../../src/core/units.ts';
import { createApplyContext } from '../../support/apply-context.ts';
import { declareState } from '../../support/declared-state.ts';
import { createMemoryService } from '../../support/memory-service.ts';
import { createResult } from '../../support/past-run.ts';
import { createVirtualClock, START_TIME } from '../../support/virtual-clock.ts';

const MARKER: Marker = {
  ...{ project: 'shop', environment: null, key: 'home', listed: 's', unlisted: 'w', repetition: 0 },
  nonce: 'nonce001',
};

interface PlannedTest {
  readonly id: string;
  readonly marker?: Partial<Marker> | null;
  readonly status?: StatusKind;
  /** Times of the starts of its runs, in ms since the start; null if the service provides no results. */
  readonly starts?: readonly number[] | null;
  readonly stop?: 'ignored' | Error;
  readonly scheduledAt?: number;
}

const keyError = new CallError(problem('LT_API_KEY', 'the key is rejected'), {
  ...{ outcome: 'refused', status: 401, errors: [] },
});

async function account(planned: readonly PlannedTest[]) {
  const clock = createVirtualClock();
  const service = createMemoryService({ clock, latency: 0 });
  const [declared] = declareState().app('shop').test('home').state.tests;
  if (declared === undefined) throw new Error('Bug: no test is declared');
  service.addTest(declared.spec, { id: 't1' });
  const { test } = await service.port.getTest(testId('t1'));
  const stopped: string[] = [];
  const find = (id: string) => {
    const found = planned.find((one) => one.id === id);
    if (found === undefined) throw new Error('Bug: unknown test');
    return found;
  };
  const toTest = ({ id, marker = {}, status = 'running', scheduledAt }: PlannedTest): ObservedTest => ({
    ...test,
    id: testId(id),
    notes: marker === null ? null : notesWithMarker(null, { ...MARKER, ...marker }),
    statusKind: stopped.includes(id) ? 'complete' : status,
    scheduledAt: scheduledAt ?? null,
  });
  const port = {
    ...service.port,
    listTests: () => Promise.resolve({ items: planned.map(toTest), maybeTruncated: false }),
    getTest: (id: string) => Promise.resolve({ test: toTest(find(id)), progress: null }),
    listResults: (id: string) => {
      const { starts = [] } = find(id);
      const results = starts?.map((at, index) =>
        createResult({
          id: resultId(`${id}-${index}`),
          startedAt: START_TIME + at,
          status: stopped.includes(id) ? 'ready' : 'not_ready',
        }),
      );
      return Promise.resolve(results ?? null);
    },
    stopTest: (id: string) => {
      const { stop = 'executed' } = find(id);
      if (stop instanceof Error) return Promise.reject(stop);
      if (stop !== 'ignored') stopped.push(id);
      return Promise.resolve({ resultId: null, status: null });
    },
  };
  const context = createApplyContext({ service: port, clock, settle: milliseconds(60_000) });
  await clock.sleep(5000);
  return { context, clock, stopped, items: planned.map(toTest) };
}

describe('groups of duplicates', () => {
  it.each<[string, readonly PlannedTest[], boolean, readonly string[], boolean]>([
    [
      'the order of their first starts',
      [
        { id: 'a', starts: [3] },
        { id: 'b', starts: [9, 1] },
      ],
      false,
      ['b', 'a'],
      true,
    ],
    [
      'undecided while the start of one test is unknown',
      [
        { id: 'b', starts: [] },
        { id: 'a', starts: [1] },
      ],
      false,
      ['a', 'b'],
      false,
    ],
    [
      'decided if the list is complete, even if the start of one test is unknown',
      [
        { id: 'b', starts: [] },
        { id: 'a', starts: [1] },
      ],
      true,
      ['a', 'b'],
      true,
    ],
    [
      'the order of their IDs on a service without results',
      [
        { id: 'b', starts: null },
        { id: 'a', starts: null },
      ],
      false,
      ['a', 'b'],
      true,
    ],
    [
      'undecided if the service provides results only for the test a',
      [
        { id: 'b', starts: null },
        { id: 'a', starts: [] },
      ],
      false,
      ['a', 'b'],
      false,
    ],
    [
      'undecided if the service provides results only for the test b',
      [
        { id: 'b', starts: [] },
        { id: 'a', starts: null },
      ],
      false,
      ['a', 'b'],
      false,
    ],
    [
      'decided if all tests are scheduled',
      [
        { id: 'b', status: 'pending', scheduledAt: START_TIME + 60_000 },
        { id: 'a', status: 'pending', scheduledAt: START_TIME + 60_000 },
      ],
      false,
      ['a', 'b'],
      true,
    ],
    [
      'undecided if one test is not scheduled',
      [{ id: 'b', status: 'pending', scheduledAt: START_TIME + 60_000 }, { id: 'a' }],
      false,
      ['a', 'b'],
      false,
    ],
  ])('the order of tests with the same marker is %s', async (_, planned, isSettled, ids, isDecided) => {
    const { context, items } = await account(planned);
    const [group, ...others] = await findDuplicates(items, () => true, context, isSettled);
    expect(group?.tests.map(({ test }) => test.id)).toEqual(ids);
    expect([group?.isDecided, others]).toEqual([isDecided, []]);
  });

  it('tests form a group of duplicates only if their markers have the same key and repetition number, and the key is not excluded', async () => {
    const { context, items } = await account([
      { id: 'a' },
      { id: 'b', marker: { key: 'cart' } },
      { id: 'c', marker: null },
      { id: 'd', marker: { repetition: 1 } },
      { id: 'e', marker: { key: 'terms' } },
      { id: 'f', marker: { key: 'terms' } },
    ]);
    expect(await findDuplicates(items, ({ key }) => key !== 'terms', context)).toEqual([]);
    const groups = await findDuplicates(items, () => true, context);
    expect(groups.map(({ tests }) => tests.map(({ test }) => test.id))).toEqual([['e', 'f']]);
  });
});

const RUN_RECOVER = 'to clear this warning, run "loadtests recover"';

describe('the report on duplicate tests', () => {
  it.each<[string, string | null, readonly PlannedTest[], boolean]>([
    [
      'twice: the duplicate b was stopped; it generated additional load for 3s',
      null,
      [
        { id: 'a', starts: [0] },
        { id: 'b', starts: [2000] },
      ],
      true,
    ],
    [
      '3 times: the duplicates b, c were stopped; they generated additional load for 3s and 1s',
      null,
      [
        { id: 'a', starts: [0] },
        { id: 'b', starts: [2000] },
        { id: 'c', starts: [4000] },
      ],
      true,
    ],
    [
      'twice: the duplicate b was stopped; the service does not show how much additional load was generated',
      null,
      [
        { id: 'a', starts: null },
        { id: 'b', starts: null },
      ],
      true,
    ],
    [
      'twice: the duplicate b is still running or scheduled',
      'if no other client stops the duplicate, run: loadtests stop id:b',
      [
        { id: 'a', starts: [0] },
        { id: 'b', starts: [1], marker: { nonce: 'theirs01' } },
      ],
      true,
    ],
    [
      '3 times: the duplicates b, c are still running or scheduled',
      'if no other client stops the duplicates, run: loadtests stop id:b id:c',
      [
        { id: 'a', starts: [0] },
        { id: 'b', starts: [1], stop: 'ignored' },
        { id: 'c', starts: [2], stop: 'ignored' },
      ],
      true,
    ],
    [
      'twice, and the service does not show which test started first: a, b',
      'if no other client stops the duplicate, run: loadtests stop id:b',
      [
        { id: 'a', starts: [] },
        { id: 'b', starts: [] },
      ],
      false,
    ],
    [
      'twice: the duplicate b has ended, so the load of the test was generated one more time',
      RUN_RECOVER,
      [
        { id: 'a', starts: [0] },
        { id: 'b', starts: [1], status: 'complete' },
      ],
      true,
    ],
    [
      '3 times: the duplicates b, c have ended, so the load of the test was generated 2 more times',
      RUN_RECOVER,
      [
        { id: 'a', starts: [0] },
        { id: 'b', starts: [1], status: 'complete' },
        { id: 'c', starts: [2], status: 'complete' },
      ],
      true,
    ],
  ])(
    'the report on duplicate tests states that the test exists %s',
    async (text, hint, planned, isSettled) => {
      const { context } = await account(planned);
      const line = {
        s: 's',
        w: 'w',
        r: 0,
        nonce: 'nonce001',
        id: null,
        phase: 'done',
        address: 'test.home',
      } as const;
      context.journal.write({ op: 'create', ...context.journal.identity, ...line, at: 0 });
      const duplicates = new Duplicates(context);
      duplicates.add(MARKER, testId('a'));
      expect([duplicates.hasAny, duplicates.areAllListed]).toEqual([true, false]);
      await duplicates.check(isSettled);
      expect(duplicates.areAllListed).toBe(true);
      const severity = text.includes('ended') ? 'warning' : 'error';
      expect(duplicates.problems()).toEqual([
        {
          address: 'test.home',
          problem: problem('LT_PLAN_DUPLICATE', `test.home exists ${text}`, { severity, hint }),
        },
      ]);
    },
  );

  it('an ended duplicate of a test from the plan is not reported again, but an ended duplicate of a test that apply created is reported', async () => {
    const ended: readonly PlannedTest[] = ['a', 'b'].map((id) => ({ id, starts: [0], status: 'complete' }));
    const { context } = await account(ended);
    const duplicates = new Duplicates(context);
    duplicates.addKnown({ ...MARKER, key: 'cart' });
    expect(duplicates.hasAny).toBe(true);
    duplicates.addKnown(MARKER);
    await duplicates.check(true);
    expect(duplicates.problems()).toEqual([]);
    const reported = new Duplicates(context);
    reported.addKnown({ ...MARKER, key: 'cart' });
    reported.add(MARKER, null);
    await reported.check(true);
    expect(reported.problems()).toHaveLength(1);
  });

  it('a failed request to stop a duplicate test is reported until the duplicate is stopped', async () => {
    const planned = [
      { id: 'a', starts: [0] },
      { id: 'b', starts: [1], stop: keyError },
    ];
    const { context } = await account(planned);
    const line = {
      s: 's',
      w: 'w',
      r: 0,
      nonce: 'nonce001',
      id: null,
      phase: 'done',
      address: 'test.home',
    } as const;
    context.journal.write({ op: 'create', ...context.journal.identity, ...line, at: 0 });
    const duplicates = new Duplicates(context);
    expect(duplicates.hasAny).toBe(false);
    duplicates.add(MARKER, null);
    await duplicates.check(true);
    expect(duplicates.problems().map((one) => one.problem.message)).toEqual([
      'the key is rejected',
      'test.home exists twice: the duplicate b is still running or scheduled',
    ]);
    planned.splice(1, 1, { id: 'b', starts: [1] } as (typeof planned)[1]);
    await duplicates.check(true);
    expect(duplicates.problems().map((one) => one.problem.message)).toEqual([
      'test.home exists twice: the duplicate b was stopped; it generated additional load for 4.999s',
    ]);
  });

  it('an unexpected error of a stop request for a duplicate test is thrown', async () => {
    const { context } = await account([
      { id: 'a', starts: [0] },
      { id: 'b', starts: [1], stop: new TypeError('bug') },
    ]);
    const line = {
      s: 's',
      w: 'w',
      r: 0,
      nonce: 'nonce001',
      id: null,
      phase: 'done',
      address: 'test.home',
    } as const;
    context.journal.write({ op: 'create', ...context.journal.identity, ...line, at: 0 });
    const duplicates = new Duplicates(context);
    duplicates.add(MARKER, null);
    await expect(duplicates.check(true)).rejects.toThrow('bug');
  });
});

describe('the report on duplicate runs', () => {
  const run = (id: string, startedAt: number | null, status: RunResult['status'] = 'not_ready') =>
    createResult({ id: resultId(id), startedAt, status });
  const STOP = 'to stop it: loadtests stop id:a';
  const two = [run('r2', 2), run('r1', 1), run('r0', 0, 'ready')];

  async function check(
    results: readonly RunResult[] | null,
    planned: Partial<PlannedTest> = {},
    prior: readonly string[] | null = ['r0'],
  ) {
    const { context, stopped } = await account([{ id: 'a', ...planned }]);
    let reads = 0;
    const listResults = () => {
      reads++;
      return Promise.resolve(results);
    };
    const runs = new DuplicateRuns({ ...context, service: { ...context.service, listResults } });
    const address = testAddress(testKey('home'));
    runs.add({ address, id: testId('a'), priorResults: prior?.map((id) => resultId(id)) ?? null });
    await runs.check();
    const before = reads;
    await runs.check();
    const problems = runs
      .problems()
      .map(({ problem: { code, severity, message, hint } }) => [`${severity} ${code}`, message, hint]);
    return { problems, stopped, hasAny: runs.hasAny, readsAgain: reads - before };
  }

  it.each<[string, string, string | null, readonly RunResult[], Partial<PlannedTest>]>([
    [
      'states that a stop request has stopped the second run',
      'twice (runs r1 and r2); the second run was stopped',
      null,
      two,
      {},
    ],
    [
      'states that the second run has ended',
      'twice (runs r1 and r2); the second run has ended',
      null,
      [run('r2', 2, 'ready'), run('r1', 1)],
      {},
    ],
    [
      'suggests a stop command if a stop request has no effect',
      'twice (runs r1 and r2); the second run did not stop',
      STOP,
      two,
      { stop: 'ignored' },
    ],
    [
      'suggests a stop command if a stop request is refused',
      'twice (runs r1 and r2); the second run could not be stopped: the key is rejected',
      STOP,
      two,
      { stop: keyError },
    ],
    [
      'states that the second run has ended even if its start time is unknown',
      'twice (runs r1 and r2); the second run has ended',
      null,
      [run('r2', null, 'ready'), run('r1', 1)],
      {},
    ],
  ])('the report on a duplicate run %s', async (_, text, hint, results, planned) => {
    const { problems, readsAgain } = await check(results, planned);
    expect(problems).toEqual([['error LT_RUN_DUPLICATE', `test.home was started ${text}`, hint]]);
    expect(readsAgain).toBe(1);
  });

  it('if a test was started three times, each of the two duplicate runs is reported with its ID', async () => {
    const { problems } = await check([run('r3', 3, 'ready'), run('r1', 1), run('r2', 2, 'ready')]);
    const head = 'test.home was started 3 times (runs r1, r2, r3)';
    expect(problems.map(([, message]) => message)).toEqual([
      `${head}; the run r2 has ended`,
      `${head}; the run r3 has ended`,
    ]);
  });

  it.each<[string, boolean, readonly RunResult[] | null, readonly string[] | null]>([
    ['there is one new run', true, [run('r1', 1), run('r0', 0, 'ready')], ['r0']],
    ['the service no longer provides results', true, null, ['r0']],
    ['the earlier results are unknown', false, two, null],
  ])('no duplicate run is reported or stopped if %s', async (_, hasAny, results, prior) => {
    expect(await check(results, {}, prior)).toMatchObject({ problems: [], stopped: [], hasAny });
  });

  it('an unexpected error of a stop request for a duplicate run is thrown', async () => {
    await expect(check(two, { stop: new TypeError('bug') })).rejects.toThrow('bug');
  });
});
