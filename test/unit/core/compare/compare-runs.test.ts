import { describe, expect, it } from 'vitest';
import type { ResultRecord } from '../../../../src/contract/generated/result-record.ts';
import type { TestRecord } from '../../../../src/contract/generated/test-record.ts';
import { decodeResult } from '../../../../src/contract/result-codec.ts';
import { decodeTestRecord } from '../../../../src/contract/test-codec.ts';
import { compareRuns, type RunToCompare } from '../../../../src/core/compare/compare-runs.ts';
import { areComparable, parseRunName } from '../../../../src/core/compare/run-names.ts';
import { createResultRecord } from '../../../support/result-records.ts';

const SHOP: TestRecord = {
  ...{ test_id: 't1', test_type: 'Cycling', initial: 0, total: 10, duration: 60, timeout: 10_000 },
  ...{ error_threshold: 50, name: 'Checkout', notes: 'before' },
  urls: [{ url: 'http://shop.example/', request_type: 'GET', headers: { 'X-Token': 'sesame' } }],
};

function run(minute: number, of: TestRecord, changes: Partial<ResultRecord> = {}): RunToCompare {
  const record = {
    ...(createResultRecord({ seconds: 3 }) as unknown as ResultRecord), // a record of ours
    ...{ result_id: `r${minute}`, started_at: `2026-11-22T10:0${minute}:00Z`, ...changes },
  };
  return { test: decodeTestRecord(of), result: decodeResult(record) };
}

function hindrancesOf(second: RunToCompare): readonly string[] {
  return compareRuns([run(1, SHOP), second]).flatMap(({ obstacles }) => obstacles);
}

describe('runs beside each other', () => {
  it('stand in the order of time, each compared with the first', () => {
    const beside = compareRuns([run(3, SHOP), run(1, SHOP), run(2, SHOP)]);
    expect(beside.map(({ label, run: { result } }) => [label, result.id])).toEqual([
      ['A', 'r1'],
      ['B', 'r2'],
      ['C', 'r3'],
    ]);
    expect(beside.map(({ metrics }) => metrics.find(({ metric }) => metric === 'requests')?.change)).toEqual([
      undefined,
      0,
      0,
    ]);
  });

  it.each<[string, Partial<TestRecord>, readonly string[]]>([
    ['the same load', {}, []],
    [
      'another name, other notes and a callback',
      { name: 'Cart', notes: '', callback: 'http://a.example/' },
      [],
    ],
    ['another total', { total: 20 }, ['the load is another one: /total 10 → 20']],
    [
      'another error threshold',
      { error_threshold: 10 },
      ['the load is another one: /error_threshold null → 10'],
    ],
    [
      'another secret, which is not shown',
      { urls: SHOP.urls.map((url) => ({ ...url, headers: { 'x-token': 'open' } })) },
      ['the load is another one: /urls/0/headers/x-token "‹6 characters›" → "‹4 characters›"'],
    ],
    [
      'other variables',
      {
        urls: SHOP.urls.map((url) => ({
          ...url,
          variables: [{ name: 'csrf', property: 'X-Csrf', source: 'header' }],
        })),
      },
      ['the load is another one: /urls/0/variables null → "csrf from header X-Csrf"'],
    ],
  ])('of another test with %s', (_, changes, told) => {
    expect(hindrancesOf(run(2, { ...SHOP, test_id: 't2', ...changes }))).toEqual(told);
  });

  it('are not compared before they have ended', () => {
    expect(hindrancesOf(run(2, SHOP, { status: 'not_ready' }))).toEqual(['the run has not ended']);
  });
});

it.each([
  ['t1:r1', { test: 't1', result: 'r1' }],
  ['t1', null],
  [':r1', null],
  ['t1:', null],
  ['t1:r1:x', null],
])('%s as a run is %j', (text, read) => {
  expect(parseRunName(text)).toEqual(read);
});

it.each([
  [[], false],
  [['t1:r1'], false],
  [['t1:r1', 't1:r2'], true],
  [['t1:r1', 't1:r1'], false],
  [['t:1', 't:2', 't:3', 't:4', 't:5'], true],
  [['t:1', 't:2', 't:3', 't:4', 't:5', 't:6'], false],
])('that %j can be compared is %s', (names, are) => {
  expect(areComparable(names)).toBe(are);
});
