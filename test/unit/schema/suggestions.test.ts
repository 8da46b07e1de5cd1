/** Suggestions for misspelled words. */
import { describe, expect, it } from 'vitest';
import { nearestKey } from '../../../src/schema/nearest-key.ts';

const known = ['duration', 'timeout', 'total', 'url', 'urls', 'host'];

describe('nearestKey', () => {
  it.each([
    ['duraton', 'duration'],
    ['Duration', 'duration'],
    ['time_out', 'timeout'],
    ['totl', 'total'],
    ['hots', 'host'],
    ['ur', 'url'],
    ['uri', 'url'],
  ])('the suggestion for "%s" is "%s"', (word, nearest) => {
    expect(nearestKey(word, known)).toBe(nearest);
  });

  it.each(['x', '', 'something', 'zzz', 'd'.repeat(1_000_000)])(
    'the word $0, which is not similar to any known word, has no suggestion',
    (word) => {
      expect(nearestKey(word, known)).toBeNull();
    },
  );
});
