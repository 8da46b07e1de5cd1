/** Field changes between what is there and what is wanted. Three-valued: equal, different, cannot be read back. */
import type { Json, Sha256 } from '../canonical.ts';
import { isCredentialHeader } from '../model/header-name.ts';
import type { LoadTestSpec, TargetSpec, VariableSpec } from '../model/load-test.ts';
import { SPEC_DEFAULTS } from '../model/load-test.ts';
import { ReturnedText, maskText, type SecretText } from '../model/secret.ts';
import { URL_FIELDS } from '../model/test-fields.ts';
import { splitPointer } from '../pointer.ts';
import { align, type Similarity, type Pair } from './align.ts';
import { unlistedDigestOf, parseUnlistedDigests } from './digests.ts';
import type { Marker } from './ownership-marker.ts';
import { pointerInUrl, type FieldMap, type FieldValue, type Normalized } from './normalize.ts';

export interface FieldChange {
  /** JSON Pointer with the API's field names; of a URL that was removed its place on the service. */
  readonly field: string;
  /** Null: not there, or its default. */
  readonly from: Json;
  readonly to: Json;
  /** False: the list cannot show the field; compared with what the mark says of the last apply. */
  readonly readable: boolean;
  /** The text is the same but for the values of its secrets. */
  readonly rotated?: true;
}

export interface Differences {
  readonly changes: readonly FieldChange[];
  /** Fields, by pointer, that are the same as far as can be told, but with secrets that are not set or not shown. */
  readonly unknown: readonly string[];
  /** Which URL on the service stands for which of the file. */
  readonly urls: readonly Pair[];
}

/** Of the fields that the list shows, in the order of the wanted ones. */
export function listedDifferences(observed: Normalized, wanted: Normalized): Differences {
  const urls = align(observed.urls, wanted.urls, SAME_URL);
  const ofUrls = urls.map(({ before, now }) => {
    const there = (before === null ? null : observed.urls[before]) ?? NO_FIELDS;
    // Of a URL that is gone no more is to be told.
    if (now === null) return fieldDifferences(urlAlone(there), NO_FIELDS, before);
    return fieldDifferences(there, wanted.urls[now] ?? NO_FIELDS, now);
  });
  const all = [fieldDifferences(observed.test, wanted.test, null), ...ofUrls];
  return {
    changes: all.flatMap(({ changes }) => changes),
    unknown: all.flatMap(({ unknown }) => unknown),
    urls,
  };
}

const NO_FIELDS: FieldMap = new Map();
const URL_POINTER = `/${URL_FIELDS.url.name}`;
const METHOD_POINTER = `/${URL_FIELDS.method.name}`;

/** Of a URL's field that holds no secret. */
function plainText(fields: FieldMap, pointer: string): string {
  const value = fields.get(pointer);
  return typeof value === 'string' ? value : '';
}

function urlOf(fields: FieldMap): string {
  return plainText(fields, URL_POINTER);
}

function urlAlone(fields: FieldMap): FieldMap {
  return new Map([[URL_POINTER, urlOf(fields)]]);
}

const SAME_URL: Similarity<FieldMap> = {
  keys: [(fields) => `${plainText(fields, METHOD_POINTER)} ${urlOf(fields)}`, urlOf],
  equal: (a, b) =>
    a.size === b.size && [...b].every(([field, value]) => compare(a.get(field), value) === 'same'),
};

/** @param url the place of the URL that the fields are of; null: of the test itself */
function fieldDifferences(
  observed: FieldMap,
  wanted: FieldMap,
  url: number | null,
): Pick<Differences, 'changes' | 'unknown'> {
  const changes: FieldChange[] = [];
  const unknown: string[] = [];
  for (const pointer of new Set([...wanted.keys(), ...observed.keys()])) {
    const [from, to] = [observed.get(pointer), wanted.get(pointer)];
    const field = url === null ? pointer : pointerInUrl(url, pointer);
    const comparison = compare(from, to);
    if (comparison === 'unknown') unknown.push(field);
    if (comparison !== 'different' && comparison !== 'rotated') continue;
    const sides = sidesOf(pointer, from, to);
    changes.push(
      comparison === 'rotated'
        ? { field, from: sides.to, to: sides.to, readable: true, rotated: true }
        : { field, ...sides, readable: true },
    );
  }
  return { changes, unknown };
}

/** Unknown: the same as far as can be told, but a secret in it is not set, or the service does not show it. */
type FieldComparison = 'same' | 'different' | 'rotated' | 'unknown';

function compare(observed: FieldValue | undefined, wanted: FieldValue | undefined): FieldComparison {
  if (isPattern(wanted)) return observed === undefined ? 'different' : compareSecrets(observed, wanted);
  const [there, here] = [observed, wanted].map((value) =>
    value instanceof ReturnedText ? value.reveal() : value,
  );
  return there === here ? 'same' : 'different';
}

