/** Rules for groups of requests: nesting, the length of iterations, and conditions. */
import { withCommas } from '../../counted.ts';
import type { VariableCondition } from '../condition.ts';
import { findExpressions } from '../expression.ts';
import { endOf, MAX_GROUP_DEPTH, MAX_GROUPS, MAX_ITERATION_REQUESTS, type Group } from '../group.ts';
import { findIteration, iterationLengths, iterationsOf } from '../iteration.ts';
import type { FieldPath } from '../../field-reference.ts';
import type { LoadTestSpec } from '../load-test.ts';
import type { PatternRules } from '../pattern.ts';
import { TEST_FIELDS } from '../test-fields.ts';
import { compileTemplate } from '../template.ts';
import { isVariableName, VARIABLE_NAME_FAULT } from '../variable.ts';
import { quote } from '../../quote.ts';
import { addFault, type FaultList } from './fault.ts';
import { checkExpectedValue } from './response-rules.ts';

/** Checks groups. In the file, nesting is always valid, because each group contains its requests. */
export function checkGroups(found: FaultList, spec: LoadTestSpec, patterns: PatternRules): void {
  const { groups } = spec;
  if (groups === null) return;
  const at = TEST_FIELDS.groups.name;
  const wrong = (path: FieldPath, message: string) => addFault(found, { path, about: 'value', message });
  if (groups.length > MAX_GROUPS)
    wrong([at], `${groups.length} groups are declared; the maximum is ${MAX_GROUPS}`);
  /** The groups that contain the current one, outermost first. */
  const around: { readonly end: number; readonly repeats: boolean }[] = [];
  let previous = 0;
  for (const [index, group] of groups.entries()) {
    while ((around.at(-1)?.end ?? Infinity) <= group.first) around.pop();
    const limit = Math.min(around.at(-1)?.end ?? Infinity, findIteration(spec, group.first)?.end ?? 0);
    if (group.first < previous || endOf(group) > limit) {
      wrong(
        [at, index],
        'a group must be within one iteration, must not partly overlap another group, and must be listed after the groups that begin earlier or contain it',
      );
      return;
    }
    around.push({ end: endOf(group), repeats: group.repeat !== undefined || group.forEach !== undefined });
    if (around.filter(({ repeats }) => repeats).length > MAX_GROUP_DEPTH) {
      wrong(
        [at, index],
        `groups with "repeat" or "for_each" are nested more than ${MAX_GROUP_DEPTH} levels deep; combine some of these groups`,
      );
      return;
    }
    previous = group.first;
  }
  const lengths = iterationLengths(spec);
  iterationsOf(spec).forEach(({ first }, index) => {
    const length = lengths[index] ?? 0;
    if (length <= MAX_ITERATION_REQUESTS) return;
    const outermost = groups.findIndex((group) => group.first >= first);
    const message = `an iteration could send ${withCommas(length)} requests; the maximum is ${withCommas(MAX_ITERATION_REQUESTS)}; reduce the number of repetitions`;
    wrong([at, outermost], message);
  });
  for (const [index, group] of groups.entries())
    if (group.parallel === true) checkParallel(found, group, { groups, index });
  patterns.nextUrl();
  for (const { path, value } of conditionsIn(groups)) checkExpectedValue(found, value, { path, patterns });
  groups.forEach(({ repeat, forEach }, index) => {
    if (forEach === undefined) return;
    const path = [at, index, 'for_each'];
    if (repeat !== undefined)
      addFault(found, {
        path,
        about: 'key',
        message: '"repeat" and "for_each" cannot be combined in one group; use two nested groups instead',
      });
    if (!isVariableName(forEach.name))
      addFault(found, { path, about: 'value', message: `${quote(forEach.name)} ${VARIABLE_NAME_FAULT}` });
    if ('list' in forEach) return;
    for (const value of forEach.values) {
      if (compileTemplate(value).names.length === 0 && findExpressions(value).length === 0) continue;
      const message = `${quote(value)} contains a variable or an expression, but a list in "for_each" must contain only constants`;
      addFault(found, { path, about: 'value', message });
    }
  });
}

/** Checks that a parallel group is not repeated, and that the groups within it only have conditions. */
function checkParallel(
  found: FaultList,
  group: Group,
  { groups, index }: { readonly groups: readonly Group[]; readonly index: number },
): void {
  const repetitionOf = ({ repeat, forEach }: Group) =>
    repeat !== undefined ? 'repeat' : forEach !== undefined ? 'for_each' : null;
  const own = repetitionOf(group);
  if (own !== null) {
    const message = `"parallel" and "${own}" cannot be combined in one group; put the group with "parallel" under "urls" of a group with "${own}"`;
    addFault(found, { path: [TEST_FIELDS.groups.name, index, own], about: 'key', message });
  }
  groups.forEach((inner, at) => {
    if (at <= index || inner.first >= endOf(group)) return;
    const name = inner.parallel === true ? 'parallel' : repetitionOf(inner);
    if (name === null) return;
    const message = `a group with "parallel" cannot contain a group with "${name}", because all its requests start once, at the same time; remove the inner "${name}"`;
    addFault(found, { path: [TEST_FIELDS.groups.name, at, name], about: 'key', message });
  });
}

export function conditionsIn(
  groups: readonly Group[],
): readonly (VariableCondition & { readonly path: FieldPath; readonly group: Group })[] {
  return groups.flatMap((group, index) => {
    const located = (conditions: readonly VariableCondition[], ...at: readonly string[]) =>
      conditions.map((one) => ({ ...one, group, path: [TEST_FIELDS.groups.name, index, ...at, one.name] }));
    const until = typeof group.repeat === 'object' ? group.repeat.until : [];
    return [...located(group.when ?? [], 'when'), ...located(until, 'repeat', 'until')];
  });
}
