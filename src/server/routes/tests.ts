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
import { addRoute } from './add-route.ts';
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
  const testId = (request: FastifyRequest) => idFrom(request, 'test_id');

  addRoute(server, ROUTES.listTests, (request, reply) => {
    const isRequested = statusFilterFrom(request, 'listTests');
    return sendList(reply, mapMembers(tests().list(), { isRequested, encode: encodeListedTest }));
  });

  addRoute(server, ROUTES.createTest, async (request) => {
    const { value = {}, kind = 'json' } = bodyFrom(request, ['json', 'form']) ?? {};
    const create = valueOrRefuse(decodeCreate(value ?? {}, kind));
    // The body consists only of JSON types, even if it was sent as a form.
    const content = { route: 'create', body: value as Json };
    return await tests().create(create, { key: idempotencyKeyFrom(request), content }, clientFrom(request));
  });

  addRoute(server, ROUTES.runIteration, async (request) => {
    return encodeIteration(
      await tests().runIteration(
        valueOrRefuse(decodeIterationRequest(bodyFrom(request, ['json'])?.value ?? {})),
      ),
    );
  });

  addRoute(server, ROUTES.getTest, (request) => {
    const test = tests().get(testId(request));
    return encodeTestRecord({ ...test, progress: tests().progressOf(test.id) });
  });

  addRoute(server, ROUTES.runTest, async (request) => {
    expectNoBody(request);
    return await tests().run(testId(request), idempotencyKeyFrom(request), clientFrom(request));
  });

  addRoute(server, ROUTES.stopTest, (request) => {
    expectNoBody(request);
    return tests().stop(testId(request), clientFrom(request));
  });

  addRoute(server, ROUTES.listResults, (request, reply) => {
    const isRequested = statusFilterFrom(request, 'listResults');
    return sendList(
      reply,
      mapMembers(tests().results(testId(request)), { isRequested, encode: encodeStoredResult }),
    );
  });

  addRoute(server, ROUTES.getResult, (request) =>
    encodeStoredResult(tests().result(testId(request), idFrom(request, 'result_id'))),
  );

  addRoute(server, ROUTES.publishVerdict, (request, reply) => {
    const verdict = valueOrRefuse(decodeRunVerdict(bodyFrom(request, ['json'])?.value));
    tests().storeVerdict(testId(request), idFrom(request, 'result_id'), verdict);
    return reply.send();
  });

  addRoute(server, ROUTES.saveNote, (request, reply) => {
    const note = valueOrRefuse(decodeRunNote(bodyFrom(request, ['json'])?.value));
    tests().storeNote(testId(request), idFrom(request, 'result_id'), note);
    return reply.send();
  });

  addRoute(server, ROUTES.getProgress, (request) => {
    const after = integerFrom(request, 'after') ?? 0;
    return encodeResultProgress(tests().runState(testId(request), idFrom(request, 'result_id')), after);
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
