/** Requests of each connection before its first iteration, verified exactly: real loops and sockets on a simulated clock. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JobTarget } from '../../../src/core/load/load-job.ts';
import { drainTime, requestsOf, startRequestsOf } from '../../../src/core/model/peak-load.ts';
import { milliseconds } from '../../../src/core/units.ts';
import { openRawTarget, responseText, type RawReply, type RawRequest } from '../../support/raw-target.ts';
import { jobOf, targetOf, type JobChanges } from '../../support/test-engine.ts';
import { scaleCount } from '../../support/test-scale.ts';
import { runInVirtualTime, virtualTimeOf } from '../../support/virtual-run.ts';

const CLOSED: JobChanges = {
  testType: 'cycling',
  initial: 3,
  total: 3,
  duration: 500,
  threads: 1,
  onStart: 1,
};

/** Responds after 20 ms with a session, a cookie and a token that are different for each login. */
function createLogin(status = 200): RawReply {
  let logins = 0;
  return ({ path }, write) => {
    if (path !== '/login') {
      setTimeout(write, 20, responseText(200, '', ['Set-Cookie: seen=1']));
      return;
    }
    const login = ++logins;
    setTimeout(write, 20, responseText(status, '', [`Set-Cookie: sid=${login}`, `X-Token: t${login}`]));
  };
}

const LOGIN: Partial<JobTarget> = { path: '/login', variables: [{ name: 'token', header: 'x-token' }] };
const AUTHORIZED = { headers: [{ name: 'Authorization', value: '{{token}}' }] };

async function simulate(
  changes: JobChanges,
  urls: readonly Partial<JobTarget>[],
  reply: RawReply = createLogin(),
) {
  const shop = await openRawTarget(reply);
  const job = jobOf(
    urls.map((url) => targetOf(shop.port, url)),
    { ...CLOSED, ...changes },
  );
  const report = await runInVirtualTime(job, shop);
  return { job, report, requests: shop.requests };
}

function headerOf({ headers }: RawRequest, name: string): string | undefined {
  return headers.find(([other]) => other.toLowerCase() === name)?.[1];
}

function byConnection(requests: readonly RawRequest[]): readonly (readonly RawRequest[])[] {
  const connections = [...new Set(requests.map(({ connection }) => connection))];
  return connections.map((one) => requests.filter(({ connection }) => connection === one));
}

