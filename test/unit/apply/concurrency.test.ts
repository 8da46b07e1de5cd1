import { expect, test } from 'vitest';
import { forEachConcurrent } from '../../../src/apply/concurrency.ts';

test('forEachConcurrent starts no further call after a call has failed', async () => {
  const started: number[] = [];
  let finishSecond = (): void => undefined;
  const second = new Promise<void>((resolve) => {
    finishSecond = resolve;
  });
  const calls = forEachConcurrent([1, 2, 3, 4], 2, async (item) => {
    started.push(item);
    if (item === 1) throw new Error('the first call fails');
    await second;
  });
  await expect(calls).rejects.toThrow('the first call fails');
  finishSecond();
  await new Promise(setImmediate);
  expect(started).toEqual([1, 2]);
});
