import type { FastifyInstance } from 'fastify';
import { encodeWorkers, type TestOfRun } from '../../contract/worker-codec.ts';
import { ROUTES } from '../../contract/routes.ts';
import type { RegisteredWorker } from '../../core/model/worker.ts';
import type { WorkerPool } from '../../core/ports/worker-pool.ts';
import { notFound, unavailable } from '../refusal.ts';
import { addRoute } from './add-route.ts';
import { expectNoBody, idFrom } from './request.ts';

/** @param workerPool - Null if the service generates load itself. */
export function addWorkerRoutes(
  server: FastifyInstance,
  workerPool: WorkerPool | null,
  testOf: TestOfRun,
): void {
  const list = (): readonly RegisteredWorker[] => {
    try {
      return workerPool?.list() ?? [];
    } catch (error) {
      throw unavailable(error);
    }
  };

  addRoute(server, ROUTES.listWorkers, () => encodeWorkers(list(), testOf));

  addRoute(server, ROUTES.drainWorker, async (request, reply) => {
    expectNoBody(request);
    const id = idFrom(request, 'worker_id');
    if (list().every((worker) => worker.id !== id || worker.state === 'lost')) throw notFound();
    await workerPool?.drain(id).catch((error: unknown) => {
      throw unavailable(error);
    });
    return await reply.send();
  });
}
