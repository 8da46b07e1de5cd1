/**
 * Moves think time from groups to requests, because a configuration file can define think time only after a request.
 */
import type { IntakeGroup, IntakeNote, IntakeRequest, SourcePosition } from '../core/intake/intake.ts';
import { endOf } from '../core/model/group.ts';
import { milliseconds, type Milliseconds } from '../core/units.ts';

export interface Pause {
  readonly min: Milliseconds;
  readonly max: Milliseconds;
  readonly at: SourcePosition;
}

export interface PausedGroup extends IntakeGroup {
  /** Think time after the last repetition. */
  readonly pauses: readonly Pause[];
  /** Place of the group in a pair of alternative groups. */
  readonly pair?: 'first' | 'second';
}

interface GroupedRequests {
  readonly requests: readonly IntakeRequest[];
  readonly groups: readonly PausedGroup[];
}

/**
 * Returns the groups with think time after the outermost group that begins at or after `start` and ends at `end`; null
 * if no such group exists.
 */
export function pausedGroups(
  groups: readonly PausedGroup[],
  { start, end, pauses }: { readonly start: number; readonly end: number; readonly pauses: readonly Pause[] },
): readonly PausedGroup[] | null {
  // A group precedes the groups that it contains, so `last` is the outermost group.
  const last = groups.find((group) => group.first >= start && endOf(group) === end);
  if (last === undefined) return null;
  const other =
    last.pair === 'second'
      ? groups.find((group) => group.pair === 'first' && group.first >= start && endOf(group) === last.first)
      : undefined;
  return groups.map((group) =>
    group === last || group === other ? { ...group, pauses: [...group.pauses, ...pauses] } : group,
  );
}

export function pausedBy(request: IntakeRequest, pauses: readonly Pause[]): IntakeRequest {
  return pauses.reduce((paused, { min, max }) => {
    const { delay } = paused;
    const sum = {
      min: milliseconds((delay?.min ?? 0) + min),
      max: milliseconds((delay?.max ?? 0) + max),
    };
    return { ...paused, delay: sum };
  }, request);
}

/**
 * Returns a flow in which think time after groups is moved to single requests. If this is not possible, omits the think
 * time and adds a note.
 */
export function withoutGroupPauses(given: GroupedRequests): {
  readonly requests: readonly IntakeRequest[];
  readonly groups: readonly IntakeGroup[];
} {
  let flow = given;
  // Processes inner groups first, because a group precedes the groups that it contains.
  for (;;) {
    const index = flow.groups.findLastIndex(({ pauses }) => pauses.length > 0);
    if (index === -1) break;
    flow = withoutPausesOf(flow, index);
  }
  return {
    requests: flow.requests,
    groups: flow.groups.map(({ pauses: _pauses, pair: _pair, ...group }) => group),
  };
}

function withoutPausesOf(flow: GroupedRequests, index: number): GroupedRequests {
  const group = flow.groups[index];
  const [pause] = group?.pauses ?? [];
  if (group === undefined || pause === undefined) return flow;
  const { repeat, forEach, when, first } = group;
  if (group.parallel === true) return withPauseOfEach(flow, group, index);
  if (
    when === undefined &&
    (typeof repeat === 'number' ? repeat > 1 : forEach !== undefined && 'values' in forEach)
  )
    return withLastPass(flow, { ...group, pauses: [] }, { index, pauses: group.pauses });
  if (group.pair !== undefined) return withPauseInside(flow, group, index);
  const before = flow.requests[first - 1];
  const isAtLevel =
    before !== undefined &&
    !flow.groups.some(
      (one) => endOf(one) === first || (one !== group && one.first === first && one.count > group.count),
    );
  const at = isAtLevel ? first - 1 : first;
  const note: IntakeNote = isAtLevel
    ? {
        kind: 'change',
        at: pause.at,
        message: 'the think time after the group of requests is moved to before the group',
      }
    : { kind: 'loss', at: pause.at, message: 'the think time after the group of requests is omitted' };
  return {
    groups: flow.groups.with(index, { ...group, pauses: [] }),
    requests: flow.requests.map((request, step) => {
      if (step !== at) return request;
      const noted = { ...request, notes: [...request.notes, note] };
      return isAtLevel ? pausedBy(noted, group.pauses) : noted;
    }),
  };
}

