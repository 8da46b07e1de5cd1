/** Rules for variables and expressions in the strings of a request. */
import { textsOfExpected } from '../condition.ts';
import { expectedTextsOf } from '../expectation.ts';
import { ADVICE_ON_VALUES, equivalentExpression } from '../expression-advice.ts';
import { faultsOfExpressions, findExpressions, listNamesIn } from '../expression.ts';
import { endOf, groupsAround, type Group } from '../group.ts';
import { findIteration, iterationsOf, startLength } from '../iteration.ts';
import { compileTemplate } from '../template.ts';
import type { Capabilities } from '../capabilities.ts';
import type { FieldPath } from '../../field-reference.ts';
import type { LoadTestSpec, TargetSpec } from '../load-test.ts';
import { textsOfBody, type NamedValue } from '../request-body.ts';
import type { Text } from '../secret.ts';
import { TEST_FIELDS, URL_FIELDS } from '../test-fields.ts';
import { faultOfRequestUrl } from '../url.ts';
import { isVariableName, namesOf, VARIABLE_NAME_FAULT } from '../variable.ts';
import { quote } from '../../quote.ts';
import { addFault, knownText, maskedText, type Fault, type FaultList } from './fault.ts';
import { conditionsIn } from './group-rules.ts';

interface TemplateSlot {
  readonly path: FieldPath;
  readonly text: Text;
  /** True if the string is a URL, in which braces may be escaped. */
  readonly escaped: boolean;
}

function slotsOf(target: TargetSpec, path: FieldPath): readonly TemplateSlot[] {
  const slot = (text: Text, ...at: string[]): TemplateSlot => ({
    path: [...path, ...at],
    text,
    escaped: at[0] === URL_FIELDS.url.name,
  });
  return [
    slot(target.url, URL_FIELDS.url.name),
    ...(target.headers ?? []).map(({ name, value }) => slot(value, URL_FIELDS.headers.name, name)),
    ...textsOfBody(target.body).map(({ field, name, value }) =>
      slot(value, URL_FIELDS[field].name, ...(name === null ? [] : [name])),
    ),
  ];
}

/** Returns the strings of a request's expectation, in which only variables are evaluated. */
function expectedSlotsOf({ expect }: TargetSpec, path: FieldPath): readonly TemplateSlot[] {
  return expectedTextsOf(expect).map(({ path: at, text }) => ({
    path: [...path, URL_FIELDS.expect.name, ...at],
    text,
    escaped: false,
  }));
}

function namesUsedIn(text: string, options: { readonly escaped?: boolean } = {}): readonly string[] {
  return [...compileTemplate(text, options).names, ...listNamesIn(text, options)];
}

export function checkExpressions(found: FaultList, target: TargetSpec, path: FieldPath): void {
  for (const { path: at, text, escaped } of slotsOf(target, path)) {
    const faults = faultsOfExpressions(maskedText(text), { escaped });
    for (const message of faults) addFault(found, { path: at, about: 'value', message });
    checkFunctions(found, maskedText(text), at);
    if (faults.length === 0 && faultsOfExpressions(knownText(text), { escaped }).length > 0) {
      addFault(found, {
        path: at,
        about: 'value',
        message:
          'once its secrets are inserted, this text contains an invalid expression; change the value of the secret',
      });
    }
  }
  for (const { field, name } of textsOfBody(target.body)) {
    if (name === null) continue;
    if (compileTemplate(name).names.length === 0 && findExpressions(name).length === 0) continue;
    const owner = field === 'multipart' ? 'part' : 'parameter';
    const message = `the name of the ${owner} ${quote(name)} contains a variable or an expression, which only its value can contain`;
    addFault(found, { path: [...path, URL_FIELDS[field].name, name], about: 'key', message });
  }
}

/** Reports other tools' functions with arguments, such as `{{$randomInt(1, 10)}}`, which would be sent verbatim. */
function checkFunctions(found: FaultList, text: string, path: FieldPath): void {
  const match = /\{\{\s*(\$[^{}]{0,100}\s[^{}]{0,100})\}\}/.exec(text);
  if (match === null) return;
  const [whole, content = ''] = match;
  const equivalent = equivalentExpression(content);
  const advice = equivalent === null ? ADVICE_ON_VALUES : `for a generated value, write "${equivalent}"`;
  const message = `${quote(whole)} is not a variable; ${advice}`;
  addFault(found, { path, about: 'value', message });
}

/** Maximum number of reported undefined variables per request, because a body may contain thousands. */
const MAX_MISSING_VARIABLES = 10;

interface VariableScope {
  /** Names that are defined before an iteration starts. */
  readonly defined: ReadonlySet<string>;
  /** Severity of an undefined variable. */
  readonly severity: Fault['severity'];
}

export function severityOfUndefined({ undefinedVariables }: Capabilities): Fault['severity'] {
  return undefinedVariables === 'refused' ? 'error' : 'warning';
}

interface ValueList {
  readonly values: readonly NamedValue<string>[];
  readonly path: FieldPath;
  /** Index of the flow; null for the values of the test. */
  readonly flow: number | null;
}

