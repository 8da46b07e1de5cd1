/** Rules for expectations, and for variables whose values come from responses. */
import type { FieldPath } from '../../field-reference.ts';
import { conditionMeantBy, isCondition, parseComparison, type ExpectedValue } from '../condition.ts';
import {
  BODY_NAMES,
  bodyConditionsOf,
  onlyTextOf,
  type Expectation,
  type ExpectedBody,
} from '../expectation.ts';
import { isHeaderToken } from '../header-name.ts';
import { SPEC_DEFAULTS, type TargetSpec } from '../load-test.ts';
import { hasBodilessResponse } from '../method.ts';
import type { PatternRules } from '../pattern.ts';
import { compileTemplate } from '../template.ts';
import { URL_FIELDS } from '../test-fields.ts';
import { ANY_ITEM, hasAnyItem, isVariableName, VARIABLE_NAME_FAULT } from '../variable.ts';
import { quote } from '../../quote.ts';
import { addFault, type FaultList } from './fault.ts';
import { CONTROL_IN_HEADER } from './request-rules.ts';

export interface ExpectedAt {
  readonly path: FieldPath;
  readonly patterns: PatternRules;
}

export function checkResponse(found: FaultList, target: TargetSpec, at: ExpectedAt): void {
  checkVariableSpecs(found, target, at);
  checkExpectation(found, target, at);
}

function checkVariableSpecs(found: FaultList, target: TargetSpec, { path, patterns }: ExpectedAt): void {
  patterns.nextUrl();
  const names = new Set<string>();
  target.variables?.forEach(({ name, property, source, pick }, index) => {
    const at = [...path, URL_FIELDS.variables.name, index];
    if (!isVariableName(name)) {
      const message = `${quote(name)} ${VARIABLE_NAME_FAULT}`;
      addFault(found, { path: [...at, 'name'], about: 'value', message });
    }
    if (names.has(name)) {
      const message = `the variable ${quote(name)} is defined twice for the same response; rename one of them`;
      addFault(found, { path: [...at, 'name'], about: 'value', message });
    }
    names.add(name);
    if (pick !== undefined && !(source === 'json' && hasAnyItem(property))) {
      const message =
        '"pick" requires "source: json" and a "property" with * for the items of a list, such as "/items/*/id"';
      addFault(found, { path: [...at, 'pick'], about: 'key', message });
    }
    const message = faultOfProperty(property, source, patterns);
    if (message !== null) addFault(found, { path: [...at, 'property'], about: 'value', message });
    if (
      (source === 'json' || source === 'body') &&
      hasBodilessResponse(target.method ?? SPEC_DEFAULTS.method)
    ) {
      const none =
        'the response to a HEAD request has no body; take the variable from a header, a cookie or the status';
      addFault(found, { path: [...at, 'source'], about: 'value', message: none });
    }
  });
}

/**
 * Returns the error in a JSON Pointer as the end of a sentence; null if the pointer is valid.
 * @see RFC 6901, section 3
 */
function faultOfPointer(text: string): string | null {
  if (/^(?:\/(?:[^~/]|~[01])*)*$/.test(text)) return null;
  return 'is not a valid JSON Pointer; write a path such as "/items/0/sku"';
}

function faultOfProperty(property: string, source: string, patterns: PatternRules): string | null {
  if (source === 'body') {
    const fault = patterns.faultOf(property, 'extract');
    return fault === null ? null : `the pattern ${quote(property)} ${fault}`;
  }
  if (source === 'json') {
    const fault = faultOfPointer(property);
    if (fault === null && property.split('/').filter((part) => part === ANY_ITEM).length > 1)
      return `${quote(property)} contains * more than once; a variable can select from only one list`;
    return fault === null ? null : `${quote(property)} ${fault}`;
  }
  if (source === 'status')
    return property === ''
      ? null
      : '"source: status" does not use "property"; remove "property" or leave it empty';
  if (isHeaderToken(property)) return null;
  return source === 'cookie'
    ? `${quote(property)} is not a valid cookie name; set "property" to the name of a cookie that the response sets`
    : `${quote(property)} is not a valid header name; set "property" to the name of a response header`;
}

function checkExpectation(
  found: FaultList,
  { expect, method }: TargetSpec,
  { path, patterns }: ExpectedAt,
): void {
  if (expect === null) return;
  const at = [...path, URL_FIELDS.expect.name];
  const { body, json } = expect;
  const members = [expect.status, expect.headers, body, json, expect.within ?? null];
  if (members.every((member) => member === null)) {
    const message = '"expect" is empty; set "status", "headers", "body", "json" or "within"';
    addFault(found, { path: at, about: 'value', message });
  }
  if ((body !== null || json !== null) && hasBodilessResponse(method ?? SPEC_DEFAULTS.method)) {
    const message = 'the response to a HEAD request has no body; remove "body" and "json" from "expect"';
    addFault(found, { path: [...at, body === null ? 'json' : 'body'], about: 'key', message });
  }
  if (body !== null) checkExpectedBody(found, body, { path: [...at, 'body'], patterns });
  for (const { pointer, value } of json ?? []) {
    const location = [...at, 'json', pointer];
    const fault = faultOfPointer(pointer);
    if (fault !== null) {
      const message = `${quote(pointer)} ${fault}`;
      addFault(found, { path: location, about: 'key', message });
    }
    checkExpectedValue(found, value, { path: location, patterns });
  }
  checkExpectedHeaders(found, expect, at);
}