describe('requests before the first iteration', () => {
  test('each connection sends its "on_start" requests once, and its iterations use the resulting cookies and variables', async () => {
    const { report, requests } = await simulate({}, [LOGIN, AUTHORIZED, { path: '/next' }]);
    const clients = byConnection(requests);
    expect(clients).toHaveLength(3);
    for (const [login, ...others] of clients) {
      expect(login?.path).toBe('/login');
      const [first] = others;
      if (first === undefined) throw new Error('no iteration');
      const token = headerOf(first, 'authorization');
      expect(token).toMatch(/^t[123]$/);
      expect(others.length).toBeGreaterThan(10);
      others.forEach((request, index) => {
        expect(request.path).toBe(index % 2 === 0 ? '/' : '/next');
        if (index % 2 === 0) expect(headerOf(request, 'authorization')).toBe(token);
        // Cookies of an iteration end with it.
        const session = `sid=${token?.slice(1) ?? ''}`;
        expect(headerOf(request, 'cookie')).toBe(index % 2 === 0 ? session : `${session}; seen=1`);
      });
    }
    expect(report.targets[0]?.ledger).toMatchObject({ planned: 3, started: 3, success: 3 });
    expect(report.total.ledger.started).toBe(requests.length);
    // They belong to no iteration.
    const [, first, second] = report.targets;
    expect(report.iterations?.started).toBe(first?.ledger.started);
    expect(report.iterations?.completed).toBe(second?.ledger.success);
    expect(report.iterations?.durations).toMatchObject({ min: 40, max: 40 });
  });

  test('durations of iterations do not include the requests before the first iteration', async () => {
    const { report } = await simulate({}, [
      { ...LOGIN, delay: { min: milliseconds(50), max: milliseconds(50) } },
      {},
    ]);
    expect(report.iterations?.durations).toMatchObject({ min: 20, max: 20 });
  });

  test('in a test with flows, the "on_start" requests precede the first iteration of each connection', async () => {
    const flows = [
      { name: 'read', weight: 3, urls: 1 },
      { name: 'write', weight: 1, urls: 2 },
    ];
    const { report, requests } = await simulate({ flows, iterations: 40, duration: 60_000 }, [
      LOGIN,
      AUTHORIZED,
      { ...AUTHORIZED, path: '/a' },
      { path: '/b' },
    ]);
    for (const client of byConnection(requests))
      expect(client.map(({ path }) => path).lastIndexOf('/login')).toBe(0);
    expect(report.flows?.map(({ iterations }) => iterations.completed)).toEqual([30, 10]);
    expect(report.targets.map(({ ledger }) => ledger.success)).toEqual([3, 30, 10, 10]);
    expect(report.iterations?.missing).toBe(0);
  });

  test('after a failed "on_start" request, iterations begin but do not send the requests that need its variables', async () => {
    const { report, requests } = await simulate({ iterationsPerClient: 5 }, [
      { path: '/login', variables: [{ name: 'token', header: 'x-missing' }] },
      { path: '/open' },
      AUTHORIZED,
    ]);
    expect(requests.filter(({ path }) => path === '/login')).toHaveLength(3);
    expect(report.targets[0]?.ledger).toMatchObject({ started: 3, unexpected: { variable: 3 } });
    expect(report.targets[1]?.ledger).toMatchObject({ success: 15 });
    expect(report.targets[2]?.ledger.notStarted.undefinedVariable).toBe(15);
  });

  test('with "on_failure: stop", connections whose "on_start" requests fail perform no iterations, and the run ends', async () => {
    const { report, requests } = await simulate(
      { duration: 60_000, onStart: 2 },
      [{ ...LOGIN, endsOnFailure: true }, { path: '/profile' }, AUTHORIZED],
      createLogin(503),
    );
    expect(requests.map(({ path }) => path)).toEqual(['/login', '/login', '/login']);
    expect(report.targets[1]?.ledger).toMatchObject({ planned: 3, started: 0, notStarted: { condition: 3 } });
    expect(report.iterations).toMatchObject({ started: 0, completed: 0 });
    expect(report.elapsed).toBeLessThan(1000);
  });

  test('all requests of a connection use the payload row of its "on_start" requests', async () => {
    const rows = { names: ['user'], values: Array.from({ length: 9 }, (_, row) => [`u${row}`]) };
    const { requests } = await simulate({ iterationRows: [rows], clientRows: 1 }, [
      { path: '/login/{{user}}' },
      { path: '/{{user}}' },
    ]);
    const clients = byConnection(requests);
    const users = clients.map(([login]) => login?.path.slice('/login/'.length) ?? '');
    expect(users).toEqual(Array.from({ length: 3 }, () => expect.stringMatching(/^u\d$/) as string));
    clients.forEach(([, ...others], index) => {
      expect(others.length).toBeGreaterThan(10);
      expect(new Set(others.map(({ path }) => path))).toEqual(new Set([`/${users[index] ?? ''}`]));
    });
  });

  test('values are generated again for the "on_start" requests of each connection and for each iteration', async () => {
    const { requests } = await simulate({ values: [{ name: 'id', value: '%{uuid}' }] }, [
      { path: '/login/{{id}}' },
      { path: '/{{id}}' },
    ]);
    expect(requests.filter(({ path }) => path.startsWith('/login/'))).toHaveLength(3);
    expect(requests.length).toBeGreaterThan(3 * 10);
    expect(new Set(requests.map(({ path }) => path.split('/').at(-1))).size).toBe(requests.length);
  });

  test('after the end of a test, a connection sends the rest of its "on_start" requests within the planned time, and begins no iteration', async () => {
    const slow: RawReply = (_request, write) => {
      setTimeout(write, 550, responseText(200, ''));
    };
    const simulateStart = async (onStart: number) => {
      const urls = ['/a', '/b', '/iteration'].slice(2 - onStart).map((path) => ({ path }));
      const { job, requests } = await simulate({ initial: 1, total: 1, onStart, timeout: 700 }, urls, slow);
      return [drainTime(job), ...requests.map(({ path, at }) => [path, virtualTimeOf(at)])];
    };
    // The test ends after 500 ms.
    expect(await simulateStart(2)).toEqual([700, ['/a', 0], ['/b', 550]]);
    expect(await simulateStart(1)).toEqual([0, ['/b', 0]]);
  });

  test('with any number of threads, iterations send exactly the planned requests, and connections send at most the planned "on_start" requests', async () => {
    const anyTest = fc.record({
      connections: fc.integer({ min: 1, max: 12 }),
      iterations: fc.integer({ min: 12, max: 60 }),
      onStart: fc.integer({ min: 1, max: 3 }),
      urls: fc.integer({ min: 1, max: 3 }),
      threads: fc.integer({ min: 1, max: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(anyTest, async ({ connections, iterations, onStart, urls, threads }) => {
        const paths = Array.from({ length: onStart + urls }, (_, index) => ({ path: `/${index}` }));
        const { job, report, requests } = await simulate(
          { initial: connections, total: connections, iterations, onStart, threads, duration: 60_000 },
          paths,
        );
        const sent = (path: string) => requests.filter((request) => request.path === path).length;
        const started = report.targets.map(({ ledger }) => ledger.started);
        expect(started).toEqual(paths.map(({ path }) => sent(path)));
        expect(started.slice(onStart)).toEqual(Array.from({ length: urls }, () => iterations));
        expect(requestsOf(job)).toBe(iterations * urls);
        const ofStart = requests.length - iterations * urls;
        expect(startRequestsOf(job)).toBe(onStart * connections);
        expect(ofStart).toBeLessThanOrEqual(startRequestsOf(job));
        expect(ofStart).toBeGreaterThanOrEqual(onStart);
      }),
      { numRuns: scaleCount(10) },
    );
  });
});
