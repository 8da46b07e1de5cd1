import { describe, expect, test } from 'vitest';
import { hashSeeds, Random } from '../../../../src/core/random.ts';

describe('seeded random numbers', () => {
  test('the seeds (1, 2) and (7) produce the recorded random numbers, and hashSeeds returns the recorded hashes', () => {
    const words = new Random(1, 2);
    expect([words.word(), words.word(), words.word()]).toEqual([3_615_765_892, 505_418_262, 3_797_687_357]);
    const numbers = new Random(7);
    expect([6, 6, 6, 2 ** 32, 2 ** 53, 2 ** 40].map((limit) => numbers.below(limit))).toEqual([
      3, 4, 1, 4_282_972_380, 6_949_803_722_387_018, 788_888_986_348,
    ]);
    expect(hashSeeds([1, 2 ** 40 + 3])).toEqual([-1_100_032_683, -1_756_834_457, 1_178_220_600]);
  });

  test('the seeds (1, 2) and (2, 1) produce different random numbers', () => {
    expect(new Random(1, 2).word()).not.toBe(new Random(2, 1).word());
  });

  test.each([3 * 2 ** 30, 3 * 2 ** 51])(
    'random numbers below %d are distributed evenly over the thirds of the range',
    (limit) => {
      const random = new Random(limit);
      const counts = [0, 0, 0];
      for (let count = 0; count < 3000; count++) {
        const third = Math.floor((3 * random.below(limit)) / limit);
        counts[third] = (counts[third] ?? 0) + 1;
      }
      expect(counts).toHaveLength(3);
      for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(150);
    },
  );

  test.each([
    [3, [2 ** 32 - 1, 5], 2],
    [2 ** 32, [2 ** 32 - 1], 2 ** 32 - 1],
    [2 ** 52 + 1, [2 ** 31, 1, 0, 7], 7],
  ])(
    'Random.below(%d) with the random words %j returns %d, because numbers that make small results more likely are rejected',
    (limit, words, expected) => {
      let rest: number[] = [];
      class FixedWords extends Random {
        override word(): number {
          return rest.shift() ?? 0;
        }
      }
      const random = new FixedWords();
      rest = [...words];
      expect([random.below(limit), rest]).toEqual([expected, []]);
    },
  );

  test.each([0, -1, Number.NaN])('Random.below(%d) throws an error', (limit) => {
    expect(() => new Random(1).below(limit)).toThrow('Bug: the limit of a random integer is');
  });
});