export function valueListsOf({ values, flows }: LoadTestSpec): readonly ValueList[] {
  const name = TEST_FIELDS.values.name;
  return [
    { values: values ?? [], path: [name], flow: null },
    ...(flows?.map((flow, index) => ({
      values: flow.values ?? [],
      path: [TEST_FIELDS.flows.name, index, name],
      flow: index,
    })) ?? []),
  ];
}

/**
 * Checks `values` of a test and of its flows. A value may refer to earlier values and to rows of payload files.
 * @param known - names that are defined before the values, each with the place of its definition
 */
export function checkValues(found: FaultList, spec: LoadTestSpec, known: ReadonlyMap<string, string>): void {
  const ofTest = new Set(namesOf(spec.values));
  for (const { values, path, flow } of valueListsOf(spec)) {
    const ofFlow = iterationsOf(spec)[flow ?? -1];
    const targets = spec.targets.slice(ofFlow?.first, ofFlow?.end);
    const defined = new Set(flow === null ? known.keys() : [...known.keys(), ...ofTest]);
    const others = { variables: variableNamesOf(targets), all: new Set(namesOf(values)) };
    for (const { name, value } of values) {
      const at = [...path, name];
      if (!isVariableName(name))
        addFault(found, { path: at, about: 'key', message: `${quote(name)} ${VARIABLE_NAME_FAULT}` });
      const place = known.get(name);
      if (place !== undefined || (flow !== null && ofTest.has(name))) {
        const other =
          place === undefined ? 'in "values" of the test and of the flow' : `in "values" and in ${place}`;
        addFault(found, {
          path: at,
          about: 'key',
          message: `the variable "${name}" is defined twice: ${other}`,
        });
      }
      checkValue(found, value, { path: at, defined, ...others });
      defined.add(name);
    }
  }
}

function checkValue(
  found: FaultList,
  value: string,
  names: {
    readonly path: FieldPath;
    readonly defined: ReadonlySet<string>;
    readonly variables: ReadonlySet<string>;
    readonly all: ReadonlySet<string>;
  },
): void {
  const { path, defined, variables, all } = names;
  const add = (message: string) => addFault(found, { path, about: 'value', message });
  for (const fault of faultsOfExpressions(value)) add(fault);
  checkFunctions(found, value, path);
  for (const used of new Set(namesUsedIn(value))) {
    if (defined.has(used)) continue;
    const reason = variables.has(used)
      ? 'is taken from a response, but values are generated before the first request of an iteration'
      : all.has(used)
        ? 'is used before it is defined; a value can use only the values before it'
        : `is not defined; ${adviceOnUndefined(used, 'no earlier value, payload file or "setup" defines it')}`;
    add(`${quote(`{{${used}}}`)} ${reason}`);
  }
}

function variableNamesOf(targets: readonly TargetSpec[]): ReadonlySet<string> {
  return new Set(targets.flatMap(({ variables }) => namesOf(variables)));
}

/** Returns advice on an undefined variable, whose name may be a function of another tool. */
function adviceOnUndefined(name: string, otherwise: string): string {
  const isFunction = name.startsWith('$') || name.includes('(');
  const equivalent = equivalentExpression(name);
  if (equivalent !== null) return `for a generated value, write "${equivalent}"`;
  return isFunction ? ADVICE_ON_VALUES : otherwise;
}

/** Checks that variables are defined before they are used, for example by an earlier request or a payload file. */
export function checkVariables(found: FaultList, spec: LoadTestSpec, scope: VariableScope): void {
  const allNames = variableNamesOf(spec.targets);
  const { severity } = scope;
  const firsts = new Map(iterationsOf(spec).map((iteration) => [iteration.first, iteration]));
  const ofStart = startNamesOf(spec);
  let ownNames = ofStart;
  let defined = new Set(scope.defined);
  spec.targets.forEach((target, index) => {
    const iteration = firsts.get(index);
    if (iteration !== undefined) {
      const ofFlow = namesOf(spec.flows?.[iteration.flow]?.values);
      defined = new Set([...scope.defined, ...ofStart, ...ofFlow]);
      ownNames = variableNamesOf(spec.targets.slice(index, iteration.end));
    }
    const group = parallelGroupAt(spec, index);
    const ofGroup = group === null ? null : variableNamesOf(spec.targets.slice(group.first, endOf(group)));
    const missing = new Set<string>();
    const items = itemNamesAround(spec, index);
    const slots = [...slotsOf(target, ['urls', index]), ...expectedSlotsOf(target, ['urls', index])].filter(
      ({ text, escaped }) => !escaped || faultOfRequestUrl(knownText(text)) === null,
    );
    for (const { path, text, escaped } of slots) {
      const names = namesUsedIn(knownText(text), { escaped });
      for (const name of names) {
        if (missing.size === MAX_MISSING_VARIABLES) break;
        if (defined.has(name) || items.includes(name) || missing.has(name)) continue;
        missing.add(name);
        const isKnown = namesUsedIn(maskedText(text), { escaped }).includes(name);
        const what = isKnown ? quote(`{{${name}}}`) : 'a variable in a secret';
        const reason = ofGroup?.has(name)
          ? 'is taken from a response of the same "parallel" group, whose requests start at the same time; move this request after the group'
          : ownNames.has(name)
            ? 'is used before it is defined; it is available only to later requests'
            : allNames.has(name)
              ? index < startLength(spec)
                ? 'is defined only by requests after "on_start"; requests in "on_start" cannot use it'
                : 'is defined only in another flow; each iteration runs one flow'
              : `is not defined; ${adviceOnUndefined(name, 'no earlier request of the test defines it')}`;
        addFault(found, { path, about: 'value', severity, message: `${what} ${reason}` });
      }
    }
    // The variables of a parallel group are available after the group.
    if (ofGroup === null) for (const name of namesOf(target.variables)) defined.add(name);
    else if (parallelGroupAt(spec, index + 1) !== group) for (const name of ofGroup) defined.add(name);
  });
  checkParallelVariables(found, spec);
  checkConditionVariables(found, spec, scope);
  checkLists(found, spec, scope);
}

