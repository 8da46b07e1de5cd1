/** Codec of groups of requests. */
import type { VariableCondition } from '../core/model/condition.ts';
import {
  MAX_GROUPS,
  isRepetitionCount,
  type ForEach,
  type Group,
  type RepeatUntil,
} from '../core/model/group.ts';
import { isObject, objectOf, isCount } from '../core/unknown-value.ts';
import type { GroupEntry } from './generated/test-create.ts';
import { decodeValue, encodeValue, readValue } from './expectation-codec.ts';

export function encodeGroups(groups: readonly Group[]): [GroupEntry, ...GroupEntry[]] {
  const [first, ...more] = groups.map(encodeGroup);
  if (first === undefined) throw new Error('Bug: groups without a group');
  return [first, ...more];
}

function encodeGroup({ first, count, repeat, forEach, when, parallel }: Group): GroupEntry {
  return {
    first,
    count,
    ...(repeat === undefined ? {} : { repeat: typeof repeat === 'number' ? repeat : encodeRepeat(repeat) }),
    ...(forEach === undefined ? {} : { for_each: encodeList(forEach) }),
    ...(when === undefined ? {} : { when: encodeConditions(when) }),
    ...(parallel === undefined ? {} : { parallel }),
  };
}

function encodeList(forEach: ForEach): NonNullable<GroupEntry['for_each']> {
  if (!('values' in forEach)) return { name: forEach.name, list: forEach.list, at_most: forEach.atMost };
  const [first, ...more] = forEach.values;
  if (first === undefined) throw new Error('Bug: a list without a value');
  return { name: forEach.name, values: [first, ...more] };
}

/** Decodes a list. A list with both values and a variable, or with neither, has no repetitions. */
function decodeList({ name, values, list, at_most: atMost }: NonNullable<GroupEntry['for_each']>): ForEach {
  return list === undefined || atMost === undefined ? { name, values: values ?? [] } : { name, list, atMost };
}

function encodeRepeat({ atMost, until }: RepeatUntil): Exclude<GroupEntry['repeat'], number | undefined> {
  return { at_most: atMost, until: encodeConditions(until) };
}

function encodeConditions(conditions: readonly VariableCondition[]) {
  return Object.fromEntries(conditions.map(({ name, value }) => [name, encodeValue(value)]));
}

/** Decodes a group that matches its schema. */
export function decodeGroup({ first, count, repeat, for_each: forEach, when, parallel }: GroupEntry): Group {
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
    ...(forEach === undefined ? {} : { forEach: decodeList(forEach) }),
    ...(when === undefined ? {} : { when: decodeConditions(when) }),
    ...(parallel === undefined ? {} : { parallel }),
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
  const { first, count, repeat, for_each: forEach, when, parallel } = objectOf(value);
  const repetitions = repeat === undefined ? undefined : readRepeat(repeat);
  const conditions = when === undefined ? undefined : readConditions(when);
  const items = forEach === undefined ? undefined : readList(forEach);
  if (!isCount(first) || !isRepetitionCount(count)) return null;
  if (repetitions === null || conditions === null || items === null) return null;
  if (parallel !== undefined && parallel !== true) return null;
  return {
    first,
    count,
    ...(repetitions === undefined ? {} : { repeat: repetitions }),
    ...(items === undefined ? {} : { forEach: items }),
    ...(conditions === undefined ? {} : { when: conditions }),
    ...(parallel === undefined ? {} : { parallel }),
  };
}

function readRepeat(value: unknown): Group['repeat'] | null {
  if (isRepetitionCount(value)) return value;
  const { at_most: atMost, until } = objectOf(value);
  const conditions = readConditions(until);
  return isRepetitionCount(atMost) && conditions !== null ? { atMost, until: conditions } : null;
}

function readList(value: unknown): ForEach | null {
  const { name, values, list, at_most: atMost } = objectOf(value);
  if (typeof name !== 'string') return null;
  if (typeof list === 'string' && isRepetitionCount(atMost)) return { name, list, atMost };
  if (!Array.isArray(values)) return null;
  const texts = values.filter((one) => typeof one === 'string');
  return texts.length === values.length ? { name, values: texts } : null;
}

function readConditions(value: unknown): readonly VariableCondition[] | null {
  if (!isObject(value)) return null;
  const conditions = Object.entries(value).flatMap(([name, expected]: [string, unknown]) => {
    const known = readValue(expected);
    return known === undefined ? [] : [{ name, value: known }];
  });
  return conditions.length === 0 || conditions.length < Object.keys(value).length ? null : conditions;
}
