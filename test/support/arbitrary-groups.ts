/** Generated groups of requests, and the order of requests that they define. */
import fc from 'fast-check';
import { endOf, MAX_GROUP_DEPTH, groupsAround, type Group } from '../../src/core/model/group.ts';

interface Range {
  readonly first: number;
  readonly end: number;
}

/**
 * Generates nested groups within ranges of requests; null if there are none.
 * @param maxRepeat - Maximum number of passes of a group.
 */
export function arbitraryGroups(
  ranges: readonly Range[],
  maxRepeat = 3,
): fc.Arbitrary<readonly Group[] | null> {
  const requests = ranges.at(-1)?.end ?? 0;
  const candidate: fc.Arbitrary<Group> = fc.record({
    first: fc.nat(Math.max(0, requests - 1)),
    count: fc.integer({ min: 1, max: Math.max(1, requests) }),
    repeat: fc.integer({ min: 1, max: maxRepeat }),
  });
  return fc.array(candidate, { maxLength: 6 }).map((candidates) => {
    const groups = candidates.reduce<readonly Group[]>((known, group) => {
      const added = [...known, group].toSorted((a, b) => a.first - b.first || b.count - a.count);
      return isTree(added, ranges) ? added : known;
    }, []);
    return groups.length === 0 ? null : groups;
  });
}

function isTree(groups: readonly Group[], ranges: readonly Range[]): boolean {
  const contains = (outer: Range, inner: Range) => outer.first <= inner.first && inner.end <= outer.end;
  const rangesOfGroups = groups.map((group) => ({ first: group.first, end: endOf(group) }));
  return (
    rangesOfGroups.every((range) => ranges.some((one) => contains(one, range))) &&
    rangesOfGroups.every((a) =>
      rangesOfGroups.every((b) => contains(a, b) || contains(b, a) || a.end <= b.first || b.end <= a.first),
    ) &&
    groups.every(({ first }) => groupsAround(groups, first).length <= MAX_GROUP_DEPTH)
  );
}

/** Returns the requests of a range in the order in which an iteration performs them, with all passes. */
export function unrolled(groups: readonly Group[], { first, end }: Range): readonly number[] {
  const [group, ...others] = groups.filter((one) => first <= one.first && endOf(one) <= end);
  const indexes = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at);
  if (group === undefined) return indexes(first, end);
  const inside = others.filter((one) => one.first < endOf(group));
  const pass = unrolled(inside, { first: group.first, end: endOf(group) });
  const passes = Array.from({ length: group.repeat }, () => pass).flat();
  return [...indexes(first, group.first), ...passes, ...unrolled(others, { first: endOf(group), end })];
}