function parallelGroupAt({ groups }: LoadTestSpec, request: number): Group | null {
  return (
    groups?.find((group) => group.parallel === true && group.first <= request && request < endOf(group)) ??
    null
  );
}

function checkParallelVariables(found: FaultList, { targets, groups }: LoadTestSpec): void {
  groups?.forEach((group) => {
    if (group.parallel !== true) return;
    const seen = new Set<string>();
    targets.slice(group.first, endOf(group)).forEach(({ variables }, place) => {
      variables?.forEach(({ name }, index) => {
        if (!seen.has(name)) return;
        const path = ['urls', group.first + place, URL_FIELDS.variables.name, index, 'name'];
        const message = `two requests of the same "parallel" group define the variable ${quote(name)}; use different names`;
        addFault(found, { path, about: 'value', message });
      });
      for (const name of namesOf(variables)) seen.add(name);
    });
  });
}

function startNamesOf(spec: LoadTestSpec): ReadonlySet<string> {
  return variableNamesOf(spec.targets.slice(0, startLength(spec)));
}

function itemNamesAround({ groups }: LoadTestSpec, request: number): readonly string[] {
  return groupsAround(groups ?? [], request).flatMap((index) => groups?.[index]?.forEach?.name ?? []);
}

/**
 * Checks that each `for_each` has a defined list, and an item variable that rows, values, responses and groups around
 * it do not define.
 */
function checkLists(found: FaultList, spec: LoadTestSpec, { defined, severity }: VariableScope): void {
  const known = new Set([
    ...defined,
    ...valueListsOf(spec).flatMap(({ values }) => namesOf(values)),
    ...variableNamesOf(spec.targets),
  ]);
  const groups = spec.groups ?? [];
  groups.forEach(({ first, forEach }, index) => {
    if (forEach === undefined) return;
    const add = (message: string, level: Fault['severity']) => {
      const path = [TEST_FIELDS.groups.name, index, 'for_each'];
      addFault(found, { path, about: 'value', severity: level, message });
    };
    const isNested = groupsAround(groups, first).some(
      (at) => at < index && groups[at]?.forEach?.name === forEach.name,
    );
    const others = known.has(forEach.name)
      ? 'by "for_each" and elsewhere in the test'
      : isNested
        ? 'by "for_each" of two nested groups; use different names'
        : null;
    if (others !== null) add(`the variable ${quote(forEach.name)} is defined twice: ${others}`, 'error');
    if ('list' in forEach && forEach.list !== '' && !known.has(forEach.list))
      add(
        `${quote(`{{${forEach.list}}}`)} is not defined; extract the list from an earlier response with "pick: all"`,
        severity,
      );
  });
}

/** Checks that the variables of conditions, and those in their values, are defined before or during the iteration. */
function checkConditionVariables(
  found: FaultList,
  spec: LoadTestSpec,
  { defined: outside, severity }: VariableScope,
): void {
  for (const { name, value, path, group } of conditionsIn(spec.groups ?? [])) {
    const iteration = findIteration(spec, group.first);
    // `checkGroups` reports a group that is not within an iteration.
    if (iteration === undefined) continue;
    const { first, end, flow } = iteration;
    const parallel = parallelGroupAt(spec, group.first);
    // Conditions within a parallel group are evaluated before its requests start.
    const isWithin = parallel !== null && parallel !== group;
    const targets = spec.targets
      .slice(first, end)
      .filter((_, index) => !isWithin || parallelGroupAt(spec, first + index) !== parallel);
    const defined = new Set([
      ...outside,
      ...startNamesOf(spec),
      ...namesOf(spec.flows?.[flow]?.values),
      ...variableNamesOf(targets),
      ...itemNamesAround(spec, group.first),
    ]);
    const used = textsOfExpected(value).flatMap(({ text }) => compileTemplate(text).names);
    for (const missing of new Set([name, ...used])) {
      if (defined.has(missing)) continue;
      const others = isWithin ? ' outside the "parallel" group' : '';
      const message = `the variable ${quote(missing)} is not defined; no request of the iteration${others} defines it`;
      addFault(found, { path, about: missing === name ? 'key' : 'value', severity, message });
    }
  }
}
