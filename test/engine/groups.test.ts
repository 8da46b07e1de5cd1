/** Groups of repeated requests: the counts of all requests are exact, on one thread and on two. */
// @module-tag load
import { expect, test } from 'vitest';
import type { LoadJob } from '../../src/core/load/load-job.ts';
import type { RunReport } from '../../src/core/load/run-report.ts';
import type { Group } from '../../src/core/model/group.ts';
import { openRawTarget, responseText, type RawRequest, type RawTarget } from '../support/raw-target.ts';
import { jobOf, useTestEngine, runJob, targetOf, type JobChanges } from '../support/test-engine.ts';
import { runInVirtualTime } from '../support/virtual-run.ts';

const testEngine = useTestEngine();

const PATHS = ['/login', '/list', '/item', '/logout'];
/** `/login`, three times (`/list`, two times `/item`), `/logout`. */
const GROUPS: readonly Group[] = [
  { first: 1, count: 2, repeat: 3 },
  { first: 2, count: 1, repeat: 2 },
];
const LOOP = '/list /item /item';
const ITERATION = `/login ${LOOP} ${LOOP} ${LOOP} /logout`;

/** Time of each response of a target, in ms, so that a cycling test sends few requests. */
const WAIT_MS = 5;

/** Runs a job in threads or, faster, in virtual time with one loop per thread. */
async function run(job: LoadJob, shop: RawTarget, inThreads: boolean): Promise<RunReport> {
  return inThreads ? (await runJob(testEngine.engine, job)).report : await runInVirtualTime(job, shop);
}

/**
 * Runs a test with groups, in threads if it has two, and compares the counts of each URL with those of the target.
 */
async function runGroups(changes: JobChanges, paths = PATHS) {
  const shop = await openRawTarget((_request, write) => {
    setTimeout(write, WAIT_MS, responseText(200, ''));
  });
  const targets = paths.map((path) => targetOf(shop.port, { path }));
  const report = await run(jobOf(targets, { groups: GROUPS, ...changes }), shop, changes.threads === 2);
  const { ledger } = report.total;
  const received = paths.map((path) => shop.requests.filter((request) => request.path === path).length);
  if (!paths.some((path) => path.includes('{{')))
    expect(report.targets.map((target) => target.ledger.started)).toEqual(received);
  expect(ledger).toMatchObject({ started: shop.requests.length, success: shop.requests.length });
  return { ledger, received, requests: shop.requests };
}

/** Returns the paths of each connection, in order. */
function pathsByConnection(requests: readonly RawRequest[]): readonly string[] {
  const paths = new Map<number, string[]>();
  for (const { connection, path } of requests)
    paths.set(connection, [...(paths.get(connection) ?? []), path]);
  return Array.from(paths.values(), (ofConnection) => ofConnection.join(' '));
}

test.each([
  ['non-cycling', 1, { total: 20, duration: 500 }],
  ['per-second', 2, { total: 20, duration: 1000 }],
] as const)(
  'each client of a %s test with a thread count of %i performs all repetitions of its groups',
  async (testType, threads, pace) => {
    const { ledger, received, requests } = await runGroups({ testType, threads, ...pace });
    expect(received).toEqual([20, 60, 120, 20]);
    expect(ledger.planned).toBe(220);
    expect(new Set(pathsByConnection(requests))).toEqual(new Set([ITERATION]));
  },
);

test.each([1, 2])(
  'each connection of a cycling test with a thread count of %i performs all repetitions of its groups in every iteration',
  async (threads) => {
    const { received, requests } = await runGroups({
      testType: 'cycling',
      initial: 4,
      total: 4,
      duration: 300,
      threads,
    });
    const [iterations = 0] = received;
    expect(received).toEqual([iterations, 3 * iterations, 6 * iterations, iterations]);
    for (const paths of pathsByConnection(requests)) expect(paths.replaceAll(ITERATION, '').trim()).toBe('');
  },
);

test('a stopped run with 100,000 requests per iteration counts each planned request as abandoned or as not started', async () => {
  const groups = [
    { first: 0, count: 1, repeat: 100 },
    { first: 0, count: 1, repeat: 10 },
    { first: 0, count: 1, repeat: 10 },
    { first: 0, count: 1, repeat: 10 },
  ];
  const shop = await openRawTarget(() => undefined);
  const job = jobOf([targetOf(shop.port)], {
    testType: 'non-cycling',
    total: 3,
    duration: 1000,
    groups,
    timeout: 60_000,
  });
  const { ledger } = await runJob(testEngine.engine, job, (load) => load.stop('stopped'));
  // Requests that were sent have no response; the stop abandons them.
  expect(ledger.planned).toBe(300_000);
  expect(ledger.abandoned + ledger.notStarted.stopped).toBe(300_000);
});

