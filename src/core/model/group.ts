/** Groups: ranges of requests that are repeated, sent at the same time, or conditional. */
import type { VariableCondition } from './condition.ts';

/** In a list, a group precedes the groups that it contains. */
export interface Group {
  /** Index of the first request of the group in the test. */
  readonly first: number;
  /** Number of requests, each counted once. */
  readonly count: number;
  /** Number of repetitions, or the conditions that end the repetition. Default: 1. */
  readonly repeat?: number | RepeatUntil;
  /** List for whose items the group is repeated; mutually exclusive with `repeat`. */
  readonly forEach?: ForEach;
  /** Conditions on variables. The group is skipped unless all of them are met when it begins. */
  readonly when?: readonly VariableCondition[];
  /**
   * True if the requests start at the same time, each on its own connection, and the group ends with the last response.
   * Cannot be combined with `repeat` or `forEach`. Groups within a parallel group can only have conditions.
   */
  readonly parallel?: true;
}

/** A list, and the variable that has the value of the current item. */
export type ForEach = { readonly name: string } & (
  | { readonly values: readonly string[] }
  | {
      /** Name of the variable whose value is a JSON list. */
      readonly list: string;
      /** Maximum number of repetitions; further items are ignored. */
      readonly atMost: number;
    }
);

/** Repetition until all conditions on variables are met at the end of a repetition, at most `atMost` times. */
export interface RepeatUntil {
  readonly atMost: number;
  readonly until: readonly VariableCondition[];
}

/** Maximum number of levels of nested groups that repeat requests. */
export const MAX_GROUP_DEPTH = 4;

/** Maximum number of requests of one iteration, and maximum number of repetitions of a group. */
export const MAX_ITERATION_REQUESTS = 100_000;

/** Maximum number of groups of a test: four levels of nested groups for each of 100 requests. */
export const MAX_GROUPS = 400;

export function isRepetitionCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= MAX_ITERATION_REQUESTS;
}

export function endOf({ first, count }: Pick<Group, 'first' | 'count'>): number {
  return first + count;
}

export function maxRepetitions({ repeat = 1, forEach }: Group): number {
  if (forEach !== undefined) return 'values' in forEach ? forEach.values.length : forEach.atMost;
  return typeof repeat === 'number' ? repeat : repeat.atMost;
}

export function minRepetitions({ repeat = 1, forEach, when }: Group): number {
  if (when !== undefined) return 0;
  if (forEach !== undefined) return 'values' in forEach ? forEach.values.length : 0;
  return typeof repeat === 'number' ? repeat : 1;
}

/** Returns the indexes of the groups that contain a request, from the outermost to the innermost. */
export function groupsAround(groups: readonly Group[], request: number): readonly number[] {
  return groups.flatMap((group, index) => (group.first <= request && request < endOf(group) ? [index] : []));
}

/**
 * Returns for each request its position among the requests that start at the same time; 0 outside parallel groups.
 * Requests of a client to the same host share a connection if their positions are equal.
 */
export function lanesOf({
  targets,
  groups,
}: {
  readonly targets: readonly unknown[];
  readonly groups: readonly Group[] | null;
}): readonly number[] {
  const parallel = (groups ?? []).filter((group) => group.parallel === true);
  return targets.map((_, request) => {
    const around = parallel.find((group) => group.first <= request && request < endOf(group));
    return around === undefined ? 0 : request - around.first;
  });
}

/**
 * Returns the groups in a range of requests, clipped to the range and with indexes relative to the range; null if there
 * are none.
 */
export function groupsWithin(
  groups: readonly Group[] | null,
  { first, end }: { readonly first: number; readonly end: number },
): readonly Group[] | null {
  const within = (groups ?? []).flatMap((group): readonly Group[] => {
    const from = Math.max(group.first, first);
    const count = Math.min(endOf(group), end) - from;
    return count > 0 ? [{ ...group, first: from - first, count }] : [];
  });
  return within.length === 0 ? null : within;
}
