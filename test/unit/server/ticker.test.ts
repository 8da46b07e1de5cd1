import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { wallClockTicker } from '../../../src/server/ticker.ts';

const NOON = Date.UTC(2026, 11, 23, 12);

beforeEach(() => {
  vi.useFakeTimers({ now: NOON + 250 });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Starts ticking. Gives the instants of the ticks, in ms from noon, and what ends them. */
function tick() {
  const ticks: number[] = [];
  return { ticks, stop: wallClockTicker.start(() => ticks.push(Date.now() - NOON)) };
}

test('ticks come at every full second, until they are stopped', () => {
  const { ticks, stop } = tick();
  vi.advanceTimersByTime(3000);
  expect(ticks).toEqual([1000, 2000, 3000]);
  stop();
  vi.advanceTimersByTime(3000);
  expect(ticks).toHaveLength(3);
  expect(vi.getTimerCount()).toBe(0);
});

test.each([
  ['forward', 3_600_400],
  ['back', -3_600_600],
])('a clock that is set %s costs one tick that is late, and no more', (_, by) => {
  const { ticks } = tick();
  vi.setSystemTime(NOON + 250 + by);
  vi.advanceTimersByTime(3000);
  expect(ticks).toHaveLength(3);
  for (const at of ticks.slice(1)) expect((NOON + at) % 1000).toBe(0);
});

test('work that fails once is done again', () => {
  const work = vi.fn<() => void>();
  work.mockImplementationOnce(() => {
    throw new Error('planted');
  });
  const stop = wallClockTicker.start(work);
  expect(() => vi.advanceTimersByTime(1000)).toThrow('planted');
  vi.advanceTimersByTime(1000);
  expect(work).toHaveBeenCalledTimes(2);
  stop();
});
