/** Payload rows and expressions, from the list to the request. */
// @module-tag load
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PayloadRows } from '../../src/core/load/load-job.ts';
import { openRowTable, packRows } from '../../src/engine/row-table.ts';
import { compileJob } from '../../src/engine/request-compiler.ts';
import { arbitraryString } from '../support/arbitrary-string.ts';
import {
  jobOf as longJobOf,
  useTestEngine,
  runJob,
  targetOf,
  textBody,
  paramsBody,
  iterationOf,
} from '../support/test-engine.ts';
import { openRawTarget, type RawRequest } from '../support/raw-target.ts';
import { runInVirtualTime } from '../support/virtual-run.ts';

/** Short unless a test sets another duration. */
const jobOf: typeof longJobOf = (targets, changes) => longJobOf(targets, { duration: 100, ...changes });

const testEngine = useTestEngine();

const users = (count: number): PayloadRows => ({
  names: ['user', 'word'],
  values: Array.from({ length: count }, (_, index) => [`u${index}`, `w${index}`]),
});

const countRequests = (requests: readonly RawRequest[]): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const { path, body } of requests) {
    const key = `${path} ${body}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
};

describe('packed rows', () => {
  test('openRowTable returns every value that packRows has packed', () => {
    const text = fc.oneof(fc.string(), arbitraryString(), fc.constantFrom('', 'ä€😀', '\r\n\0'));
    const rows = fc
      .integer({ min: 1, max: 4 })
      .chain((columns) =>
        fc.array(fc.array(text, { minLength: columns, maxLength: columns }), { maxLength: 20 }),
      );
    fc.assert(
      fc.property(rows, (values) => {
        const names = (values[0] ?? []).map((_, index) => `n${index}`);
        const table = openRowTable(packRows({ names, values }));
        values.forEach((row, at) => {
          row.forEach((value, column) => {
            expect(table.value(at, column)).toBe(Buffer.from(value).toString('latin1'));
          });
        });
      }),
    );
  });

  test('packRows reports a row with the wrong number of values as a bug', () => {
    expect(() => packRows({ names: ['a', 'b'], values: [['1']] })).toThrow('Bug');
  });
});

describe('rows of a URL', () => {
  test.each([
    ['in the query of a GET request', { path: '/a' }, '/a?user=u0&word=w0', ''],
    [
      'in the query of a GET request, after its existing parameters',
      { path: '/a?x', body: paramsBody([{ name: 'p', value: '1' }]) },
      '/a?x&p=1&user=u0&word=w0',
      '',
    ],
    [
      'in the form of a POST request, after its existing parameters',
      { method: 'POST' as const, body: paramsBody([{ name: 'p', value: '1' }]) },
      '/',
      'p=1&user=u0&word=w0',
    ],
    ['in the form of a POST request', { method: 'POST' as const }, '/', 'user=u0&word=w0'],
    [
      'in the query of a POST request with a raw body',
      { method: 'POST' as const, body: textBody('raw') },
      '/?user=u0&word=w0',
      'raw',
    ],
  ])('the names and values of a payload row are sent %s', async (_name, changes, path, body) => {
    const shop = await openRawTarget();
    await runInVirtualTime(jobOf([targetOf(shop.port, { ...changes, rows: users(1) })], { total: 2 }), shop);
    expect(shop.requests.map((request) => [request.path, request.body])).toEqual([
      [path, body],
      [path, body],
    ]);
    if (body.startsWith('user'))
      expect(shop.requests[0]?.headers).toContainEqual(['Content-Type', 'application/x-www-form-urlencoded']);
  });

  test('names and values of payload rows are percent-encoded in queries and form-encoded in forms', () => {
    const rows = { names: ['a b', 'ü'], values: [['x&y', '😀']] };
    const render = (method: 'GET' | 'POST') => {
      const [compiled] = compileJob(jobOf([targetOf(80, { method, rows })])).targets;
      return compiled?.render(iterationOf([])) ?? '';
    };
    expect(render('GET')).toContain('GET /?a%20b=x%26y&%C3%BC=%F0%9F%98%80 HTTP');
    expect(render('POST')).toMatch(/\r\n\r\na\+b=x%26y&%C3%BC=%F0%9F%98%80$/);
  });

  test.each([
    ['non-cycling', 1],
    ['non-cycling', 2],
    ['per-second', 2],
  ] as const)(
    'in a %s test with a thread count of %i, rows are used in shuffled order, and none is used twice if the list has enough rows',
    async (testType, threads) => {
      const shop = await openRawTarget();
      const job = jobOf([targetOf(shop.port, { rows: users(120) })], {
        testType,
        threads,
        total: testType === 'per-second' ? 400 : 100,
        duration: 250,
      });
      const report = await (testType === 'non-cycling' && threads === 2
        ? runJob(testEngine.engine, job).then((result) => result.report)
        : runInVirtualTime(job, shop));
      expect(report.total.ledger.success).toBe(100);
      expect(countRequests(shop.requests).size).toBe(100);
      const order = shop.requests.map(({ path }) => Number(/user=u(\d+)/.exec(path)?.[1]));
      expect(order).not.toEqual([...order].sort((a, b) => a - b));
    },
  );

  test('if a run has three times as many requests as rows, each row is used three times', async () => {
    const shop = await openRawTarget();
    await runInVirtualTime(jobOf([targetOf(shop.port, { rows: users(20) })], { total: 60 }), shop);
    expect([...countRequests(shop.requests).values()]).toEqual(Array.from({ length: 20 }, () => 3));
  });

  test('two runs with the same seed use the same rows in the same order, and a run with a different seed does not', async () => {
    const shop = await openRawTarget();
    const pathsUsed = async (seed: number): Promise<readonly string[]> => {
      const before = shop.requests.length;
      const job = jobOf([targetOf(shop.port, { rows: users(1000) })], { seed, threads: 1 });
      await runInVirtualTime(job, shop);
      return shop.requests.slice(before).map(({ path }) => path);
    };
    const first = await pathsUsed(1);
    expect(await pathsUsed(1)).toEqual(first);
    expect(await pathsUsed(2)).not.toEqual(first);
  });

  test('a cycling test uses each of five rows in more than a tenth of its requests', async () => {
    const shop = await openRawTarget();
    const job = jobOf([targetOf(shop.port, { rows: users(5) })], {
      testType: 'cycling',
      initial: 2,
      total: 2,
      // Rows are drawn at random, and a slow machine may need seconds for 300 iterations.
      duration: 60_000,
      iterations: 300,
    });
    await runJob(testEngine.engine, job);
    const counts = countRequests(shop.requests);
    expect(counts.size).toBe(5);
    for (const count of counts.values()) expect(count).toBeGreaterThan(shop.requests.length / 10);
  });

  test('if the list of rows is empty, all planned requests count as not started', async () => {
    const shop = await openRawTarget();
    const job = jobOf([targetOf(shop.port, { rows: users(0) })]);
    const { ledger } = (await runInVirtualTime(job, shop)).total;
    expect(ledger).toMatchObject({ planned: 10, started: 0, notStarted: { undefinedVariable: 10 } });
  });
});

describe('rows of an iteration', () => {
  test('all requests of an iteration use one row of each list, and the lists are shuffled independently', async () => {
    const shop = await openRawTarget();
    const cities = { names: ['city'], values: Array.from({ length: 50 }, (_, index) => [`c ${index}`]) };
    const job = jobOf(
      [
        targetOf(shop.port, { path: '/{{user}}/{{city}}' }),
        targetOf(shop.port, {
          method: 'POST',
          body: textBody('{{word}} {{user}} {{city}}'),
          headers: [{ name: 'X-W', value: '{{word}}' }],
        }),
      ],
      { iterationRows: [users(50), cities], total: 50 },
    );
    const { ledger } = (await runInVirtualTime(job, shop)).total;
    expect(ledger.success).toBe(100);
    for (let connection = 0; connection < 50; connection++) {
      const [first, second] = shop.requests.filter((request) => request.connection === connection);
      const [, number, city] = /^\/u(\d+)\/c%20(\d+)$/.exec(first?.path ?? '') ?? [];
      expect(second?.body).toBe(`w${number} u${number} c ${city}`);
      expect(second?.headers).toContainEqual(['X-W', `w${number}`]);
    }
    expect(countRequests(shop.requests.filter(({ method }) => method === 'GET')).size).toBe(50);
    const pairs = shop.requests.map(({ path }) => path).filter((path) => path !== '/');
    // The lists are shuffled independently.
    expect(pairs.filter((path) => /^\/u(\d+)\/c%20\1$/.test(path)).length).toBeLessThan(15);
  });

  test('in a cycling test, the two requests of each iteration use the same row, and 300 iterations use all ten rows', async () => {
    const shop = await openRawTarget();
    const job = jobOf(
      [targetOf(shop.port, { path: '/{{user}}' }), targetOf(shop.port, { path: '/{{word}}' })],
      {
        testType: 'cycling',
        initial: 1,
        total: 1,
        // Rows are drawn at random, and a slow machine may need seconds for 300 iterations.
        duration: 60_000,
        iterations: 300,
        threads: 1,
        iterationRows: [users(10)],
      },
    );
    await runJob(testEngine.engine, job);
    expect(countRequests(shop.requests).size).toBe(20);
    for (let at = 0; at + 1 < shop.requests.length; at += 2)
      expect(shop.requests[at + 1]?.path).toBe(shop.requests[at]?.path.replace('u', 'w'));
  });

  test('a variable that a response header sets replaces the row value with the same name in later requests', async () => {
    const shop = await openRawTarget((_request, write) => {
      write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-User: other\r\n\r\n');
    });
    const variables = [{ name: 'user', header: 'x-user' }];
    const job = jobOf(
      [targetOf(shop.port, { path: '/{{user}}', variables }), targetOf(shop.port, { path: '/{{user}}' })],
      { iterationRows: [users(1)], total: 2 },
    );
    await runInVirtualTime(job, shop);
    expect(shop.requests.map(({ path }) => path).sort()).toEqual(['/other', '/other', '/u0', '/u0']);
  });

  test('a row value with a line break is encoded in a path, and a request with such a value in a header is not sent', async () => {
    const shop = await openRawTarget();
    const maliciousRows = { names: ['user'], values: [['a\r\nX-Evil: 1']] };
    const job = jobOf(
      [
        targetOf(shop.port, { path: '/{{user}}' }),
        targetOf(shop.port, { headers: [{ name: 'X-A', value: '{{user}}' }] }),
      ],
      { iterationRows: [maliciousRows], total: 3 },
    );
    const { ledger } = (await runInVirtualTime(job, shop)).total;
    expect(ledger).toMatchObject({ success: 3, notStarted: { undefinedVariable: 3 } });
    expect(shop.requests.every(({ path }) => path === '/a%0D%0AX-Evil%3A%201')).toBe(true);
    expect(shop.requests.flatMap(({ headers }) => headers).some(([name]) => name === 'X-Evil')).toBe(false);
  });
});

describe('expressions', () => {
  const render = (changes: Parameters<typeof targetOf>[1], values: (string | undefined)[] = []): string =>
    compileJob(jobOf([targetOf(80, changes)])).targets[0]?.render(iterationOf(values)) ?? '';

  test.each([
    ['in a path', { path: '/a/%{7, 8}/b' }, 'GET /a/7/b HTTP'],
    ['in a percent-encoded path', { path: '/%%7B7,%208%7D?x=%{9,%201}' }, 'GET /7?x=9 HTTP'],
    ['in a parameter', { body: paramsBody([{ name: 'q', value: 'n%{-5:0}&' }]) }, 'GET /?q=n-5%26 HTTP'],
    ['in a header', { headers: [{ name: 'X-N', value: '<%{1:3}%{4:5}>' }] }, '\r\nX-N: <14>\r\n'],
    [
      'in a body',
      { method: 'POST' as const, body: textBody('{"n": %{12:20}}') },
      'Content-Length: 9\r\n\r\n{"n": 12}',
    ],
    [
      'in a form',
      { method: 'POST' as const, body: paramsBody([{ name: 'n', value: '%{3}' }]) },
      '\r\n\r\nn=3',
    ],
  ])('an expression %s is replaced by the first number of its sequence', (_name, changes, expected) => {
    expect(render(changes)).toContain(expected);
  });

  test('expressions and variables can be adjacent', () => {
    const declared = { variables: [{ name: 'v', header: 'x' }] };
    expect(render({ path: '/{{v}}%{1:3}%{{v}}', ...declared }, ['x%'])).toContain('GET /x%251%x%25 HTTP');
  });

  test('an invalid expression is reported as a bug', () => {
    expect(() => render({ path: '/%{a}' })).toThrow('Bug');
  });

  test('each expression of a test has a separate, repeating sequence', () => {
    const [compiled] = compileJob(jobOf([targetOf(80, { path: '/%{1:3}/%{1:2}' })])).targets;
    const paths = Array.from({ length: 4 }, () => compiled?.render(iterationOf([]))?.split(' ')[1]);
    expect(paths).toEqual(['/1/1', '/2/2', '/3/1', '/1/2']);
  });

  test.each([1, 2])(
    'with a thread count of %i, a run of 100 requests uses each of the 100 numbers of an expression once',
    async (threads) => {
      const shop = await openRawTarget();
      const job = jobOf([targetOf(shop.port, { path: '/%{1:100}' })], { total: 100, threads });
      await (threads === 1 ? runInVirtualTime(job, shop) : runJob(testEngine.engine, job));
      const numbers = shop.requests.map(({ path }) => Number(path.slice(1))).sort((a, b) => a - b);
      expect(numbers).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
    },
  );

  test('the random numbers of an expression depend on the seed and differ between threads', async () => {
    const shop = await openRawTarget();
    const pathsUsed = async (seed: number): Promise<readonly string[]> => {
      const before = shop.requests.length;
      const job = jobOf([targetOf(shop.port, { path: '/%{*:1-1000000}' })], { seed, threads: 2 });
      await runInVirtualTime(job, shop);
      return shop.requests
        .slice(before)
        .map(({ path }) => path)
        .sort();
    };
    const first = await pathsUsed(1);
    expect(new Set(first).size).toBe(10);
    expect(await pathsUsed(1)).toEqual(first);
    expect(await pathsUsed(2)).not.toEqual(first);
  });
});
