import { describe, expect, it } from 'vitest';
import type { ResultRecord } from '../../../../src/contract/generated/result-record.ts';
import type { TestRecord } from '../../../../src/contract/generated/test-record.ts';
import { decodeResult } from '../../../../src/contract/result-codec.ts';
import { decodeTestRecord } from '../../../../src/contract/test-codec.ts';
import { compareRuns } from '../../../../src/core/compare/compare-runs.ts';
import { areComparable, parseRunName } from '../../../../src/core/compare/run-names.ts';
import { loadDifferencesBetween } from '../../../../src/core/reconcile/load-digest.ts';
import { createResultRecord } from '../../../support/result-records.ts';

const SHOP: TestRecord = {
  test_id: 't1',
  test_type: 'Cycling',
  initial: 0,
  total: 10,
  duration: 60,
  timeout: 10_000,
  error_threshold: 50,
  name: 'Checkout',
  notes: 'before',
  urls: [{ url: 'http://shop.example/', request_type: 'GET', headers: { 'X-Token': 'sesame' } }],
};

function run(minute: number, test: TestRecord, changes: Partial<ResultRecord> = {}) {
  const record = {
    ...(createResultRecord({ seconds: 3 }) as unknown as ResultRecord), // the fixture has the type of the wire
    result_id: `r${minute}`,
    started_at: `2026-11-22T10:0${minute}:00Z`,
    ...changes,
  };
  return { testId: String(test.test_id), test: decodeTestRecord(test), result: decodeResult(record) };
}

function compare(...runs: readonly ReturnType<typeof run>[]) {
  return compareRuns(runs, (before, after) => loadDifferencesBetween(before.test, after.test));
}

function obstaclesOf(second: ReturnType<typeof run>): readonly string[] {
  return compare(run(1, SHOP), second).flatMap(({ obstacles }) => obstacles);
}

describe('compared runs', () => {
  it('compareRuns labels runs in chronological order, and compares each with the first run', () => {
    const compared = compare(run(3, SHOP), run(1, SHOP), run(2, SHOP));
    expect(compared.map(({ label, run: { result } }) => [label, result.id])).toEqual([
      ['A', 'r1'],
      ['B', 'r2'],
      ['C', 'r3'],
    ]);
    expect(
      compared.map(({ metrics }) => metrics.find(({ metric }) => metric === 'requests')?.change),
    ).toEqual([undefined, 0, 0]);
  });

  it.each<[string, Partial<TestRecord>, readonly string[]]>([
    ['the same load', {}, []],
    [
      'a different name, different notes and a callback',
      { name: 'Cart', notes: '', callback: 'http://a.example/' },
      [],
    ],
    ['a different total', { total: 20 }, ['the load differs: total 10 → 20']],
    [
      'a different error threshold',
      { error_threshold: 10 },
      ['the load differs: error_threshold (not set) → 10'],
    ],
    [
      'a different secret, which is masked',
      { urls: SHOP.urls.map((url) => ({ ...url, headers: { 'x-token': 'open' } })) },
      ['the load differs: urls.0.headers.x-token "‹6 characters›" → "‹4 characters›"'],
    ],
    [
      'different variables',
      {
        urls: SHOP.urls.map((url) => ({
          ...url,
          variables: [{ name: 'csrf', property: 'X-Csrf', source: 'header' }],
        })),
      },
      ['the load differs: urls.0.variables (not set) → "csrf from header X-Csrf"'],
    ],
  ])('a comparison of runs from two tests lists the expected obstacles for %s', (_, changes, obstacles) => {
    expect(obstaclesOf(run(2, { ...SHOP, test_id: 't2', ...changes }))).toEqual(obstacles);
  });

  it('a comparison of runs from one test ignores changes of this test', () => {
    expect(obstaclesOf(run(2, { ...SHOP, total: 20 }))).toEqual([]);
  });

  it('the first run has no comparison, and a comparison with an unknown load generator has a warning', () => {
    expect(compare()).toEqual([]);
    const [first, second] = compare(run(1, SHOP), run(2, SHOP));
    expect(first).toMatchObject({ label: 'A', metrics: [], obstacles: [], warnings: [] });
    expect(second?.warnings).toEqual([
      'the load generator of run A and run B is unknown: results from earlier versions of loadtests and from third-party services can lack this information',
    ]);
  });

  it('a run that has not ended cannot be compared', () => {
    expect(obstaclesOf(run(2, SHOP, { status: 'not_ready' }))).toEqual(['the later run has not ended']);
    const running = run(1, SHOP, { status: 'not_ready' });
    expect(compare(running, run(2, SHOP))[1]?.obstacles).toEqual(['the earlier run has not ended']);
  });
});

it.each([
  ['t1:r1', { test: 't1', result: 'r1' }],
  ['t1', null],
  [':r1', null],
  ['t1:', null],
  ['t1:r1:x', null],
])('parseRunName parses "%s" as %j', (text, name) => {
  expect(parseRunName(text)).toEqual(name);
});

it.each([
  [[], false],
  [['t1:r1'], false],
  [['t1:r1', 't1:r2'], true],
  [['t1:r1', 't1:r1'], false],
  [['t:1', 't:2', 't:3', 't:4', 't:5'], true],
  [['t:1', 't:2', 't:3', 't:4', 't:5', 't:6'], false],
])('areComparable(%j) returns %s', (names, expected) => {
  expect(areComparable(names)).toBe(expected);
});
