import { describe, expect, it } from 'vitest';
import type { ResultRecord } from '../../../src/contract/generated/result-record.ts';
import type { TestRecord } from '../../../src/contract/generated/test-record.ts';
import { besideEachOther, readRunName, type RunToCompare } from '../../../src/web/page/compared-runs.ts';
import { toldRun } from '../../../src/web/page/run-record.ts';
import { recordOf } from '../../rig/result-records.ts';

const SHOP: TestRecord = {
  ...{ test_id: 't1', test_type: 'Cycling', initial: 0, total: 10, duration: 60, timeout: 10_000 },
  ...{ error_threshold: 50, name: 'Checkout', notes: 'before' },
  urls: [{ url: 'http://shop.example/', request_type: 'GET', headers: { 'X-Token': 'sesame' } }],
};

function run(minute: number, of: TestRecord, changes: Partial<ResultRecord> = {}): RunToCompare {
  const record = {
    ...(recordOf({ seconds: 3 }) as unknown as ResultRecord), // a record of ours
    ...{ result_id: `r${minute}`, started_at: `2026-11-22T10:0${minute}:00Z`, ...changes },
  };
  return { test: String(of.test_id), result: `r${minute}`, record, of };
}

function hindrancesOf(second: RunToCompare): readonly string[] {
  return besideEachOther([run(1, SHOP), second]).flatMap(({ hindrances }) => hindrances);
}

describe('runs beside each other', () => {
  it('stand in the order of time, each compared with the first', () => {
    const beside = besideEachOther([run(3, SHOP), run(1, SHOP), run(2, SHOP)]);
    expect(beside.map(({ letter, run: { result } }) => [letter, result])).toEqual([
      ['A', 'r1'],
      ['B', 'r2'],
      ['C', 'r3'],
    ]);
    expect(beside.map(({ figures }) => figures.find(({ metric }) => metric === 'requests')?.change)).toEqual([
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
  expect(readRunName(text)).toEqual(read);
});

describe('the verdict that is shown', () => {
  it('is the one that was told', () => {
    const judgement = {
      ...{ verdict: 'inconclusive', reason: 'too few runs' },
      thresholds: [{ metric: 'p95', limit: '< 1s', value: 20, verdict: 'inconclusive', reason: 'who knows' }],
    };
    const { record } = run(1, SHOP, { judgement });
    expect(toldRun(record)).toMatchObject(judgement);
  });

  it.each([
    [null, null],
    ['error_threshold', 'the error threshold was reached'],
    ['stopped', 'the run ended early: stopped'],
  ])('is none where nobody told one: ended by %s', (reason, text) => {
    const { record } = run(1, SHOP, { abort_reason: reason });
    expect(toldRun(record)).toMatchObject({ verdict: 'none', thresholds: [], reason: text });
  });

  it('is none of a run that goes on, whose figures are shown', () => {
    const { record } = run(1, SHOP, { status: 'not_ready' });
    expect(toldRun(record)).toMatchObject({ state: 'running', verdict: 'none', reason: null });
    expect(toldRun(record).figures).not.toBeNull();
  });
});
