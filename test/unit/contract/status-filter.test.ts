import { describe, expect, test } from 'vitest';
import { readStatusFilter, statusValuesOf } from '../../../src/contract/status-filter.ts';

type List = Parameters<typeof readStatusFilter>[0];

/** Returns the statuses that a filter accepts, or its fault. */
function accepted(list: List, query: unknown): readonly string[] | string {
  const filter = readStatusFilter(list, query);
  if ('faults' in filter) return filter.faults.join();
  const all = ['verified', 'unverified', 'pending', 'running', 'complete', 'ready', 'not_ready', ''];
  return all.filter((status) => filter.value({ status }));
}

describe('the status filter of lists', () => {
  test.each<[List, unknown, readonly string[]]>([
    ['listApps', 'verified', ['verified']],
    ['listApps', 'unverified', ['unverified']],
    ['listTests', 'pending', ['pending']],
    ['listTests', 'running', ['running']],
    ['listTests', 'complete', ['complete']],
    ['listTests', 'active', ['pending', 'running']],
    ['listTests', ['active', 'complete'], ['pending', 'running', 'complete']],
    ['listTests', ' RUNNING ', ['running']],
    ['listResults', 'ready', ['ready']],
    ['listResults', ['not_ready', ''], ['not_ready']],
  ])('for %s, the status filter %j accepts records with the statuses %j', (list, query, statuses) => {
    expect(accepted(list, query)).toEqual(statuses);
  });

  test.each([[undefined], [''], [' '], [[]], [[' ', 7]]])(
    'the status filter %j accepts records with any status',
    (query) => {
      expect(accepted('listApps', query)).toHaveLength(8);
    },
  );

  test.each<[List, unknown, string]>([
    ['listApps', 'active', '"status" must be one of "verified", "unverified"'],
    ['listTests', 'all', '"status" must be one of "pending", "running", "complete", "active"'],
    ['listTests', ['running', 'x'], '"status" must be one of "pending", "running", "complete", "active"'],
    ['listResults', 'complete', '"status" must be one of "ready", "not_ready"'],
  ])('%s refuses the status filter %j', (list, query, fault) => {
    expect(accepted(list, query)).toBe(fault);
  });

  test.each([[undefined], [null]])(
    'the status filter "verified" does not accept a record with the status %j',
    (status) => {
      const filter = readStatusFilter('listApps', 'verified');
      expect('value' in filter && filter.value({ status })).toBe(false);
    },
  );

  test.each([
    ['/v2/apps', ['verified', 'unverified']],
    ['/v2/tests', ['pending', 'running', 'complete', 'active']],
    ['/v2/tests/:test_id/results', ['ready', 'not_ready']],
    ['/v2/servers', []],
  ])('statusValuesOf("%s") returns %j', (path, values) => {
    expect(statusValuesOf(path)).toEqual(values);
  });
});
