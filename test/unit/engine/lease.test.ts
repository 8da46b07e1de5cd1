/** Load that is made only while a lease lasts: nothing is sent behind it, whatever clients do just then. */
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { delayOf } from '../../../src/core/load/delay.ts';
import { milliseconds } from '../../../src/core/units.ts';
import { Connection } from '../../../src/engine/connection.ts';
import { compileJob } from '../../../src/engine/request-compiler.ts';
import { Lease, type ClockReading } from '../../../src/engine/lease.ts';
import { jobOf, targetOf } from '../../support/test-engine.ts';
import { responseText, openRawTarget, type RawReply } from '../../support/raw-target.ts';
import { scaleCount } from '../../support/test-scale.ts';
import { runInVirtualTime, virtualTimeOf } from '../../support/virtual-run.ts';

describe('a lease', () => {
  const moment = (process: number, wall = process + 1_700_000_000_000): ClockReading => ({ process, wall });
  const leaseAt = (now: { at: ClockReading }) => new Lease(undefined, () => now.at);

  test('is over before it is renewed for the first time', () => {
    expect(leaseAt({ at: moment(1) }).isExpired()).toBe(true);
  });

  test('lasts from the moment that it is renewed from, not from the renewal', () => {
    const now = { at: moment(2000) };
    const lease = leaseAt(now);
    lease.renew(moment(1000), 5000);
    expect(lease.isExpired()).toBe(false);
    now.at = moment(5999);
    expect(lease.isExpired()).toBe(false);
    now.at = moment(6000);
    expect(lease.isExpired()).toBe(true);
  });

  test('does not get shorter by an older renewal that comes later', () => {
    const now = { at: moment(6500) };
    const lease = leaseAt(now);
    lease.renew(moment(2000), 5000);
    lease.renew(moment(1000), 5000);
    expect(lease.isExpired()).toBe(false);
  });

  test('is over on a machine that slept: the wall clock has run ahead of the other', () => {
    const now = { at: moment(1000, 50_000) };
    const lease = leaseAt(now);
    lease.renew(now.at, 5000);
    now.at = moment(1010, 52_010);
    expect(lease.isExpired()).toBe(false);
    now.at = moment(1010, 52_011);
    expect(lease.isExpired()).toBe(true);
    lease.renew(now.at, 5000);
    expect(lease.isExpired()).toBe(false);
  });

  test('is not over because the wall clock is set back', () => {
    const now = { at: moment(1000, 50_000) };
    const lease = leaseAt(now);
    lease.renew(now.at, 5000);
    now.at = moment(1010, 10_000);
    expect(lease.isExpired()).toBe(false);
  });

  test('is seen by whoever holds its memory', () => {
    const now = { at: moment(1000) };
    const lease = leaseAt(now);
    const elsewhere = new Lease(lease.cell, () => now.at);
    lease.renew(now.at, 5000);
    expect(elsewhere.isExpired()).toBe(false);
    now.at = moment(6000);
    expect(elsewhere.isExpired()).toBe(true);
  });
});

/** Answers after a while, with a redirect, by closing, or not at all. */
const inAllWays: RawReply = (request, write, socket) => {
  const way = Number(new URL(request.path, 'http://shop').searchParams.get('way') ?? 0);
  if (way === 0) setTimeout(write, 20, responseText(200, ''));
  else if (way === 1) setTimeout(write, 20, responseText(302, '', ['Location: /?way=0']));
  else if (way === 2) setTimeout(write, 400, responseText(200, ''));
  else if (way === 3) setTimeout(() => socket.destroy(), 20);
};