/** Responds with a job that is done after some requests of a connection. */
async function openJobs(requestsUntilDone: number, status = 200) {
  const counts = new Map<number, number>();
  return await openRawTarget(({ connection, path }, write) => {
    const count = (counts.get(connection) ?? 0) + (path === '/poll' ? 1 : 0);
    counts.set(connection, count);
    const state = count >= requestsUntilDone ? 'done' : 'open';
    const body = JSON.stringify({ state, count, flag: true });
    setTimeout(write, WAIT_MS, responseText(path === '/bad' ? status : 200, body));
  });
}

const STATE = [
  { name: 'state', json: '/state' },
  { name: 'count', json: '/count' },
  { name: 'flag', json: '/flag' },
];

test.each([
  ['non-cycling', 1],
  ['non-cycling', 2],
  ['cycling', 2],
] as const)(
  'each client of a %s test with a thread count of %i polls until a condition is met',
  async (testType, threads) => {
    const jobs = await openJobs(3);
    const targets = ['/start', '/poll', '/end'].map((path) =>
      targetOf(jobs.port, { path, variables: path === '/poll' ? STATE : [] }),
    );
    const groups: readonly Group[] = [
      { first: 1, count: 1, repeat: { atMost: 10, until: [{ name: 'state', value: 'done' }] } },
      { first: 2, count: 1, when: [{ name: 'count', value: { number: '>= 3' } }] },
    ];
    const job = jobOf(targets, { testType, threads, groups, initial: 8, total: 8, duration: 300 });
    const report = await run(job, jobs, testType === 'cycling');
    const { ledger } = report.total;
    const received = targets.map(
      ({ path }) => jobs.requests.filter((request) => request.path === path).length,
    );
    expect(report.targets.map((target) => target.ledger.started)).toEqual(received);
    const [iterations = 0, polls = 0, ends] = received;
    // The first iteration of each of the eight connections polls three times, and each other one once.
    expect(polls).toBe(iterations + 2 * 8);
    expect(ends).toBe(iterations);
    expect(ledger).toMatchObject({
      planned: 12 * iterations,
      success: jobs.requests.length,
      notStarted: { condition: 10 * iterations - polls },
    });
  },
);

test.each([
  ['sent', 'an equal string', 'open'],
  ['skipped', 'a different string', 'done'],
  ['sent', 'a template whose value is equal', '{{state}}'],
] as const)('a request is %s if its condition compares a variable with %s', async (outcome, _, value) => {
  const isSent = outcome === 'sent';
  const jobs = await openJobs(100);
  const targets = ['/poll', '/next'].map((path) =>
    targetOf(jobs.port, { path, variables: path === '/poll' ? STATE : [] }),
  );
  const when = [
    { name: 'state', value },
    { name: 'count', value: 1 },
    { name: 'flag', value: true },
    { name: 'unknown', value: { exists: false } },
  ];
  const groups = [{ first: 1, count: 1, when }];
  const job = jobOf(targets, { testType: 'non-cycling', total: 5, duration: 200, groups });
  const { ledger } = (await runInVirtualTime(job, jobs)).total;
  expect(ledger).toMatchObject({
    planned: 10,
    started: isSent ? 10 : 5,
    notStarted: { condition: isSent ? 0 : 5 },
  });
});

test('if a response sets no value for a variable, a "not" condition on the variable is not met, and the response counts as a success', async () => {
  const jobs = await openJobs(100);
  const targets = [
    targetOf(jobs.port, { path: '/poll', variables: [{ name: 'x', json: '/missing' }] }),
    targetOf(jobs.port, { path: '/{{x}}' }),
  ];
  const groups = [{ first: 1, count: 1, when: [{ name: 'x', value: { not: 'a' } }] }];
  const job = jobOf(targets, { testType: 'non-cycling', total: 5, duration: 200, groups });
  const { ledger } = (await runInVirtualTime(job, jobs)).total;
  expect(ledger).toMatchObject({ planned: 10, success: 5, notStarted: { condition: 5 } });
});

