/** Differences between two files that no service would show. */
import { describe, expect, test } from 'vitest';
import { findFileChanges, removedKeys } from '../../../../src/core/reconcile/file-changes.ts';
import type { Metric } from '../../../../src/core/model/threshold.ts';
import { declareState, type TestFields } from '../../../support/declared-state.ts';

function changes(before: TestFields, after: TestFields): string[] {
  const home = (fields: TestFields) => declareState().app('shop').test('home', fields).state;
  return findFileChanges(home(before), home(after)).map(
    ({ key, field, from, to, kind }) => `${key} ${field} ${kind} ${JSON.stringify([from, to])}`,
  );
}

describe('changes of fields that exist only in the file', () => {
  test.each([
    ['< 300ms', '< 500ms', 'loosened'],
    ['< 300ms', '<= 300ms', 'loosened'],
    ['<= 300ms', '< 300ms', 'tightened'],
    ['< 2s', '< 500ms', 'tightened'],
    ['> 300ms', '> 500ms', 'tightened'],
    ['>= 300ms', '> 200ms', 'loosened'],
    ['< 300ms', '> 300ms', 'changed'],
  ])('changing the threshold from %s to %s is reported as %s', (from, to, kind) => {
    const pair = JSON.stringify([from, to]);
    expect(changes({ thresholds: { p95: from } }, { thresholds: { p95: to } })).toEqual([
      `home /thresholds/p95 ${kind} ${pair}`,
    ]);
  });

  test('a threshold with a different spelling is unchanged', () => {
    expect(changes({ thresholds: { p95: '< 1s' } }, { thresholds: { p95: '<1000ms' } })).toEqual([]);
  });

  test('changes of thresholds, "needs" and "parallel" are found', () => {
    const before = { thresholds: { p99: '< 1s' }, needs: ['warmup'] } as const;
    const after = { thresholds: { 'p99.9': '< 1s' }, needs: ['warmup', 'login'], parallel: true } as const;
    expect(changes(before, after)).toEqual([
      'home /thresholds/p99 removed ["< 1s",null]',
      'home /thresholds/p99.9 added [null,"< 1s"]',
      'home /needs changed [["warmup"],["warmup","login"]]',
      'home /parallel added [null,true]',
    ]);
  });

  test('a regression threshold can be loosened, tightened, removed and added', () => {
    const withRegression = (allowed: Readonly<Record<string, number>>) => {
      const { state } = declareState().app('shop').test('home');
      const thresholds = Object.entries(allowed).map(([metric, fraction]) => ({
        metric: metric as Metric,
        allowed: fraction,
        limit: `${100 * fraction}%`,
        source: null,
      }));
      const tests = state.tests.map((one) => ({ ...one, regression: { thresholds, baseline: null } }));
      return { ...state, tests };
    };
    const found = findFileChanges(
      withRegression({ p95: 0.1, p99: 0.2, p50: 0.1 }),
      withRegression({ p95: 0.2, p99: 0.1, max: 0.5 }),
    );
    expect(found.map(({ field, kind }) => `${field} ${kind}`)).toEqual([
      '/regression/p95 loosened',
      '/regression/p99 tightened',
      '/regression/p50 removed',
      '/regression/max added',
    ]);
  });

  test('a threshold on a URL is recognized even if another URL is inserted before it', () => {
    const thresholdOn = (limit: string, index: number, label: string) => {
      const state = declareState()
        .app('shop')
        .test('home', { thresholds: { p95: limit } }).state;
      const tests = state.tests.map((test) => ({
        ...test,
        thresholds: test.thresholds.map((threshold) => ({ ...threshold, url: { index, label } })),
      }));
      return { ...state, tests };
    };
    const found = findFileChanges(thresholdOn('< 1s', 0, 'pay'), thresholdOn('< 2s', 1, 'pay'));
    expect(found).toEqual([
      { key: 'home', field: '/urls/1/thresholds/p95', from: '< 1s', to: '< 2s', kind: 'loosened' },
    ]);
    expect(
      findFileChanges(thresholdOn('< 1s', 0, 'pay'), thresholdOn('< 1s', 0, 'cart')).map(({ kind }) => kind),
    ).toEqual(['removed', 'added']);
  });

  test('a moved test is compared with the test under its previous key, and a new test has no changes', () => {
    const before = declareState()
      .app('shop')
      .test('home', { thresholds: { p95: '< 1s' } });
    const after = declareState()
      .app('shop')
      .test('start', { thresholds: { p95: '< 2s' } })
      .test('new', { parallel: true });
    expect(findFileChanges(before.state, after.moved('start', 'home').state)).toMatchObject([
      { key: 'start', field: '/thresholds/p95', kind: 'loosened' },
    ]);
    expect(findFileChanges(before.state, after.state)).toEqual([]);
  });
});

describe('removed tests', () => {
  const before = declareState().app('shop').test('home').test('sale', { id: 'a1b2' }).test('old');

  test('the key of each removed test is returned once', () => {
    expect(removedKeys(before.state, declareState().app('shop').test('home').state)).toEqual(['sale', 'old']);
    expect(removedKeys(before.state, before.state)).toEqual([]);
  });

  test('a moved or adopted test does not count as removed', () => {
    const after = declareState().app('shop').test('start').test('outlet', { id: 'a1b2' }).test('old');
    expect(removedKeys(before.state, after.moved('start', 'home').state)).toEqual([]);
  });

  test('a test that an earlier change moved does not count as removed', () => {
    const again = before.moved('home', 'index').state;
    expect(removedKeys(again, again)).toEqual([]);
  });
});
