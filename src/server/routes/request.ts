import type { FastifyRequest } from 'fastify';
import type { Decoded } from '../../contract/request-codec.ts';
import { readStatusFilter, type WithStatus } from '../../contract/status-filter.ts';
import { digitsOf, MAX_QUERY_LENGTH, RUN_PATTERN } from '../../contract/openapi.ts';
import { CLIENT_HEADER, IDEMPOTENCY_HEADER } from '../../contract/routes.ts';
import {
  areComparable,
  MAX_COMPARED_RUNS,
  parseRunName,
  runName,
  type NamedRun,
} from '../../core/compare/run-names.ts';
import { printable } from '../../core/printable.ts';
import { readBody, type BodyKind, type ParsedBody } from '../request-body.ts';
import { notFound, unprocessable } from '../refusal.ts';

/** @throws Refusal 404 if the ID is malformed, before the database is queried. */
export function idFrom(
  request: FastifyRequest,
  name: 'app_id' | 'test_id' | 'result_id' | 'worker_id' | 'sha256',
): string {
  const params = request.params as Readonly<Record<string, string>>; // Path parameters are strings.
  const id = params[name] ?? '';
  if (id.length !== digitsOf(name) || !/^[0-9a-f]*$/.test(id)) throw notFound();
  return id;
}

function queryOf(request: FastifyRequest): Readonly<Record<string, unknown>> {
  return request.query as Readonly<Record<string, unknown>>; // A parsed query is always an object.
}

/** @throws Refusal 422 if the query is invalid. */
export function runIdsFrom(request: FastifyRequest): readonly NamedRun[] {
  const { run } = queryOf(request);
  const names: readonly unknown[] = Array.isArray(run) ? run : [run];
  const pattern = new RegExp(RUN_PATTERN);
  const runs = names.flatMap((name) =>
    typeof name === 'string' && pattern.test(name) ? (parseRunName(name) ?? []) : [],
  );
  if (runs.length < names.length || !areComparable(runs.map(runName))) {
    throw unprocessable(
      `"run" must name 2 to ${MAX_COMPARED_RUNS} different runs, each as run=TEST_ID:RESULT_ID`,
    );
  }
  return runs;
}

/**
 * Returns the parsed body of a request; null if the body is empty.
 * @throws Refusal 415 if the content type is not accepted, 422 if the body is invalid.
 */
export function bodyFrom(request: FastifyRequest, kinds: readonly BodyKind[]): ParsedBody | null {
  const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  return readBody({ contentType: request.headers['content-type'], bytes }, kinds);
}

/** @throws Refusal 422 if decoding failed. */
export function valueOrRefuse<T>(decoded: Decoded<T>): T {
  if ('faults' in decoded) throw unprocessable(...decoded.faults);
  return decoded.value;
}

/**
 * Returns a function that reports whether a record has one of the statuses in the query.
 * @throws Refusal 422 if a value is unknown.
 */
export function statusFilterFrom(
  request: FastifyRequest,
  list: Parameters<typeof readStatusFilter>[0],
): (record: WithStatus) => boolean {
  return valueOrRefuse(readStatusFilter(list, queryOf(request)['status']));
}

/**
 * Returns the value of a query parameter as a non-negative integer; null if the parameter is missing.
 * @throws Refusal 422 if the value is invalid.
 */
export function integerFrom(request: FastifyRequest, name: string): number | null {
  const value = queryOf(request)[name];
  if (value === undefined) return null;
  if (typeof value !== 'string' || !/^\d{1,9}$/.test(value)) {
    throw unprocessable(`"${name}" must be a whole number of at most 9 digits`);
  }
  return Number(value);
}

/**
 * Returns the value of a query parameter without NUL characters; null if the parameter is missing.
 * @throws Refusal 422 if the value is too long or the parameter is repeated.
 */
export function stringFrom(request: FastifyRequest, name: string): string | null {
  const value = queryOf(request)[name];
  if (value === undefined) return null;
  if (typeof value !== 'string' || value.length > MAX_QUERY_LENGTH) {
    throw unprocessable(`"${name}" must occur only once and have at most ${MAX_QUERY_LENGTH} characters`);
  }
  return value.replaceAll('\0', '');
}

/**
 * Checks that a request has no body, or an empty list or object.
 * @throws Refusal 415 if the content type is not accepted, 422 if the body is invalid or not empty.
 */
export function expectNoBody(request: FastifyRequest): void {
  const body = bodyFrom(request, ['json', 'form'])?.value ?? '';
  // PHP encodes an empty object as an empty list.
  if (typeof body === 'object' ? Object.keys(body).length > 0 : body !== '') {
    throw unprocessable('this route does not accept a body');
  }
}

const MAX_CLIENT_LENGTH = 100;

/**
 * Returns the client header, or User-Agent if the request has no client header, truncated to `MAX_CLIENT_LENGTH`.
 * Returns null if the value is missing or blank.
 */
export function clientFrom({ headers }: FastifyRequest): string | null {
  const name = headers[CLIENT_HEADER] ?? headers['user-agent'];
  if (typeof name !== 'string' || name.trim() === '') return null;
  return printable(name.trim()).slice(0, MAX_CLIENT_LENGTH);
}

export function idempotencyKeyFrom(request: FastifyRequest): string | null {
  const value = request.headers[IDEMPOTENCY_HEADER];
  return typeof value === 'string' ? value : null;
}