test.each([
  ['non-cycling', 1, true],
  ['non-cycling', 2, true],
  ['cycling', 2, true],
  ['cycling', 2, false],
] as const)(
  'a failed request of a %s test with a thread count of %i ends the iteration only with "on_failure: stop" (set: %s)',
  async (testType, threads, endsOnFailure) => {
    const jobs = await openJobs(1, 500);
    const targets = ['/a', '/bad', '/c'].map((path) => targetOf(jobs.port, { path, endsOnFailure }));
    const groups = [{ first: 1, count: 2, repeat: 2 }];
    const clients = { testType, threads, initial: 6, total: 6, duration: 200, errorThreshold: 100 };
    const job = jobOf(targets, { ...clients, groups });
    const { ledger } = (await run(job, jobs, testType === 'cycling' && endsOnFailure)).total;
    const received = targets.map(
      ({ path }) => jobs.requests.filter((request) => request.path === path).length,
    );
    const [iterations = 0] = received;
    expect(received).toEqual(
      endsOnFailure ? [iterations, iterations, 0] : [iterations, 2 * iterations, 2 * iterations],
    );
    expect(ledger).toMatchObject({
      planned: 5 * iterations,
      notStarted: { condition: endsOnFailure ? 3 * iterations : 0 },
    });
  },
);

test.each([1, 2])(
  'with a thread count of %i, each client repeats nested groups for each value of their lists',
  async (threads) => {
    const { received, requests } = await runGroups(
      {
        testType: 'non-cycling',
        total: 10,
        duration: 300,
        threads,
        groups: [
          { first: 0, count: 2, forEach: { name: 'size', values: ['S', 'é 1'] } },
          { first: 1, count: 1, forEach: { name: 'color', values: ['red', 'blue', '3'] } },
        ],
      },
      ['/s?{{size}}', '/c?{{size}}-{{color}}'],
    );
    expect(received).toEqual([0, 0]);
    const iteration = ['S', '%C3%A9%201'].flatMap((size) => [
      `/s?${size}`,
      ...['red', 'blue', '3'].map((color) => `/c?${size}-${color}`),
    ]);
    expect(requests).toHaveLength(80);
    expect(new Set(pathsByConnection(requests))).toEqual(new Set([iteration.join(' ')]));
  },
);

test.each([
  ['a list of a number and a string', [{ id: 7 }, { id: 'a b' }, {}], ['7', 'a%20b']],
  ['a list that is longer than the maximum', [1, 2, 3, 4].map((id) => ({ id })), ['1', '2', '3']],
  ['an empty list', [], []],
  ['a number instead of a list', 5, []],
] as const)(
  'a group is repeated once for each item of a response value, at most three times (value: %s)',
  async (_, items, expected) => {
    const bodies: string[] = [];
    const shop = await openRawTarget(({ path, body }, write) => {
      if (path !== '/list') bodies.push(`${path} ${body}`);
      write(responseText(200, JSON.stringify({ items })));
    });
    const targets = [
      targetOf(shop.port, {
        path: '/list',
        variables: [{ name: 'ids', json: '/items/*/id', pick: 'all' }],
      }),
      targetOf(shop.port, {
        path: '/{{id}}',
        method: 'POST',
        body: { kind: 'json', text: '{"id":"{{id}}"}' },
      }),
    ];
    const groups: readonly Group[] = [
      { first: 1, count: 1, forEach: { name: 'id', list: 'ids', atMost: 3 } },
    ];
    const job = jobOf(targets, { testType: 'non-cycling', total: 4, duration: 200, groups });
    const { ledger } = (await runInVirtualTime(job, shop)).total;
    expect(ledger).toMatchObject({
      planned: 16,
      started: 4 + 4 * expected.length,
      notStarted: { condition: 4 * (3 - expected.length) },
    });
    expect(new Set(bodies.map((line) => line.split(' ')[0]))).toEqual(
      new Set(expected.map((id) => `/${id}`)),
    );
    // A number in the list remains a number in JSON.
    for (const line of bodies) {
      const value: unknown = JSON.parse(line.slice(line.indexOf(' ')));
      const id = line.slice(1, line.indexOf(' '));
      expect(value).toEqual({ id: /^\d+$/.test(id) ? Number(id) : decodeURIComponent(id) });
    }
  },
);
