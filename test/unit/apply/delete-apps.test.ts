/** `destroy`: the plan for the deletion of apps, and the deletion itself. */
import { describe, expect, test } from 'vitest';
import {
  deleteApps,
  exitCodeOfDeletions,
  listUnmanagedProblems,
  type Deletions,
} from '../../../src/apply/apps/delete-apps.ts';
import {
  planDeletion,
  type AppDeletion,
  type DeletionPlan,
  type TestDeletion,
} from '../../../src/apply/apps/deletion-plan.ts';
import { problem } from '../../../src/core/problem.ts';
import { milliseconds } from '../../../src/core/units.ts';
import { declareState, type DeclaredStateBuilder } from '../../support/declared-state.ts';
import { createMemoryService, faultOnCall, type MemoryOptions } from '../../support/memory-service.ts';
import { createMachine } from '../../support/simulated-machine.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

const apps = declareState().app('shop').app('search');

function stage(options: Partial<MemoryOptions> = {}) {
  const clock = createVirtualClock();
  const service = createMemoryService({
    clock,
    verified: ['shop.example', 'search.example', 'other.example'],
    ...options,
  });
  const context = {
    service: service.port,
    clock,
    settle: milliseconds(1_000),
    interrupted: new AbortController().signal,
  };
  return {
    clock,
    service,
    context,
    laptop: createMachine(service, { clock }),
    plan: (declared: DeclaredStateBuilder, only: readonly string[] = []) =>
      planDeletion(declared.state, context, only),
    hosts: () => service.apps.map(({ host }) => host),
  };
}

/** The plan in short form: the tests of each app as `KEY STATE RESULTS`. */
function summaryOf({ apps: deletions }: DeletionPlan): Record<string, readonly string[]> {
  return Object.fromEntries(
    deletions.map(({ declared, tests }) => [
      declared.key,
      tests.map(({ key, state, results }) => `${key ?? 'unmanaged'} ${state} ${results ?? 'unknown'}`),
    ]),
  );
}

function outcomesOf(outcomes: Deletions): Record<string, string> {
  return Object.fromEntries([...outcomes].map(([{ declared }, outcome]) => [declared.key, outcome]));
}

describe('the plan of a deletion', () => {
  test('a deletion plan lists each declared app with its tests, and the state and number of results of each test', async () => {
    const at = stage();
    const declared = apps
      .test('home')
      .test('night', { scheduledAt: '2030-01-01T00:00:00Z' })
      .test('find', { urls: ['https://search.example/'] });
    await at.laptop.apply(declared);
    expect(summaryOf(await at.plan(declared))).toEqual({
      shop: ['night scheduled 0', 'home ended 1'],
      search: ['find ended 1'],
    });
  });

  test('a deletion plan lists a test with requests to several apps under each declared app, and lists no undeclared app', async () => {
    const at = stage();
    const urls = ['https://search.example/', '/', 'https://other.example/', 'https://unlisted.example/'];
    const declared = apps.test('both', { urls });
    at.service.addTest(specOf(declared));
    expect(summaryOf(await at.plan(declared))).toEqual({
      shop: ['unmanaged ended 1'],
      search: ['unmanaged ended 1'],
    });
  });

  test('a deletion plan contains only apps that exist on the service and match the given patterns', async () => {
    const at = stage({ verified: ['shop.example', 'search.example'] });
    const declared = apps.app('absent');
    expect(Object.keys(summaryOf(await at.plan(declared)))).toEqual(['shop', 'search']);
    expect(Object.keys(summaryOf(await at.plan(declared, ['sea*'])))).toEqual(['search']);
    expect(Object.keys(summaryOf(await at.plan(declared, ['absent'])))).toEqual([]);
  });

  test('in a deletion plan, tests of other projects and environments are unmanaged, and adopted tests are managed', async () => {
    const at = stage();
    const ours = apps.environment('staging');
    await at.laptop.apply(ours.test('ours'));
    await at.laptop.apply(apps.environment('production').test('elsewhere'));
    await at.laptop.apply(apps.environment('staging').project('blog').test('theirs'));
    const adopted = at.service.addTest(specOf(apps.test('manual')));
    at.service.addTest(specOf(apps.test('unknown')));
    expect(summaryOf(await at.plan(ours.test('kept', { id: adopted.id })))['shop']).toEqual([
      'ours ended 1',
      'unmanaged ended 1',
      'unmanaged ended 1',
      'kept ended 1',
      'unmanaged ended 1',
    ]);
  });

  test('in a deletion plan, the number of results of a test is unknown if the service does not provide results', async () => {
    const at = stage({ results: 'missing' });
    at.service.addTest(specOf(apps.test('home')));
    expect(summaryOf(await at.plan(apps))['shop']).toEqual(['unmanaged ended unknown']);
  });

  test('a deletion plan states whether the list of tests may be incomplete', async () => {
    expect((await stage().plan(apps)).maybeTruncated).toBe(false);
    expect((await stage({ maybeTruncated: true }).plan(apps)).maybeTruncated).toBe(true);
  });

  test('planning a deletion sends only read requests', async () => {
    const at = stage();
    at.service.addTest(specOf(apps.test('home')));
    await at.plan(apps);
    expect(new Set(at.service.calls.map(({ operation }) => operation))).toEqual(
      new Set(['listApps', 'listTests', 'listResults']),
    );
  });
});

