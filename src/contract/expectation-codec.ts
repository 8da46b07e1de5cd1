import type { Condition, ExpectedValue, JsonScalar } from '../core/model/condition.ts';
import {
  BODY_KINDS,
  BODY_NAMES,
  bodyContaining,
  nullIfEmpty,
  onlyTextOf,
  parseExpectedStatus,
  type Expectation,
  type ExpectedBody,
  type ExpectedJson,
} from '../core/model/expectation.ts';
import { withoutUndefined } from '../core/present-fields.ts';
import { isObject } from '../core/unknown-value.ts';
import type { Expect, ExpectedBodyEntry, ExpectedCondition } from './generated/test-create.ts';
import { readMap } from './wire-values.ts';

export function encodeExpectation({ status, headers, body, json, within }: Expectation): Expect {
  const hasStatus = status !== null && status.length > 0;
  return withoutUndefined({
    status: hasStatus ? [...status] : undefined,
    headers: headers ? Object.fromEntries(headers.map(({ name, value }) => [name, value])) : undefined,
    body: body === null ? undefined : (onlyTextOf(body) ?? encodeBody(body)),
    json: json
      ? Object.fromEntries(json.map(({ pointer, value }) => [pointer, encodeValue(value)]))
      : undefined,
    within,
  });
}

function encodeBody(body: ExpectedBody): ExpectedBodyEntry {
  const lists = BODY_KINDS.filter((kind) => body[kind].length > 0);
  return Object.fromEntries(lists.map((kind) => [BODY_NAMES[kind], body[kind]]));
}

export function encodeValue(value: ExpectedValue): JsonScalar | ExpectedCondition {
  if (typeof value !== 'object' || value === null) return value;
  const { oneOf, not, ...same } = value;
  // The cast is valid, because the test rules reject conditions within `not` that cannot be negated.
  return withoutUndefined({
    ...same,
    one_of: oneOf,
    not: not === undefined ? undefined : encodeValue(not),
  }) as ExpectedCondition;
}

export function decodeExpectation({ status, headers = {}, body, json = {}, within }: Expect): Expectation {
  return withoutUndefined({
    status: status?.map(statusOf) ?? null,
    headers: nullIfEmpty(readMap(headers)),
    body: body === undefined ? null : typeof body === 'string' ? bodyContaining(body) : decodeBody(body),
    json: nullIfEmpty(
      Object.entries(json).map(([pointer, value]) => ({ pointer, value: decodeValue(value) })),
    ),
    within,
  });
}

function decodeBody(wire: ExpectedBodyEntry): ExpectedBody {
  const { contains = [], not_contains: notContains = [], matches = [] } = wire;
  return { contains, notContains, matches };
}

export function decodeValue(wire: JsonScalar | ExpectedCondition): ExpectedValue {
  if (typeof wire !== 'object' || wire === null) return wire;
  const { one_of: oneOf, not, ...same } = wire;
  return withoutUndefined({ ...same, oneOf, not: not === undefined ? undefined : decodeValue(not) });
}

function statusOf(wire: number | string): number | '2xx' | '3xx' | '4xx' | '5xx' {
  const status = parseExpectedStatus(wire);
  if (status === null)
    throw new Error('Bug: an expected status code was not validated before it was decoded');
  return status;
}

/** Returns null if the field is absent, or if the service uses the field for another purpose. */
export function readExpectation(value: unknown): Expectation | null {
  if (!isObject(value)) return null;
  const codes = Array.isArray(value['status']) ? value['status'].map(readStatus) : [];
  const headers = readMap(value['headers']);
  const known = codes.filter((code) => code !== null);
  const body = readBody(value['body']);
  const json = readJson(value['json']);
  const within = readWithin(value['within']);
  if (known.length < codes.length || body === 'unusable' || json === 'unusable') return null;
  if (known.length + headers.length + json.length === 0 && body === null && within === null) return null;
  return {
    status: nullIfEmpty(known),
    headers: nullIfEmpty(headers),
    body,
    json: nullIfEmpty(json),
    ...(within === null ? {} : { within }),
  };
}

function readWithin(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : null;
}

function readBody(value: unknown): ExpectedBody | null | 'unusable' {
  if (value === undefined || value === null || value === '') return null;
  if (typeof value === 'string') return bodyContaining(value);
  if (!isObject(value)) return 'unusable';
  const lists = ['contains', 'not_contains', 'matches'].map((name) => readTexts(value[name] ?? []));
  const [contains, notContains, matches] = lists;
  return contains == null || notContains == null || matches == null
    ? 'unusable'
    : { contains, notContains, matches };
}

function readTexts(value: unknown): readonly string[] | null {
  const texts: readonly unknown[] = Array.isArray(value) ? value : [value];
  const known = texts.filter((text) => typeof text === 'string');
  return known.length < texts.length ? null : known;
}

function readJson(value: unknown): readonly ExpectedJson[] | 'unusable' {
  if (value === undefined || value === null) return [];
  if (typeof value !== 'object') return 'unusable';
  const fields = Object.entries(value).flatMap(([pointer, expected]: [string, unknown]): ExpectedJson[] => {
    const known = readValue(expected);
    return known === undefined ? [] : [{ pointer, value: known }];
  });
  return fields.length < Object.keys(value).length ? 'unusable' : fields;
}

/** Returns undefined if the value is invalid or contains unknown conditions. */
export function readValue(value: unknown): ExpectedValue | undefined {
  return isScalar(value) ? value : readCondition(value);
}

function isScalar(value: unknown): value is JsonScalar {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

function readCondition(value: unknown): Condition | undefined {
  if (!isObject(value)) return undefined;
  const { exists, length, number, one_of: oneOf, matches, not, ...unknown } = value;
  const known = not === undefined || isScalar(not) ? not : (readCondition(not) ?? UNKNOWN);
  const isKnown =
    Object.keys(unknown).length === 0 &&
    (exists === undefined || typeof exists === 'boolean') &&
    [length, number, matches].every((text) => text === undefined || typeof text === 'string') &&
    (oneOf === undefined || (Array.isArray(oneOf) && oneOf.every(isScalar))) &&
    known !== UNKNOWN;
  // The cast is valid, because the members were checked and a valid map is a condition.
  return isKnown ? (decodeValue(value) as Condition) : undefined;
}

const UNKNOWN = Symbol('a condition that this version does not support');

function readStatus(value: unknown) {
  return typeof value === 'number' || typeof value === 'string' ? parseExpectedStatus(value) : null;
}
