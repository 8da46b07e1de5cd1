/** Requests that a client sends at the same time, on a simulated clock: their times, values and counts. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JobTarget } from '../../../src/core/load/load-job.ts';
import type { RunReport } from '../../../src/core/load/run-report.ts';
import type { Group } from '../../../src/core/model/group.ts';
import { countedIterationTime } from '../../../src/core/model/delay.ts';
import { iterationLengths } from '../../../src/core/model/iteration.ts';
import { peakConnections } from '../../../src/core/model/peak-load.ts';
import { milliseconds } from '../../../src/core/units.ts';
import { openRawTarget, responseText, type RawRequest } from '../../support/raw-target.ts';
import { jobOf, targetOf, type JobChanges } from '../../support/test-engine.ts';
import { runInVirtualTime, virtualTimeOf } from '../../support/virtual-run.ts';
import { scaleCount } from '../../support/test-scale.ts';

/** Responds to `/120/name` after 120 ms; `fail` in a name is a failed response, `lost` has none. */
function openPage(headersOf: (request: RawRequest) => readonly string[] = () => []) {
  return openRawTarget((request, write) => {
    const [, delay, name = ''] = request.path.split('/');
    if (name.startsWith('lost')) return;
    const body = JSON.stringify({
      id: `${name}-${request.connection}`,
      list: ['a', 'b', 'c'],
      old: 'first-0',
    });
    const response = responseText(name.startsWith('fail') ? 500 : 200, body, headersOf(request));
    if (delay === '0') write(response);
    else setTimeout(write, Number(delay), response);
  });
}

const pause = (min: number, max = min) => ({ min: milliseconds(min), max: milliseconds(max) });

interface PageChanges extends JobChanges {
  readonly headersOf?: (request: RawRequest) => readonly string[];
}

/** Runs a test with the given paths; a member of `changed` changes the request with the same index. */
async function runPage(
  paths: readonly string[],
  groups: readonly Group[],
  { headersOf, ...changes }: PageChanges = {},
  changed: Readonly<Record<number, Partial<JobTarget>>> = {},
) {
  const page = await openPage(headersOf);
  const targets = paths.map((path, index) => targetOf(page.port, { path, ...changed[index] }));
  const job = jobOf(targets, {
    testType: 'non-cycling',
    total: 1,
    duration: 1000,
    threads: 1,
    groups,
    ...changes,
  });
  let peak = 0;
  const report = await runInVirtualTime(job, page, {
    watch: () => {
      peak = Math.max(peak, page.open());
    },
  });
  const sent = page.requests.map(({ path, at }) => [path, Math.round(virtualTimeOf(at))]);
  expect(report.targets.map(({ ledger }) => ledger.started)).toEqual(
    paths.map((path) => page.requests.filter((request) => isAt(request.path, path)).length),
  );
  expect(peak).toBeLessThanOrEqual(peakConnections(job));
  return { job, page, report, sent, peak, ledger: report.total.ledger };
}

/** Reports whether a request has a path, in which variables and expressions are replaced. */
function isAt(path: string, template: string): boolean {
  return path.split('?')[0] === template.split('?')[0];
}

/** Returns the longest duration of an iteration, in ms. */
function durationOf({ iterations }: RunReport): number {
  return iterations?.durations?.max ?? 0;
}

/** Two to four requests at the same time, after one request. */
const together = (count: number): Group => ({ first: 1, count, parallel: true });

