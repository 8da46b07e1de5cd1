/** Converts the thresholds that end a run, as returned by services, to the thresholds of the file. */
import type { AbortRule } from '../core/model/abort-rule.ts';
import { membersOf, type PrintableMember, type PrintableValue } from './yaml-printer.ts';

/** Thresholds of a test, as members of the file. */
export interface RuleMembers {
  readonly ofTest: readonly PrintableMember[];
  /** Returns the members of the request with this index in the test. */
  readonly ofUrl: (index: number) => readonly PrintableMember[];
  readonly ofFlow: (index: number) => readonly PrintableMember[];
}

export function describeAbortRules(rules: readonly AbortRule[]): RuleMembers {
  const groups = new Map(
    rules.flatMap(({ group }) => (group === undefined ? [] : [[group.name, group.urls]])),
  );
  const grouped = new Set([...groups.values()].flat());
  const ofGroups = Array.from(groups, ([name, urls]): PrintableMember => ({
    name,
    value: [
      { name: 'urls', value: { scalars: urls.map(nameOfUrl) } },
      ...thresholdsOf(rules.filter(({ group }) => group?.name === name)),
    ],
  }));
  return {
    ofTest: [
      ...thresholdsOf(
        rules.filter((one) => one.url === undefined && one.flow === undefined && one.group === undefined),
      ),
      ...(ofGroups.length === 0 ? [] : [{ name: 'groups', value: ofGroups }]),
    ],
    ofUrl: (index) => [
      // Groups refer to requests by name; services do not store the names, so a name is generated.
      ...(grouped.has(index) ? [{ name: 'name', value: nameOfUrl(index) }] : []),
      ...thresholdsOf(rules.filter(({ url }) => url === index)),
    ],
    ofFlow: (index) => thresholdsOf(rules.filter(({ flow }) => flow === index)),
  };
}

function nameOfUrl(index: number): string {
  return `url${index + 1}`;
}

function thresholdsOf(rules: readonly AbortRule[]): readonly PrintableMember[] {
  if (rules.length === 0) return [];
  const value = rules.map(({ metric, limit, minSamples, after }): PrintableMember => ({
    name: metric,
    value: membersOf<PrintableValue>({ limit, min_samples: minSamples, abort_after: { duration: after } }),
  }));
  return [{ name: 'thresholds', value }];
}