function specOf(declared: DeclaredStateBuilder) {
  const [first] = declared.state.tests;
  if (first === undefined) throw new Error('Bug: the state declares no test');
  return first.spec;
}

describe('unmanaged tests', () => {
  const [shop, search] = apps.state.apps;
  const managed = { key: 'home' } as TestDeletion;
  const unmanaged = { key: null } as TestDeletion;

  test.each<
    [
      problemsOf: string,
      shop: readonly TestDeletion[],
      search: readonly TestDeletion[],
      truncated: boolean,
      expected: readonly string[],
    ]
  >([
    ['no problem for apps with managed tests', [managed], [], false, []],
    ['a problem for an app with one unmanaged test', [managed, unmanaged], [], false, [ONE]],
    ['one problem for an app with two unmanaged tests', [], [unmanaged, managed, unmanaged], false, [TWO]],
    ['a problem for each app with unmanaged tests', [unmanaged], [unmanaged, unmanaged], false, [ONE, TWO]],
    ['a problem for an incomplete list of tests', [managed], [], true, [INCOMPLETE]],
    [
      'separate problems for an unmanaged test and an incomplete list of tests',
      [unmanaged],
      [],
      true,
      [ONE, INCOMPLETE],
    ],
  ])('a plan for a deletion has %s', (_, ofShop, ofSearch, maybeTruncated, expected) => {
    if (shop === undefined || search === undefined) throw new Error('Bug: the state declares two apps');
    const [app] = stage().service.apps;
    const deletions = [
      { declared: { ...shop, source: SOURCE }, app, tests: ofShop },
      { declared: search, app, tests: ofSearch },
    ] as unknown as readonly AppDeletion[];
    const problems = listUnmanagedProblems({ apps: deletions, maybeTruncated });
    expect(problems.map(({ message }) => message)).toEqual(expected);
    for (const { code, severity, hint } of problems)
      expect([code, severity, hint]).toEqual([
        'LT_PLAN_UNMANAGED',
        'error',
        'to delete unmanaged tests too, pass --with-unmanaged',
      ]);
    expect(problems.find(({ message }) => message === ONE)?.source).toEqual(
      expected.includes(ONE) ? SOURCE : undefined,
    );
  });

  test('an incomplete list of tests is not reported as a problem in a deletion plan without apps', () => {
    expect(listUnmanagedProblems({ apps: [], maybeTruncated: true })).toEqual([]);
  });
});

const ONE = '"shop" is not deleted: it has a test that this file does not manage';
const TWO = '"search" is not deleted: it has 2 tests that this file does not manage';
const INCOMPLETE =
  'nothing is deleted: the list of apps or tests may be incomplete, so unmanaged tests may exist';
const SOURCE = { file: 'loadtests.yaml', line: 4, column: 3, length: 4, lineText: '  shop:' };