describe('the times of requests that start together', () => {
  test('requests of a parallel group start at the same time, and the next request starts after the last response', async () => {
    const { sent, report, peak } = await runPage(
      ['/20/first', '/50/a', '/200/b', '/100/c', '/10/last'],
      [together(3)],
    );
    expect(sent).toEqual([
      ['/20/first', 0],
      ['/50/a', 20],
      ['/200/b', 20],
      ['/100/c', 20],
      ['/10/last', 220],
    ]);
    expect(peak).toBe(3);
    expect(report.iterations).toMatchObject({ completed: 1 });
    expect(durationOf(report)).toBeCloseTo(230, -1);
    expect(report.targets.map(({ latency }) => Math.round((latency?.max ?? 0) / 10) * 10)).toEqual([
      20, 50, 200, 100, 10,
    ]);
  });

  test('the pause after a parallel group ends with the last delay, and each delay starts after its response', async () => {
    const { sent, report } = await runPage(
      ['/20/first', '/50/a', '/200/b', '/10/last'],
      [together(2)],
      {},
      { 1: { delay: pause(400) }, 2: { delay: pause(100) } },
    );
    // 20 + max(50 + 400, 200 + 100)
    expect(sent.at(-1)).toEqual(['/10/last', 470]);
    expect(durationOf(report)).toBeCloseTo(480, -1);
  });

  test('in an open model, the duration of an iteration excludes the delays after a final parallel group', async () => {
    const { report } = await runPage(
      ['/20/first', '/50/a', '/200/b'],
      [together(2)],
      {},
      {
        1: { delay: pause(400) },
        2: { delay: pause(400) },
      },
    );
    expect(durationOf(report)).toBeCloseTo(220, -1);
  });

  test('a connection of a cycling test pauses after a parallel group at the end of its iteration', async () => {
    const { sent } = await runPage(
      ['/50/a', '/100/b'],
      [{ first: 0, count: 2, parallel: true }],
      { testType: 'cycling', initial: 1, total: 1, duration: 700 },
      { 0: { delay: pause(200) }, 1: { delay: pause(200) } },
    );
    expect(sent.map(([, at]) => at)).toEqual([0, 0, 300, 300, 600, 600]);
  });
});

