/** Codec of groups of requests. */
import type { VariableCondition } from '../core/model/condition.ts';
import { MAX_GROUPS, isPassCount, type Group, type RepeatUntil } from '../core/model/group.ts';
import { isObject, objectOf } from '../core/unknown-value.ts';
import type { GroupEntry } from './generated/test-create.ts';
import { decodeValue, encodeValue, readValue } from './expectation-codec.ts';

export function encodeGroups(groups: readonly Group[]): [GroupEntry, ...GroupEntry[]] {
  const [first, ...more] = groups.map(encodeGroup);
  if (first === undefined) throw new Error('Bug: groups without a group');
  return [first, ...more];
}

function encodeGroup({ first, count, repeat, when }: Group): GroupEntry {
  return {
    first,
    count,
    ...(repeat === undefined ? {} : { repeat: typeof repeat === 'number' ? repeat : encodeRepeat(repeat) }),
    ...(when === undefined ? {} : { when: encodeConditions(when) }),
  };
}

function encodeRepeat({ atMost, until }: RepeatUntil): Exclude<GroupEntry['repeat'], number | undefined> {
  return { at_most: atMost, until: encodeConditions(until) };
}

function encodeConditions(conditions: readonly VariableCondition[]) {
  return Object.fromEntries(conditions.map(({ name, value }) => [name, encodeValue(value)]));
}

/** Decodes a group that matches its schema. */
export function decodeGroup({ first, count, repeat, when }: GroupEntry): Group {
  return {
    first,
    count,
    ...(repeat === undefined
      ? {}
      : {
          repeat:
            typeof repeat === 'number'
              ? repeat
              : { atMost: repeat.at_most, until: decodeConditions(repeat.until) },
        }),
    ...(when === undefined ? {} : { when: decodeConditions(when) }),
  };
}

function decodeConditions(wire: NonNullable<GroupEntry['when']>): readonly VariableCondition[] {
  return Object.entries(wire).map(([name, value]) => ({ name, value: decodeValue(value) }));
}

/** Reads the groups in a service's record; null if absent, or if the service uses the field for something else. */
export function readGroups(value: unknown): readonly Group[] | null {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_GROUPS) return null;
  const known = value.map(readGroup).filter((group) => group !== null);
  return known.length === value.length ? known : null;
}

function readGroup(value: unknown): Group | null {
  const { first, count, repeat, when } = objectOf(value);
  const passes = repeat === undefined ? undefined : readRepeat(repeat);
  const conditions = when === undefined ? undefined : readConditions(when);
  if (!isIndex(first) || !isPassCount(count) || passes === null || conditions === null) return null;
  return {
    first,
    count,
    ...(passes === undefined ? {} : { repeat: passes }),
    ...(conditions === undefined ? {} : { when: conditions }),
  };
}

function readRepeat(value: unknown): Group['repeat'] | null {
  if (isPassCount(value)) return value;
  const { at_most: atMost, until } = objectOf(value);
  const conditions = readConditions(until);
  return isPassCount(atMost) && conditions !== null ? { atMost, until: conditions } : null;
}

function readConditions(value: unknown): readonly VariableCondition[] | null {
  if (!isObject(value)) return null;
  const conditions = Object.entries(value).flatMap(([name, expected]: [string, unknown]) => {
    const known = readValue(expected);
    return known === undefined ? [] : [{ name, value: known }];
  });
  return conditions.length === 0 || conditions.length < Object.keys(value).length ? null : conditions;
}

function isIndex(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
