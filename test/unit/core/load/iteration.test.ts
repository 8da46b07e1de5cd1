/** The functions about iterations agree with the iteration of each client. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  countRequests,
  createIterationLookup,
  iterationsOf,
  iterationWith,
  requestShares,
} from '../../../../src/core/model/iteration.ts';
import { clientNumberOf, rangeOf, type Shard } from '../../../../src/core/load/shard.ts';

const spec = fc.integer({ min: 1, max: 8 }).map((length) => ({ targets: Array.from({ length }) }));
const shard: fc.Arbitrary<Shard> = fc
  .record({ stride: fc.integer({ min: 1, max: 5 }), clients: fc.nat(40), threadIndex: fc.constant(0) })
  .map((one) => ({ ...one, first: one.stride - 1 }));

test('every request belongs to exactly one iteration', () => {
  fc.assert(
    fc.property(spec, (one) => {
      const indexes = iterationsOf(one).flatMap(({ first, end }) =>
        Array.from({ length: end - first }, (_, at) => first + at),
      );
      expect(indexes).toEqual(one.targets.map((_, index) => index));
      for (const index of indexes) expect(iterationsOf(one)).toContainEqual(iterationWith(one, index));
    }),
  );
});

test('the count of requests equals the sum over the iterations of all clients, in any part of a shard', () => {
  fc.assert(
    fc.property(spec, shard, fc.nat(40), fc.nat(40), (one, all, a, b) => {
      const [from, to] = [Math.min(a, b, all.clients), Math.min(Math.max(a, b), all.clients)];
      const lookup = createIterationLookup(one);
      const expected = one.targets.map(() => 0);
      for (let index = from; index < to; index++) {
        const { first, end } = lookup(clientNumberOf(all, index));
        for (let request = first; request < end; request++) expected[request] = (expected[request] ?? 0) + 1;
      }
      expect(countRequests(one, rangeOf(all, from, to))).toEqual(expected);
    }),
  );
});

test('the shares of all requests add up to the mean length of an iteration', () => {
  const one = { targets: [1, 2, 3] };
  const [{ first, end }] = iterationsOf(one);
  expect(requestShares(one).reduce((sum, share) => sum + share, 0)).toBe(end - first);
});
