/** The functions about iterations agree with the iteration of each client. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { groupsWithin, type Group } from '../../../../src/core/model/group.ts';
import { MAX_WEIGHT, dealFlows, flowShares, type Flow } from '../../../../src/core/model/flow.ts';
import {
  countIterations,
  countRequests,
  createIterationLookup,
  iterationShares,
  iterationsOf,
  iterationWith,
  requestShares,
  iterationLengths,
  type WithIterations,
} from '../../../../src/core/model/iteration.ts';
import { clientNumberOf, rangeOf, splitIntoShards, type Shard } from '../../../../src/core/load/shard.ts';
import { arbitraryGroups, unrolled } from '../../../support/arbitrary-groups.ts';
import { seconds } from '../../../../src/core/units.ts';

const flow = fc.record({
  name: fc.constant('flow'),
  weight: fc.integer({ min: 1, max: 40 }),
  urls: fc.integer({ min: 1, max: 3 }),
});
const flows = fc.option(fc.array(flow, { minLength: 1, maxLength: 6 }), { freq: 3 });

function specOf(mix: readonly Flow[] | null, length: number) {
  const requests = mix?.reduce((sum, { urls }) => sum + urls, 0) ?? length;
  return { targets: Array.from({ length: requests }), flows: mix, groups: null };
}

const spec = fc
  .tuple(flows, fc.integer({ min: 1, max: 8 }))
  .map(([mix, length]): WithIterations => specOf(mix, length))
  .chain((one) => arbitraryGroups(iterationsOf(one)).map((groups): WithIterations => ({ ...one, groups })));
const shard: fc.Arbitrary<Shard> = fc
  .record({ stride: fc.integer({ min: 1, max: 5 }), clients: fc.nat(300), threadIndex: fc.constant(0) })
  .map((one) => ({ ...one, first: one.stride - 1 }));

const mixOf = (...weights: readonly number[]) =>
  weights.map((weight, index) => ({ name: String(index), weight, urls: 1 }));

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

test('for any range of clients in a thread shard, the planned counts of requests and flows equal the sums over all iterations', () => {
  fc.assert(
    fc.property(spec, shard, fc.nat(300), fc.nat(300), (one, all, a, b) => {
      const [from, to] = [Math.min(a, b, all.clients), Math.min(Math.max(a, b), all.clients)];
      const lookup = createIterationLookup(one);
      const requests = one.targets.map(() => 0);
      const iterations = iterationsOf(one).map(() => 0);
      for (let index = from; index < to; index++) {
        const iteration = lookup(clientNumberOf(all, index));
        iterations[iteration.flow] = (iterations[iteration.flow] ?? 0) + 1;
        for (const request of unrolled(one.groups ?? [], iteration))
          requests[request] = (requests[request] ?? 0) + 1;
      }
      expect(countRequests(one, rangeOf(all, from, to))).toEqual(requests);
      expect(countIterations(one, rangeOf(all, from, to))).toEqual(iterations);
    }),
  );
});

test('the shares of all requests add up to the mean length of an iteration', () => {
  fc.assert(
    fc.property(spec, (one) => {
      const shares = iterationShares(one);
      const lengths = iterationsOf(one).map((iteration) => unrolled(one.groups ?? [], iteration).length);
      expect(iterationLengths(one)).toEqual(lengths);
      const mean = lengths.reduce((sum, length, index) => sum + length * (shares[index] ?? 0), 0);
      expect(requestShares(one).reduce((sum, share) => sum + share, 0)).toBeCloseTo(mean, 9);
    }),
  );
});

describe('the order of flows', () => {
  test('after any number of iterations, each flow has its exact share, rounded down or up', () => {
    const weights = fc.oneof(
      fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 12 }),
      // One large weight and many small ones, for which the largest deficit alone does not suffice.
      fc.integer({ min: 2, max: 12 }).map((count) => [count * count, ...new Array<number>(count).fill(1)]),
      fc.array(fc.constantFrom(1, 2, 3, 997, 4999), { minLength: 2, maxLength: 5 }),
    );
    fc.assert(
      fc.property(weights, (all) => {
        const mix = mixOf(...all);
        const { parts, sum } = flowShares(mix);
        const deal = dealFlows(mix);
        expect(deal).toHaveLength(sum);
        const counts = parts.map(() => 0);
        let worst = 0;
        for (const [number, chosen] of deal.entries()) {
          counts[chosen] = (counts[chosen] ?? 0) + 1;
          for (const [index, part] of parts.entries())
            worst = Math.max(worst, Math.abs((counts[index] ?? 0) * sum - part * (number + 1)));
        }
        expect(worst).toBeLessThan(sum);
        expect(counts).toEqual(parts);
      }),
    );
  });

  test('flows with the same weight take turns, in the order of the file', () => {
    expect([...dealFlows(mixOf(5, 5, 5))]).toEqual([0, 1, 2]);
  });

  test('iterations of a flow with a small weight are evenly distributed among the other iterations', () => {
    expect([...dealFlows(mixOf(70, 30))]).toEqual([0, 0, 1, 0, 0, 1, 0, 0, 0, 1]);
    expect([...dealFlows(mixOf(1, 9))].filter((chosen) => chosen === 0)).toHaveLength(1);
  });

  test('the shares of flows are exact even for the largest allowed sum of weights', () => {
    const mix = mixOf(1, MAX_WEIGHT - 1);
    const deal = dealFlows(mix);
    expect(deal).toHaveLength(MAX_WEIGHT);
    expect(deal.filter((chosen) => chosen === 0)).toHaveLength(1);
    const clients = 3_000_000;
    const counts = countIterations(
      { targets: [0, 1], flows: mix, groups: null },
      { first: 0, stride: 1, clients },
    );
    expect(counts).toEqual([3, clients - 3]);
  });

  test('the flow counts of several threads add up to the counts of a single thread', () => {
    fc.assert(
      fc.property(
        spec,
        fc.integer({ min: 1, max: 400 }),
        fc.integer({ min: 1, max: 9 }),
        (one, clients, threads) => {
          const pace = {
            testType: 'non-cycling',
            initial: 0,
            total: clients,
            duration: seconds(9),
            ramps: null,
          } as const;
          const shards = splitIntoShards(pace, threads).map((part) => countIterations(one, part));
          const whole = countIterations(one, { first: 0, stride: 1, clients });
          expect(whole.map((_, index) => shards.reduce((sum, part) => sum + (part[index] ?? 0), 0))).toEqual(
            whole,
          );
        },
      ),
    );
  });
});

const GROUPS: readonly Group[] = [
  { first: 0, count: 5, repeat: 2 },
  { first: 1, count: 2, repeat: 3 },
];

test.each<[name: string, part: readonly [first: number, end: number], within: readonly Group[] | null]>([
  ['all requests', [0, 6], GROUPS],
  ['a part without groups', [5, 6], null],
  ['the end of the outer group', [3, 6], [{ first: 0, count: 2, repeat: 2 }]],
  [
    'one request in an outer and an inner group',
    [1, 2],
    [
      { first: 0, count: 1, repeat: 2 },
      { first: 0, count: 1, repeat: 3 },
    ],
  ],
])('groupsWithin returns the expected groups for %s', (_, [first, end], within) => {
  expect(groupsWithin(GROUPS, { first, end })).toEqual(within);
  expect(groupsWithin(null, { first, end })).toBeNull();
});