describe('the counts of requests that start together', () => {
  test('parallel groups are performed in each repetition of a loop and for each item of a list', async () => {
    const { report, sent } = await runPage(
      ['/10/first', '/30/a', '/30/b', '/30/c?{{x}}', '/10/last'],
      [
        { first: 1, count: 2, repeat: 3 },
        { first: 1, count: 2, parallel: true },
        { first: 3, count: 1, forEach: { name: 'x', values: ['1', '2'] } },
        { first: 3, count: 1, parallel: true },
      ],
    );
    expect(report.targets.map(({ ledger }) => ledger.success)).toEqual([1, 3, 3, 2, 1]);
    expect(sent.map(([, at]) => at)).toEqual([0, 10, 10, 40, 40, 70, 70, 100, 130, 160]);
    expect(sent.map(([path]) => path).slice(-3)).toEqual(['/30/c?1', '/30/c?2', '/10/last']);
  });

  test('conditions within a parallel group are evaluated before its requests start, and can skip some of the requests', async () => {
    const variables = [{ name: 'id', json: '/id' }];
    const when = (value: string): NonNullable<Group['when']> => [{ name: 'id', value }];
    const { report, sent } = await runPage(
      ['/10/first', '/30/a', '/30/b', '/30/c', '/10/last'],
      [
        together(3),
        { first: 1, count: 1, when: when('none') },
        { first: 2, count: 2, when: when('first-0') },
        { first: 4, count: 1, when: when('b-1') },
      ],
      {},
      { 0: { variables }, 3: { variables } },
    );
    expect(sent.map(([path]) => path)).toEqual(['/10/first', '/30/b', '/30/c']);
    expect(report.targets.map(({ ledger }) => ledger.notStarted.condition)).toEqual([0, 1, 0, 0, 1]);
  });

  test('a parallel group whose requests are all skipped takes no time', async () => {
    const { sent } = await runPage(
      ['/10/first', '/30/a', '/10/last'],
      [together(1), { first: 1, count: 1, when: [{ name: 'missing', value: 1 }] }],
      {},
      { 0: { variables: [{ name: 'missing', json: '/nothing' }] } },
    );
    expect(sent).toEqual([
      ['/10/first', 0],
      ['/10/last', 10],
    ]);
  });

  test('a failed request that ends its iteration does not interrupt the other requests of its parallel group', async () => {
    const { report, sent } = await runPage(
      ['/10/first', '/10/fail', '/200/b', '/10/last'],
      [together(2)],
      {},
      { 1: { endsOnFailure: true } },
    );
    expect(sent.map(([path]) => path)).toEqual(['/10/first', '/10/fail', '/200/b']);
    expect(report.targets.map(({ ledger }) => ledger.success)).toEqual([1, 0, 1, 0]);
    expect(report.targets[3]?.ledger.notStarted.condition).toBe(1);
    expect(report.iterations).toMatchObject({ completed: 0, failed: 1 });
  });

  test('the request after a parallel group is sent only after an unanswered request of the group times out', async () => {
    const { report, sent } = await runPage(['/10/first', '/0/lost', '/50/b', '/10/last'], [together(2)], {
      timeout: 500,
    });
    expect(report.targets[1]?.ledger.timeout.response).toBe(1);
    const [, at = 0] = sent.at(-1) ?? [];
    expect(at).toBeGreaterThanOrEqual(510);
    expect(at).toBeLessThan(600);
  });

  test.each(['non-cycling', 'cycling'] as const)(
    'if a %s test is stopped during a parallel group, the result counts each request as a success, as a timeout or as not started',
    async (testType) => {
      const page = await openPage();
      const paths = ['/10/first', '/0/lost', '/50/b', '/10/last'];
      const job = jobOf(
        paths.map((path) => targetOf(page.port, { path })),
        {
          ...{ testType, initial: 4, total: 4, duration: 100, threads: 2 },
          groups: [{ first: 0, count: 4, repeat: 5 }, together(2)],
        },
      );
      const report = await runInVirtualTime(job, page, { stop: { at: 600, reason: 'stopped' } });
      const { ledger } = report.total;
      expect(page.requests.map(({ path }) => path)).not.toContain('/10/last');
      expect(ledger).toMatchObject({ started: 12, success: 8, timeout: { response: 4 } });
      if (testType === 'non-cycling') {
        expect(ledger.planned).toBe(80);
        expect(ledger.notStarted.stopped).toBe(68);
      }
    },
  );

  test('a parallel group in progress at the end of the run is abandoned, and its further repetitions do not start', async () => {
    const { ledger, report } = await runPage(
      ['/170/a', '/170/b', '/10/last'],
      [
        { first: 0, count: 2, repeat: 5 },
        { first: 0, count: 2, parallel: true },
      ],
      { duration: 100, timeout: 300 },
    );
    expect(ledger).toMatchObject({ planned: 11, success: 4, abandoned: 2, notStarted: { stopped: 5 } });
    expect(report.iterations).toMatchObject({ started: 1, completed: 0, failed: 0 });
  });

  test('four requests of a parallel group share the two connections of a pool', async () => {
    const { sent, peak, report } = await runPage(
      ['/10/first', '/50/a', '/50/b', '/50/c', '/50/d'],
      [together(4)],
      {
        connections: 2,
        total: 1,
      },
    );
    expect(sent.map(([, at]) => at)).toEqual([0, 10, 10, 60, 60]);
    expect(peak).toBe(2);
    expect(report.pool).toMatchObject({ peak: 2, waited: 2 });
  });

  test('without keep-alive, each request of a parallel group opens its own connection', async () => {
    const { page } = await runPage(['/10/first', '/50/a', '/50/b'], [together(2)], {
      keepAlive: false,
      testType: 'cycling',
      initial: 2,
      total: 2,
      duration: 300,
    });
    expect(page.connections()).toBe(page.requests.length);
  });

  test('if the port of the target is closed, each request of a parallel group fails, and the client pauses before the next iteration', async () => {
    const page = await openPage();
    await page.close();
    const job = jobOf(
      ['/0/a', '/0/b'].map((path) => targetOf(page.port, { path })),
      {
        ...{ testType: 'cycling', initial: 1, total: 1, duration: 400, threads: 1 },
        groups: [{ first: 0, count: 2, parallel: true }],
      },
    );
    const { ledger } = (await runInVirtualTime(job, page)).total;
    expect(ledger.network['ECONNREFUSED']).toBe(ledger.started);
    expect(ledger.started).toBeLessThanOrEqual(10);
  });
});

