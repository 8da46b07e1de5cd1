import { describe, expect, test } from 'vitest';
import type { ObservedTest } from '../../../../src/core/model/load-test.ts';
import { createUnmarkedMatchFinder } from '../../../../src/core/reconcile/unmarked-matches.ts';
import { createMemoryService } from '../../../support/memory-service.ts';
import { createVirtualClock } from '../../../support/virtual-clock.ts';
import { declareState } from '../../../support/declared-state.ts';

const shop = declareState().app('shop');

describe('unmarked matches', () => {
  test('the tests of an account are read once for all declared tests', async () => {
    const service = createMemoryService({
      clock: createVirtualClock(),
      verified: ['shop.example'],
      latency: 0,
    });
    const declared = Array.from({ length: 40 }, (_, index) => shop.test(`home-${index}`).state.tests).flat();
    for (const { spec } of declared) service.addTest({ ...spec, notes: 'By hand.' });
    let reads = 0;
    const listed = (await service.port.listTests()).items.map((one): ObservedTest => {
      const counted = {
        get() {
          reads++;
          return one.notes;
        },
      };
      return Object.defineProperty({ ...one }, 'notes', counted);
    });
    const findUnmarkedMatch = createUnmarkedMatchFinder(listed, new Set());
    expect(declared.map(findUnmarkedMatch)).toEqual(declared.map(() => null));
    expect(reads).toBeLessThanOrEqual(4 * listed.length);
  });
});
