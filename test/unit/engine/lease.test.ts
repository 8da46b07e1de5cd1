/** Leases of load: nothing is sent after a lease expires. */
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { delayOf } from '../../../src/core/model/delay.ts';
import { milliseconds } from '../../../src/core/units.ts';
import { Http1Connection } from '../../../src/engine/http1-connection.ts';
import { compileJob } from '../../../src/engine/request-compiler.ts';
import { Lease, type ClockReading } from '../../../src/engine/lease.ts';
import { jobOf, targetOf } from '../../support/test-engine.ts';
import { responseText, openRawTarget, type RawReply } from '../../support/raw-target.ts';
import { scaleCount } from '../../support/test-scale.ts';
import { runInVirtualTime, virtualTimeOf } from '../../support/virtual-run.ts';

describe('a lease', () => {
  const clockReading = (process: number, wall = process + 1_700_000_000_000): ClockReading => ({
    process,
    wall,
  });
  const createLease = (now: { at: ClockReading }) => new Lease(undefined, () => now.at);

  test('a lease counts as expired until its first renewal', () => {
    expect(createLease({ at: clockReading(1) }).isExpired()).toBe(true);
  });

  test('the duration of a lease starts at the instant given in its renewal, not when the renewal arrives', () => {
    const now = { at: clockReading(2000) };
    const lease = createLease(now);
    lease.renew(clockReading(1000), 5000);
    expect(lease.isExpired()).toBe(false);
    now.at = clockReading(5999);
    expect(lease.isExpired()).toBe(false);
    now.at = clockReading(6000);
    expect(lease.isExpired()).toBe(true);
  });

  test('an older renewal that arrives late does not shorten a lease', () => {
    const now = { at: clockReading(6500) };
    const lease = createLease(now);
    lease.renew(clockReading(2000), 5000);
    lease.renew(clockReading(1000), 5000);
    expect(lease.isExpired()).toBe(false);
  });

  test('a lease expires if the wall clock advances over 2 s more than the monotonic clock, such as after a suspension', () => {
    const now = { at: clockReading(1000, 50_000) };
    const lease = createLease(now);
    lease.renew(now.at, 5000);
    now.at = clockReading(1010, 52_010);
    expect(lease.isExpired()).toBe(false);
    now.at = clockReading(1010, 52_011);
    expect(lease.isExpired()).toBe(true);
    lease.renew(now.at, 5000);
    expect(lease.isExpired()).toBe(false);
  });

  test('setting the wall clock back does not end a lease', () => {
    const now = { at: clockReading(1000, 50_000) };
    const lease = createLease(now);
    lease.renew(now.at, 5000);
    now.at = clockReading(1010, 10_000);
    expect(lease.isExpired()).toBe(false);
  });

  test('two leases that share a memory cell expire at the same time', () => {
    const now = { at: clockReading(1000) };
    const lease = createLease(now);
    const otherLease = new Lease(lease.cell, () => now.at);
    lease.renew(now.at, 5000);
    expect(otherLease.isExpired()).toBe(false);
    now.at = clockReading(6000);
    expect(otherLease.isExpired()).toBe(true);
  });
});

/** Responds after a delay, with a redirect, by closing the connection, or not at all. */
const respondInManyWays: RawReply = (request, write, socket) => {
  const way = Number(new URL(request.path, 'http://shop').searchParams.get('way') ?? 0);
  if (way === 0) setTimeout(write, 20, responseText(200, ''));
  else if (way === 1) setTimeout(write, 20, responseText(302, '', ['Location: /?way=0']));
  else if (way === 2) setTimeout(write, 400, responseText(200, ''));
  else if (way === 3) setTimeout(() => socket.destroy(), 20);
};

