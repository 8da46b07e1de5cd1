/** The declared load of a test, which the plan shows and for which the service has limits. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dueAt } from '../../../../src/core/model/pace.ts';
import {
  declaredLoadByHost,
  clientsPerSecond,
  peakConnections,
} from '../../../../src/core/model/peak-load.ts';
import type { TestType } from '../../../../src/core/model/load-test.ts';
import type { Flow } from '../../../../src/core/model/flow.ts';
import { milliseconds } from '../../../../src/core/units.ts';

function load(
  testType: TestType,
  total: number,
  times: {
    duration: number;
    timeout: number;
    initial?: number;
    /** Minimum and maximum delay of each URL, or null. */
    delays?: readonly (readonly [number, number] | null)[];
    flows?: readonly Flow[];
  },
) {
  const { duration, timeout, initial = 0, delays = [null], flows = null } = times;
  const targets = delays.map((delay) => ({
    delay: delay && { min: milliseconds(delay[0]), max: milliseconds(delay[1]) },
  }));
  const spec = { testType, initial, total, ramps: null, targets, flows, groups: null };
  return { ...spec, duration: milliseconds(duration), timeout: milliseconds(timeout) };
}

describe('peak connections', () => {
  test.each<[string, ReturnType<typeof load>, number]>([
    [
      'a cycling load that increases from 10 to 250 connections',
      load('cycling', 250, { initial: 10, duration: 1000, timeout: 1 }),
      250,
    ],
    [
      'a cycling load that decreases from 250 to 10 connections',
      load('cycling', 10, { initial: 250, duration: 1000, timeout: 1 }),
      250,
    ],
    [
      'one client per second with a timeout of 10 s',
      load('non-cycling', 60, { duration: 60_000, timeout: 10_000 }),
      10,
    ],
    [
      '60 clients in one second with a timeout of 10 s',
      load('non-cycling', 60, { duration: 1000, timeout: 10_000 }),
      60,
    ],
    [
      '7 clients per minute with a timeout of 10 s, rounded up',
      load('non-cycling', 7, { duration: 60_000, timeout: 10_000 }),
      2,
    ],
    ['3 clients in 7 s with a timeout of 7 s', load('non-cycling', 3, { duration: 7000, timeout: 7000 }), 3],
    [
      '5 clients per second with a timeout of 10 s',
      load('per-second', 5, { duration: 60_000, timeout: 10_000 }),
      50,
    ],
    ['a timeout longer than the run', load('per-second', 5, { duration: 3000, timeout: 10_000 }), 15],
    [
      'a timeout shorter than the interval between clients',
      load('per-second', 3, { duration: 9000, timeout: 100 }),
      1,
    ],
    [
      '7 clients per second with a timeout of half a second',
      load('per-second', 7, { duration: 9000, timeout: 500 }),
      4,
    ],
    [
      'an open model with delays, counting the maximum delay after each request except the last',
      load('per-second', 2, {
        duration: 90_000,
        timeout: 1000,
        delays: [[500, 500], null, [1000, 4000], [0, 9000]],
      }),
      // Four timeouts and 0.5 s + 4 s; the delay after the last request has no effect.
      17,
    ],
    [
      'three requests without delays, each of which may take one timeout',
      load('per-second', 5, { duration: 60_000, timeout: 1000, delays: [null, null, null] }),
      15,
    ],
    [
      'a delay only after the last request',
      load('per-second', 5, { duration: 60_000, timeout: 1000, delays: [null, [9000, 9000]] }),
      10,
    ],
    [
      'a closed model with delays',
      load('cycling', 10, { duration: 1000, timeout: 1000, delays: [[9000, 9000], null] }),
      10,
    ],
  ])('peakConnections returns $2 for %s', (_name, spec, peak) => {
    expect(peakConnections(spec)).toBe(peak);
  });

  test('the peak of connections of an open model equals the maximum number of clients that wait if the target never responds', () => {
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
        // A client waits from its start until just before its timeout; the difference allows for rounding.
        const peak = Math.max(
          ...starts.map((at) => starts.filter((start) => start <= at && at < start + timeout - 1e-6).length),
        );
        expect(peakConnections(spec)).toBe(peak);
      }),
    );
  });
});

describe('declared load by host', () => {
  const at = (hostname: string, secure = false) => ({ hostname, secure, port: secure ? 443 : 80 });
  const names = ({ hostname }: { readonly hostname: string }) => [hostname];

  test('the declared load of a host includes every request, and one connection for each client, scheme and port', () => {
    const delays = [null, null, null, null];
    const spec = load('per-second', 5, { duration: 9000, timeout: 1000, delays });
    const loads = declaredLoadByHost(spec, [[at('a')], [at('a')], [at('a', true)], [at('b')]], names);
    expect(Object.fromEntries(loads)).toEqual({
      a: { connections: 40, requestsPerSecond: 15 },
      b: { connections: 20, requestsPerSecond: 5 },
    });
  });

  test('requests of a client to one host need separate connections if their positions in a parallel group differ', () => {
    const delays = [null, null, null, null, null];
    const groups = [
      { first: 1, count: 4, repeat: 2 },
      { first: 1, count: 3, parallel: true as const },
    ];
    const requests = [[at('a')], [at('b')], [at('a')], [at('a')], [at('a')]];
    const cycling = { ...load('cycling', 10, { duration: 9000, timeout: 1000, delays }), groups };
    expect(peakConnections(cycling)).toBe(30);
    expect(Object.fromEntries(declaredLoadByHost(cycling, requests, names))).toEqual({
      a: { connections: 30, requestsPerSecond: 0 },
      b: { connections: 10, requestsPerSecond: 0 },
    });
    // 5 steps of at most 1 s, with 2 clients per second.
    const open = { ...load('per-second', 2, { duration: 90_000, timeout: 1000, delays }), groups };
    expect(peakConnections(open)).toBe(30);
    expect(declaredLoadByHost(open, requests, names).get('a')).toEqual({
      connections: 30,
      requestsPerSecond: 14,
    });
    const shared = { ...open, connections: 12 };
    expect(peakConnections(shared)).toBe(12);
    expect(declaredLoadByHost(shared, requests, names).get('a')?.connections).toBe(12);
  });

  test('a parallel group increases the peak of connections only for the clients of its flow', () => {
    const flows = [
      { name: 'page', weight: 1, urls: 3 },
      { name: 'ping', weight: 3, urls: 1 },
    ];
    const delays = [null, null, null, null];
    const groups = [{ first: 0, count: 3, parallel: true as const }];
    const spec = { ...load('per-second', 40, { duration: 90_000, timeout: 1000, delays, flows }), groups };
    // 11 clients with 3 connections, and 31 with one.
    expect(peakConnections(spec)).toBe(64);
  });

  test('clientsPerSecond returns the exact rate of an open model, and 0 for a closed model', () => {
    expect(clientsPerSecond(load('cycling', 10, { duration: 1000, timeout: 1000 }))).toBe(0);
    expect(clientsPerSecond(load('non-cycling', 7, { duration: 2000, timeout: 1000 }))).toBe(3.5);
  });
});
