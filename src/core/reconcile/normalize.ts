/**
 * Brings what is declared and what is listed into one comparable form: a flat map from field to value.
 *
 * Shape:  fields that are empty or equal their default are not in the map, on either side, so that
 *         null, "", {}, [] and absent are one. Fields that no list shows are on neither side.
 * Source: docs/design/reconciler.md, section 2.
 */
import { formatInstant } from '../instant.ts';
import type { LoadTestSpec, ObservedTest } from '../model/load-test.ts';
import { Secret, type Text } from '../model/secret.ts';
import {
  givenTestFields,
  givenUrlFields,
  type GivenField,
  type TestValues,
  type UrlValues,
} from '../model/test-fields.ts';
import { pointerOf } from '../pointer.ts';
import { plainNotes, readNotes } from './mark.ts';

/** A text with secret parts; null stands for each of them. */
export interface SecretPattern {
  readonly parts: readonly (string | null)[];
}

export type FieldValue = string | number | boolean | SecretPattern;

/** From JSON Pointer, with the API's field names, to value. */
export type FieldMap = ReadonlyMap<string, FieldValue>;

export function normalizeSpec(spec: LoadTestSpec): FieldMap {
  const name = nameBeside(spec.name, spec.targets[0]?.url);
  return fieldMap({ ...spec, name, notes: plainNotes(spec.notes) }, spec.targets);
}

export function normalizeObserved(test: ObservedTest): FieldMap {
  const { values, targets } = listedValues(test);
  return fieldMap(values, targets);
}

/** What the list says of a test: its own notes without our mark, and its name where that is not its first URL. */
export function listedValues(test: ObservedTest): {
  readonly values: TestValues;
  readonly targets: readonly UrlValues[];
} {
  const targets = test.targets().map((target) => ({ ...target, variables: null }));
  const name = nameBeside(test.name, targets[0]?.url);
  return { values: { ...test, name, notes: readNotes(test.notes).own, errorThreshold: null }, targets };
}

/** A test without a name has its first URL for one. */
function nameBeside(name: string | null, firstUrl = ''): string | null {
  return name !== null && normalizeUrl(name) === normalizeUrl(firstUrl) ? null : name;
}

function fieldMap(test: TestValues, targets: readonly UrlValues[]): FieldMap {
  const fields = new Map<string, FieldValue>();
  const set = (at: readonly (string | number)[], given: GivenField) => {
    if (given.told === 'mark') return;
    for (const [path, value] of comparable(given)) {
      if (value !== '') fields.set(pointerOf([...at, given.name, ...path]), value);
    }
  };
  for (const given of givenTestFields(test)) set([], given);
  for (const [index, target] of targets.entries()) {
    for (const given of givenUrlFields(target)) set(['urls', index], given);
  }
  return fields;
}

type Comparable = readonly [path: readonly string[], value: FieldValue];

/** One spelling of a value, or of each of its members. */
function comparable(given: GivenField): readonly Comparable[] {
  switch (given.kind) {
    case 'text':
    case 'count':
    case 'percent':
    case 'milliseconds':
    case 'flag':
      return [[[], given.value]];
    case 'seconds':
      return [[[], given.value / 1000]];
    case 'url':
      return [[[], normalizeUrl(given.value)]];
    case 'instant':
      return [[[], formatInstant(given.value)]];
    case 'type':
      return [
        [[], typeof given.value === 'string' ? given.value : `unrecognised: ${given.value.unrecognised}`],
      ];
    case 'secretText':
      return [[[], patternOf(given.value)]];
    case 'headers':
      return given.value.map(({ name, value }) => [[name.toLowerCase()], patternOf(value)]);
    case 'params':
      return given.value.map(({ name, value }) => [[name], patternOf(value)]);
    case 'credentials':
      return [[['login'], patternOf(given.value.login)]];
    case 'variables':
      return [];
  }
}

function patternOf(text: Text): FieldValue {
  if (typeof text === 'string') return text;
  return { parts: text.parts.map((part) => (part instanceof Secret ? null : part)) };
}

/**
 * One spelling of a URL: scheme and host in lower case, no default port, no fragment, a path without `.` and `..`,
 * escapes in capitals and only where they are needed.
 *
 * Errors: none; a text that is no http(s) URL comes back as it is.
 */
export function normalizeUrl(url: string): string {
  const match = /^(https?):\/\/([^/?#]*)([^?#]*)(\?[^#]*)?/i.exec(url.trim());
  if (match === null) return url;
  const scheme = (match[1] ?? '').toLowerCase();
  const [, user = '', host = ''] = /^(.*@)?(.*)$/.exec(match[2] ?? '') ?? [];
  const authority = user + host.toLowerCase().replace(scheme === 'https' ? /:443$/ : /:80$/, '');
  const path = withoutDots(escapes(match[3] ?? '')) || '/';
  const query = match[4] === '?' ? '' : escapes(match[4] ?? '');
  return `${scheme}://${authority}${path}${query}`;
}

// A service may store {{name}} escaped; unreserved characters mean the same with and without escape.
function escapes(text: string): string {
  return text
    .replaceAll(/%[0-9a-f]{2}/gi, (escape) => {
      const character = String.fromCharCode(Number.parseInt(escape.slice(1), 16));
      return /[A-Za-z0-9._~'{}-]/.test(character) ? character : escape.toUpperCase();
    })
    .replaceAll(/[^\x21-\x7e\ud800-\udfff]|["<>`]/gu, encodeURIComponent);
}

/** Source: RFC 3986 §5.2.4. */
function withoutDots(path: string): string {
  const segments: string[] = [];
  const parts = path.split('/');
  for (const [index, part] of parts.entries()) {
    const dots = part === '.' || part === '..';
    if (part === '..' && segments.length > 1) segments.pop();
    if (!dots) segments.push(part);
    else if (index === parts.length - 1) segments.push('');
  }
  return segments.join('/');
}
