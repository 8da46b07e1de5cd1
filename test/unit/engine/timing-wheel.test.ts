/** Who waits goes on once, at the first look that is not before its time. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TimingWheel } from '../../../src/engine/timing-wheel.ts';
import { scaleCount } from '../../support/test-scale.ts';

interface Waiting {
  readonly wakesAt: number;
  /** The millisecond at which it goes on. */
  readonly turn: number;
}

const wait = fc.oneof(
  fc.integer({ min: 0, max: 600 }),
  fc.integer({ min: 0, max: 600_000 }),
  fc.constantFrom(0.25, 255, 256, 65_535, 65_536),
);
const step = fc.record({
  waits: fc.array(wait, { maxLength: 20 }),
  passes: fc.double({ min: 0, max: 90_000, noNaN: true }),
});

test('any waits, however the time goes by: nobody early, nobody left behind, nobody twice', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      const wheel = new TimingWheel<Waiting>();
      let waiting: Waiting[] = [];
      let now = 0;
      const look = () => {
        const gone: Waiting[] = [];
        wheel.advance(now, (one) => gone.push(one));
        const due = waiting.filter(({ turn }) => turn <= now);
        waiting = waiting.filter((one) => !due.includes(one));
        expect(new Set(gone)).toEqual(new Set(due));
        expect(gone).toHaveLength(due.length);
        const turns = gone.map(({ turn }) => turn);
        expect(turns).toEqual(turns.toSorted((a, b) => a - b));
        expect(wheel.size).toBe(waiting.length);
      };
      for (const { waits, passes } of steps) {
        for (const after of waits) {
          // One that is due already goes on at the next whole millisecond.
          const turn = Math.max(Math.ceil(now + after), Math.floor(now) + 1);
          const one = { wakesAt: now + after, turn };
          waiting.push(one);
          wheel.add(one);
        }
        now += passes;
        if (Math.floor(now) > Math.floor(now - passes)) look();
      }
      now += 700_000;
      look();
      expect(waiting).toEqual([]);
    }),
    { numRuns: scaleCount(100) },
  );
});

test('who goes on may wait again at once, and those that are taken out go on no more', () => {
  const wheel = new TimingWheel<{ wakesAt: number; readonly every: number; times: number }>();
  const clients = [1, 2, 256, 1000].map((every) => ({ wakesAt: every, every, times: 0 }));
  for (const client of clients) wheel.add(client);
  const goOn = (client: (typeof clients)[number]) => {
    client.times++;
    client.wakesAt += client.every;
    wheel.add(client);
  };
  for (let at = 0; at <= 10_000; at += 7) wheel.advance(at, goOn);
  wheel.advance(10_000, goOn);
  expect(clients.map(({ times }) => times)).toEqual([10_000, 5000, 39, 10]);
  expect(wheel.removeAll()).toHaveLength(4);
  expect(wheel.size).toBe(0);
  wheel.advance(90_000, () => expect.unreachable());
});

test('a wait that is longer than all wheels turn ends when it should', () => {
  const wheel = new TimingWheel<{ readonly wakesAt: number }>();
  const ends = [16_777_215, 16_777_216, 17_000_000];
  for (const wakesAt of ends) wheel.add({ wakesAt });
  const gone: number[] = [];
  for (const at of [16_777_214.9, ...ends]) {
    wheel.advance(at, ({ wakesAt }) => gone.push(wakesAt));
    expect(gone).toEqual(ends.filter((end) => end <= at));
  }
});
