import { describe, expect, test } from 'vitest';
import {
  countedIterationTime,
  delayOf,
  delayText,
  iterationDelayOf,
} from '../../../../src/core/model/delay.ts';
import { milliseconds } from '../../../../src/core/units.ts';

const delay = (min: number, max = min) => ({ min: milliseconds(min), max: milliseconds(max) });

describe('delays', () => {
  test.each([
    [0, 0, null],
    [0, 5, delay(0, 5)],
    [5, 5, delay(5)],
  ])('delayOf(%d, %d) returns %j', (min, max, expected) => {
    expect(delayOf(milliseconds(min), milliseconds(max))).toEqual(expected);
  });

  test.each([
    [delay(500), '500ms'],
    [delay(200, 1000), '200ms to 1s'],
  ])('the delay %j is formatted as "%s"', (value, text) => {
    expect(delayText(value)).toBe(text);
  });

  const targets = [
    { delay: delay(10, 20) },
    { delay: null },
    { delay: delay(1, 2) },
    { delay: delay(100, 200) },
  ];

  const timeout = milliseconds(1000);
  const [flows, groups] = [null, null];

  test('the delay after the last request is not part of an iteration', () => {
    expect([
      iterationDelayOf({ targets, flows, groups }, 'min'),
      iterationDelayOf({ targets, flows, groups }, 'max'),
    ]).toEqual([11, 22]);
    expect(iterationDelayOf({ targets: [], flows, groups }, 'max')).toBe(0);
  });

  test('the maximum time of an iteration includes the timeouts of all requests, and all delays except the delay after the last request', () => {
    expect(countedIterationTime({ targets, flows, groups, timeout })).toBe(4022);
    expect(
      countedIterationTime({ targets: [{ delay: null }, { delay: delay(5) }], flows, groups, timeout }),
    ).toBe(2000);
  });

  test('in the maximum time of an iteration, a parallel group counts as one request with the longest delay', () => {
    const parallel = [{ first: 0, count: 3, parallel: true as const }];
    expect(countedIterationTime({ targets, flows, groups: parallel, timeout })).toBe(2020);
    expect(iterationDelayOf({ targets, flows, groups: parallel }, 'min')).toBe(0);
    const last = [{ first: 2, count: 2, parallel: true as const }];
    expect(countedIterationTime({ targets, flows, groups: last, timeout })).toBe(3020);
    const repeated = [
      { first: 1, count: 3, repeat: 3 },
      { first: 2, count: 2, parallel: true as const },
    ];
    // Three times two steps, and the delay of 200 ms between the repetitions.
    expect(countedIterationTime({ targets, flows, groups: repeated, timeout })).toBe(7420);
  });
});