describe('the values of requests that start together', () => {
  test('variables of all responses in a parallel group are available after the group', async () => {
    const { sent } = await runPage(
      ['/10/first', '/100/a', '/20/b', '/10/last?{{a}}&{{b}}'],
      [together(2)],
      {},
      { 1: { variables: [{ name: 'a', json: '/id' }] }, 2: { variables: [{ name: 'b', json: '/id' }] } },
    );
    expect(sent.at(-1)?.[0]).toBe('/10/last?a-0&b-1');
  });

  test('requests of a parallel group keep the value of a variable that another response of the group changes', async () => {
    const id = [{ name: 'id', json: '/id' }];
    const { report, sent } = await runPage(
      ['/10/first', '/10/a', '/100/b', '/10/last?{{id}}'],
      [together(2)],
      {},
      {
        0: { variables: id },
        1: { variables: id },
        2: {
          expect: { status: null, headers: null, body: null, json: [{ pointer: '/old', value: '{{id}}' }] },
        },
      },
    );
    expect(report.total.ledger.success).toBe(4);
    expect(sent.at(-1)?.[0]).toBe('/10/last?a-0');
  });

  test('cookies set in a parallel group are sent only by requests after the group', async () => {
    const { page } = await runPage(['/10/first', '/10/a', '/100/b', '/10/last'], [together(2)], {
      headersOf: ({ path }) =>
        path === '/10/a' || path === '/100/b' ? [`Set-Cookie: ${path.slice(-1)}=1; Path=/`] : [],
    });
    const cookiesOf = ({ headers }: RawRequest) => headers.find(([name]) => name === 'Cookie')?.[1] ?? null;
    expect(page.requests.map(cookiesOf)).toEqual([null, null, null, 'a=1; b=1']);
  });

  test('generated values do not depend on the order of the responses in a parallel group', async () => {
    const run = async (delays: readonly number[]) => {
      const { page } = await runPage(
        [...delays.map((delay, index) => `/${delay}/r${index}?%{hex:8}`), '/10/last?%{hex:8}&{{item}}'],
        [{ first: 0, count: delays.length, parallel: true }],
        { total: 3 },
        { 0: { variables: [{ name: 'item', json: '/list/*', pick: 'random' }] } },
      );
      return page.requests.map(({ path }) => path.replace(/^\/\d+\//, '')).sort();
    };
    expect(await run([10, 50, 90])).toEqual(await run([90, 50, 10]));
  });
});

test('with parallel groups, open tests send all planned requests, cycling tests open the calculated number of connections, and iterations end within the calculated time', async () => {
  const scenario = fc.record({
    testType: fc.constantFrom('non-cycling' as const, 'per-second' as const, 'cycling' as const),
    threads: fc.integer({ min: 1, max: 4 }),
    total: fc.integer({ min: 1, max: 6 }),
    times: fc.array(fc.constantFrom(0, 10, 40), { minLength: 2, maxLength: 7 }),
    delay: fc.constantFrom(0, 30),
    split: fc.array(fc.boolean(), { minLength: 7, maxLength: 7 }),
    repeat: fc.integer({ min: 1, max: 3 }),
    pool: fc.option(fc.integer({ min: 4, max: 8 })),
  });
  await fc.assert(
    fc.asyncProperty(scenario, async ({ times, delay, split, repeat, pool, ...pace }) => {
      // Consecutive requests with the same bit form a group.
      const groups: Group[] = [{ first: 0, count: times.length, repeat }];
      for (let first = 0; first < times.length;) {
        let count = 1;
        while (first + count < times.length && split[first + count] === split[first]) count++;
        if (split[first] === true) groups.push({ first, count, parallel: true });
        first += count;
      }
      const isOpen = pace.testType !== 'cycling';
      const changes: JobChanges = {
        ...pace,
        initial: pace.total,
        duration: 300,
        timeout: 400,
        connections: isOpen ? pool : null,
      };
      const changed = Object.fromEntries(times.map((_, index) => [index, { delay: pause(0, delay) }]));
      const paths = times.map((time, index) => `/${time}/r${index}`);
      const { job, report, page, peak } = await runPage(paths, groups, changes, changed);
      const [length = 0] = iterationLengths(job);
      const { ledger } = report.total;
      const completed = report.iterations?.completed ?? 0;
      if (isOpen) expect(page.requests.length).toBe(ledger.planned);
      expect(page.requests.length).toBe(ledger.success);
      expect(ledger.success).toBeGreaterThanOrEqual(completed * length);
      expect(durationOf(report)).toBeLessThanOrEqual(countedIterationTime(job));
      // In the closed model, every client performs its largest group.
      if (!isOpen) expect(peak).toBe(peakConnections(job));
    }),
    { numRuns: scaleCount(40) },
  );
});
