/** What an orchestrator asks a worker: whether it works, and how much it has done. Nothing of any run. */
import { createServer, type Server } from 'node:http';
import { problem, ProblemError } from '../core/problem.ts';
import type { RunningWorker } from './worker.ts';

/**
 * Answers GET /healthz, 200 while it takes work and 503 while it drains, and GET /metrics, on all addresses.
 *
 * Errors: ProblemError LT_SERVER_ADDRESS for a port that is taken.
 */
export async function openHealth(port: number, worker: RunningWorker): Promise<Server> {
  const server = createServer((request, response) => {
    const found = request.method === 'GET' ? answerTo(request.url ?? '', worker) : null;
    const { status, type, text } = found ?? { status: 404, type: 'text/plain', text: 'not found\n' };
    response.writeHead(status, { 'Content-Type': type, 'Cache-Control': 'no-store' }).end(text);
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

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

function answerTo(url: string, worker: RunningWorker): Answer | null {
  const state = worker.state();
  const path = url.replace(/\?.*$/, '');
  if (path === '/healthz') {
    const text = `${JSON.stringify({ status: state, name: worker.name, id: worker.id })}\n`;
    return { status: state === 'draining' ? 503 : 200, type: 'application/json', text };
  }
  if (path !== '/metrics') return null;
  return { status: 200, type: 'text/plain; version=0.0.4', text: metricsOf(worker) };
}

function metricsOf(worker: RunningWorker): string {
  const { parts, refused } = worker.counts();
  const rows = [
    ['loadtests_worker_busy', 'gauge', 'Whether it makes load now.', worker.state() === 'busy' ? 1 : 0],
    [
      'loadtests_worker_draining',
      'gauge',
      'Whether it takes nothing new.',
      worker.state() === 'draining' ? 1 : 0,
    ],
    ['loadtests_worker_parts_total', 'counter', 'Parts of runs that it has made.', parts],
    ['loadtests_worker_refused_total', 'counter', 'Parts of runs that it did not make.', refused],
  ] as const;
  return rows
    .map(([name, type, help, value]) => `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${name} ${value}\n`)
    .join('');
}
