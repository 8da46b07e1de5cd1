/** Routes of tests and their results. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { encodeIteration } from '../../contract/iteration-codec.ts';
import {
  decodeCreate,
  decodeRunNote,
  decodeRunVerdict,
  decodeIterationRequest,
} from '../../contract/request-codec.ts';
import { encodeStoredResult } from '../../contract/result-codec.ts';
import { encodeResultProgress } from '../../contract/result-progress-codec.ts';
import { ROUTES } from '../../contract/routes.ts';
import type { WithStatus } from '../../contract/status-filter.ts';
import { encodeListedTest, encodeTestRecord } from '../../contract/test-codec.ts';
import type { Json } from '../../core/canonical.ts';
import type { Tests } from '../domain/tests.ts';
import type { StoredRun } from '../store/result-store.ts';
import { sendList } from './json-list.ts';
import {
  valueOrRefuse,
  statusFilterFrom,
  bodyFrom,
  clientFrom,
  expectNoBody,
  idFrom,
  idempotencyKeyFrom,
  integerFrom,
} from './request.ts';

export function addTestRoutes(server: FastifyInstance, tests: () => Tests): void {
  const routeOf = ({ method, path }: { method: 'GET' | 'POST' | 'PUT'; path: string }) => ({
    method,
    url: path,
  });
  const testId = (request: FastifyRequest) => idFrom(request, 'test_id');

  server.route({
    ...routeOf(ROUTES.listTests),
    handler(request, reply) {
      const isRequested = statusFilterFrom(request, 'listTests');
      return sendList(reply, mapMembers(tests().list(), { isRequested, encode: encodeListedTest }));
    },
  });

  server.route({
    ...routeOf(ROUTES.createTest),
    async handler(request) {
      const { value = {}, kind = 'json' } = bodyFrom(request, ['json', 'form']) ?? {};
      const create = valueOrRefuse(decodeCreate(value ?? {}, kind));
      // The body is plain JSON, because it was parsed from the request.
      const content = { route: 'create', body: value as Json };
      return await tests().create(create, { key: idempotencyKeyFrom(request), content }, clientFrom(request));
    },
  });

  server.route({
    ...routeOf(ROUTES.runIteration),
    async handler(request) {
      return encodeIteration(
        await tests().runIteration(
          valueOrRefuse(decodeIterationRequest(bodyFrom(request, ['json'])?.value ?? {})),
        ),
      );
    },
  });

  server.route({
    ...routeOf(ROUTES.getTest),
    handler(request) {
      const test = tests().get(testId(request));
      return encodeTestRecord({ ...test, progress: tests().progressOf(test.id) });
    },
  });

  server.route({
    ...routeOf(ROUTES.runTest),
    async handler(request) {
      expectNoBody(request);
      return await tests().run(testId(request), idempotencyKeyFrom(request), clientFrom(request));
    },
  });

  server.route({
    ...routeOf(ROUTES.stopTest),
    handler(request) {
      expectNoBody(request);
      return tests().stop(testId(request), clientFrom(request));
    },
  });

  server.route({
    ...routeOf(ROUTES.listResults),
    handler(request, reply) {
      const isRequested = statusFilterFrom(request, 'listResults');
      return sendList(reply, mapMembers(tests().results(testId(request)), { isRequested, encode: recordOf }));
    },
  });

  server.route({
    ...routeOf(ROUTES.getResult),
    handler: (request) => recordOf(tests().result(testId(request), idFrom(request, 'result_id'))),
  });

  server.route({
    ...routeOf(ROUTES.publishVerdict),
    handler(request, reply) {
      const verdict = valueOrRefuse(decodeRunVerdict(bodyFrom(request, ['json'])?.value));
      tests().storeVerdict(testId(request), idFrom(request, 'result_id'), verdict);
      return reply.send();
    },
  });

  server.route({
    ...routeOf(ROUTES.saveNote),
    handler(request, reply) {
      const note = valueOrRefuse(decodeRunNote(bodyFrom(request, ['json'])?.value));
      tests().storeNote(testId(request), idFrom(request, 'result_id'), note);
      return reply.send();
    },
  });

  server.route({
    ...routeOf(ROUTES.getProgress),
    handler(request) {
      const after = integerFrom(request, 'after') ?? 0;
      return encodeResultProgress(tests().runState(testId(request), idFrom(request, 'result_id')), after);
    },
  });
}

function* mapMembers<From, To extends WithStatus>(
  members: Iterable<From>,
  options: { readonly isRequested: (record: WithStatus) => boolean; readonly encode: (member: From) => To },
): Generator<To> {
  for (const member of members) {
    const record = options.encode(member);
    if (options.isRequested(record)) yield record;
  }
}

function recordOf(run: StoredRun) {
  return encodeStoredResult(run);
}
