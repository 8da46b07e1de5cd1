/**
 * Brings what is declared and what is listed into one comparable form: maps from field to value.
 *
 * Shape:  fields that are empty or equal their default are not in the map, on either side, so that
 *         null, "", {}, [] and absent are one. Fields that the plain API does not list are on neither side.
 * Source: docs/internals/reconciler.md, section 2.
 */
import { formatInstant } from '../instant.ts';
import { delayText } from '../load/delay.ts';
import type { Stage } from '../load/ramps.ts';
import type { LoadTestSpec, ObservedTest } from '../model/load-test.ts';
import { statusText, type Expectation } from '../model/expectation.ts';
import { ReturnedText, type KnownText } from '../model/secret.ts';
import {
  listEffectiveTestFields,
  listEffectiveUrlFields,
  type EffectiveField,
  type TestValues,
  type UrlValues,
} from '../model/test-fields.ts';
import { pointerOf } from '../pointer.ts';
import { formatDuration } from '../units.ts';
import { plainNotes, readNotes } from './ownership-marker.ts';

export type FieldValue = KnownText | number | boolean;

/** From JSON Pointer, with the API's field names, to value. */
export type FieldMap = ReadonlyMap<string, FieldValue>;

export interface Normalized {
  readonly test: FieldMap;
  /** Of each URL in turn; the pointers begin at the URL. */
  readonly urls: readonly FieldMap[];
}

export function normalizeSpec(spec: LoadTestSpec): Normalized {
  const name = nameUnlessUrl(spec.name, spec.targets[0]?.url);
  return normalizeTest({ ...spec, name, notes: plainNotes(spec.notes) }, spec.targets);
}

export function normalizeObserved(test: ObservedTest): Normalized {
  const { values, targets } = listedValues(test);
  return normalizeTest(values, targets);
}

/** With the fields that the plain API does not list, where the service shows them. */
export function normalizeFull(test: ObservedTest): Normalized {
  const { values, targets } = listedValues(test);
  return normalizeTest(values, targets, true);
}

/** Of a field of a URL, from the pointer that begins at the URL. */
export function pointerInUrl(index: number, pointer: string): string {
  return `/urls/${index}${pointer}`;
}

/** What the list says of a test: its own notes without our mark, and its name where that is not its first URL. */
export function listedValues(test: ObservedTest): {
  readonly values: TestValues;
  readonly targets: readonly UrlValues[];
} {
  const targets = test.targets();
  const name = nameUnlessUrl(test.name, targets[0]?.url);
  return { values: { ...test, name, notes: readNotes(test.notes).own }, targets };
}

/** A test without a name has its first URL for one. */
function nameUnlessUrl(name: string | null, firstUrl = ''): string | null {
  return name !== null && normalizeUrl(name) === normalizeUrl(firstUrl) ? null : name;
}

/** @param whole with the fields that the plain API does not list */
function normalizeTest(test: TestValues, targets: readonly UrlValues[], whole = false): Normalized {
  return {
    test: fieldMap(listEffectiveTestFields(test), whole),
    urls: targets.map((target) => fieldMap(listEffectiveUrlFields(target), whole)),
  };
}

function fieldMap(given: readonly EffectiveField[], whole: boolean): FieldMap {
  const fields = new Map<string, FieldValue>();
  for (const field of given) {
    if (field.readFrom === 'mark' && !whole) continue;
    for (const [path, value] of toComparableFields(field)) {
      if (!isEmpty(value)) fields.set(pointerOf([field.name, ...path]), value);
    }
  }
  return fields;
}

function isEmpty(value: FieldValue): boolean {
  return value instanceof ReturnedText ? value.empty : value === '';
}

type ComparableField = readonly [path: readonly string[], value: FieldValue];

/** One spelling of a value, or of each of its members. */
function toComparableFields(given: EffectiveField): readonly ComparableField[] {
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
      return [[[], given.value]];
    case 'headers':
      return given.value.map(({ name, value }) => [[name.toLowerCase()], value]);
    case 'params':
      return given.value.map(({ name, value }) => [[name], value]);
    case 'credentials':
      return [[['login'], given.value.login]];
    case 'stages':
      return [[[], stagesText(given.value)]];
    case 'expectation':
      return expectationFields(given.value);
    case 'delay':
      return [[[], delayText(given.value)]];
    case 'payloadFile':
      return [[[], `sha256:${given.value.sha256}`]];
    case 'variables':
      return [
        [
          [],
          given.value.map(({ name, source, property }) => `${name} from ${source} ${property}`).join(', '),
        ],
      ];
  }
}

function expectationFields(expectation: Expectation): readonly ComparableField[] {
  const { status, headers, body, json } = expectation;
  return [
    ...(status === null ? [] : [[['status'], statusText(expectation)] as const]),
    ...(headers ?? []).map(({ name, value }) => [['headers', name.toLowerCase()], value] as const),
    ...(body === null ? [] : [[['body'], body] as const]),
    ...(json ?? []).map(({ pointer, value }) => [['json', pointer], JSON.stringify(value)] as const),
  ];
}

/** `to 200 in 30s, to 200 in 2m` */
function stagesText(stages: readonly Stage[]): string {
  const text = ({ duration, to }: Stage) =>
    duration === 0 ? `at once ${to}` : `to ${to} in ${formatDuration(duration)}`;
  return stages.map(text).join(', ');
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
  const path = removeDotSegments(normalizeEscapes(match[3] ?? '')) || '/';
  const query = match[4] === '?' ? '' : normalizeEscapes(match[4] ?? '');
  return `${scheme}://${authority}${path}${query}`;
}

// A service may store {{name}} escaped; unreserved characters mean the same with and without escape.
function normalizeEscapes(text: string): string {
  return text
    .replaceAll(/%[0-9a-f]{2}/gi, (escape) => {
      const character = String.fromCharCode(Number.parseInt(escape.slice(1), 16));
      return /[A-Za-z0-9._~'{}-]/.test(character) ? character : escape.toUpperCase();
    })
    .replaceAll(/[^\x21-\x7e\ud800-\udfff]|["<>`]/gu, encodeURIComponent);
}

/** Source: RFC 3986 §5.2.4. */
function removeDotSegments(path: string): string {
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
