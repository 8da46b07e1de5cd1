/** What a test asks for before it runs: the plan shows it, and the service refuses what is too much. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dueAt } from '../../../../src/core/load/pace.ts';
import {
  declaredLoadByHost,
  clientsPerSecond,
  peakConnections,
} from '../../../../src/core/load/peak-load.ts';
import type { TestType } from '../../../../src/core/model/load-test.ts';
import { milliseconds } from '../../../../src/core/units.ts';

function load(
  testType: TestType,
  total: number,
  times: {
    duration: number;
    timeout: number;
    initial?: number;
    /** Least and most of each URL; null: none. */
    delays?: readonly (readonly [number, number] | null)[];
  },
) {
  const { duration, timeout, initial = 0, delays = [null] } = times;
  const targets = delays.map((delay) => ({
    delay: delay && { min: milliseconds(delay[0]), max: milliseconds(delay[1]) },
  }));
  const spec = { testType, initial, total, ramps: null, targets };
  return { ...spec, duration: milliseconds(duration), timeout: milliseconds(timeout) };
}

describe('the peak of connections is min(total, ceil(rate × time))', () => {
  test.each<[string, ReturnType<typeof load>, number]>([
    ['cycling up', load('cycling', 250, { initial: 10, duration: 1000, timeout: 1 }), 250],
    ['cycling down', load('cycling', 10, { initial: 250, duration: 1000, timeout: 1 }), 250],
    ['few a second', load('non-cycling', 60, { duration: 60_000, timeout: 10_000 }), 10],
    ['all at once', load('non-cycling', 60, { duration: 1000, timeout: 10_000 }), 60],
    ['rounded up', load('non-cycling', 7, { duration: 60_000, timeout: 10_000 }), 2],
    ['a division that is not exact', load('non-cycling', 3, { duration: 7000, timeout: 7000 }), 3],
    ['per second', load('per-second', 5, { duration: 60_000, timeout: 10_000 }), 50],
    ['per second, no longer than the run', load('per-second', 5, { duration: 3000, timeout: 10_000 }), 15],
    ['per second, a timeout below a second', load('per-second', 3, { duration: 9000, timeout: 100 }), 1],
    ['per second, half a second', load('per-second', 7, { duration: 9000, timeout: 500 }), 4],
    [
      'with delays, all time-outs and the longest delays of a pass',
      load('per-second', 2, {
        ...{ duration: 90_000, timeout: 1000 },
        delays: [[500, 500], null, [1000, 4000], [0, 9000]],
      }),
      // Four time-outs and 0.5 s + 4 s; what comes behind the last request delays nothing.
      17,
    ],
    [
      'a delay behind the last request alone',
      load('per-second', 5, { duration: 60_000, timeout: 1000, delays: [null, [9000, 9000]] }),
      5,
    ],
    [
      'with delays, no more than the line where passes repeat',
      load('cycling', 10, { duration: 1000, timeout: 1000, delays: [[9000, 9000], null] }),
      10,
    ],
  ])('%s', (_name, spec, peak) => {
    expect(peakConnections(spec)).toBe(peak);
  });

  test('is the number of clients that wait when nobody is answered, for any open load', () => {
    const open = fc.record({
      testType: fc.constantFrom('non-cycling' as const, 'per-second' as const),
      total: fc.integer({ min: 1, max: 40 }),
      duration: fc.integer({ min: 1, max: 9 }).map((seconds) => seconds * 1000),
      timeout: fc.integer({ min: 1, max: 12_000 }),
    });
    fc.assert(
      fc.property(open, ({ testType, total, duration, timeout }) => {
        const spec = load(testType, total, { duration, timeout });
        const clients = testType === 'per-second' ? (total * duration) / 1000 : total;
        const starts = Array.from({ length: clients }, (_, client) => dueAt(spec, client));
        // Each is open from its start until just before its time is up; a hair is left for roundings.
        const most = Math.max(
          ...starts.map((at) => starts.filter((start) => start <= at && at < start + timeout - 1e-6).length),
        );
        expect(peakConnections(spec)).toBe(most);
      }),
    );
  });
});

describe('what is asked for on a host', () => {
  const at = (hostname: string, secure = false) => ({ hostname, secure, port: secure ? 443 : 80 });
  const names = ({ hostname }: { readonly hostname: string }) => [hostname];

  test('is a connection of each client for each scheme and port, and every request', () => {
    const spec = load('per-second', 5, { duration: 9000, timeout: 1000 });
    const asked = declaredLoadByHost(spec, [at('a'), at('a'), at('a', true), at('b')], names);
    expect(Object.fromEntries(asked)).toEqual({
      a: { connections: 10, requestsPerSecond: 15 },
      b: { connections: 5, requestsPerSecond: 5 },
    });
  });

  test('is no rate where clients go on as fast as they can', () => {
    expect(clientsPerSecond(load('cycling', 10, { duration: 1000, timeout: 1000 }))).toBe(0);
    expect(clientsPerSecond(load('non-cycling', 7, { duration: 2000, timeout: 1000 }))).toBe(4);
  });
});
