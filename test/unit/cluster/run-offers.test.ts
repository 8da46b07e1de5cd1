import { expect, test } from 'vitest';
import { formatRefusals } from '../../../src/cluster/run-offers.ts';

test.each([
  ['one refusal', [['a', 'refused the run: no room']], 'worker "a" refused the run: no room'],
  [
    'refusals with two reasons',
    [
      ['a', 'did not become ready within 5 s'],
      ['b', 'refused the run: no room'],
      ['c', 'did not become ready within 5 s'],
    ],
    '2 workers did not become ready within 5 s ("a", "c"); worker "b" refused the run: no room',
  ],
  [
    '200 refusals with one reason',
    Array.from({ length: 200 }, (_, index) => [`w${index}`, 'did not become ready within 5 s'] as const),
    '200 workers did not become ready within 5 s ("w0", "w1", "w2", "w3", "w4" and others)',
  ],
] as const)(
  'formatRefusals returns each reason once for %s, with the names of up to five workers',
  (_, refusals, text) => {
    expect(formatRefusals(refusals.map(([name, reason]) => ({ name, reason })))).toBe(text);
  },
);