describe('load with an expired lease', () => {
  test('after its lease expires, a run of any test type sends no further request and ends within a second', async () => {
    const anyLoad = fc.record({
      testType: fc.constantFrom('cycling' as const, 'non-cycling' as const, 'per-second' as const),
      ways: fc.array(fc.constantFrom(0, 1, 2, 3, 4), { minLength: 1, maxLength: 3 }),
      delay: fc.constantFrom(0, 30, 500, 30_000),
      total: fc.integer({ min: 1, max: 30 }),
      threads: fc.integer({ min: 1, max: 3 }),
      expiresAt: fc.integer({ min: 0, max: 290 }).map((tens) => tens * 10),
      timeout: fc.constantFrom(500, 10_000),
      stopped: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(anyLoad, async ({ ways, delay, expiresAt, stopped, ...changes }) => {
        const shop = await openRawTarget(respondInManyWays);
        const targets = ways.map((way) =>
          targetOf(shop.port, {
            path: `/?way=${way}`,
            delay: delayOf(milliseconds(delay), milliseconds(delay)),
          }),
        );
        const job = jobOf(targets, { ...changes, duration: 3000 });
        const stop = { at: expiresAt, reason: 'stopped' as const };
        let lastTick = 0;
        const report = await runInVirtualTime(job, shop, {
          hasLapsed: (at) => at >= expiresAt,
          ...(stopped ? { stop } : {}),
          watch: (at) => {
            lastTick = at;
          },
        });
        const late = shop.requests.map(({ at }) => virtualTimeOf(at)).filter((at) => at > expiresAt);
        expect(late).toEqual([]);
        expect(lastTick).toBeLessThanOrEqual(expiresAt + 1000);
        expect(report.elapsed).toBeLessThanOrEqual(expiresAt + 1000);
        if (!stopped && lastTick >= expiresAt && report.elapsed > expiresAt)
          expect(report.abortReason).toBe('partial');
      }),
      { numRuns: scaleCount(40) },
    );
  });

  const THIRD_REPLIES: Record<string, RawReply> = {
    'begin another iteration': (_request, write) => write(responseText(200, '')),
    'follow a redirect': (_request, write) => write(responseText(302, '', ['Location: /'])),
    'retry on a new connection': (_request, _write, socket) => {
      socket.destroy();
    },
  };
  test.for(Object.entries(THIRD_REPLIES))(
    'after the lease of a run expires, a client does not %s, even before the next timer tick',
    async ([, reply]) => {
      let hasExpired = false;
      const shop = await openRawTarget((request, write, socket) => {
        const count = shop.requests.length;
        hasExpired = count >= 3;
        if (hasExpired) reply(request, write, socket);
        else setTimeout(write, 20, responseText(200, ''));
      });
      const job = jobOf([targetOf(shop.port)], { testType: 'cycling', initial: 1, total: 1, duration: 3000 });
      const { abortReason } = await runInVirtualTime(job, shop, { hasLapsed: () => hasExpired });
      expect(shop.requests).toHaveLength(3);
      expect(shop.connections()).toBe(1);
      expect(abortReason).toBe('partial');
    },
  );

  test('a request is not sent if the lease expires while its connection is being opened', async () => {
    const shop = await openRawTarget();
    const job = jobOf([targetOf(shop.port)]);
    const destination = compileJob(job, undefined).destinations[0];
    if (destination === undefined) throw new Error('Bug: a job without a destination');
    const opened = new Promise<void>((resolve) => {
      const connection = new Http1Connection(
        {
          buffer: Buffer.alloc(1024),
          now: () => performance.now(),
          isLeaseExpired: () => true,
          observer: null,
          createBody: () => {
            throw new Error('Bug: the body of a response was inspected');
          },
          onSocketChange: () => undefined,
        },
        { destination, session: null, counters: [], spare: [] },
      );
      const listener = {
        number: 0,
        onResponse: () => undefined,
        onFailure: () => undefined,
        onOpened: setImmediate.bind(null, resolve),
      };
      const expected = {
        headerNames: [],
        capturesCookies: false,
        headersOnly: false,
        bodyless: true,
        headerCache: null,
        buffersBody: false,
        closes: false,
      };
      connection.begin(listener, 'GET / HTTP/1.1\r\n\r\n', expected, 0);
      onTestFinished(() => connection.close());
    });
    await opened;
    // Anything that this connection sent would arrive before the later request of another connection.
    await fetch(`http://127.0.0.1:${shop.port}/later`);
    expect(shop.requests.map(({ path }) => path)).toEqual(['/later']);
  });
});
