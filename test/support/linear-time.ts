/**
 * A check that code takes linear time. A text that takes a quarter of a second or more is compared with a text of a
 * quarter of its length: it takes about 4 times as long, and 16 times with quadratic cost. The ratio does not depend on
 * the speed of the machine.
 */
import { expect } from 'vitest';
import { measureCpuTime } from './cpu-time.ts';

/** CPU time that is not compared, in ms. */
const SHORT = 250;
/** Maximum ratio of the CPU time of a text to that of a quarter of the text. */
const MAX_RATIO = 6;
const ATTEMPTS = 3;

/**
 * Checks a text of the given length, and expects linear time. Garbage collection and compilation can prolong each
 * measurement, so the shortest time of the text and the longest time of the quarter count.
 *
 * @param maxMs - maximum CPU time, because a high linear cost can hide a quadratic cost in the ratio
 */
export function expectLinearTime<Text>(
  length: number,
  textOf: (length: number) => Text,
  check: (text: Text) => void,
  maxMs = 2500,
): void {
  const measure = (text: Text): number =>
    measureCpuTime(() => {
      check(text);
    });
  const [text, quarter] = [textOf(length), textOf(length / 4)];
  let shortest = measure(text);
  let longest = 0;
  for (let attempt = 1; shortest >= SHORT; attempt++) {
    longest = Math.max(longest, measure(quarter));
    if (shortest < maxMs && shortest <= MAX_RATIO * longest) return;
    expect(attempt, `${shortest} ms, and ${longest} ms for a quarter`).toBeLessThan(ATTEMPTS);
    shortest = Math.min(shortest, measure(text));
  }
}
