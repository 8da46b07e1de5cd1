/** Payload rows of every size and content: each value is used as documented and stays in its context. */
// @module-tag load
import { describe, expect, test } from 'vitest';
import type { PayloadRows } from '../../src/core/load/load-job.ts';
import { packRows } from '../../src/engine/row-table.ts';
import { jobOf, useTestEngine, runJob, targetOf, textBody } from '../support/test-engine.ts';
import { measureUsedBytes } from '../support/used-memory.ts';
import { openRawTarget } from '../support/raw-target.ts';
import { runInVirtualTime } from '../support/virtual-run.ts';

const testEngine = useTestEngine();

const column = (values: readonly string[]): PayloadRows => ({
  names: ['v'],
  values: values.map((value) => [value]),
});

/** Values that would break a request if they were not encoded correctly. */
const SAFE_VALUES: readonly string[] = [
  ...[
    'plain',
    '',
    ' ',
    '  two  ',
    'ä€😀',
    'a\u2028b',
    '"quoted"',
    "it's",
    '`',
    'a,b;c',
    'a\tb',
    'a&b=c#d?e',
    'a+b',
    '%41%',
  ],
  ...[
    '../../etc',
    '//host/',
    'http://elsewhere.test/',
    '{{v}}',
    '%{1:3}',
    '${v}',
    '\\',
    '<b>',
    'x'.repeat(5000),
  ],
];
const LINE_BREAKING_VALUES: readonly string[] = [
  'a\r\nX-Evil: 1',
  'a\nb',
  'a\rb',
  '\r\n\r\nGET /evil HTTP/1.1\r\n\r\n',
  'a\0b',
];
const ALL_VALUES = [...SAFE_VALUES, ...LINE_BREAKING_VALUES];

const sorted = (values: readonly string[]): string[] => [...values].sort();
const fromBytes = (latin1: string): string => Buffer.from(latin1, 'latin1').toString('utf8');

describe('row values in requests', () => {
  const settings = { total: ALL_VALUES.length, duration: 300 };

  test('in a query, every row value arrives unchanged, exactly once', async () => {
    const shop = await openRawTarget();
    const { ledger } = await runJob(
      testEngine.engine,
      jobOf([targetOf(shop.port, { path: '/a', rows: column(ALL_VALUES) })], settings),
    );
    expect(ledger.success).toBe(ALL_VALUES.length);
    const queries = shop.requests.map(({ path }) => new URL(path, 'http://shop.test'));
    expect(queries.every(({ pathname }) => pathname === '/a')).toBe(true);
    expect(sorted(queries.map(({ searchParams }) => searchParams.get('v') ?? 'none'))).toEqual(
      sorted(ALL_VALUES),
    );
  });

  test('in a form, every row value arrives unchanged, exactly once', async () => {
    const shop = await openRawTarget();
    const rows = { method: 'POST', rows: column(ALL_VALUES) } as const;
    await runInVirtualTime(jobOf([targetOf(shop.port, rows)], settings), shop);
    const forms = shop.requests.map(({ body }) => new URLSearchParams(body));
    expect(forms.every((form) => [...form.keys()].join() === 'v')).toBe(true);
    expect(sorted(forms.map((form) => form.get('v') ?? 'none'))).toEqual(sorted(ALL_VALUES));
  });

  test('in a path, every row value arrives unchanged, as one segment', async () => {
    const shop = await openRawTarget();
    await runInVirtualTime(
      jobOf([targetOf(shop.port, { path: '/a/{{v}}/b' })], {
        ...settings,
        iterationRows: [column(ALL_VALUES)],
      }),
      shop,
    );
    const parts = shop.requests.map(({ path }) => path.split('/'));
    expect(
      parts.every(([start, a, , b, ...rest]) => start === '' && a === 'a' && b === 'b' && rest.length === 0),
    ).toBe(true);
    expect(sorted(parts.map(([, , value = '']) => decodeURIComponent(value)))).toEqual(sorted(ALL_VALUES));
  });

  test('in a raw body, every row value arrives unchanged, exactly once', async () => {
    const shop = await openRawTarget();
    const body = { method: 'POST', body: textBody('<{{v}}>') } as const;
    await runInVirtualTime(
      jobOf([targetOf(shop.port, body)], { ...settings, iterationRows: [column(ALL_VALUES)] }),
      shop,
    );
    const bodies = shop.requests.map((request) => fromBytes(request.body));
    expect(sorted(bodies)).toEqual(sorted(ALL_VALUES.map((value) => `<${value}>`)));
  });

  test('in a header, row values arrive unchanged, and requests with a line break or NUL in the value are not sent', async () => {
    const shop = await openRawTarget();
    const headers = [{ name: 'X-V', value: '<{{v}}>' }];
    const report = await runInVirtualTime(
      jobOf([targetOf(shop.port, { headers })], { ...settings, iterationRows: [column(ALL_VALUES)] }),
      shop,
    );
    expect(report.total.ledger).toMatchObject({
      planned: ALL_VALUES.length,
      success: SAFE_VALUES.length,
      notStarted: { undefinedVariable: LINE_BREAKING_VALUES.length },
    });
    const values = shop.requests.flatMap((request) => request.headers.filter(([name]) => name === 'X-V'));
    expect(sorted(values.map(([, value]) => fromBytes(value)))).toEqual(
      sorted(SAFE_VALUES.map((value) => `<${value}>`)),
    );
    const names = new Set(shop.requests.flatMap((request) => request.headers.map(([name]) => name)));
    expect([...names]).toEqual(['Host', 'User-Agent', 'X-Loadtests-Run', 'Accept', 'X-V']);
  });
});