describe('load whose lease is over', () => {
  test('sends nothing more in any model, whatever its clients do, and closes its books within a second', async () => {
    const anyLoad = fc.record({
      testType: fc.constantFrom('cycling' as const, 'non-cycling' as const, 'per-second' as const),
      ways: fc.array(fc.constantFrom(0, 1, 2, 3, 4), { minLength: 1, maxLength: 3 }),
      delay: fc.constantFrom(0, 30, 500, 30_000),
      total: fc.integer({ min: 1, max: 30 }),
      threads: fc.integer({ min: 1, max: 3 }),
      lapsed: fc.integer({ min: 0, max: 290 }).map((tens) => tens * 10),
      timeout: fc.constantFrom(500, 10_000),
      stopped: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(anyLoad, async ({ ways, delay, lapsed, stopped, ...changes }) => {
        const shop = await openRawTarget(inAllWays);
        const targets = ways.map((way) =>
          targetOf(shop.port, {
            path: `/?way=${way}`,
            delay: delayOf(milliseconds(delay), milliseconds(delay)),
          }),
        );
        const job = jobOf(targets, { ...changes, duration: 3000 });
        const stop = { at: lapsed, reason: 'stopped' as const };
        let ended = 0;
        const report = await runInVirtualTime(job, shop, {
          hasLapsed: (at) => at >= lapsed,
          ...(stopped ? { stop } : {}),
          watch: (at) => {
            ended = at;
          },
        });
        const late = shop.requests.map(({ at }) => virtualTimeOf(at)).filter((at) => at > lapsed);
        expect(late).toEqual([]);
        expect(ended).toBeLessThanOrEqual(lapsed + 1000);
        expect(report.elapsed).toBeLessThanOrEqual(lapsed + 1000);
        if (!stopped && ended >= lapsed && report.elapsed > lapsed)
          expect(report.abortReason).toBe('partial');
      }),
      { numRuns: scaleCount(40) },
    );
  });

  const untilThird: Record<string, RawReply> = {
    'begins no other pass': (_request, write) => {
      write(responseText(200, ''));
    },
    'follows no redirect': (_request, write) => {
      write(responseText(302, '', ['Location: /']));
    },
    'sends nothing once more whose connection was closed': (_request, _write, socket) => {
      socket.destroy();
    },
  };
  test.for(Object.entries(untilThird))('%s, before any tick has seen that it is', async ([, reply]) => {
    let over = false;
    const shop = await openRawTarget((request, write, socket) => {
      const count = shop.requests.length;
      over = count >= 3;
      if (over) reply(request, write, socket);
      else setTimeout(write, 20, responseText(200, ''));
    });
    const job = jobOf([targetOf(shop.port)], { testType: 'cycling', initial: 1, total: 1, duration: 3000 });
    const { abortReason } = await runInVirtualTime(job, shop, { hasLapsed: () => over });
    expect(shop.requests).toHaveLength(3);
    expect(shop.connections()).toBe(1);
    expect(abortReason).toBe('partial');
  });

  test('keeps a request back whose connection was still being made', async () => {
    const shop = await openRawTarget();
    const job = jobOf([targetOf(shop.port)]);
    const destination = compileJob(job, undefined).destinations[0];
    if (destination === undefined) throw new Error('Bug: a job without a destination');
    const opened = new Promise<void>((resolve) => {
      const connection = new Connection(
        {
          buffer: Buffer.alloc(1024),
          now: () => performance.now(),
          isLeaseExpired: () => true,
          observer: null,
          createBody: () => {
            throw new Error('Bug: nobody looks at an answer');
          },
        },
        {
          onResponse: () => undefined,
          onFailure: () => undefined,
          onOpened: setImmediate.bind(null, resolve),
          onSocketChange: () => undefined,
        },
      );
      connection.open({ destination, session: null, spare: [] }, 0, 'GET / HTTP/1.1\r\n\r\n', null);
      onTestFinished(() => {
        connection.close();
      });
    });
    await opened;
    // Whatever was sent is there before what another connection sends later.
    await fetch(`http://127.0.0.1:${shop.port}/later`);
    expect(shop.requests.map(({ path }) => path)).toEqual(['/later']);
  });
});
