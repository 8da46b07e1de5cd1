/** The program of an iteration performs the same requests as the unrolled groups, and knows which ones remain. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { iterationsOf, type WithIterations } from '../../../src/core/model/iteration.ts';
import { IterationProgram, type IterationPosition } from '../../../src/engine/iteration-program.ts';
import { arbitraryGroups, unrolled } from '../../support/arbitrary-groups.ts';

const arbitrarySpec = fc
  .array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 3 })
  .map((lengths) => lengths.map((urls, index) => ({ name: String(index), weight: 1, urls })))
  .chain((flows) => {
    const targets = Array.from({ length: flows.reduce((sum, { urls }) => sum + urls, 0) });
    const ranges = iterationsOf({ targets, flows, groups: null });
    return arbitraryGroups(ranges, 4).map((groups): WithIterations => ({ targets, flows, groups }));
  });

/** Counts how often each request occurs. */
function countsOf(requests: readonly number[], length: number): readonly number[] {
  return Array.from({ length }, (_, index) => requests.filter((request) => request === index).length);
}

function compile(spec: WithIterations): IterationProgram {
  const program = IterationProgram.compile(spec);
  if (program === null) throw new Error('no groups');
  return program;
}

test('a client performs all passes of nested groups in order, and the remaining requests are counted at each of them', () => {
  fc.assert(
    fc.property(arbitrarySpec, (spec) => {
      const { groups } = spec;
      fc.pre(groups !== null);
      const program = compile(spec);
      for (const iteration of iterationsOf(spec)) {
        const expected = unrolled(groups, iteration);
        const position: IterationPosition = { iteration, requestIndex: 0, passesLeft: [] };
        const performed: number[] = [];
        program.begin(position);
        while (position.requestIndex < iteration.end) {
          const remaining = spec.targets.map(() => 0);
          program.forEachRemaining(position, (request, count) => {
            remaining[request] = (remaining[request] ?? 0) + count;
          });
          expect(remaining).toEqual(countsOf(expected.slice(performed.length), spec.targets.length));
          performed.push(position.requestIndex);
          if (performed.length > expected.length) break;
          program.advance(position);
        }
        expect(performed).toEqual(expected);
        program.forEachRemaining(position, () => {
          throw new Error('a request remains');
        });
      }
    }),
  );
});

test('a client begins each iteration with all passes', () => {
  const spec = { targets: [0, 1], flows: null, groups: [{ first: 0, count: 1, repeat: 3 }] };
  const program = compile(spec);
  const [iteration] = iterationsOf(spec);
  const position: IterationPosition = { iteration, requestIndex: 0, passesLeft: [] };
  program.begin(position);
  program.advance(position);
  // The iteration ends early.
  program.begin(position);
  const counts: number[] = [];
  program.forEachRemaining(position, (request, count) => {
    counts[request] = (counts[request] ?? 0) + count;
  });
  expect(counts).toEqual([3, 1]);
});

test('a test without groups has no program', () => {
  expect(IterationProgram.compile({ targets: [0], flows: null, groups: null })).toBeNull();
});
