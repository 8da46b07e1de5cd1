/** The program of an iteration performs the same requests as the unrolled groups, and knows which ones remain. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ForEach } from '../../../src/core/model/group.ts';
import {
  iterationsOf,
  requestsPerIteration,
  type Iteration,
  type WithIterations,
} from '../../../src/core/model/iteration.ts';
import {
  IterationProgram,
  type CompiledGroup,
  type IterationPosition,
} from '../../../src/engine/iteration-program.ts';
import { arbitraryGroups, unrolled } from '../../support/arbitrary-groups.ts';

const arbitrarySpec = (variables: readonly string[]) =>
  fc
    .array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 3 })
    .map((lengths) => lengths.map((urls, index) => ({ name: String(index), weight: 1, urls })))
    .chain((flows) => {
      const targets = Array.from({ length: flows.reduce((sum, { urls }) => sum + urls, 0) });
      const ranges = iterationsOf({ targets, flows, groups: null });
      return arbitraryGroups(ranges, variables).map((groups): WithIterations => ({ targets, flows, groups }));
    })
    .filter(({ groups }) => groups !== null);

/** Counts how often each request occurs. */
function countsOf(requests: readonly number[], length: number): readonly number[] {
  return Array.from({ length }, (_, index) => requests.filter((request) => request === index).length);
}

/** Creates a program whose conditions have the given outcomes, one after the other, and then hold. */
function programOf(spec: WithIterations, outcomes: readonly boolean[] = []) {
  const skipped = spec.targets.map(() => 0);
  let next = 0;
  const decide = () => outcomes[next++] ?? true;
  const conditions = (spec.groups ?? []).map(({ when, repeat, forEach }): CompiledGroup => ({
    when: when === undefined ? null : decide,
    until: typeof repeat === 'object' ? decide : null,
    list: forEach === undefined ? null : listOf(forEach),
  }));
  /** Returns a list with any number of items for a variable. */
  function listOf(forEach: ForEach): NonNullable<CompiledGroup['list']> {
    const itemsOf = () =>
      'values' in forEach
        ? forEach.values.map((text) => ({ text, isString: true }))
        : Array.from({ length: forEach.atMost }, decide)
            .filter(Boolean)
            .map(() => ({ text: 'item', isString: true }));
    const assign: NonNullable<CompiledGroup['list']>['assign'] = (values, { text }) => {
      values[0] = text;
    };
    return { itemsOf, assign };
  }
  const program = new IterationProgram(spec, conditions, (_, request, count) => {
    skipped[request] = (skipped[request] ?? 0) + count;
  });
  const remainingAt = (position: IterationPosition) => {
    const remaining = spec.targets.map(() => 0);
    program.forEachRemaining(position, (request, count) => {
      remaining[request] = (remaining[request] ?? 0) + count;
    });
    return remaining;
  };
  return { program, skipped, remainingAt };
}

function positionIn(iteration: Iteration): IterationPosition {
  return { iteration, requestIndex: 0, repetitionsLeft: [], items: [], values: [] };
}

test('a client performs all repetitions of nested groups in order, and the count of remaining requests is correct before each request', () => {
  fc.assert(
    fc.property(arbitrarySpec([]), (spec) => {
      const { program, skipped, remainingAt } = programOf(spec);
      for (const iteration of iterationsOf(spec)) {
        const expected = unrolled(spec.groups ?? [], iteration);
        const position = positionIn(iteration);
        const performed: number[] = [];
        program.begin(position);
        while (position.requestIndex < iteration.end) {
          const rest = expected.slice(performed.length);
          expect(remainingAt(position)).toEqual(countsOf(rest, spec.targets.length));
          performed.push(position.requestIndex);
          if (performed.length > expected.length) break;
          program.advance(position);
        }
        expect(performed).toEqual(expected);
        expect(Math.max(...remainingAt(position), ...skipped)).toBe(0);
      }
    }),
  );
});

test('for any outcomes of conditions, performed, skipped and remaining requests add up to the planned number', () => {
  fc.assert(
    fc.property(arbitrarySpec(['a']), fc.array(fc.boolean(), { maxLength: 40 }), (spec, outcomes) => {
      const max = requestsPerIteration(spec);
      const min = requestsPerIteration(spec, 'min');
      for (const iteration of iterationsOf(spec)) {
        const { program, skipped, remainingAt } = programOf(spec, outcomes);
        const position = positionIn(iteration);
        const performed = spec.targets.map(() => 0);
        program.begin(position);
        for (;;) {
          const remaining = remainingAt(position);
          for (let request = iteration.first; request < iteration.end; request++) {
            const sum = (performed[request] ?? 0) + (skipped[request] ?? 0) + (remaining[request] ?? 0);
            expect(sum).toBe(max[request]);
          }
          if (position.requestIndex === iteration.end) break;
          performed[position.requestIndex] = (performed[position.requestIndex] ?? 0) + 1;
          program.advance(position);
        }
        for (let request = iteration.first; request < iteration.end; request++)
          expect(performed[request]).toBeGreaterThanOrEqual(min[request] ?? 0);
      }
    }),
  );
});

test('an iteration that follows an incomplete iteration begins with all repetitions remaining', () => {
  const spec = { targets: [0, 1], flows: null, groups: [{ first: 0, count: 1, repeat: 3 }] };
  const { program, remainingAt } = programOf(spec);
  const [iteration] = iterationsOf(spec);
  const position = positionIn(iteration);
  program.begin(position);
  program.advance(position);
  // The iteration ends early.
  program.begin(position);
  expect(remainingAt(position)).toEqual([3, 1]);
});

test('all 100,000 repetitions of a group whose condition is never met are counted as skipped', () => {
  const groups = [
    { first: 0, count: 1, repeat: 100_000 },
    { first: 0, count: 1, when: [{ name: 'a', value: 1 }] },
  ];
  const spec = { targets: [0], flows: null, groups };
  const { program, skipped } = programOf(
    spec,
    Array.from({ length: 100_000 }, () => false),
  );
  const [iteration] = iterationsOf(spec);
  const position = positionIn(iteration);
  program.begin(position);
  expect([position.requestIndex, ...skipped]).toEqual([1, 100_000]);
});
