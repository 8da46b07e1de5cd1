import type { VariableCondition } from '../core/model/condition.ts';
import { MAX_GROUPS, isRepetitionCount, type ForEach, type Group } from '../core/model/group.ts';
import { withoutUndefined } from '../core/present-fields.ts';
import { isObject, objectOf, isCount } from '../core/unknown-value.ts';
import type { GroupEntry } from './generated/test-create.ts';
import { decodeValue, encodeValue, readValue } from './expectation-codec.ts';
import { readList } from './wire-values.ts';

export function encodeGroup({ first, count, repeat, forEach, when, parallel }: Group): GroupEntry {
  return withoutUndefined({
    first,
    count,
    repeat:
      typeof repeat === 'object' ? { at_most: repeat.atMost, until: encodeConditions(repeat.until) } : repeat,
    for_each: forEach && encodeList(forEach),
    when: when && encodeConditions(when),
    parallel,
  });
}

function encodeList(forEach: ForEach): NonNullable<GroupEntry['for_each']> {
  if (!('values' in forEach)) return { name: forEach.name, list: forEach.list, at_most: forEach.atMost };
  return { name: forEach.name, values: [...forEach.values] };
}

function decodeList(entry: NonNullable<GroupEntry['for_each']>): ForEach {
  if ('values' in entry) return entry;
  const { name, list, at_most: atMost } = entry;
  return { name, list, atMost };
}

function encodeConditions(conditions: readonly VariableCondition[]) {
  return Object.fromEntries(conditions.map(({ name, value }) => [name, encodeValue(value)]));
}

export function decodeGroup({ first, count, repeat, for_each: forEach, when, parallel }: GroupEntry): Group {
  return withoutUndefined({
    first,
    count,
    repeat:
      typeof repeat === 'object' ? { atMost: repeat.at_most, until: decodeConditions(repeat.until) } : repeat,
    forEach: forEach && decodeList(forEach),
    when: when && decodeConditions(when),
    parallel,
  });
}

function decodeConditions(wire: NonNullable<GroupEntry['when']>): readonly VariableCondition[] {
  return Object.entries(wire).map(([name, value]) => ({ name, value: decodeValue(value) }));
}

/** Returns null if the field is absent, or if the service uses the field for another purpose. */
export function readGroups(value: unknown): readonly Group[] | null {
  return Array.isArray(value) && value.length > MAX_GROUPS ? null : readList(value, readGroup);
}

function readGroup(value: unknown): Group | null {
  const { first, count, repeat, for_each: forEach, when, parallel } = objectOf(value);
  const repetitions = repeat === undefined ? undefined : readRepeat(repeat);
  const conditions = when === undefined ? undefined : readConditions(when);
  const items = forEach === undefined ? undefined : readForEach(forEach);
  if (!isCount(first) || !isRepetitionCount(count)) return null;
  if (repetitions === null || conditions === null || items === null) return null;
  if (parallel !== undefined && parallel !== true) return null;
  return withoutUndefined({
    first,
    count,
    repeat: repetitions,
    forEach: items,
    when: conditions,
    parallel: parallel && (true as const),
  });
}

function readRepeat(value: unknown): Group['repeat'] | null {
  if (isRepetitionCount(value)) return value;
  const { at_most: atMost, until } = objectOf(value);
  const conditions = readConditions(until);
  return isRepetitionCount(atMost) && conditions !== null ? { atMost, until: conditions } : null;
}

function readForEach(value: unknown): ForEach | null {
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