function checkExpectedBody(found: FaultList, body: ExpectedBody, { path, patterns }: ExpectedAt): void {
  const isShort = onlyTextOf(body) !== null;
  const conditions = bodyConditionsOf(body);
  if (conditions.length === 0) {
    const message = '"body" is empty; set "contains", "not_contains" or "matches"';
    addFault(found, { path, about: 'value', message });
  }
  for (const { kind, index, text } of conditions) {
    const at = isShort ? path : [...path, BODY_NAMES[kind], index];
    if (text === '') {
      const effect = kind === 'notContains' ? 'no response meets it' : 'every response meets it';
      const message = `the text of "${isShort ? 'body' : BODY_NAMES[kind]}" is empty, so ${effect}; write a text or remove the condition`;
      addFault(found, { path: at, about: 'value', message });
    }
    if (kind === 'matches') checkPattern(found, text, { path: at, patterns });
    else warnOfLiteral(found, text, at);
  }
}

/** Reports an invalid pattern. Each variable counts as one character. */
function checkPattern(found: FaultList, text: string, { path, patterns }: ExpectedAt): void {
  const { constants, names } = compileTemplate(text);
  const written = constants.flatMap((constant, at) => [
    ...constant.split(''),
    ...names.slice(at, at + 1).map((name) => `{{${name}}}`),
  ]);
  // The engine compiles a pattern without variables verbatim.
  const fault =
    names.length === 0
      ? patterns.faultOf(text, 'check')
      : patterns.faultOf(constants.join('x'), 'check', written);
  if (fault === null) return;
  addFault(found, { path, about: 'value', message: `the pattern ${quote(text)} ${fault}` });
}

/** Warns about a text that is compared verbatim although it looks like a condition. */
function warnOfLiteral(found: FaultList, text: string, path: FieldPath): void {
  const meant = conditionMeantBy(text);
  if (meant === null) return;
  const consequence = ['json', 'when', 'until'].includes(String(path.at(-2)))
    ? `is compared as text; for a condition, write ${meant}`
    : 'is searched for in the body as text; write conditions for values under "json"';
  const message = `${quote(text)} ${consequence}`;
  addFault(found, { path, about: 'value', severity: 'warning', message });
}

const COMPARISONS = { length: '>= 1', number: '> 0' } as const;

export function checkExpectedValue(
  found: FaultList,
  expected: ExpectedValue,
  { path, patterns }: ExpectedAt,
  isNegated = false,
): void {
  const add = (member: string | null, message: string, about: 'key' | 'value' = 'value') =>
    addFault(found, { path: member === null ? path : [...path, member], about, message });
  if (!isCondition(expected)) {
    if (typeof expected === 'number' && !Number.isFinite(expected))
      add(null, `${expected} is not a valid JSON number`);
    if (typeof expected === 'string' && !isNegated) warnOfLiteral(found, expected, path);
    return;
  }
  const { exists, oneOf, matches, not, ...comparisons } = expected;
  if (Object.keys(expected).length === 0) {
    const exists = isNegated ? '' : '"exists", "not", ';
    add(null, `the map has no condition; set ${exists}"length", "number", "one_of" or "matches"`);
  }
  if (exists === false && Object.keys(expected).length > 1)
    add(
      'exists',
      'a value that must not exist cannot meet other conditions; remove "exists" or the other conditions',
      'key',
    );
  for (const name of ['length', 'number'] as const) {
    const text = comparisons[name];
    if (text !== undefined && parseComparison(text) === null) {
      add(
        name,
        `${quote(text)} is not a comparison; write <, <=, >, >=, == or != and a number or a variable, such as "${COMPARISONS[name]}"`,
      );
    }
  }
  if (oneOf?.length === 0) add('one_of', '"one_of" is empty, so no value meets it; add a value');
  if (oneOf?.some((value) => typeof value === 'number' && !Number.isFinite(value)) === true)
    add('one_of', '"one_of" contains a value that is not a valid JSON number');
  if (matches !== undefined) checkPattern(found, matches, { path: [...path, 'matches'], patterns });
  if (not !== undefined) checkExpectedValue(found, not, { path: [...path, 'not'], patterns }, true);
}

function checkExpectedHeaders(found: FaultList, { headers }: Expectation, at: FieldPath): void {
  const namesByCase = new Map<string, string>();
  for (const { name, value } of headers ?? []) {
    const location = [...at, 'headers', name];
    if (!isHeaderToken(name)) {
      addFault(found, {
        path: location,
        about: 'key',
        message: `${quote(name)} is not a valid header name`,
      });
    }
    const other = namesByCase.get(name.toLowerCase());
    if (other !== undefined) {
      const message = `the headers ${quote(other)} and ${quote(name)} are the same header, because header names are case-insensitive; remove one of them`;
      addFault(found, { path: location, about: 'key', message });
    }
    namesByCase.set(name.toLowerCase(), name);
    if (CONTROL_IN_HEADER.test(value)) {
      const message = `the expected value of the header ${quote(name)} contains a line break or control character, so no response can match it`;
      addFault(found, { path: location, about: 'value', message });
    }
  }
}
