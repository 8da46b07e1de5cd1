/** Wire ↔ what an answer must be like. */
import { readExpectedStatus, type Expectation } from '../core/model/expectation.ts';
import type { Expect } from './generated/test-create.ts';
import { readMap } from './wire.ts';

export function encodeExpectation({ status, headers }: Expectation): Expect {
  const [first, ...more] = status ?? [];
  return {
    ...(first === undefined ? {} : { status: [first, ...more] }),
    ...(headers === null
      ? {}
      : { headers: Object.fromEntries(headers.map(({ name, value }) => [name, value])) }),
  };
}

/** Of one that fits its schema. */
export function decodeExpectation({ status, headers }: Expect): Expectation {
  return {
    status: status?.map(statusOf) ?? null,
    headers: headers === undefined ? null : readMap(headers),
  };
}

function statusOf(wire: number | string): number | '2xx' | '3xx' | '4xx' | '5xx' {
  const status = readExpectedStatus(wire);
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
  if (known.length < codes.length || known.length + headers.length === 0) return null;
  return { status: known.length === 0 ? null : known, headers: headers.length === 0 ? null : headers };
}

function readStatus(value: unknown) {
  return typeof value === 'number' || typeof value === 'string' ? readExpectedStatus(value) : null;
}
