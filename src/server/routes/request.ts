/** What every route reads from a request: ids, body, idempotency key. */
import type { FastifyRequest } from 'fastify';
import type { Decoded } from '../../contract/request-codec.ts';
import { readStatusFilter, type WithStatus } from '../../contract/status-filter.ts';
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

/**
 * One of our ids from the path.
 *
 * Errors: Refusal 404 for anything that can be none, before the database sees it.
 */
export function idFrom(request: FastifyRequest, name: 'app_id' | 'test_id' | 'result_id'): string {
  return hexFrom(request, name, 32);
}

/** The same of a worker. */
export function workerIdFrom(request: FastifyRequest): string {
  return hexFrom(request, 'worker_id', 16);
}

/** Which runs are to be compared. Errors: Refusal 422. */
export function runIdsFrom(request: FastifyRequest): readonly NamedRun[] {
  const { run } = request.query as Readonly<Record<string, unknown>>; // as the parser makes it
  const names: readonly unknown[] = Array.isArray(run) ? run : [run];
  const runs = names.flatMap((name) =>
    typeof name === 'string' && RUN_ID_PATTERN.test(name) ? (parseRunName(name) ?? []) : [],
  );
  if (runs.length < names.length || !areComparable(runs.map(runName))) {
    throw unprocessable(
      `"run" must name from two to ${MAX_COMPARED_RUNS} different runs, each as run=TEST_ID:RESULT_ID`,
    );
  }
  return runs;
}

const RUN_ID_PATTERN = /^[0-9a-f]{32}:[0-9a-f]{32}$/;

function hexFrom(request: FastifyRequest, name: string, digits: number): string {
  const params = request.params as Readonly<Record<string, string>>; // as the router makes them
  const id = params[name] ?? '';
  if (id.length !== digits || !/^[0-9a-f]*$/.test(id)) throw notFound();
  return id;
}

/** Shape: null when there is no body. Errors: Refusal 415, 422. */
export function bodyFrom(request: FastifyRequest, kinds: readonly BodyKind[]): ParsedBody | null {
  const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  return readBody({ contentType: request.headers['content-type'], bytes }, kinds);
}

/** What a body asks for. Errors: Refusal 422. */
export function valueOrRefuse<T>(decoded: Decoded<T>): T {
  if ('faults' in decoded) throw unprocessable(...decoded.faults);
  return decoded.value;
}

/** Which records of a list a request asks for. Errors: Refusal 422. */
export function statusFilterFrom(
  request: FastifyRequest,
  list: Parameters<typeof readStatusFilter>[0],
): (record: WithStatus) => boolean {
  const { status } = request.query as Readonly<Record<string, unknown>>; // as the parser makes it
  return valueOrRefuse(readStatusFilter(list, status));
}

/** A whole number of the query, 0 at least; null where it is not given. Errors: Refusal 422. */
export function integerFrom(request: FastifyRequest, name: string): number | null {
  const given = (request.query as Readonly<Record<string, unknown>>)[name]; // as the parser makes it
  if (given === undefined) return null;
  if (typeof given !== 'string' || !/^\d{1,9}$/.test(given)) {
    throw unprocessable(`"${name}" must be a whole number`);
  }
  return Number(given);
}

/** A text of the query; null where it is not given. Errors: Refusal 422. */
export function stringFrom(request: FastifyRequest, name: string): string | null {
  const given = (request.query as Readonly<Record<string, unknown>>)[name]; // as the parser makes it
  if (given === undefined) return null;
  if (typeof given !== 'string' || given.length > MAX_STRING_LENGTH) {
    throw unprocessable(`"${name}" must be one text of at most ${MAX_STRING_LENGTH} characters`);
  }
  return given.replaceAll('\0', '');
}

const MAX_STRING_LENGTH = 200;

/** For writes whose body says nothing: none at all, or an empty one. Errors: Refusal 415, 422. */
export function expectNoBody(request: FastifyRequest): void {
  const body = bodyFrom(request, ['json', 'form'])?.value ?? '';
  // Empty lists are how PHP writes empty objects.
  if (typeof body === 'object' ? Object.keys(body).length > 0 : body !== '') {
    throw unprocessable('this route does not accept a body');
  }
}

const MAX_CLIENT_LENGTH = 100;

/** What a request says of who sends it; null: nothing. */
export function clientFrom({ headers }: FastifyRequest): string | null {
  const named = headers[CLIENT_HEADER] ?? headers['user-agent'];
  if (typeof named !== 'string' || named.trim() === '') return null;
  return printable(named.trim()).slice(0, MAX_CLIENT_LENGTH);
}

export function idempotencyKeyFrom(request: FastifyRequest): string | null {
  const value = request.headers[IDEMPOTENCY_HEADER];
  return typeof value === 'string' ? value : null;
}
