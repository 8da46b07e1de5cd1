/** The routes of those who make the load elsewhere. */
import type { FastifyInstance } from 'fastify';
import { encodeWorkers } from '../../contract/worker-codec.ts';
import { ROUTES } from '../../contract/routes.ts';
import type { WorkerPool } from '../../core/ports/worker-pool.ts';
import { notFound, Refusal } from '../refusal.ts';
import { expectNoBody, workerIdFrom } from './request.ts';

/** @param workforce null: the service makes its load itself */
export function addWorkerRoutes(server: FastifyInstance, workforce: WorkerPool | null): void {
  server.get(ROUTES.listWorkers.path, () => encodeWorkers(workforce?.list() ?? []));

  server.route({
    method: ROUTES.drainWorker.method,
    url: ROUTES.drainWorker.path,
    async handler(request, reply) {
      expectNoBody(request);
      const id = workerIdFrom(request);
      if (workforce?.list().every((worker) => worker.id !== id) ?? true) throw notFound();
      try {
        await workforce?.drain(id);
      } catch {
        throw new Refusal(503, ['the workers cannot be reached: Redis does not answer'], { retryAfter: 5 });
      }
      return await reply.send();
    },
  });
}
