/** Rows of every size and with everything in them: each is used as documented, and stays where it belongs. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PayloadRows } from '../../src/core/load/load-job.ts';
import { packRows } from '../../src/engine/row-table.ts';
import { jobOf, openTestEngine, runJob, targetOf, type TestEngine } from '../support/test-engine.ts';
import { measureUsedBytes } from '../support/used-memory.ts';
import { openRawTarget } from '../support/raw-target.ts';

let rig: TestEngine;
beforeAll(async () => {
  rig = await openTestEngine();
});
afterAll(() => rig.close());

const column = (values: readonly string[]): PayloadRows => ({
  names: ['v'],
  values: values.map((one) => [one]),
});

/** Values that break something where they are not written as they should be. */
const VALUES: readonly string[] = [
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
const BREAKING: readonly string[] = [
  'a\r\nX-Evil: 1',
  'a\nb',
  'a\rb',
  '\r\n\r\nGET /evil HTTP/1.1\r\n\r\n',
  'a\0b',
];
const ALL = [...VALUES, ...BREAKING];

const sorted = (values: readonly string[]): string[] => [...values].sort();
const fromBytes = (latin1: string): string => Buffer.from(latin1, 'latin1').toString('utf8');

describe('every value arrives as it is, once', () => {
  const once = { total: ALL.length, duration: 300 };

  test('in a query', async () => {
    const shop = await openRawTarget();
    const { ledger } = await runJob(
      rig.engine,
      jobOf([targetOf(shop.port, { path: '/a', rows: column(ALL) })], once),
    );
    expect(ledger.success).toBe(ALL.length);
    const queries = shop.requests.map(({ path }) => new URL(path, 'http://shop.test'));
    expect(queries.every(({ pathname }) => pathname === '/a')).toBe(true);
    expect(sorted(queries.map(({ searchParams }) => searchParams.get('v') ?? 'none'))).toEqual(sorted(ALL));
  });

  test('in a form', async () => {
    const shop = await openRawTarget();
    const rows = { method: 'POST', rows: column(ALL) } as const;
    await runJob(rig.engine, jobOf([targetOf(shop.port, rows)], once));
    const forms = shop.requests.map(({ body }) => new URLSearchParams(body));
    expect(forms.every((form) => [...form.keys()].join() === 'v')).toBe(true);
    expect(sorted(forms.map((form) => form.get('v') ?? 'none'))).toEqual(sorted(ALL));
  });

  test('in a path, of which it stays one part', async () => {
    const shop = await openRawTarget();
    await runJob(
      rig.engine,
      jobOf([targetOf(shop.port, { path: '/a/{{v}}/b' })], { ...once, iterationRows: [column(ALL)] }),
    );
    const parts = shop.requests.map(({ path }) => path.split('/'));
    expect(
      parts.every(([start, a, , b, ...rest]) => start === '' && a === 'a' && b === 'b' && rest.length === 0),
    ).toBe(true);
    expect(sorted(parts.map(([, , value = '']) => decodeURIComponent(value)))).toEqual(sorted(ALL));
  });

  test('in a raw body, whose length follows it', async () => {
    const shop = await openRawTarget();
    const body = { method: 'POST', body: '<{{v}}>' } as const;
    await runJob(rig.engine, jobOf([targetOf(shop.port, body)], { ...once, iterationRows: [column(ALL)] }));
    const bodies = shop.requests.map((request) => fromBytes(request.body));
    expect(sorted(bodies)).toEqual(sorted(ALL.map((value) => `<${value}>`)));
  });

  test('in a header, unless it would break the line: then nothing is sent, and that is counted', async () => {
    const shop = await openRawTarget();
    const headers = [{ name: 'X-V', value: '<{{v}}>' }];
    const { ledger } = await runJob(
      rig.engine,
      jobOf([targetOf(shop.port, { headers })], { ...once, iterationRows: [column(ALL)] }),
    );
    expect(ledger).toMatchObject({
      ...{ planned: ALL.length, success: VALUES.length },
      notStarted: { undefinedVariable: BREAKING.length },
    });
    const values = shop.requests.flatMap((request) => request.headers.filter(([name]) => name === 'X-V'));
    expect(sorted(values.map(([, value]) => fromBytes(value)))).toEqual(
      sorted(VALUES.map((value) => `<${value}>`)),
    );
    const names = new Set(shop.requests.flatMap((request) => request.headers.map(([name]) => name)));
    expect([...names]).toEqual(['Host', 'User-Agent', 'X-Loadtests-Run', 'Accept', 'X-V']);
  });
});

test('rows that are there twice are used twice as often', async () => {
  const shop = await openRawTarget();
  const job = jobOf([targetOf(shop.port, { rows: column(['a', 'b', 'a', 'a']) })], {
    total: 40,
    duration: 200,
  });
  await runJob(rig.engine, job);
  const count = (value: string): number => shop.requests.filter(({ path }) => path === `/?v=${value}`).length;
  expect([count('a'), count('b')]).toEqual([30, 10]);
});

describe('a million rows', () => {
  const COUNT = 1_000_000;
  const rows: PayloadRows = {
    names: ['user', 'city'],
    values: Array.from({ length: COUNT }, (_, index) => [`user-${index}`, 'Zürich']),
  };

  test('take their bytes and four more for each value', () => {
    const before = measureUsedBytes();
    const packed = packRows(rows);
    const bytes = rows.values.reduce((sum, [user = '']) => sum + user.length + 'Zürich'.length + 1, 0);
    expect(packed.bytes.byteLength + packed.ends.byteLength).toBe(bytes + 4 * 2 * COUNT);
    expect(measureUsedBytes() - before).toBeLessThan(1.1 * (bytes + 4 * 2 * COUNT) + 4 * 1024 * 1024);
  });

  test('are drawn from everywhere, none twice, by all threads', async () => {
    const shop = await openRawTarget();
    const job = jobOf([targetOf(shop.port, { rows })], { total: 2000, duration: 1000 });
    const { ledger, report } = await runJob(rig.engine, job);
    // A machine that stands still for a second leaves clients out.
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