function compareSecrets(observed: FieldValue, wanted: SecretText): FieldComparison {
  if (isPattern(observed)) return maskText(observed) === maskText(wanted) ? 'same' : 'different';
  const text = observed instanceof ReturnedText ? observed.reveal() : String(observed);
  const fits = (revealed: boolean) => {
    const parts = wanted.parts.map((part) => {
      if (typeof part === 'string') return part;
      return revealed && part.present ? part.reveal() : null;
    });
    return matchesParts(parts, text);
  };
  if (!fits(false)) return 'different';
  // What comes from a file is no secret's value.
  if (!(observed instanceof ReturnedText)) return 'same';
  if (!fits(true)) return MASKED.test(text) ? 'unknown' : 'rotated';
  return wanted.parts.every((part) => typeof part === 'string' || part.present) ? 'same' : 'unknown';
}

/** What services write in the place of values that they do not show. */
const MASKED = /\*{3}|[•●]{3}|[[<(](?:redacted|hidden|masked|filtered|secret)[\])>]/i;

function isPattern(value: FieldValue | undefined): value is SecretText {
  return typeof value === 'object' && !(value instanceof ReturnedText);
}

/**
 * Whether a text can be the parts in a row, with anything in the place of each secret.
 *
 * Shape:  from left to right, each part at its first place: a pattern from a file must not cost more than its length.
 */
export function matchesParts(parts: readonly (string | null)[], text: string): boolean {
  const [first = '', ...others] = plainSegments(parts);
  const last = others.pop();
  if (last === undefined) return text === first;
  const end = text.length - last.length;
  if (!text.startsWith(first) || !text.endsWith(last) || end < first.length) return false;
  let from = first.length;
  for (const stretch of others) {
    const at = text.indexOf(stretch, from);
    if (at < 0 || at + stretch.length > end) return false;
    from = at + stretch.length;
  }
  return true;
}

/** What stands before, between and behind the secrets. */
function plainSegments(parts: readonly (string | null)[]): readonly string[] {
  const stretches: string[] = [];
  let current = '';
  for (const part of parts) {
    if (part === null) {
      stretches.push(current);
      current = '';
    } else {
      current += part;
    }
  }
  return [...stretches, current];
}

/** Both sides as they may be shown. */
function sidesOf(pointer: string, from: FieldValue | undefined, to: FieldValue | undefined) {
  const [field, name = ''] = splitPointer(pointer);
  const sensitive = isPattern(to) || (field === URL_FIELDS.headers.name && isCredentialHeader(name));
  return { from: displayValue(from, sensitive), to: displayValue(to, sensitive) };
}

function displayValue(value: FieldValue | undefined, sensitive: boolean): Json {
  if (value === undefined) return null;
  if (typeof value === 'object') return maskText(value);
  return sensitive ? '***' : value;
}

/**
 * Changes of the fields that no list shows, as far as the mark of the last apply tells.
 *
 * @param urls which URL on the service stands for which of the spec
 */
export function unlistedDifferences(
  marker: Marker,
  spec: LoadTestSpec,
  { urls, sha256 }: { readonly urls: readonly Pair[]; readonly sha256: Sha256 },
): FieldChange[] {
  // The mark numbers the URLs as they were.
  const places = new Map(urls.map(({ before, now }) => [now, before]));
  const wanted = unlistedDigestOf(spec, sha256, (index) => places.get(index) ?? null);
  if (marker.unlisted === wanted) return [];
  const before = parseUnlistedDigests(marker.unlisted);
  const now = parseUnlistedDigests(wanted);
  const changes: FieldChange[] = [];
  const threshold = spec.errorThreshold ?? SPEC_DEFAULTS.errorThreshold;
  if (before?.errorThreshold !== threshold) {
    changes.push({
      field: '/error_threshold',
      from: before?.errorThreshold ?? null,
      to: threshold,
      readable: false,
    });
  }
  if (before?.variables !== now?.variables) changes.push(variablesChange(spec));
  if (before?.jsonBodies !== now?.jsonBodies) changes.push(jsonBodyChange(spec));
  return changes;
}

function variablesChange(spec: LoadTestSpec): FieldChange {
  const withVariables = urlsWith(spec, ({ variables }) => (variables ?? []).length > 0);
  const to = withVariables.flatMap(([, target]) => (target.variables ?? []).map(variableText));
  return { field: unlistedPointer(withVariables, 'variables'), from: null, to, readable: false };
}

function jsonBodyChange(spec: LoadTestSpec): FieldChange {
  const escaped = urlsWith(spec, ({ jsonBody }) => jsonBody === true);
  return { field: unlistedPointer(escaped, 'jsonBody'), from: null, to: escaped.length > 0, readable: false };
}

type UrlAt = readonly [index: number, target: TargetSpec];

function urlsWith(spec: LoadTestSpec, has: (target: TargetSpec) => boolean): readonly UrlAt[] {
  return [...spec.targets.entries()].filter(([, target]) => has(target));
}

/** The mark does not say which URL it is: what it says now can be of one only. */
function unlistedPointer(urls: readonly UrlAt[], field: 'variables' | 'jsonBody'): string {
  const [only, ...others] = urls;
  const place = only === undefined || others.length > 0 ? '*' : only[0];
  return `/urls/${place}/${URL_FIELDS[field].name}`;
}

function variableText(variable: VariableSpec): string {
  return `${variable.name} = ${variable.source} ${variable.property}`;
}
