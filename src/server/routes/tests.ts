/** The routes of tests and their results. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { TestRecord } from '../../contract/generated/test-record.ts';
import { encodePass } from '../../contract/pass-codec.ts';
import { ROUTES } from '../../contract/routes.ts';
import { decodeTestCreate, encodeTestRecord } from '../../contract/test-codec.ts';
import type { RunProgress } from '../../core/load/report.ts';
import { checkBody } from '../request-schemas.ts';
import type { Tests } from '../domain/tests.ts';
import type { StoredTest } from '../store/tests.ts';
import { bodyFrom, expectNoBody, idFrom, idempotencyKeyFrom } from './request.ts';

export function addTestRoutes(server: FastifyInstance, tests: Tests): void {
  const at = ({ method, path }: { method: 'GET' | 'POST' | 'PUT'; path: string }) => ({ method, url: path });
  const testId = (request: FastifyRequest) => idFrom(request, 'test_id');

  server.route({ ...at(ROUTES.listTests), handler: () => tests.list().map(recordOf) });

  server.route({
    ...at(ROUTES.createTest),
    async handler(request) {
      const definition = checkBody('test-create', bodyFrom(request, ['json']) ?? {});
      return await tests.create(definition, idempotencyKeyFrom(request));
    },
  });

  server.route({
    ...at(ROUTES.makePass),
    async handler(request) {
      return encodePass(await tests.pass(checkBody('test-create', bodyFrom(request, ['json']) ?? {})));
    },
  });

  server.route({
    ...at(ROUTES.getTest),
    handler(request): TestRecord {
      const test = tests.get(testId(request));
      const progress = tests.progressOf(test.id);
      return { ...recordOf(test), ...(progress === null ? {} : { progress: encodeProgress(progress) }) };
    },
  });

  server.route({
    ...at(ROUTES.runTest),
    async handler(request) {
      expectNoBody(request);
      return await tests.run(testId(request), idempotencyKeyFrom(request));
    },
  });

  server.route({
    ...at(ROUTES.stopTest),
    handler(request) {
      expectNoBody(request);
      return tests.stop(testId(request));
    },
  });

  server.route({ ...at(ROUTES.listResults), handler: (request) => tests.results(testId(request)) });

  server.route({
    ...at(ROUTES.getResult),
    handler: (request) => tests.result(testId(request), idFrom(request, 'result_id')),
  });
}

function recordOf(test: StoredTest): TestRecord {
  const spec = decodeTestCreate(test.definition);
  if (spec === null) throw new Error('Bug: a stored test cannot be decoded');
  return encodeTestRecord({ id: test.id, status: test.status, spec });
}

function encodeProgress(progress: RunProgress): NonNullable<TestRecord['progress']> {
  return {
    elapsed_ms: progress.elapsed,
    connections: progress.connections,
    success: progress.success,
    error: progress.error,
    timeout_error: progress.timeoutError,
    network_error: progress.networkError,
    requests_per_second: progress.requestsPerSecond,
    p95: progress.p95,
  };
}
