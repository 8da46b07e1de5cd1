/** Codec of response expectations. */
import {
  nullIfEmpty,
  parseExpectedStatus,
  type Expectation,
  type ExpectedJson,
} from '../core/model/expectation.ts';
import { isObject } from '../core/unknown-value.ts';
import type { Expect } from './generated/test-create.ts';
import { readMap } from './wire-values.ts';

export function encodeExpectation({ status, headers, body, json }: Expectation): Expect {
  const [first, ...more] = status ?? [];
  return {
    ...(first === undefined ? {} : { status: [first, ...more] }),
    ...(headers === null
      ? {}
      : { headers: Object.fromEntries(headers.map(({ name, value }) => [name, value])) }),
    ...(body === null ? {} : { body }),
    ...(json === null
      ? {}
      : { json: Object.fromEntries(json.map(({ pointer, value }) => [pointer, value])) }),
  };
}

/** Decodes an expectation that matches its schema. */
export function decodeExpectation({ status, headers = {}, body, json = {} }: Expect): Expectation {
  return {
    status: status?.map(statusOf) ?? null,
    headers: nullIfEmpty(readMap(headers)),
    body: body ?? null,
    json: nullIfEmpty(Object.entries(json).map(([pointer, value]) => ({ pointer, value }))),
  };
}

function statusOf(wire: number | string): number | '2xx' | '3xx' | '4xx' | '5xx' {
  const status = parseExpectedStatus(wire);
  if (status === null) throw new Error('Bug: a status code was not validated');
  return status;
}

/**
 * Reads the expectation in a service's record; null if absent, or if the service uses the field for something
 * else.
 */
export function readExpectation(value: unknown): Expectation | null {
  if (!isObject(value)) return null;
  const codes = Array.isArray(value['status']) ? value['status'].map(readStatus) : [];
  const headers = readMap(value['headers']);
  const known = codes.filter((code) => code !== null);
  const body = typeof value['body'] === 'string' && value['body'] !== '' ? value['body'] : null;
  const json = readJson(value['json']);
  if (known.length < codes.length || json === 'unusable') return null;
  if (known.length + headers.length + json.length === 0 && body === null) return null;
  return {
    status: nullIfEmpty(known),
    headers: nullIfEmpty(headers),
    body,
    json: nullIfEmpty(json),
  };
}

function readJson(value: unknown): readonly ExpectedJson[] | 'unusable' {
  if (value === undefined || value === null) return [];
  if (typeof value !== 'object') return 'unusable';
  const fields = Object.entries(value).flatMap(([pointer, expected]: [string, unknown]): ExpectedJson[] =>
    expected === null ||
    typeof expected === 'string' ||
    typeof expected === 'number' ||
    typeof expected === 'boolean'
      ? [{ pointer, value: expected }]
      : [],
  );
  return fields.length < Object.keys(value).length ? 'unusable' : fields;
}

function readStatus(value: unknown) {
  return typeof value === 'number' || typeof value === 'string' ? parseExpectedStatus(value) : null;
}
