/** Rules for expectations, and for variables that are taken from responses. */
import type { FieldPath } from '../../field-reference.ts';
import { isHeaderToken } from '../header-name.ts';
import { SPEC_DEFAULTS, type TargetSpec } from '../load-test.ts';
import { hasBodilessResponse } from '../method.ts';
import type { PatternRules } from '../pattern.ts';
import { URL_FIELDS } from '../test-fields.ts';
import { addFault, truncate, type FaultList } from './fault.ts';
import { CONTROL_IN_HEADER } from './request-rules.ts';

export function checkVariableSpecs(
  found: FaultList,
  target: TargetSpec,
  { path, patterns }: { readonly path: FieldPath; readonly patterns: PatternRules },
): void {
  patterns.nextUrl();
  const names = new Set<string>();
  (target.variables ?? []).forEach(({ name, property, source }, index) => {
    const at = [...path, URL_FIELDS.variables.name, index];
    if (!/^[A-Za-z_][A-Za-z0-9_-]*$/.test(name)) {
      const message = `${truncate(name)} is not a valid variable name; use letters, digits, _ and -`;
      addFault(found, { path: [...at, 'name'], about: 'value', message });
    }
    if (names.has(name)) {
      const message = `the variable ${truncate(name)} is defined twice for the same response`;
      addFault(found, { path: [...at, 'name'], about: 'value', message });
    }
    names.add(name);
    const message = faultOfProperty(property, source, patterns);
    if (message !== null) addFault(found, { path: [...at, 'property'], about: 'value', message });
    if (
      (source === 'json' || source === 'body') &&
      hasBodilessResponse(target.method ?? SPEC_DEFAULTS.method)
    ) {
      const none = 'the response to a HEAD request has no body; take the variable from a header or a cookie';
      addFault(found, { path: [...at, 'source'], about: 'value', message: none });
    }
  });
}

/** @see RFC 6901, section 3 */
function faultOfPointer(text: string): string | null {
  if (/^(?:\/(?:[^~/]|~[01])*)*$/.test(text)) return null;
  return 'is not a valid JSON Pointer; use a path, such as "/items/0/sku"';
}

function faultOfProperty(property: string, source: string, patterns: PatternRules): string | null {
  if (source === 'body') {
    const fault = patterns.faultOf(property);
    return fault === null ? null : `the pattern ${truncate(property)} ${fault}`;
  }
  if (source === 'json') {
    const fault = faultOfPointer(property);
    return fault === null ? null : `${truncate(property)} ${fault}`;
  }
  if (isHeaderToken(property)) return null;
  return source === 'cookie'
    ? `${truncate(property)} is not a valid cookie name; "property" is the name of a cookie that the response sets`
    : `${truncate(property)} is not a valid header name; "property" is the name of a response header`;
}

export function checkExpectation(found: FaultList, { expect, method }: TargetSpec, path: FieldPath): void {
  if (expect === null) return;
  const at = [...path, URL_FIELDS.expect.name];
  const { body, json } = expect;
  if (expect.status === null && expect.headers === null && body === null && json === null) {
    const message = '"expect" is empty; set "status", "headers", "body" or "json"';
    addFault(found, { path: at, about: 'value', message });
  }
  if (body === '') {
    addFault(found, {
      path: [...at, 'body'],
      about: 'value',
      message: '"body" is empty, so every response meets it',
    });
  }
  if ((body !== null || json !== null) && hasBodilessResponse(method ?? SPEC_DEFAULTS.method)) {
    const message = 'the response to a HEAD request has no body; remove "body" and "json" from "expect"';
    addFault(found, { path: [...at, body === null ? 'json' : 'body'], about: 'key', message });
  }
  for (const { pointer, value } of json ?? []) {
    const location = [...at, 'json', pointer];
    const fault = faultOfPointer(pointer);
    if (fault !== null) {
      const message = `${truncate(pointer)} ${fault}`;
      addFault(found, { path: location, about: 'key', message });
    }
    if (typeof value === 'number' && !Number.isFinite(value)) {
      addFault(found, {
        path: location,
        about: 'value',
        message: `${value} is not a valid JSON number`,
      });
    }
  }
  const namesByCase = new Map<string, string>();
  for (const { name, value } of expect.headers ?? []) {
    const location = [...at, 'headers', name];
    if (!isHeaderToken(name)) {
      addFault(found, {
        path: location,
        about: 'key',
        message: `${truncate(name)} is not a valid header name`,
      });
    }
    const other = namesByCase.get(name.toLowerCase());
    if (other !== undefined) {
      const message = `the header ${truncate(name)} is already set as ${truncate(other)}; header names are case-insensitive`;
      addFault(found, { path: location, about: 'key', message });
    }
    namesByCase.set(name.toLowerCase(), name);
    if (CONTROL_IN_HEADER.test(value)) {
      const message = `the expected value of the header ${truncate(name)} contains a line break or control character, so no response can match it`;
      addFault(found, { path: location, about: 'value', message });
    }
  }
}
