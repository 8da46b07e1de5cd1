/** Properties of actions, and the order of tests with the same marker. */
import { describe, expect, test } from 'vitest';
import { decodeResult } from '../../../../src/contract/result-codec.ts';
import { testId } from '../../../../src/core/model/ids.ts';
import { isChange, startsLoad, type Action, type Verb } from '../../../../src/core/reconcile/action.ts';
import { compareByFirstStart, firstStartOf } from '../../../../src/core/reconcile/duplicates.ts';

describe('actions', () => {
  test.each<readonly [Verb, boolean, boolean]>([
    ['register', true, false],
    ['verify', true, false],
    ['create', true, true],
    ['replace', true, true],
    ['run', true, true],
    ['stop', true, false],
    ['blocked', false, false],
    ['deferred', false, false],
    ['no-op', false, false],
  ])('the action %s is a change: %s; it starts load: %s', (verb, change, starts) => {
    // The functions read only these members.
    const actionAt = (scheduledAt: number | null) => ({ verb, test: { spec: { scheduledAt } } }) as Action;
    expect(isChange({ verb })).toBe(change);
    expect(startsLoad(actionAt(null))).toBe(starts);
    expect(startsLoad(actionAt(5))).toBe(starts && verb === 'run');
  });
});

describe('tests with the same marker', () => {
  test('tests are ordered by their first start, and then by their IDs', () => {
    const starts = new Map([
      [testId('a'), 2],
      [testId('b'), 1],
      [testId('d'), 1],
    ]);
    const orderOf = (...ids: readonly string[]) =>
      ids
        .map((id) => ({ test: { id: testId(id) } }))
        .sort(compareByFirstStart(starts))
        .map(({ test: { id } }) => id);
    for (const ids of [
      ['a', 'b', 'c', 'd', 'e'],
      ['e', 'd', 'c', 'b', 'a'],
      ['d', 'e', 'a', 'c', 'b'],
    ])
      expect(orderOf(...ids)).toEqual(['b', 'd', 'a', 'c', 'e']);
  });

  test('the first start of a test is the earliest start of its results', () => {
    const result = (start: string | null) =>
      decodeResult({
        result_id: 'r1',
        status: 'ready',
        ...(start === null ? {} : { started_at: `2026-01-01T00:00:${start}Z` }),
      });
    const second = Date.UTC(2026, 0, 1, 0, 0, 2);
    expect(firstStartOf([])).toBeNull();
    expect(firstStartOf([result(null)])).toBeNull();
    expect(firstStartOf([result('09'), result(null), result('02'), result('05')])).toBe(second);
  });
});
