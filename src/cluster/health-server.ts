/** Health and metrics endpoints of a worker. */
import { createServer, type Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { problem, ProblemError } from '../core/problem.ts';
import type { RunningWorker } from './worker.ts';
import type { WorkerMetrics } from './worker-metrics.ts';

/**
 * Serves `GET /healthz` (503 while the worker drains, otherwise 200) and `GET /metrics` on all network interfaces.
 *
 * @throws ProblemError LT_SERVER_ADDRESS if the server cannot listen on the port.
 */
export async function openHealthServer(port: number, worker: RunningWorker): Promise<Server> {
  let metrics: ReturnType<typeof loadMetrics> | null = null;
  const context: HealthContext = { worker, metrics: () => (metrics ??= loadMetrics(worker)) };
  const server = createServer((request, response) => {
    void respondTo(request.method === 'GET' ? (request.url ?? '') : '', context).then(
      ({ status, type, text }) =>
        response.writeHead(status, { 'Content-Type': type, 'Cache-Control': 'no-store' }).end(text),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => {
      const message = `port ${port} cannot be used for --health: ${error.message}`;
      reject(new ProblemError(problem('LT_SERVER_ADDRESS', message), { cause: error }));
    });
    server.listen(port, resolve);
  });
  return server;
}

interface HealthContext {
  readonly worker: RunningWorker;
  readonly metrics: () => ReturnType<typeof loadMetrics>;
}

/** Time until the Prometheus library has measured the delay of the event loop, in ms: several of its intervals. */
const FIRST_SAMPLE_MS = 50;

/** Imports the Prometheus library dynamically, to save memory in unmonitored workers. */
async function loadMetrics(worker: RunningWorker): Promise<WorkerMetrics> {
  const { openWorkerMetrics } = await import('./worker-metrics.ts');
  const metrics = openWorkerMetrics(worker);
  await sleep(FIRST_SAMPLE_MS);
  return metrics;
}

interface HealthResponse {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

async function respondTo(url: string, { worker, metrics }: HealthContext): Promise<HealthResponse> {
  const state = worker.state();
  switch (url.replace(/\?.*$/, '')) {
    case '/healthz': {
      const text = `${JSON.stringify({ status: state, name: worker.name, id: worker.id })}\n`;
      return { status: state === 'draining' ? 503 : 200, type: 'application/json', text };
    }
    case '/metrics': {
      const exposition = await metrics();
      return { status: 200, type: exposition.type, text: await exposition.read() };
    }
    default:
      return { status: 404, type: 'text/plain', text: 'not found\n' };
  }
}