test('a row that occurs three times in a list is used three times as often as a row that occurs once', async () => {
  const shop = await openRawTarget();
  const job = jobOf([targetOf(shop.port, { rows: column(['a', 'b', 'a', 'a']) })], {
    total: 40,
    duration: 200,
  });
  await runInVirtualTime(job, shop);
  const count = (value: string): number => shop.requests.filter(({ path }) => path === `/?v=${value}`).length;
  expect([count('a'), count('b')]).toEqual([30, 10]);
});

describe('a million rows', () => {
  const COUNT = 1_000_000;
  const rows: PayloadRows = {
    names: ['user', 'city'],
    values: Array.from({ length: COUNT }, (_, index) => [`user-${index}`, 'Zürich']),
  };

  test('a million packed rows use the bytes of their values plus four bytes per value', () => {
    const before = measureUsedBytes();
    const packed = packRows(rows);
    const bytes = rows.values.reduce((sum, [user = '']) => sum + user.length + 'Zürich'.length + 1, 0);
    expect(packed.bytes.byteLength + packed.ends.byteLength).toBe(bytes + 4 * 2 * COUNT);
    expect(measureUsedBytes() - before).toBeLessThan(1.1 * (bytes + 4 * 2 * COUNT) + 4 * 1024 * 1024);
  });

  test('two threads use each row of a list of a million rows at most once, and use rows from all ten tenths of the list', async () => {
    const shop = await openRawTarget();
    const job = jobOf([targetOf(shop.port, { rows })], { total: 1000, duration: 1000, threads: 2 });
    const { ledger, report } = await runJob(testEngine.engine, job);
    // If the machine stalls for a second, clients are skipped.
    const { started } = ledger;
    expect(started).toBeGreaterThan(200);
    expect(ledger.success).toBe(started);
    expect(report.generator.threads).toBe(2);
    const numbers = shop.requests.map(({ path }) =>
      Number(/^\/\?user=user-(\d+)&city=Z%C3%BCrich$/.exec(path)?.[1]),
    );
    expect(new Set(numbers).size).toBe(started);
    const tenths = Array.from(
      { length: 10 },
      (_, tenth) => numbers.filter((number) => Math.floor((10 * number) / COUNT) === tenth).length,
    );
    expect(Math.min(...tenths)).toBeGreaterThan(started / 20);
  });
});
