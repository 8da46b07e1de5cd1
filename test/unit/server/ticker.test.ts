import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { wallClockTicker } from '../../../src/server/ticker.ts';

const NOON = Date.UTC(2026, 11, 23, 12);

beforeEach(() => {
  vi.useFakeTimers({ now: NOON + 250 });
});
afterEach(() => {
  vi.useRealTimers();
});

/**
 * Starts the ticker. Returns the times of its ticks, in milliseconds from noon, and a function that stops it.
 */
function startTicker() {
  const ticks: number[] = [];
  return { ticks, stop: wallClockTicker.start(() => ticks.push(Date.now() - NOON)) };
}

test('the ticker calls its function at every full second until the ticker is stopped', () => {
  const { ticks, stop } = startTicker();
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
])(
  'after the clock is set %s, the ticker still runs once per second, and at full seconds after its first run',
  (_, by) => {
    const { ticks } = startTicker();
    vi.setSystemTime(NOON + 250 + by);
    vi.advanceTimersByTime(3000);
    expect(ticks).toHaveLength(3);
    for (const at of ticks.slice(1)) expect((NOON + at) % 1000).toBe(0);
  },
);

test('the ticker continues after its function throws an error', () => {
  const work = vi.fn<() => void>();
  work.mockImplementationOnce(() => {
    throw new Error('simulated');
  });
  const stop = wallClockTicker.start(work);
  expect(() => vi.advanceTimersByTime(1000)).toThrow('simulated');
  vi.advanceTimersByTime(1000);
  expect(work).toHaveBeenCalledTimes(2);
  stop();
});
