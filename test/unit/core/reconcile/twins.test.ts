import { describe, expect, test } from 'vitest';
import type { ObservedTest } from '../../../../src/core/model/load-test.ts';
import { twinFinder } from '../../../../src/core/reconcile/twins.ts';
import { memoryService } from '../../../rig/memory-service.ts';
import { virtualClock } from '../../../rig/virtual-clock.ts';
import { world } from '../../../rig/world.ts';

const shop = world().app('shop');

describe('tests that may be the declared ones', () => {
  test('are looked at once, however many tests are declared', async () => {
    const service = memoryService({ clock: virtualClock(), verified: ['shop.example'], latency: 0 });
    const declared = Array.from({ length: 40 }, (_, index) => shop.test(`home-${index}`).state.tests).flat();
    for (const { spec } of declared) service.plant({ ...spec, notes: 'By hand.' });
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
    const twinOf = twinFinder(listed, new Set());
    expect(declared.map(twinOf)).toEqual(declared.map(() => null));
    expect(reads).toBeLessThanOrEqual(4 * listed.length);
  });
});