/** Adds the think time after a parallel group to each of its requests, because any of these requests can end last. */
function withPauseOfEach(flow: GroupedRequests, group: PausedGroup, index: number): GroupedRequests {
  const { pauses, first } = group;
  const varying = pauses.find(({ min, max }) => min !== max);
  const message = 'the random think time after the parallel group is added to each request of the group';
  const notes: readonly IntakeNote[] =
    varying === undefined ? [] : [{ kind: 'change', at: varying.at, message }];
  return {
    groups: flow.groups.with(index, { ...group, pauses: [] }),
    requests: flow.requests.map((request, step) => {
      if (step < first || step >= endOf(group)) return request;
      const paused = pausedBy(request, pauses);
      return step === first ? { ...paused, notes: [...paused.notes, ...notes] } : paused;
    }),
  };
}

/** Moves the think time after one of two alternative groups into that group. */
function withPauseInside(flow: GroupedRequests, group: PausedGroup, index: number): GroupedRequests {
  const { pauses, first } = group;
  const end = endOf(group);
  const inside = flow.groups.slice(index + 1);
  const paused = pausedGroups(inside, { start: first, end, pauses });
  const requests =
    paused === null
      ? flow.requests.map((request, step) => (step === end - 1 ? pausedBy(request, pauses) : request))
      : flow.requests;
  return {
    requests,
    groups: [...flow.groups.slice(0, index), { ...group, pauses: [] }, ...(paused ?? inside)],
  };
}

/**
 * Removes the last repetition of a loop, and adds its requests after the loop. The last request receives the think
 * time.
 */
function withLastPass(
  { requests, groups }: GroupedRequests,
  group: PausedGroup,
  { index, pauses }: { readonly index: number; readonly pauses: readonly Pause[] },
): GroupedRequests {
  const { first, count, repeat, forEach } = group;
  const end = endOf(group);
  const values = forEach !== undefined && 'values' in forEach ? forEach.values : [];
  const repetition = requests.slice(first, end);
  const withItem = (value = '') =>
    forEach === undefined ? repetition : repetition.map((request) => withValue(request, forEach.name, value));
  const inside = groups.slice(index + 1).filter((one) => one.first < end);
  const last = inside.findIndex((one) => endOf(one) === end);
  const copies = withItem(values.at(-1)).map((request, step) =>
    last === -1 && step === count - 1 ? pausedBy(request, pauses) : request,
  );
  // If a single value remains, the requests for this value replace the loop.
  const isSingle = values.length === 2;
  const shortened: PausedGroup = {
    ...group,
    ...(typeof repeat === 'number' ? { repeat: repeat - 1 } : {}),
    ...(forEach === undefined ? {} : { forEach: { name: forEach.name, values: values.slice(0, -1) } }),
  };
  const shifted = groups.map((one, place) => {
    if (place < index) return endOf(one) >= end ? { ...one, count: one.count + count } : one;
    return one.first >= end ? { ...one, first: one.first + count } : one;
  });
  const ofCopies = inside.map((one, place) => ({
    ...one,
    first: one.first + count,
    pauses: place === last ? pauses : [],
  }));
  return {
    requests: [
      ...requests.slice(0, first),
      ...(isSingle ? withItem(values[0]) : repetition),
      ...copies,
      ...requests.slice(end),
    ],
    groups: [
      ...shifted.slice(0, index),
      ...(isSingle || repeat === 2 ? [] : [shortened]),
      ...shifted.slice(index + 1, index + 1 + inside.length),
      ...ofCopies,
      ...shifted.slice(index + 1 + inside.length),
    ],
  };
}

function withValue(request: IntakeRequest, name: string, value: string): IntakeRequest {
  return JSON.parse(JSON.stringify(request), (_, part: unknown) =>
    typeof part === 'object' && part !== null && 'variable' in part && part.variable === name ? value : part,
  ) as IntakeRequest; // Only parts of texts change.
}
