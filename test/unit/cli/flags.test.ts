import { describe, expect, test } from 'vitest';
import { parseSeedFlag, parseThreadsFlag } from '../../../src/cli/terminal/flags.ts';

describe('the flag --threads', () => {
  test.each([
    ['1', 1],
    ['16', 16],
    ['256', 256],
  ])('the flag --threads accepts the value %s', (text, threads) => {
    expect(parseThreadsFlag('--threads', text)).toBe(threads);
  });

  test.each(['', '0', '-1', '1.5', '2e2', '0x8', '257', '1000000', 'all', ' 4'])(
    'the flag --threads rejects the value "%s"',
    (text) => {
      expect(() => parseThreadsFlag('--threads', text)).toThrow(
        `--threads does not accept "${text}"; write a whole number from 1 to 256`,
      );
    },
  );
});

describe('the flag --seed', () => {
  test.each(['0', '7', '4294967295'])('the flag --seed accepts the value %s', (text) => {
    expect(parseSeedFlag('--seed', text)).toBe(Number(text));
  });

  test.each(['', '-1', '1.5', '0x8', '4294967296', 'random'])(
    'the flag --seed rejects the value "%s"',
    (text) => {
      expect(() => parseSeedFlag('--seed', text)).toThrow(
        `--seed does not accept "${text}"; write a whole number from 0 to 4294967295`,
      );
    },
  );
});