describe('the deletion of apps', () => {
  test('running tests are stopped before their app is deleted, and no stop request is sent for ended tests', async () => {
    const at = stage();
    await at.laptop.apply(apps.test('ended'));
    await at.laptop.apply(apps.test('ended').test('long', { duration: '1h' }), { execute: { wait: false } });
    const { apps: deletions } = await at.plan(apps);
    const { outcomes, problems } = await deleteApps(deletions, at.context);
    expect(outcomesOf(outcomes)).toEqual({ shop: 'done', search: 'done' });
    expect(problems).toEqual([]);
    expect(at.hosts()).toEqual(['other.example']);
    expect(at.service.running()).toEqual([]);
    const writes = at.service.calls
      .filter(({ operation }) => operation === 'stopTest' || operation === 'deleteApp')
      .map(({ operation, id }) => `${operation} ${id}`);
    const long = at.service.tests.at(-1);
    expect(writes).toEqual([`stopTest ${long?.id}`, 'deleteApp app0', 'deleteApp app1']);
  });

  test('an app is not deleted if one of its tests does not stop within 30 seconds', async () => {
    const at = stage({ ignoresStop: true });
    await at.laptop.apply(apps.test('long', { duration: '1h' }), { execute: { wait: false } });
    const { apps: deletions } = await at.plan(apps);
    const from = at.clock.monotonic();
    const { outcomes, problems } = await deleteApps(deletions, at.context);
    expect(outcomesOf(outcomes)).toEqual({ shop: 'failed', search: 'done' });
    expect(at.hosts()).toEqual(['shop.example', 'other.example']);
    expect(problems).toEqual([
      expect.objectContaining({
        code: 'LT_RUN_TIMEOUT',
        message: `"shop" is not deleted: the test "${at.service.tests[0]?.id}" did not stop in time`,
      }),
    ]);
    expect(at.clock.monotonic() - from).toBeGreaterThanOrEqual(30_000);
    expect(at.clock.monotonic() - from).toBeLessThan(35_000);
  });

  test.each<[name: string, options: Partial<MemoryOptions>, expected: Record<string, string>]>([
    [
      'the refusal of one delete request does not affect the other apps',
      { faults: faultOnCall('deleteApp', 1, { kind: 'refused', status: 422 }) },
      { shop: 'failed', search: 'done' },
    ],
    [
      'a rejected API key prevents further delete requests',
      { faults: faultOnCall('deleteApp', 1, { kind: 'refused', status: 401 }) },
      { shop: 'failed', search: 'not_attempted' },
    ],
    [
      'a delete request that was not sent is repeated',
      { faults: faultOnCall('deleteApp', 1, { kind: 'not_sent' }) },
      { shop: 'done', search: 'done' },
    ],
    [
      'a lost delete request is repeated',
      { faults: faultOnCall('deleteApp', 1, { kind: 'lost' }) },
      { shop: 'done', search: 'done' },
    ],
    [
      'an app that is missing after a lost response counts as deleted',
      { faults: faultOnCall('deleteApp', 1, { kind: 'answer_lost' }) },
      { shop: 'done', search: 'done' },
    ],
    [
      'a "not found" response to the first delete request for an app is an error',
      { faults: faultOnCall('deleteApp', 1, { kind: 'refused', status: 404 }) },
      { shop: 'failed', search: 'done' },
    ],
  ])('while apps are deleted, %s', async (_, options, expected) => {
    const at = stage(options);
    const { apps: deletions } = await at.plan(apps);
    const { outcomes, problems } = await deleteApps(deletions, at.context);
    expect(outcomesOf(outcomes)).toEqual(expected);
    expect(at.hosts().includes('shop.example')).toBe(expected['shop'] !== 'done');
    expect(at.hosts().includes('search.example')).toBe(expected['search'] !== 'done');
    expect(problems.map(({ message }) => message.split(': ')[0])).toEqual(
      expected['shop'] === 'failed' ? ['"shop" is not deleted'] : [],
    );
  });

  test('a deletion that is interrupted before its first request stops no test and deletes no app', async () => {
    const at = stage();
    await at.laptop.apply(apps.test('long', { duration: '1h' }), { execute: { wait: false } });
    const { apps: deletions } = await at.plan(apps);
    const interruption = new AbortController();
    interruption.abort();
    const context = { ...at.context, interrupted: interruption.signal };
    const { outcomes, problems } = await deleteApps(deletions, context);
    expect(outcomesOf(outcomes)).toEqual({ shop: 'not_attempted', search: 'not_attempted' });
    expect(problems).toEqual([]);
    expect(at.service.running()).toHaveLength(1);
    expect(at.hosts()).toHaveLength(3);
  });

  test('an interruption while a test is being stopped prevents the deletion of any app', async () => {
    const interruption = new AbortController();
    const at = stage({
      faults: ({ operation }) => {
        if (operation === 'stopTest') interruption.abort();
        return null;
      },
    });
    await at.laptop.apply(apps.test('long', { duration: '1h' }), { execute: { wait: false } });
    const { apps: deletions } = await at.plan(apps);
    const context = { ...at.context, interrupted: interruption.signal };
    const { outcomes, problems } = await deleteApps(deletions, context);
    expect(outcomesOf(outcomes)).toEqual({ shop: 'not_attempted', search: 'not_attempted' });
    expect(problems).toEqual([]);
    expect(at.service.running()).toEqual([]);
    expect(at.hosts()).toHaveLength(3);
  });
});

describe('the exit code of a deletion', () => {
  const timeout = problem('LT_RUN_TIMEOUT', 'a test did not stop in time');

  test.each<
    [
      deletions: string,
      exit: number,
      outcomes: readonly ('done' | 'failed' | 'not_attempted')[],
      problems: number,
      signal: 130 | null,
    ]
  >([
    ['only deleted apps', 0, ['done', 'done'], 0, null],
    ['no apps', 0, [], 0, null],
    ['deleted apps and failures', 7, ['done', 'failed'], 1, null],
    ['deleted apps and apps whose deletion was not attempted', 7, ['not_attempted', 'done'], 0, null],
    ['failures only', 9, ['failed', 'failed'], 2, null],
    ['an interruption after one deleted app', 130, ['done', 'not_attempted'], 0, 130],
  ])('a deletion with %s has the exit code %i', (_, exit, outcomes, problems, signal) => {
    const deletions: Deletions = new Map(
      outcomes.map((outcome, index) => [{ declared: { key: index } } as unknown as AppDeletion, outcome]),
    );
    expect(exitCodeOfDeletions(deletions, Array<typeof timeout>(problems).fill(timeout), signal)).toBe(exit);
  });
});
