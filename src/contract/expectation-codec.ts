/** Wire ↔ what an answer must be like. */
import {
  nullIfEmpty,
  parseExpectedStatus,
  type Expectation,
  type ExpectedJson,
} from '../core/model/expectation.ts';
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

/** Of one that fits its schema. */
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
  if (status === null) throw new Error('Bug: a status code was not checked');
  return status;
}

/** What a service lists. Null also for what another one may mean by the word. */
export function readExpectation(value: unknown): Expectation | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const wire = value as Readonly<Record<string, unknown>>; // any object
  const codes = Array.isArray(wire['status']) ? wire['status'].map(readStatus) : [];
  const headers = readMap(wire['headers']);
  const known = codes.filter((code) => code !== null);
  const body = typeof wire['body'] === 'string' && wire['body'] !== '' ? wire['body'] : null;
  const json = readJson(wire['json']);
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
  const read = Object.entries(value).flatMap(([pointer, one]: [string, unknown]): ExpectedJson[] =>
    one === null || typeof one === 'string' || typeof one === 'number' || typeof one === 'boolean'
      ? [{ pointer, value: one }]
      : [],
  );
  return read.length < Object.keys(value).length ? 'unusable' : read;
}

function readStatus(value: unknown) {
  return typeof value === 'number' || typeof value === 'string' ? parseExpectedStatus(value) : null;
}
