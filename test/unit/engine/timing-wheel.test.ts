/** A timing wheel expires each entry exactly once, at the first advance that is not before its time. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TimingWheel } from '../../../src/engine/timing-wheel.ts';
import { scaleCount } from '../../support/test-scale.ts';

interface Waiting {
  readonly wakesAt: number;
  /** Millisecond at which the entry expires. */
  readonly dueAt: number;
}

const wait = fc.oneof(
  fc.integer({ min: 0, max: 600 }),
  fc.integer({ min: 0, max: 600_000 }),
  fc.constantFrom(0.25, 255, 256, 65_535, 65_536),
);
const step = fc.record({
  waits: fc.array(wait, { maxLength: 20 }),
  elapsed: fc.double({ min: 0, max: 90_000, noNaN: true }),
});

test('a timing wheel expires every entry once and on time, for any waits and advances', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      const wheel = new TimingWheel<Waiting>();
      let waiting: Waiting[] = [];
      let now = 0;
      const advance = () => {
        const expired: Waiting[] = [];
        wheel.advance(now, (entry) => expired.push(entry));
        const due = waiting.filter(({ dueAt }) => dueAt <= now);
        waiting = waiting.filter((entry) => !due.includes(entry));
        expect(new Set(expired)).toEqual(new Set(due));
        expect(expired).toHaveLength(due.length);
        const dueTimes = expired.map(({ dueAt }) => dueAt);
        expect(dueTimes).toEqual(dueTimes.toSorted((a, b) => a - b));
        expect(wheel.size).toBe(waiting.length);
      };
      for (const { waits, elapsed } of steps) {
        for (const after of waits) {
          // An entry that is already due expires at the next whole millisecond.
          const dueAt = Math.max(Math.ceil(now + after), Math.floor(now) + 1);
          const entry = { wakesAt: now + after, dueAt };
          waiting.push(entry);
          wheel.add(entry);
        }
        now += elapsed;
        if (Math.floor(now) > Math.floor(now - elapsed)) advance();
      }
      now += 700_000;
      advance();
      expect(waiting).toEqual([]);
    }),
    { numRuns: scaleCount(100) },
  );
});

test('an expired entry can be added again immediately, and removed entries never expire', () => {
  const wheel = new TimingWheel<{ wakesAt: number; readonly every: number; times: number }>();
  const clients = [1, 2, 256, 1000].map((every) => ({ wakesAt: every, every, times: 0 }));
  for (const client of clients) wheel.add(client);
  const reschedule = (client: (typeof clients)[number]) => {
    client.times++;
    client.wakesAt += client.every;
    wheel.add(client);
  };
  for (let at = 0; at <= 10_000; at += 7) wheel.advance(at, reschedule);
  wheel.advance(10_000, reschedule);
  expect(clients.map(({ times }) => times)).toEqual([10_000, 5000, 39, 10]);
  expect(wheel.removeAll()).toHaveLength(4);
  expect(wheel.size).toBe(0);
  wheel.advance(90_000, () => expect.unreachable());
});

test('an entry whose time is beyond the range of all wheels expires on time', () => {
  const wheel = new TimingWheel<{ readonly wakesAt: number }>();
  const ends = [16_777_215, 16_777_216, 17_000_000];
  for (const wakesAt of ends) wheel.add({ wakesAt });
  const expired: number[] = [];
  for (const at of [16_777_214.9, ...ends]) {
    wheel.advance(at, ({ wakesAt }) => expired.push(wakesAt));
    expect(expired).toEqual(ends.filter((end) => end <= at));
  }
});
