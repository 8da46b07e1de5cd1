/** Generated groups of requests, and the order of requests that they define. */
import fc from 'fast-check';
import type { VariableCondition } from '../../src/core/model/condition.ts';
import {
  endOf,
  MAX_GROUP_DEPTH,
  groupsAround,
  maxRepetitions,
  type Group,
} from '../../src/core/model/group.ts';

interface Range {
  readonly first: number;
  readonly end: number;
}

/**
 * Generates nested groups within ranges of requests; null if there are none.
 * @param variables - Names of variables for conditions; without any, there are no conditions.
 * @param hasParallel - True if the requests of some groups start at the same time.
 */
export function arbitraryGroups(
  ranges: readonly Range[],
  variables: readonly string[] = [],
  hasParallel = false,
): fc.Arbitrary<readonly Group[] | null> {
  const requests = ranges.at(-1)?.end ?? 0;
  const condition: fc.Arbitrary<VariableCondition> = fc.record({
    name: fc.constantFrom(...variables, ''),
    value: fc.oneof(
      fc.constantFrom('done', 'a b', '', true, 3, null),
      fc.constantFrom<VariableCondition['value']>({ number: '> 0' }, { exists: false }, { not: 'open' }),
    ),
  });
  const conditions = fc.uniqueArray(condition, { minLength: 1, maxLength: 2, selector: ({ name }) => name });
  const times = fc.integer({ min: 1, max: 4 });
  const range = {
    first: fc.nat(Math.max(0, requests - 1)),
    count: fc.integer({ min: 1, max: Math.max(1, requests) }),
  };
  const conditional: fc.Arbitrary<Group>[] = [
    fc.record({ ...range, repeat: fc.record({ atMost: times, until: conditions }) }),
    fc.record({ ...range, when: conditions }),
    fc.record({ ...range, repeat: times, when: conditions }),
    fc.record({
      ...range,
      forEach: fc.record({
        name: fc.constant('each'),
        list: fc.constantFrom(...variables, ''),
        atMost: times,
      }),
    }),
    fc.record({
      ...range,
      forEach: fc.record({
        name: fc.constant('each'),
        values: fc.array(fc.constantFrom('1W', 'a b', '3'), { minLength: 1, maxLength: 3 }),
      }),
    }),
  ];
  const candidate = fc.oneof(
    fc.record({ ...range, repeat: times }),
    ...(hasParallel ? [fc.record({ ...range, parallel: fc.constant(true as const) })] : []),
    ...(variables.length === 0 ? [] : conditional.map((one) => one.filter(isNamed))),
  );
  return fc.array(candidate, { maxLength: 6 }).map((candidates) => {
    const groups = candidates.reduce<readonly Group[]>((known, group) => {
      const added = [...known, group].toSorted((a, b) => a.first - b.first || b.count - a.count);
      return isTree(added, ranges) ? added : known;
    }, []);
    return groups.length === 0 ? null : groups;
  });
}

function isNamed({ repeat, forEach, when = [] }: Group): boolean {
  if (forEach !== undefined && 'list' in forEach && forEach.list === '') return false;
  const until = typeof repeat === 'object' ? repeat.until : [];
  return [...when, ...until].every(({ name }) => name !== '');
}

function isTree(groups: readonly Group[], ranges: readonly Range[]): boolean {
  const contains = (outer: Range, inner: Range) => outer.first <= inner.first && inner.end <= outer.end;
  const rangesOfGroups = groups.map((group) => ({ first: group.first, end: endOf(group) }));
  return (
    rangesOfGroups.every((range) => ranges.some((one) => contains(one, range))) &&
    rangesOfGroups.every((a) =>
      rangesOfGroups.every((b) => contains(a, b) || contains(b, a) || a.end <= b.first || b.end <= a.first),
    ) &&
    groups.every(({ first }) => groupsAround(groups, first).length <= MAX_GROUP_DEPTH) &&
    groups.every((group, index) => group.parallel !== true || containsOnlyConditions(groups, index))
  );
}

/** Reports whether the groups within a parallel group have conditions and nothing else. */
function containsOnlyConditions(groups: readonly Group[], index: number): boolean {
  const group = groups[index];
  const inside = groups.filter(
    (one, place) => place > index && group !== undefined && one.first < endOf(group),
  );
  return inside.every(({ repeat, forEach, parallel }) => (repeat ?? forEach ?? parallel) === undefined);
}

/** Returns the requests of a range in the order in which an iteration performs them, with the maximum of all repetitions. */
export function unrolled(groups: readonly Group[], { first, end }: Range): readonly number[] {
  const [group, ...others] = groups.filter((one) => first <= one.first && endOf(one) <= end);
  const indexes = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at);
  if (group === undefined) return indexes(first, end);
  const inside = others.filter((one) => one.first < endOf(group));
  const pass = unrolled(inside, { first: group.first, end: endOf(group) });
  const repetitions = Array.from({ length: maxRepetitions(group) }, () => pass).flat();
  return [...indexes(first, group.first), ...repetitions, ...unrolled(others, { first: endOf(group), end })];
}
