/** Groups of requests as nested entries of the file. */
import { isCondition, type ExpectedValue, type VariableCondition } from '../core/model/condition.ts';
import { endOf, type ForEach, type Group } from '../core/model/group.ts';
import { describeExpected } from './import-account-content.ts';
import {
  membersOf,
  type PrintableEntries,
  type PrintableMember,
  type PrintableValue,
} from './yaml-printer.ts';

/**
 * Returns the requests of a range, with each group as an entry that contains the requests of the group.
 * @param groups - Groups of the test, each before the groups that it contains; groups outside the range are ignored.
 */
export function groupedEntries(
  requests: PrintableEntries['blocks'],
  groups: readonly Group[],
  { first, end }: { readonly first: number; readonly end: number },
): PrintableEntries['blocks'] {
  const [group, ...others] = groups.filter((one) => first <= one.first && endOf(one) <= end);
  if (group === undefined) return requests.slice(first, end);
  const inside = others.filter((one) => one.first < endOf(group));
  const blocks = groupedEntries(requests, inside, { first: group.first, end: endOf(group) });
  const name = group.parallel === true ? 'parallel' : 'urls';
  return [
    ...requests.slice(first, group.first),
    { comments: [], fields: [...fieldsOfGroup(group), { name, value: { blocks } }] },
    ...groupedEntries(requests, others, { first: endOf(group), end }),
  ];
}

function fieldsOfGroup({ repeat, forEach, when }: Group): readonly PrintableMember[] {
  const conditionsOf = (conditions: readonly VariableCondition[]): readonly PrintableMember[] =>
    conditions.map(({ name, value }) => ({ name, value: comparisonOf(value) ?? describeExpected(value) }));
  const repetitions =
    typeof repeat === 'object'
      ? [
          { name: 'at_most', value: repeat.atMost },
          { name: 'until', value: conditionsOf(repeat.until) },
        ]
      : repeat;
  return membersOf<PrintableValue>({
    repeat: repetitions,
    for_each: forEach && describeList(forEach),
    when: when && conditionsOf(when),
  });
}

function describeList(forEach: ForEach): readonly PrintableMember[] {
  const { name } = forEach;
  return 'values' in forEach
    ? [{ name, value: { scalars: forEach.values } }]
    : [
        { name, value: `{{${forEach.list}}}` },
        { name: 'at_most', value: forEach.atMost },
      ];
}

/** Returns the comparison of a condition that only compares a number; null for any other condition. */
function comparisonOf(value: ExpectedValue): string | null {
  if (!isCondition(value) || Object.keys(value).length > 1) return null;
  return value.number ?? null;
}
