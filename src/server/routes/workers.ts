import type { FastifyInstance } from 'fastify';
import { encodeWorkers, type TestOfRun } from '../../contract/worker-codec.ts';
import { ROUTES } from '../../contract/routes.ts';
import type { WorkerPool } from '../../core/ports/worker-pool.ts';
import { notFound, Refusal } from '../refusal.ts';
import { addRoute } from './add-route.ts';
import { expectNoBody, workerIdFrom } from './request.ts';

/** @param workerPool - Null if the service generates load itself. */
export function addWorkerRoutes(
  server: FastifyInstance,
  workerPool: WorkerPool | null,
  testOf: TestOfRun,
): void {
  addRoute(server, ROUTES.listWorkers, () => encodeWorkers(workerPool?.list() ?? [], testOf));

  addRoute(server, ROUTES.drainWorker, async (request, reply) => {
    expectNoBody(request);
    const id = workerIdFrom(request);
    if (workerPool?.list().every((worker) => worker.id !== id || worker.state === 'lost') ?? true)
      throw notFound();
    try {
      await workerPool?.drain(id);
    } catch {
      throw new Refusal(
        503,
        ['the drain request could not be sent to the worker through Redis; try again later'],
        { retryAfter: 5 },
      );
    }
    return await reply.send();
  });
}
