import fc from 'fast-check';
import { expect, test } from 'vitest';
import { GeneratorDelay } from '../../../../src/core/load/generator-delay.ts';

test('the maximum read delay is infinite until the load generator has recorded two ticks', () => {
  const delay = new GeneratorDelay();
  expect(delay.maxReadDelay(5)).toBe(Infinity);
  delay.addTick(1, 0);
  expect(delay.maxReadDelay(5)).toBe(Infinity);
  delay.addTick(3, 0);
  expect(delay.maxReadDelay(5)).toBe(4);
});

test('after a stall, the maximum read delay is the time since the tick before the stall', () => {
  const delay = new GeneratorDelay();
  for (const at of [0, 1, 2]) delay.addTick(at, 0);
  delay.addTick(12, 9);
  expect(delay.maxReadDelay(12.5)).toBe(10.5);
});

test('after a stall of 8 ms, the maximum burst delay is 8 ms for the next 80 ms', () => {
  const delay = new GeneratorDelay();
  delay.addTick(100, 8);
  expect(delay.maxBurstDelay(50)).toBe(8);
  expect(delay.maxBurstDelay(179)).toBe(8);
  expect(delay.maxBurstDelay(180)).toBe(0);
});

test('a timer that is late by 2 ms does not count as a stall', () => {
  const delay = new GeneratorDelay();
  delay.addTick(100, 2);
  expect(delay.maxBurstDelay(99)).toBe(0);
});

test('the maximum burst delay equals the longest stall whose recovery overlaps the request', () => {
  const stalls = fc.array(fc.tuple(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 0, max: 40 })), {
    minLength: 1,
    maxLength: 200,
  });
  fc.assert(
    fc.property(stalls, fc.double({ min: 0, max: 1, noNaN: true }), (steps, position) => {
      const delay = new GeneratorDelay();
      let at = 0;
      const all = steps.map(([step, late]) => {
        at += step + late;
        delay.addTick(at, late);
        return { late, recoversAt: at + 10 * late };
      });
      const since = position * at;
      const longest = Math.max(
        0,
        ...all.filter(({ late, recoversAt }) => late > 2 && recoversAt > since).map(({ late }) => late),
      );
      // Old stalls are merged only if there are more than 64 of different lengths.
      expect(delay.maxBurstDelay(since)).toBe(longest);
    }),
  );
});

test('whenever more than 64 stalls are stored, the two oldest stalls are merged into one', () => {
  const delay = new GeneratorDelay();
  // Each stall is shorter than the previous one, but its recovery ends later.
  const stalls = Array.from({ length: 66 }, (_, index) => ({ at: 1000 * (index + 1), length: 100 - index }));
  for (const { at, length } of stalls) delay.addTick(at, length);
  const recoveryOf = (index: number) => 1000 * (index + 1) + 10 * (100 - index);
  // The first stall replaces the two merged stalls until their recovery.
  expect(delay.maxBurstDelay(0)).toBe(100);
  expect(delay.maxBurstDelay(recoveryOf(2) - 1)).toBe(100);
  expect(delay.maxBurstDelay(recoveryOf(2))).toBe(97);
  expect(delay.maxBurstDelay(recoveryOf(65) - 1)).toBe(35);
  expect(delay.maxBurstDelay(recoveryOf(65))).toBe(0);
});

test('many short stalls during the recovery of a long stall do not shorten its recovery', () => {
  const delay = new GeneratorDelay();
  delay.addTick(1000, 1000);
  for (let length = 90; length > 20; length--) delay.addTick(1100 - length, length);
  expect(delay.maxBurstDelay(10_999)).toBe(1000);
  expect(delay.maxBurstDelay(11_000)).toBe(0);
});

test('a stall that recovers at the same time as an earlier and longer stall does not change the maximum burst delay', () => {
  const delay = new GeneratorDelay();
  delay.addTick(100, 50);
  delay.addTick(200, 40);
  expect(delay.maxBurstDelay(599)).toBe(50);
  expect(delay.maxBurstDelay(600)).toBe(0);
});
