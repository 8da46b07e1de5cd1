/** Differences between observed and desired tests. */
import type { Json, Sha256 } from '../canonical.ts';
import { isCredentialHeader } from '../model/header-name.ts';
import type { LoadTestSpec, TargetSpec, VariableSpec } from '../model/load-test.ts';
import { SPEC_DEFAULTS } from '../model/load-test.ts';
import { ReturnedText, maskText, type SecretText } from '../model/secret.ts';
import { URL_FIELDS, type MarkerField } from '../model/test-fields.ts';
import { splitPointer } from '../pointer.ts';
import { align, type Similarity, type Pair } from './align.ts';
import { unlistedDigestOf, parseUnlistedDigests } from './digests.ts';
import type { Marker } from './ownership-marker.ts';
import { pointerInUrl, type FieldMap, type FieldValue, type Normalized } from './normalize.ts';

export interface FieldChange {
  /**
   * JSON Pointer with the field names of the API. The pointer of a removed URL contains the index of the URL on the
   * service.
   */
  readonly field: string;
  /** Value on the service; null if it is absent, unknown, or the default. */
  readonly from: Json;
  readonly to: Json;
  /** True if the service lists the field; false if the field was compared with the ownership marker instead. */
  readonly readable: boolean;
  /** True if only the values of secrets differ. */
  readonly rotated?: true;
}

export interface Differences {
  readonly changes: readonly FieldChange[];
  /** Pointers to fields that are equal except for secrets that are not set or not returned. */
  readonly unknown: readonly string[];
  readonly urls: readonly Pair[];
}

/** Returns the differences in listed fields, in the order of the desired fields. */
export function listedDifferences(observed: Normalized, desired: Normalized): Differences {
  const urls = align(observed.urls, desired.urls, SAME_URL);
  const ofUrls = urls.map(({ before, now }) => {
    const observedUrl = (before === null ? null : observed.urls[before]) ?? NO_FIELDS;
    if (now === null) return fieldDifferences(urlAlone(observedUrl), NO_FIELDS, before);
    return fieldDifferences(observedUrl, desired.urls[now] ?? NO_FIELDS, now);
  });
  const all = [fieldDifferences(observed.test, desired.test, null), ...ofUrls];
  return {
    changes: all.flatMap(({ changes }) => changes),
    unknown: all.flatMap(({ unknown }) => unknown),
    urls,
  };
}

const NO_FIELDS: FieldMap = new Map();
const URL_POINTER = `/${URL_FIELDS.url.name}`;
const METHOD_POINTER = `/${URL_FIELDS.method.name}`;

/** Returns the value of a URL field that cannot contain secrets; empty if the field is absent. */
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

/**
 * Returns the differences between the fields of a test, or between the fields of one URL.
 * @param url - index of the URL to which the fields belong; null for the test itself
 */
function fieldDifferences(
  observed: FieldMap,
  desired: FieldMap,
  url: number | null,
): Pick<Differences, 'changes' | 'unknown'> {
  const changes: FieldChange[] = [];
  const unknown: string[] = [];
  for (const pointer of new Set([...desired.keys(), ...observed.keys()])) {
    const [from, to] = [observed.get(pointer), desired.get(pointer)];
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

/** `rotated`: only a secret differs. `unknown`: equal except for secrets that are not set or not returned. */
type FieldComparison = 'same' | 'different' | 'rotated' | 'unknown';

function compare(observed: FieldValue | undefined, desired: FieldValue | undefined): FieldComparison {
  if (isPattern(desired)) return observed === undefined ? 'different' : compareSecrets(observed, desired);
  const [from, to] = [observed, desired].map((value) =>
    value instanceof ReturnedText ? value.reveal() : value,
  );
  return from === to ? 'same' : 'different';
}

function compareSecrets(observed: FieldValue, desired: SecretText): FieldComparison {
  if (isPattern(observed)) return maskText(observed) === maskText(desired) ? 'same' : 'different';
  const text = observed instanceof ReturnedText ? observed.reveal() : String(observed);
  const fits = (revealed: boolean) => {
    const parts = desired.parts.map((part) => {
      if (typeof part === 'string') return part;
      return revealed && part.present ? part.reveal() : null;
    });
    return matchesParts(parts, text);
  };
  if (!fits(false)) return 'different';
  // An observed value of another type is from an earlier version of the file, not from a service, and is not secret.
  if (!(observed instanceof ReturnedText)) return 'same';
  if (!fits(true)) return MASKED.test(text) ? 'unknown' : 'rotated';
  return desired.parts.every((part) => typeof part === 'string' || part.present) ? 'same' : 'unknown';
}

/** Matches placeholders that services use for values that they do not return. */
const MASKED = /\*{3}|[•●]{3}|[[<(](?:redacted|hidden|masked|filtered|secret)[\])>]/i;

export function isPattern(value: FieldValue | undefined): value is SecretText {
  return typeof value === 'object' && !(value instanceof ReturnedText);
}

/** Reports, in linear time, whether text consists of the parts in order; null matches any text. */
export function matchesParts(parts: readonly (string | null)[], text: string): boolean {
  const [first = '', ...others] = plainSegments(parts);
  const last = others.pop();
  if (last === undefined) return text === first;
  const end = text.length - last.length;
  if (!text.startsWith(first) || !text.endsWith(last) || end < first.length) return false;
  let from = first.length;
  for (const segment of others) {
    const at = text.indexOf(segment, from);
    if (at < 0 || at + segment.length > end) return false;
    from = at + segment.length;
  }
  return true;
}

function plainSegments(parts: readonly (string | null)[]): readonly string[] {
  const segments: string[] = [];
  let current = '';
  for (const part of parts) {
    if (part === null) {
      segments.push(current);
      current = '';
    } else {
      current += part;
    }
  }
  return [...segments, current];
}

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
 * Returns the changes in unlisted fields, based on the marker of the last apply.
 *
 * @param options.urls - pairs of URLs on the service and URLs in the spec
 * @param isCompared - false for each field to ignore
 */
export function unlistedDifferences(
  marker: Marker,
  spec: LoadTestSpec,
  { urls, sha256 }: { readonly urls: readonly Pair[]; readonly sha256: Sha256 },
  isCompared: Readonly<Record<MarkerField, boolean>> = ALL_FIELDS,
): FieldChange[] {
  // The marker contains the indexes that the URLs had when the test was created.
  const previousIndexes = new Map(urls.map(({ before, now }) => [now, before]));
  const desired = unlistedDigestOf(spec, sha256, (index) => previousIndexes.get(index) ?? null);
  if (marker.unlisted === desired) return [];
  const before = parseUnlistedDigests(marker.unlisted);
  const now = parseUnlistedDigests(desired);
  const changes: FieldChange[] = [];
  const threshold = spec.errorThreshold ?? SPEC_DEFAULTS.errorThreshold;
  if (isCompared.errorThreshold && before?.errorThreshold !== threshold) {
    changes.push({
      field: '/error_threshold',
      from: before?.errorThreshold ?? null,
      to: threshold,
      readable: false,
    });
  }
  if (isCompared.variables && before?.variables !== now?.variables) changes.push(variablesChange(spec));
  if (isCompared.jsonBody && before?.jsonBodies !== now?.jsonBodies) changes.push(jsonBodyChange(spec));
  return changes;
}

const ALL_FIELDS = { errorThreshold: true, variables: true, jsonBody: true };

function variablesChange(spec: LoadTestSpec): FieldChange {
  const withVariables = urlsWith(spec, ({ variables }) => (variables ?? []).length > 0);
  const to = withVariables.flatMap(([, target]) => (target.variables ?? []).map(variableText));
  return { field: unlistedPointer(withVariables, 'variables'), from: null, to, readable: false };
}

function jsonBodyChange(spec: LoadTestSpec): FieldChange {
  const escaped = urlsWith(spec, ({ body }) => body?.kind === 'json');
  return { field: unlistedPointer(escaped, 'jsonBody'), from: null, to: escaped.length > 0, readable: false };
}

type UrlAt = readonly [index: number, target: TargetSpec];

function urlsWith(spec: LoadTestSpec, has: (target: TargetSpec) => boolean): readonly UrlAt[] {
  return [...spec.targets.entries()].filter(([, target]) => has(target));
}

/**
 * Returns the pointer to a field of a URL. The index is `*` unless exactly one URL has the field, because the digests
 * do not identify URLs.
 */
function unlistedPointer(urls: readonly UrlAt[], field: 'variables' | 'jsonBody'): string {
  const [only, ...others] = urls;
  const index = only === undefined || others.length > 0 ? '*' : only[0];
  return `/urls/${index}/${URL_FIELDS[field].name}`;
}

function variableText(variable: VariableSpec): string {
  const { name, source, property, pick } = variable;
  return `${name} = ${source}${property === '' ? '' : ` ${property}`}${pick === undefined ? '' : ` (${pick})`}`;
}
